SELECT 1 WHERE a = b = c
