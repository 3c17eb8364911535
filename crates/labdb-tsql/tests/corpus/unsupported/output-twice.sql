INSERT INTO t (a) OUTPUT inserted.a INTO @t OUTPUT inserted.a VALUES (1)
