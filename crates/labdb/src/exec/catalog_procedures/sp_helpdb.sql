CREATE PROCEDURE sp_helpdb @dbname sysname = NULL
AS
IF @dbname IS NOT NULL AND DB_ID(@dbname) IS NULL
BEGIN
    RAISERROR (15010, 16, 1, @dbname);
    RETURN 1;
END;
SELECT d.name,
    CAST(STR((SELECT SUM(CAST(f.size AS bigint)) FROM sys.master_files AS f
        WHERE f.database_id = d.database_id) * 8 / 1024.0, 10, 2) + ' MB' AS nvarchar(13)) AS db_size,
    CAST(SUSER_SNAME(d.owner_sid) AS sysname) AS owner, CAST(d.database_id AS smallint) AS dbid,
    CONVERT(nvarchar(11), d.create_date, 100) AS created,
    CAST(CONCAT('Status=', d.state_desc,
        ', Updateability=', CASE WHEN d.is_read_only = 1 THEN 'READ_ONLY' ELSE 'READ_WRITE' END,
        ', UserAccess=', d.user_access_desc, ', Recovery=', d.recovery_model_desc,
        ', Collation=', d.collation_name) AS nvarchar(600)) AS status,
    d.compatibility_level
FROM sys.databases AS d
WHERE @dbname IS NULL OR d.name = @dbname
ORDER BY d.name;
IF @dbname IS NOT NULL
    SELECT f.name, CAST(f.file_id AS smallint) AS fileid, CAST(f.physical_name AS nchar(260)) AS filename,
        CAST(CASE WHEN f.type = 0 THEN 'PRIMARY' END AS sysname) AS filegroup,
        CAST(CONCAT(CAST(f.size AS bigint) * 8, ' KB') AS nvarchar(18)) AS size,
        CAST(CASE f.max_size WHEN -1 THEN 'Unlimited'
            ELSE CONCAT(CAST(f.max_size AS bigint) * 8, ' KB') END AS nvarchar(18)) AS maxsize,
        CAST(CASE WHEN f.is_percent_growth = 1 THEN CONCAT(f.growth, '%')
            ELSE CONCAT(CAST(f.growth AS bigint) * 8, ' KB') END AS nvarchar(18)) AS growth,
        CAST(CASE f.type WHEN 0 THEN 'data only' ELSE 'log only' END AS varchar(9)) AS usage
    FROM sys.master_files AS f
    WHERE f.database_id = DB_ID(@dbname)
    ORDER BY f.file_id
