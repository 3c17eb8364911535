CREATE PROCEDURE sp_configure @configname nvarchar(35) = NULL, @configvalue int = NULL
AS
IF @configname IS NOT NULL
    AND NOT EXISTS (SELECT * FROM sys.configurations WHERE name LIKE '%' + @configname + '%')
BEGIN
    RAISERROR (15123, 16, 1, @configname);
    RETURN 1;
END;
IF @configvalue IS NOT NULL
BEGIN
    RAISERROR (40510, 16, 1);
    RETURN 1;
END;
SELECT name, CAST(minimum AS int) AS minimum, CAST(maximum AS int) AS maximum,
    CAST(value AS int) AS config_value, CAST(value_in_use AS int) AS run_value
FROM sys.configurations
WHERE @configname IS NULL OR name LIKE '%' + @configname + '%'
ORDER BY name
