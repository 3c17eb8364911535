SELECT * FROM a JOIN b ON a.x = b.x INNER JOIN c ON b.y = c.y LEFT OUTER JOIN d ON 1 = 1
RIGHT JOIN e ON 1 = 1 FULL OUTER JOIN f ON f.z = e.z CROSS JOIN g, h
SELECT * FROM a JOIN b JOIN c ON b.x = c.x ON a.x = b.x
SELECT * FROM (a JOIN b ON a.x = b.x) LEFT JOIN (c CROSS JOIN d) ON 1 = 1
SELECT * FROM a INNER LOOP JOIN b ON a.x = b.x LEFT HASH JOIN c ON c.x = b.x
SELECT * FROM a CROSS APPLY f(a.x) AS f OUTER APPLY (SELECT TOP (1) * FROM c WHERE c.x = a.x) AS d
