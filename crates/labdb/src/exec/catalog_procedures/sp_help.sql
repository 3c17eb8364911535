CREATE PROCEDURE sp_help @objname nvarchar(776) = NULL
AS
IF @objname IS NULL
BEGIN
    SELECT o.name AS Name, CAST(USER_NAME(s.principal_id) AS sysname) AS Owner,
        CAST(LOWER(REPLACE(o.type_desc, '_', ' ')) AS nvarchar(31)) AS Object_type
    FROM sys.all_objects AS o
    LEFT JOIN sys.schemas AS s ON s.schema_id = o.schema_id
    ORDER BY CASE WHEN o.is_ms_shipped = 1 THEN 1 ELSE 0 END, 3 DESC, 1;
    RETURN 0;
END;
DECLARE @id int = OBJECT_ID(@objname), @database sysname = DB_NAME();
IF NOT EXISTS (SELECT * FROM sys.all_objects WHERE object_id = @id)
BEGIN
    RAISERROR (15009, 16, 1, @objname, @database);
    RETURN 1;
END;
SELECT o.name AS Name, CAST(USER_NAME(s.principal_id) AS sysname) AS Owner,
    CAST(LOWER(REPLACE(o.type_desc, '_', ' ')) AS nvarchar(31)) AS Type,
    o.create_date AS Created_datetime
FROM sys.all_objects AS o
LEFT JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE o.object_id = @id;
IF EXISTS (SELECT * FROM sys.all_columns WHERE object_id = @id)
    SELECT c.name AS Column_name, t.name AS Type, CAST('no' AS varchar(35)) AS Computed,
        CAST(c.max_length AS int) AS Length,
        CAST(CASE WHEN c.precision > 0 AND t.name NOT LIKE '%date%'
            AND t.name NOT IN ('bit', 'time') THEN CAST(c.precision AS char(5)) ELSE '     ' END
            AS char(5)) AS Prec,
        CAST(CASE WHEN c.precision > 0 AND t.name NOT LIKE '%date%'
            AND t.name NOT IN ('bit', 'time', 'float', 'real') THEN CAST(c.scale AS char(5))
            ELSE '     ' END AS char(5)) AS Scale,
        CAST(CASE WHEN c.is_nullable = 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS Nullable,
        CAST(CASE WHEN t.name IN ('char', 'varchar', 'binary', 'varbinary') THEN 'no'
            ELSE '(n/a)' END AS varchar(35)) AS TrimTrailingBlanks,
        CAST(CASE WHEN t.name NOT IN ('char', 'varchar', 'binary', 'varbinary') THEN '(n/a)'
            WHEN c.is_nullable = 1 THEN 'yes' ELSE 'no' END AS varchar(35)) AS FixedLenNullInSource,
        c.collation_name AS Collation
    FROM sys.all_columns AS c
    JOIN sys.types AS t ON t.user_type_id = c.user_type_id
    WHERE c.object_id = @id
    ORDER BY c.column_id;
IF EXISTS (SELECT * FROM sys.tables WHERE object_id = @id)
BEGIN
    IF EXISTS (SELECT * FROM sys.identity_columns WHERE object_id = @id)
        SELECT name AS [Identity], CAST(seed_value AS numeric(38, 0)) AS Seed,
            CAST(increment_value AS numeric(38, 0)) AS Increment,
            CAST(is_not_for_replication AS int) AS [Not For Replication]
        FROM sys.identity_columns
        WHERE object_id = @id;
    ELSE
        SELECT CAST('No identity column defined.' AS sysname) AS [Identity],
            CAST(NULL AS numeric(38, 0)) AS Seed, CAST(NULL AS numeric(38, 0)) AS Increment,
            CAST(NULL AS int) AS [Not For Replication];
    SELECT CAST('No rowguidcol column defined.' AS sysname) AS [RowGuidCol];
    SELECT CAST('PRIMARY' AS sysname) AS Data_located_on_filegroup;
    IF EXISTS (SELECT * FROM sys.indexes WHERE object_id = @id AND type > 0)
        SELECT i.name AS index_name,
            CAST(CONCAT(LOWER(i.type_desc), CASE WHEN i.is_unique = 1 THEN ', unique' END,
                CASE WHEN i.is_primary_key = 1 THEN ', primary key' END,
                CASE WHEN i.is_unique_constraint = 1 THEN ', unique key' END,
                ' located on PRIMARY') AS varchar(210)) AS index_description,
            CAST((SELECT STRING_AGG(c.name + CASE WHEN k.is_descending_key = 1 THEN '(-)' ELSE '' END,
                    ', ') WITHIN GROUP (ORDER BY k.key_ordinal)
                FROM sys.index_columns AS k
                JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
                WHERE k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0)
                AS nvarchar(2078)) AS index_keys
        FROM sys.indexes AS i
        WHERE i.object_id = @id AND i.type > 0
        ORDER BY i.name;
    ELSE
        PRINT 'The object ''' + @objname
            + ''' does not have any indexes, or you do not have permissions.';
    IF EXISTS (SELECT * FROM sys.objects WHERE parent_object_id = @id)
        SELECT CAST(CASE o.type WHEN 'PK' THEN 'PRIMARY KEY' WHEN 'UQ' THEN 'UNIQUE'
                WHEN 'C' THEN 'CHECK' ELSE 'DEFAULT' END AS nvarchar(146)) AS constraint_type,
            o.name AS constraint_name, CAST('(n/a)' AS nvarchar(9)) AS delete_action,
            CAST('(n/a)' AS nvarchar(9)) AS update_action,
            CAST(CASE o.type WHEN 'C' THEN 'Enabled' ELSE '(n/a)' END AS varchar(8)) AS status_enabled,
            CAST(CASE o.type WHEN 'C' THEN 'Is_For_Replication' ELSE '(n/a)' END AS varchar(19))
                AS status_for_replication,
            CAST(COALESCE(d.definition, k.definition,
                (SELECT STRING_AGG(c.name, ', ') WITHIN GROUP (ORDER BY x.key_ordinal)
                FROM sys.key_constraints AS y
                JOIN sys.index_columns AS x ON x.object_id = y.parent_object_id
                    AND x.index_id = y.unique_index_id AND x.key_ordinal > 0
                JOIN sys.columns AS c ON c.object_id = x.object_id AND c.column_id = x.column_id
                WHERE y.object_id = o.object_id)) AS nvarchar(2078)) AS constraint_keys
        FROM sys.objects AS o
        LEFT JOIN sys.default_constraints AS d ON d.object_id = o.object_id
        LEFT JOIN sys.check_constraints AS k ON k.object_id = o.object_id
        WHERE o.parent_object_id = @id
        ORDER BY 1, 2;
END
