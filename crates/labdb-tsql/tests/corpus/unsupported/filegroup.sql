CREATE TABLE t (a int) ON fg
