EXEC dbo.p
EXECUTE p 1, 'x', @a, NULL, DEFAULT, word, [bracketed], -5, 0x01, N'y', @@SPID
EXEC @r = dbo.p @a = 1, @b = @c OUTPUT, @d = @e OUT
EXEC @name @x
EXEC ('SELECT ' + '1')
EXEC (@sql)
EXEC sp_executesql N'SELECT @a', N'@a int', @a = 1
EXEC db..p WITH RECOMPILE
EXEC p 1; EXEC p
