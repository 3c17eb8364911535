SELECT select FROM t
