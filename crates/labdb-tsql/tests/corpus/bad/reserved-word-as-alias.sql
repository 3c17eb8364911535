SELECT 1 AS order
