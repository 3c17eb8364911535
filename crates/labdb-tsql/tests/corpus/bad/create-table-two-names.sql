CREATE TABLE t (a b c)
