CREATE PROCEDURE sp_tables
    @table_name nvarchar(384) = NULL,
    @table_owner nvarchar(384) = NULL,
    @table_qualifier sysname = NULL,
    @table_type varchar(100) = NULL,
    @fUsePattern bit = 1
AS
IF @table_qualifier = '%' AND @table_owner = '' AND @table_name = ''
    SELECT CAST(name AS sysname) AS TABLE_QUALIFIER, CAST(NULL AS sysname) AS TABLE_OWNER,
        CAST(NULL AS sysname) AS TABLE_NAME, CAST(NULL AS varchar(32)) AS TABLE_TYPE,
        CAST(NULL AS varchar(254)) AS REMARKS
    FROM sys.databases
    ORDER BY 1
ELSE IF @table_qualifier = '' AND @table_owner = '%' AND @table_name = ''
    SELECT CAST(NULL AS sysname) AS TABLE_QUALIFIER, CAST(name AS sysname) AS TABLE_OWNER,
        CAST(NULL AS sysname) AS TABLE_NAME, CAST(NULL AS varchar(32)) AS TABLE_TYPE,
        CAST(NULL AS varchar(254)) AS REMARKS
    FROM sys.schemas
    ORDER BY 2
ELSE IF @table_qualifier = '' AND @table_owner = '' AND @table_name = '' AND @table_type = '%'
    SELECT CAST(NULL AS sysname) AS TABLE_QUALIFIER, CAST(NULL AS sysname) AS TABLE_OWNER,
        CAST(NULL AS sysname) AS TABLE_NAME, CAST(v.kind AS varchar(32)) AS TABLE_TYPE,
        CAST(NULL AS varchar(254)) AS REMARKS
    FROM (VALUES ('SYSTEM TABLE'), ('TABLE'), ('VIEW')) AS v (kind)
    ORDER BY 4
ELSE IF @table_qualifier <> DB_NAME() AND @table_qualifier <> '%'
    RAISERROR (15250, 16, 1)
ELSE
    SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(t.owner AS sysname) AS TABLE_OWNER,
        CAST(t.name AS sysname) AS TABLE_NAME, CAST(t.kind AS varchar(32)) AS TABLE_TYPE,
        CAST(NULL AS varchar(254)) AS REMARKS
    FROM (
        SELECT SCHEMA_NAME(o.schema_id) AS owner, o.name,
            CASE WHEN o.type = 'V' THEN 'VIEW' WHEN o.is_ms_shipped = 1 THEN 'SYSTEM TABLE'
                ELSE 'TABLE' END AS kind
        FROM sys.all_objects AS o
        WHERE o.type IN ('U', 'V')
    ) AS t
    WHERE (@table_name IS NULL OR t.name = @table_name
            OR @fUsePattern = 1 AND t.name LIKE @table_name)
        AND (@table_owner IS NULL OR t.owner = @table_owner
            OR @fUsePattern = 1 AND t.owner LIKE @table_owner)
        AND (@table_type IS NULL OR CHARINDEX('''' + t.kind + '''', @table_type) > 0)
    ORDER BY 4, 1, 2, 3
