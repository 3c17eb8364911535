EXEC p 1 + 2
