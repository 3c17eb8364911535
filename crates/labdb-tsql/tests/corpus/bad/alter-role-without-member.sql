ALTER ROLE db_owner ADD u
