DECLARE @a int, @t TABLE (a int)
