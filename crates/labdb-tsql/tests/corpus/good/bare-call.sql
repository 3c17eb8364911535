sp_who 'active'
SELECT 1
