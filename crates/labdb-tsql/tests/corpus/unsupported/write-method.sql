UPDATE t SET a.WRITE('x', 0, 1)
