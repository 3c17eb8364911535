SELECT 1 WHERE (a = 1) = (b = 1)
