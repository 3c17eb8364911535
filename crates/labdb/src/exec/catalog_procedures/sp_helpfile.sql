CREATE PROCEDURE sp_helpfile @filename sysname = NULL
AS
IF @filename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.database_files WHERE name = @filename)
BEGIN
    RAISERROR (15325, 16, 1, 'file', @filename);
    RETURN 1;
END;
SELECT f.name, CAST(f.file_id AS smallint) AS fileid, CAST(f.physical_name AS nchar(260)) AS filename,
    CAST(CASE WHEN f.type = 0 THEN 'PRIMARY' END AS sysname) AS filegroup,
    CAST(CONCAT(CAST(f.size AS bigint) * 8, ' KB') AS nvarchar(15)) AS size,
    CAST(CASE f.max_size WHEN -1 THEN 'Unlimited'
        ELSE CONCAT(CAST(f.max_size AS bigint) * 8, ' KB') END AS nvarchar(15)) AS maxsize,
    CAST(CASE WHEN f.is_percent_growth = 1 THEN CONCAT(f.growth, '%')
        ELSE CONCAT(CAST(f.growth AS bigint) * 8, ' KB') END AS nvarchar(15)) AS growth,
    CAST(CASE f.type WHEN 0 THEN 'data only' ELSE 'log only' END AS varchar(9)) AS usage
FROM sys.database_files AS f
WHERE @filename IS NULL OR f.name = @filename
ORDER BY f.file_id
