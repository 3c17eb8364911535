SELECT 1; sp_who
