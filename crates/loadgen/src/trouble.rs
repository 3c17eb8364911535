//! Names and advice for what goes wrong inside a run.

use sqlserver::SqlError;

/// The reason code of an error that ended a worker.
pub(crate) fn code(error: &SqlError) -> &'static str {
    match error.number() {
        None => "connection_lost",
        Some(266) => "open_transaction",
        Some(1205) => "deadlock",
        Some(1222) => "lock_timeout",
        Some(9002) => "log_full",
        Some(1101 | 1105) => "data_file_full",
        Some(_) => "sql_error",
    }
}

/// What to do about a reason that is not an error of the server's.
pub(crate) fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        "deadline" => "Give it longer (--deadline) or less to do (--rows, --duration).",
        "no_answer" => "The server stopped answering. Look into its error log.",
        "open_transaction" => {
            "Write as many COMMITs into the script as BEGIN TRANSACTIONs, on every way through it."
        }
        "rows_mismatch" => {
            "Let the load have the table alone: no other session, no trigger, no second loadgen. \
             Then run the round again."
        }
        _ => return None,
    })
}
