PRINT 'a' + CAST(1 AS varchar(10))
RAISERROR ('text %d %s', 16, 1, 5, @s) WITH NOWAIT, LOG
RAISERROR (50001, 10, 1)
RAISERROR (@m, @sev, @state)
RAISERROR (N'x', 16, -1);
THROW 50000, 'text', 1;
THROW @n, @m, @s
