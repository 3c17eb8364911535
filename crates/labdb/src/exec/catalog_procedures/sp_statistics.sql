CREATE PROCEDURE sp_statistics
    @table_name sysname,
    @table_owner sysname = NULL,
    @table_qualifier sysname = NULL,
    @index_name sysname = '%',
    @is_unique char(1) = 'N',
    @accuracy char(1) = 'Q'
AS
IF @table_qualifier <> DB_NAME()
    RAISERROR (15250, 16, 1)
ELSE
    SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER,
        CAST(SCHEMA_NAME(t.schema_id) AS sysname) AS TABLE_OWNER,
        CAST(t.name AS sysname) AS TABLE_NAME, CAST(s.non_unique AS smallint) AS NON_UNIQUE,
        CAST(s.qualifier AS sysname) AS INDEX_QUALIFIER, CAST(s.name AS sysname) AS INDEX_NAME,
        CAST(s.kind AS smallint) AS TYPE, CAST(s.ordinal AS smallint) AS SEQ_IN_INDEX,
        CAST(s.column_name AS sysname) AS COLUMN_NAME, CAST(s.direction AS char(1)) AS COLLATION,
        CAST(s.cardinality AS int) AS CARDINALITY, CAST(s.pages AS int) AS PAGES,
        CAST(NULL AS varchar(128)) AS FILTER_CONDITION
    FROM sys.tables AS t
    JOIN (
        SELECT p.object_id, NULL AS non_unique, NULL AS qualifier, NULL AS name, 0 AS kind,
            NULL AS ordinal, NULL AS column_name, NULL AS direction, p.row_count AS cardinality,
            p.used_page_count AS pages
        FROM sys.dm_db_partition_stats AS p
        WHERE p.index_id IN (0, 1)
        UNION ALL
        SELECT i.object_id, CASE WHEN i.is_unique = 1 THEN 0 ELSE 1 END, OBJECT_NAME(i.object_id),
            i.name, CASE WHEN i.type = 1 THEN 1 ELSE 3 END, k.key_ordinal, c.name,
            CASE WHEN k.is_descending_key = 1 THEN 'D' ELSE 'A' END,
            CASE WHEN i.is_unique = 1 THEN p.row_count END,
            CASE WHEN i.type = 1 THEN p.used_page_count END
        FROM sys.indexes AS i
        JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
        JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
        JOIN sys.dm_db_partition_stats AS p ON p.object_id = i.object_id AND p.index_id IN (0, 1)
        WHERE i.type > 0 AND k.key_ordinal > 0 AND i.name LIKE @index_name
            AND (@is_unique <> 'Y' OR i.is_unique = 1)
    ) AS s ON s.object_id = t.object_id
    WHERE t.name = @table_name
        AND (@table_owner IS NULL OR SCHEMA_NAME(t.schema_id) = @table_owner)
    ORDER BY 4, 7, 6, 8
