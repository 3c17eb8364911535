//! Typed readings: one round trip where the login may read all, one for each reading otherwise.
//!
//! A reading that cannot be had is none, with a reason and what to do ([`Unavailable`]); never 0.

mod availability;
mod conditions;
mod counters;
mod gather;
mod session;
mod settings;
mod states;

pub use conditions::{Surroundings, others_than, surroundings};
pub use counters::{Counters, counters};
pub use session::{identity, session_waits};
pub use settings::{files, settings};
pub use states::{States, states};

use crate::error::SqlError;
use crate::permission::{self, Scope};
use records::{FileKind, Server, Unavailable};

/// Why a reading is not there and what to do about it.
fn unavailable(
    field: &str,
    scope: Scope,
    error: &SqlError,
    server: &Server,
    login: &str,
) -> Unavailable {
    Unavailable {
        field: field.to_owned(),
        reason: error.to_string(),
        sql_error: error.number(),
        remedy: if error.is_permission() {
            Some(permission::grant(scope, server, login))
        } else {
            error.failure(field).remedy
        },
    }
}

/// A reading that came back without its row: views of the catalogue filter instead of refusing.
fn no_row(field: &str, server: &Server, login: &str) -> Unavailable {
    Unavailable {
        field: field.to_owned(),
        reason: "the view gave no row: the login may not see it".to_owned(),
        sql_error: None,
        remedy: Some(permission::grant(Scope::Catalogue, server, login)),
    }
}

/// `type` of `sys.database_files`.
fn file_kind(file_type: i32) -> FileKind {
    match file_type {
        0 => FileKind::Rows,
        1 => FileKind::Log,
        _ => FileKind::Other,
    }
}

/// Pages of 8 KB in bytes.
fn page_bytes(pages: i64) -> Result<u64, SqlError> {
    u64::try_from(pages)
        .ok()
        .and_then(|pages| pages.checked_mul(8192))
        .ok_or_else(|| SqlError::Unreadable(format!("a file of {pages} pages")))
}

#[cfg(test)]
mod tests {
    use super::{file_kind, page_bytes};
    use records::FileKind;

    #[test]
    fn pages_are_8_kb_beyond_what_an_int_of_kb_holds() {
        // 2 TB, SQL Server's largest log: 268,435,456 pages.
        assert_eq!(page_bytes(268_435_456).unwrap(), 2_199_023_255_552);
        assert!(page_bytes(-1).is_err());
    }

    #[test]
    fn a_files_kind_is_its_type_not_its_number() {
        assert_eq!(file_kind(0), FileKind::Rows);
        assert_eq!(file_kind(1), FileKind::Log);
        assert_eq!(
            (file_kind(2), file_kind(4)),
            (FileKind::Other, FileKind::Other)
        );
    }
}
