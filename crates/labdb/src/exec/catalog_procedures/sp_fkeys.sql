CREATE PROCEDURE sp_fkeys
    @pktable_name sysname = NULL,
    @pktable_owner sysname = NULL,
    @pktable_qualifier sysname = NULL,
    @fktable_name sysname = NULL,
    @fktable_owner sysname = NULL,
    @fktable_qualifier sysname = NULL
AS
IF @pktable_qualifier <> DB_NAME() OR @fktable_qualifier <> DB_NAME()
    RAISERROR (15250, 16, 1)
ELSE
    SELECT CAST(DB_NAME() AS sysname) AS PKTABLE_QUALIFIER,
        CAST(OBJECT_SCHEMA_NAME(f.referenced_object_id) AS sysname) AS PKTABLE_OWNER,
        CAST(OBJECT_NAME(f.referenced_object_id) AS sysname) AS PKTABLE_NAME,
        CAST(NULL AS sysname) AS PKCOLUMN_NAME, CAST(DB_NAME() AS sysname) AS FKTABLE_QUALIFIER,
        CAST(SCHEMA_NAME(f.schema_id) AS sysname) AS FKTABLE_OWNER,
        CAST(OBJECT_NAME(f.parent_object_id) AS sysname) AS FKTABLE_NAME,
        CAST(NULL AS sysname) AS FKCOLUMN_NAME, CAST(NULL AS smallint) AS KEY_SEQ,
        CAST(f.update_referential_action AS smallint) AS UPDATE_RULE,
        CAST(f.delete_referential_action AS smallint) AS DELETE_RULE,
        CAST(f.name AS sysname) AS FK_NAME, CAST(NULL AS sysname) AS PK_NAME,
        CAST(7 AS smallint) AS DEFERRABILITY
    FROM sys.foreign_keys AS f
