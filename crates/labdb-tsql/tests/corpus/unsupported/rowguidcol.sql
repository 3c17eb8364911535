CREATE TABLE t (a uniqueidentifier ROWGUIDCOL)
