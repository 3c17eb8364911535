CREATE PROCEDURE sp_who2 @loginame sysname = NULL
AS
SELECT CAST(s.session_id AS char(5)) AS SPID, CAST(s.status AS nvarchar(30)) AS Status,
    CAST(s.login_name AS sysname) AS Login, CAST(s.host_name AS sysname) AS HostName,
    CAST(CASE WHEN r.blocking_session_id <> 0 THEN CAST(r.blocking_session_id AS char(5))
        ELSE '  .' END AS char(5)) AS BlkBy,
    CAST(DB_NAME(s.database_id) AS sysname) AS DBName,
    CAST(ISNULL(r.command, 'AWAITING COMMAND') AS nvarchar(16)) AS Command,
    CAST(s.cpu_time AS varchar(30)) AS CPUTime, CAST(s.reads + s.writes AS varchar(30)) AS DiskIO,
    CONVERT(varchar(5), s.last_request_start_time, 1) + ' '
        + CONVERT(varchar(8), s.last_request_start_time, 108) AS LastBatch,
    CAST(s.program_name AS sysname) AS ProgramName, CAST(s.session_id AS char(5)) AS SPID,
    CAST(ISNULL(r.request_id, 0) AS char(5)) AS REQUESTID
FROM sys.dm_exec_sessions AS s
LEFT JOIN sys.dm_exec_requests AS r ON r.session_id = s.session_id
WHERE (s.session_id = @@SPID OR HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1)
    AND (@loginame IS NULL OR s.login_name = @loginame
        OR CAST(s.session_id AS sysname) = @loginame
        OR @loginame = 'active' AND r.session_id IS NOT NULL)
ORDER BY s.session_id
