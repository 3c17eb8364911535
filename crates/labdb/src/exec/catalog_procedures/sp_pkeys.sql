CREATE PROCEDURE sp_pkeys
    @table_name sysname,
    @table_owner sysname = NULL,
    @table_qualifier sysname = NULL
AS
IF @table_qualifier <> DB_NAME()
    RAISERROR (15250, 16, 1)
ELSE
    SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER,
        CAST(SCHEMA_NAME(t.schema_id) AS sysname) AS TABLE_OWNER,
        CAST(t.name AS sysname) AS TABLE_NAME, CAST(c.name AS sysname) AS COLUMN_NAME,
        CAST(k.key_ordinal AS smallint) AS KEY_SEQ, CAST(i.name AS sysname) AS PK_NAME
    FROM sys.tables AS t
    JOIN sys.indexes AS i ON i.object_id = t.object_id AND i.is_primary_key = 1
    JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
    JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
    WHERE t.name = @table_name
        AND (@table_owner IS NULL OR SCHEMA_NAME(t.schema_id) = @table_owner)
        AND k.key_ordinal > 0
    ORDER BY 1, 2, 3, 5
