SELECT * FROM a.b.c.d.e
