dbo.p @a = 1, @b = 2;
SELECT 1
