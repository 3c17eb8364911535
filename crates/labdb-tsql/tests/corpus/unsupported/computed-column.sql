CREATE TABLE t (a int, b AS a + 1)
