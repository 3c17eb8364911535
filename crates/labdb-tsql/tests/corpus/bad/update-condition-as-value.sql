UPDATE t SET a = b = 1
