DECLARE @id int, @name sysname;
DECLARE names CURSOR LOCAL FAST_FORWARD FOR
    WITH n AS (SELECT object_id, name FROM sys.objects)
    SELECT object_id, name FROM n ORDER BY name;
OPEN names;
FETCH NEXT FROM names INTO @id, @name;
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT @name;
    FETCH FROM names INTO @id, @name;
END;
CLOSE names;
DEALLOCATE names
