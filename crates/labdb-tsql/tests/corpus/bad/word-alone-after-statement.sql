PRINT 1 x y
