SELECT * FROM table
