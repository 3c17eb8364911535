-- what it is for
CREATE OR ALTER PROCEDURE dbo.p
    @a int, @b varchar(10) = 'x', @c int = NULL OUTPUT, @d decimal(5, 1) = -1.5
WITH RECOMPILE
AS
BEGIN
    SET NOCOUNT ON;
    IF @a IS NULL RETURN 1;
    SELECT @a;
END
SELECT 2
RETURN (0)
