//! SQL Server's error numbers that a user of these programs meets, and what to do about each.
//! Numbers and causes: "Database engine events and errors" in SQL Server's documentation.

/// Whether an error says that the login lacks a permission.
pub(crate) fn is_permission(number: u32) -> bool {
    matches!(
        number,
        // SELECT, EXECUTE, column, statement (CREATE DATABASE), user action, server permission,
        // BACKUP, RESTORE, database context, ALTER, sysadmin-only DBCC.
        229 | 230 | 262 | 297 | 300 | 916 | 2571 | 2760 | 3110 | 5011 | 6102 | 15151 | 15247
    )
}

/// What to do about an error.
pub(crate) fn for_number(number: u32) -> Option<&'static str> {
    Some(match number {
        262 => {
            "Ask an administrator, in master: GRANT CREATE ANY DATABASE TO [login]; or ALTER SERVER \
             ROLE dbcreator ADD MEMBER [login];"
        }
        229 | 230 | 297 | 300 | 3110 | 5011 | 15151 | 15247 | 2571 => {
            "Ask an administrator for the permission that the message names; to read the server's \
             state, in master: GRANT VIEW SERVER STATE TO [login] (SQL Server 2022 and later also \
             take VIEW SERVER PERFORMANCE STATE). To create and set up a database: the role \
             dbcreator."
        }
        916 | 4060 => {
            "Check the database's name (-d), that it is online, and that the login is a user in it."
        }
        911 => "Check the database's name (-d).",
        1105 => {
            "The data file is full: make it larger (setup-db --data-size) or let it grow \
             (--data-growth), or free space on the disk."
        }
        9002 => {
            "The log is full: make it larger (setup-db --log-size) or let it grow (--log-growth); \
             under FULL or BULK_LOGGED a log backup frees it (BACKUP LOG ... TO DISK). \
             log_reuse_wait_desc says what holds it."
        }
        1205 => {
            "Another session was in the way (deadlock). Nothing is retried in a measurement; run it again."
        }
        1222 => {
            "Another session held a lock for too long. Find it in sys.dm_tran_locks and run it again."
        }
        1827 => {
            "The edition's size limit is reached (Express: 10 GB, 50 GB from 2025): use smaller files."
        }
        1801 => "The database exists already.",
        3201..=3203 => {
            "The backup device could not be used: the path is the server's, not this machine's; \
             check it and the rights of the server's account. The cause is in the server's error log."
        }
        3013 => "The cause is in the server's error log.",
        3023 | 5061 => {
            "Another backup or file operation is running in the database. Wait for it and run this again."
        }
        3702 | 5064 | 5070 | 924 => {
            "Somebody else is in the database: close the other sessions (sys.dm_exec_sessions) and run this again."
        }
        5123 | 5133 | 5149 => {
            "The path is the server's, not this machine's (in a container: inside it): check that \
             the folder is there, may be written, and has room on its disk."
        }
        5170 => {
            "A file of that name is there already: choose another with --data-file and --log-file."
        }
        5040 => "The file's MAXSIZE is below the size asked for.",
        2760 => "Create the schema, or name a table in one that exists (--table dbo.NAME).",
        208 => {
            "Check the table's name (--table); setup-db makes the table. A view of the server's that \
             is missing means an older version than is meant."
        }
        2812 => {
            "The database or the server does not have what the message names: setup-db --loops makes \
             the procedures of loadgen --loop; another one that is missing means an older version \
             than is meant."
        }
        18456 => {
            "Check the login (-U, SQLCMDUSER) and its password (SQLCMDPASSWORD); the reason is in the server's error log."
        }
        17809 => {
            "The server's limit of connections is reached ('user connections' in sys.configurations): \
             use fewer (loadgen --workers), or close other sessions (sys.dm_exec_sessions)."
        }
        18401 | 18451 | 6005 => "The server is starting or stopping. Wait and run this again.",
        18470 => "The login is disabled: ALTER LOGIN ... ENABLE.",
        18486..=18488 => {
            "The login is locked or its password has expired: an administrator must set a new one."
        }
        40613 | 40197 | 40501 | 49918..=49920 => {
            "Azure says that the database is not available now. Wait and run this again."
        }
        40615 => "The server's firewall does not let this address in.",
        10928 | 10929 => {
            "The limit of sessions or workers is reached: use fewer, or a larger service objective."
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{for_number, is_permission};

    #[test]
    fn what_users_meet_most_has_concrete_advice() {
        for (number, says) in [
            (18456, "SQLCMDPASSWORD"),
            (4060, "-d"),
            (9002, "--log-size"),
            (9002, "BACKUP LOG"),
            (1105, "--data-size"),
            (3201, "path"),
            (1205, "deadlock"),
            (1222, "lock"),
            (17_809, "--workers"),
            (208, "--table"),
            (300, "GRANT VIEW SERVER STATE"),
            (262, "GRANT CREATE ANY DATABASE"),
        ] {
            assert!(for_number(number).unwrap().contains(says), "{number}");
        }
        assert!(for_number(50_000).is_none());
    }

    #[test]
    fn a_full_log_is_no_missing_permission() {
        assert!(is_permission(229) && !is_permission(9002));
    }
}
