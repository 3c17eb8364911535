SELECT (a > 1)
