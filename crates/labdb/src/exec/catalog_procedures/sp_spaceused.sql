CREATE PROCEDURE sp_spaceused
    @objname nvarchar(776) = NULL,
    @updateusage varchar(5) = 'false'
AS
IF @objname IS NULL
BEGIN
    DECLARE @data bigint, @log bigint, @reserved bigint, @used bigint, @heap bigint;
    SELECT @data = SUM(CASE WHEN type = 0 THEN CAST(size AS bigint) END),
        @log = SUM(CASE WHEN type = 1 THEN CAST(size AS bigint) END)
    FROM sys.database_files;
    SELECT @reserved = ISNULL(SUM(reserved_page_count), 0), @used = ISNULL(SUM(used_page_count), 0),
        @heap = ISNULL(SUM(CASE WHEN index_id < 2
            THEN in_row_data_page_count + lob_used_page_count + row_overflow_used_page_count END), 0)
    FROM sys.dm_db_partition_stats;
    SELECT DB_NAME() AS database_name,
        CAST(CAST(CAST((@data + @log) * 8 / 1024.0 AS decimal(15, 2)) AS varchar(15)) + ' MB'
            AS varchar(18)) AS database_size,
        CAST(CAST(CAST((@data - @reserved) * 8 / 1024.0 AS decimal(15, 2)) AS varchar(15)) + ' MB'
            AS varchar(18)) AS [unallocated space];
    SELECT CAST(CONCAT(@reserved * 8, ' KB') AS varchar(18)) AS reserved,
        CAST(CONCAT(@heap * 8, ' KB') AS varchar(18)) AS data,
        CAST(CONCAT((@used - @heap) * 8, ' KB') AS varchar(18)) AS index_size,
        CAST(CONCAT((@reserved - @used) * 8, ' KB') AS varchar(18)) AS unused;
END
ELSE
BEGIN
    DECLARE @id int = OBJECT_ID(@objname, 'U'), @database sysname = DB_NAME();
    IF @id IS NULL
    BEGIN
        RAISERROR (15009, 16, 1, @objname, @database);
        RETURN 1;
    END;
    SELECT OBJECT_NAME(@id) AS name,
        CAST(SUM(CASE WHEN index_id < 2 THEN row_count ELSE 0 END) AS char(20)) AS rows,
        CAST(CONCAT(SUM(reserved_page_count) * 8, ' KB') AS varchar(18)) AS reserved,
        CAST(CONCAT(SUM(CASE WHEN index_id < 2 THEN in_row_data_page_count + lob_used_page_count
            + row_overflow_used_page_count ELSE 0 END) * 8, ' KB') AS varchar(18)) AS data,
        CAST(CONCAT((SUM(used_page_count) - SUM(CASE WHEN index_id < 2 THEN in_row_data_page_count
            + lob_used_page_count + row_overflow_used_page_count ELSE 0 END)) * 8, ' KB')
            AS varchar(18)) AS index_size,
        CAST(CONCAT((SUM(reserved_page_count) - SUM(used_page_count)) * 8, ' KB') AS varchar(18))
            AS unused
    FROM sys.dm_db_partition_stats
    WHERE object_id = @id;
END
