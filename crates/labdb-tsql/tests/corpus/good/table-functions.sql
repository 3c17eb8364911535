SELECT * FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s JOIN sys.master_files AS f ON f.file_id = s.file_id
SELECT value FROM GENERATE_SERIES(1, 10)
SELECT value FROM STRING_SPLIT('a,b', ',') AS s
SELECT * FROM OPENJSON(@json) AS j
SELECT * FROM dbo.f(1, DEFAULT) x (a, b)
SELECT * FROM sys.dm_db_log_info(DB_ID('x'))
