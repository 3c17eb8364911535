CREATE PROCEDURE sp_who @loginame sysname = NULL
AS
SELECT s.session_id AS spid, CAST(0 AS smallint) AS ecid, CAST(s.status AS nchar(30)) AS status,
    CAST(s.login_name AS nchar(128)) AS loginame, CAST(s.host_name AS nchar(128)) AS hostname,
    CAST(ISNULL(r.blocking_session_id, 0) AS char(5)) AS blk,
    CAST(DB_NAME(s.database_id) AS nchar(128)) AS dbname,
    CAST(ISNULL(r.command, 'AWAITING COMMAND') AS nchar(16)) AS cmd,
    CAST(ISNULL(r.request_id, 0) AS int) AS request_id
FROM sys.dm_exec_sessions AS s
LEFT JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id
WHERE (s.session_id = @@SPID OR HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1)
    AND (@loginame IS NULL OR s.login_name = @loginame
        OR CAST(s.session_id AS sysname) = @loginame
        OR @loginame = 'active' AND r.session_id IS NOT NULL)
ORDER BY s.session_id
