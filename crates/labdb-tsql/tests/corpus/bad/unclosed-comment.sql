SELECT 1 /* a
