UPDATE t SET a = 1, t.b = b + 1, c = DEFAULT, d += 1 WHERE e = 2
UPDATE TOP (10) t SET a = u.a OUTPUT deleted.a, inserted.a FROM t JOIN u ON t.x = u.x WHERE u.y > 1 OPTION (RECOMPILE)
UPDATE t SET @v = a = a + 1, @w = 5, @x += b
UPDATE @t SET a = 1
