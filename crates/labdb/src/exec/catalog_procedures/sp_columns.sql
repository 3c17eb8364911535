CREATE PROCEDURE sp_columns
    @table_name nvarchar(384),
    @table_owner nvarchar(384) = NULL,
    @table_qualifier sysname = NULL,
    @column_name nvarchar(384) = NULL,
    @ODBCVer int = 2
AS
IF @table_qualifier <> DB_NAME()
    RAISERROR (15250, 16, 1)
ELSE
    SELECT CAST(DB_NAME() AS sysname) AS TABLE_QUALIFIER, CAST(c.owner AS sysname) AS TABLE_OWNER,
        CAST(c.table_name AS sysname) AS TABLE_NAME, CAST(c.name AS sysname) AS COLUMN_NAME,
        CAST(c.data_type AS smallint) AS DATA_TYPE,
        CAST(c.type_name + CASE WHEN c.is_identity = 1 THEN ' identity' ELSE '' END AS sysname)
            AS TYPE_NAME,
        CAST(CASE
            WHEN c.max_length = -1 THEN 2147483647
            WHEN c.type_name IN ('nchar', 'nvarchar', 'sysname') THEN c.max_length / 2
            WHEN c.type_name IN ('char', 'varchar', 'binary', 'varbinary') THEN c.max_length
            WHEN c.type_name = 'uniqueidentifier' THEN 36
            WHEN c.type_name IN ('float', 'real') AND @ODBCVer < 3
                THEN CASE c.type_name WHEN 'float' THEN 15 ELSE 7 END
            ELSE c.precision END AS int) AS PRECISION,
        CAST(CASE
            WHEN c.max_length = -1 THEN 2147483647
            WHEN c.type_name IN ('decimal', 'numeric') THEN c.precision + 2
            WHEN c.type_name = 'money' THEN 21
            WHEN c.type_name = 'smallmoney' THEN 12
            WHEN c.type_name IN ('datetime', 'smalldatetime', 'datetime2') THEN 16
            WHEN c.type_name = 'date' THEN 6
            WHEN c.type_name = 'time' THEN 12
            WHEN c.type_name = 'datetimeoffset' THEN 20
            ELSE c.max_length END AS int) AS LENGTH,
        CAST(CASE
            WHEN c.is_text = 1 OR c.type_name IN ('binary', 'varbinary', 'uniqueidentifier', 'float',
                'real', 'bit', 'sql_variant', 'date') THEN NULL
            ELSE c.scale END AS smallint) AS SCALE,
        CAST(CASE
            WHEN c.type_name IN ('float', 'real') THEN CASE WHEN @ODBCVer < 3 THEN 10 ELSE 2 END
            WHEN c.type_name IN ('tinyint', 'smallint', 'int', 'bigint', 'decimal', 'numeric',
                'money', 'smallmoney') THEN 10 END AS smallint) AS RADIX,
        CAST(c.is_nullable AS smallint) AS NULLABLE, CAST(NULL AS varchar(254)) AS REMARKS,
        CAST(c.definition AS nvarchar(4000)) AS COLUMN_DEF,
        CAST(CASE WHEN c.data_type IN (91, 93, 11) THEN 9 ELSE c.data_type END AS smallint)
            AS SQL_DATA_TYPE,
        CAST(CASE WHEN c.data_type = 91 THEN 1 WHEN c.data_type IN (93, 11) THEN 3 END AS smallint)
            AS SQL_DATETIME_SUB,
        CAST(CASE WHEN c.max_length = -1 THEN 2147483647
            WHEN c.is_text = 1 OR c.type_name IN ('binary', 'varbinary') THEN c.max_length END AS int)
            AS CHAR_OCTET_LENGTH,
        CAST(ROW_NUMBER() OVER (PARTITION BY c.object_id ORDER BY c.column_id) AS int)
            AS ORDINAL_POSITION,
        CAST(CASE WHEN c.is_nullable = 1 THEN 'YES' ELSE 'NO' END AS varchar(254)) AS IS_NULLABLE,
        CAST(CASE c.type_name
            WHEN 'tinyint' THEN CASE WHEN c.is_nullable = 1 THEN 38 ELSE 48 END
            WHEN 'smallint' THEN CASE WHEN c.is_nullable = 1 THEN 38 ELSE 52 END
            WHEN 'int' THEN CASE WHEN c.is_nullable = 1 THEN 38 ELSE 56 END
            WHEN 'bigint' THEN CASE WHEN c.is_nullable = 1 THEN 108 ELSE 63 END
            WHEN 'bit' THEN 50
            WHEN 'decimal' THEN CASE WHEN c.is_nullable = 1 THEN 106 ELSE 55 END
            WHEN 'numeric' THEN CASE WHEN c.is_nullable = 1 THEN 108 ELSE 63 END
            WHEN 'money' THEN CASE WHEN c.is_nullable = 1 THEN 110 ELSE 60 END
            WHEN 'smallmoney' THEN CASE WHEN c.is_nullable = 1 THEN 110 ELSE 122 END
            WHEN 'float' THEN CASE WHEN c.is_nullable = 1 THEN 109 ELSE 62 END
            WHEN 'real' THEN CASE WHEN c.is_nullable = 1 THEN 109 ELSE 59 END
            WHEN 'datetime' THEN CASE WHEN c.is_nullable = 1 THEN 111 ELSE 61 END
            WHEN 'smalldatetime' THEN CASE WHEN c.is_nullable = 1 THEN 111 ELSE 58 END
            WHEN 'char' THEN CASE WHEN c.is_nullable = 1 THEN 39 ELSE 47 END
            WHEN 'binary' THEN CASE WHEN c.is_nullable = 1 THEN 37 ELSE 45 END
            WHEN 'varbinary' THEN 37
            WHEN 'uniqueidentifier' THEN 37
            WHEN 'date' THEN 0
            WHEN 'time' THEN 0
            WHEN 'datetime2' THEN 0
            WHEN 'datetimeoffset' THEN 0
            ELSE 39 END AS tinyint) AS SS_DATA_TYPE
    FROM (
        SELECT SCHEMA_NAME(o.schema_id) AS owner, o.name AS table_name, c.object_id, c.column_id,
            c.name, t.name AS type_name, c.max_length, c.precision, c.scale, c.is_nullable,
            c.is_identity, d.definition,
            CASE WHEN t.name IN ('char', 'varchar', 'nchar', 'nvarchar', 'sysname') THEN 1 ELSE 0 END
                AS is_text,
            CASE t.name
                WHEN 'tinyint' THEN -6 WHEN 'smallint' THEN 5 WHEN 'int' THEN 4 WHEN 'bigint' THEN -5
                WHEN 'bit' THEN -7 WHEN 'decimal' THEN 3 WHEN 'numeric' THEN 2 WHEN 'money' THEN 3 WHEN 'smallmoney' THEN 3
                WHEN 'float' THEN 6 WHEN 'real' THEN 7 WHEN 'char' THEN 1
                WHEN 'varchar' THEN CASE WHEN c.max_length = -1 THEN -1 ELSE 12 END WHEN 'nchar' THEN -8 WHEN 'nvarchar' THEN CASE WHEN c.max_length = -1 THEN -10 ELSE -9 END
                WHEN 'sysname' THEN -9 WHEN 'binary' THEN -2 WHEN 'varbinary' THEN CASE WHEN c.max_length = -1 THEN -4 ELSE -3 END
                WHEN 'uniqueidentifier' THEN -11 WHEN 'sql_variant' THEN -150
                WHEN 'datetime' THEN CASE WHEN @ODBCVer < 3 THEN 11 ELSE 93 END
                WHEN 'smalldatetime' THEN CASE WHEN @ODBCVer < 3 THEN 11 ELSE 93 END
                WHEN 'date' THEN -9 WHEN 'time' THEN -9 WHEN 'datetime2' THEN -9
                WHEN 'datetimeoffset' THEN -9 END AS data_type
        FROM sys.all_columns AS c
        JOIN sys.all_objects AS o ON o.object_id = c.object_id AND o.type IN ('U', 'V')
        JOIN sys.types AS t ON t.user_type_id = c.user_type_id
        LEFT JOIN sys.default_constraints AS d ON d.object_id = c.default_object_id
    ) AS c
    WHERE (c.table_name = @table_name OR c.table_name LIKE @table_name)
        AND (@table_owner IS NULL OR c.owner = @table_owner OR c.owner LIKE @table_owner)
        AND (@column_name IS NULL OR c.name = @column_name OR c.name LIKE @column_name)
    ORDER BY 1, 2, 3, 17
