DECLARE @a int, @b AS varchar(10) = 'x', @c decimal(10, 2) = 1.5 + 2, @d nvarchar(max), @e sysname
DECLARE @t TABLE (id int IDENTITY PRIMARY KEY, a varchar(10) NOT NULL DEFAULT 'x', UNIQUE (a))
DECLARE @u AS TABLE (a int NULL, b int CHECK (b > 0))
SET @a = 1
SET @a += 1 SET @b = (SELECT MAX(a) FROM t)
