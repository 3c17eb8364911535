SELECT a + b * c - d / e % f & g | h ^ i, ~a, -b, - - c, -100.0/-100.0*10, a COLLATE Latin1_General_BIN2
SELECT CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' ELSE 'z' END, CASE WHEN a > 1 AND NOT b = 2 THEN 1 END
SELECT CAST(a AS varchar(max)), CAST(1 AS decimal(10, 2)), TRY_CAST(a AS int), CONVERT(char(8), GETDATE(), 112), TRY_CONVERT(float, a)
SELECT IIF(a > 1, 'x', 'y'), COALESCE(a, b, 0), NULLIF(a, 0), CHOOSE(1, 'a'), ISNULL(a, ''), LEFT(a, 1), RIGHT(b, 2), LEN(c)
SELECT DATEDIFF(ms, @a, SYSDATETIME()), DATEADD(day, 1, GETDATE()), CURRENT_TIMESTAMP, CURRENT_USER, USER, SYSTEM_USER, SESSION_USER
SELECT @@ROWCOUNT, @@version, dbo.f(1), db.dbo.f(a, b), (SELECT MAX(a) FROM t), ((SELECT 1)), (1 + 2) * 3
SELECT CAST(a AS double precision), CAST(a AS national character varying(10)), CAST(a AS sysname), CAST(a AS char varying(5))
