SELECT 1
SELECT 1 AS a, 2 b, c = 3, 'x' AS 'text alias', N'y' [bracket], "quoted" FROM t
SELECT DISTINCT TOP (5) PERCENT WITH TIES t.*, s.t.c FROM s.t AS t ORDER BY a DESC, 2 ASC
SELECT ALL TOP 10 * FROM db..t
SELECT @a = 1, @b += 2, @c -= a, @d *= 3, @e /= 4, @f %= 5, @g &= 6, @h |= 7, @i ^= 8 FROM t
SELECT * INTO #copy FROM t WHERE 1 = 0;
(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1
