CREATE PROCEDURE sp_stored_procedures
    @sp_name nvarchar(390) = NULL,
    @sp_owner nvarchar(384) = NULL,
    @sp_qualifier sysname = NULL,
    @fUsePattern bit = 1
AS
IF @sp_qualifier <> DB_NAME() AND @sp_qualifier <> '%'
    RAISERROR (15250, 16, 1)
ELSE
    SELECT CAST(DB_NAME() AS sysname) AS PROCEDURE_QUALIFIER,
        CAST(SCHEMA_NAME(o.schema_id) AS sysname) AS PROCEDURE_OWNER,
        CAST(o.name + ';1' AS nvarchar(134)) AS PROCEDURE_NAME, -1 AS NUM_INPUT_PARAMS,
        -1 AS NUM_OUTPUT_PARAMS, -1 AS NUM_RESULT_SETS, CAST(NULL AS varchar(254)) AS REMARKS,
        CAST(2 AS smallint) AS PROCEDURE_TYPE
    FROM sys.all_objects AS o
    WHERE o.type = 'P'
        AND (@sp_name IS NULL OR o.name = @sp_name OR @fUsePattern = 1 AND o.name LIKE @sp_name)
        AND (@sp_owner IS NULL OR SCHEMA_NAME(o.schema_id) = @sp_owner
            OR @fUsePattern = 1 AND SCHEMA_NAME(o.schema_id) LIKE @sp_owner)
    ORDER BY 1, 2, 3
