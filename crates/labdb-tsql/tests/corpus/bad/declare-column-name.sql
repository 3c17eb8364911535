DECLARE @a int b int
