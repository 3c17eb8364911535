SELECT * FROM t PIVOT (SUM(a) FOR b IN ([x], [y])) AS p
