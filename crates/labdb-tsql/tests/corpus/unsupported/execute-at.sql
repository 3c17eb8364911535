EXEC ('SELECT 1') AT server
