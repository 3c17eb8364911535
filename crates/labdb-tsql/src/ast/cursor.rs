//! Cursors.

use super::Query;

/// A cursor as OPEN, FETCH, CLOSE and DEALLOCATE name it.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorName {
    /// GLOBAL was written.
    pub global: bool,
    /// Its name.
    pub name: String,
}

/// DECLARE … CURSOR: one that reads forward.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclareCursor {
    /// Its name.
    pub name: String,
    /// LOCAL; otherwise it is the session's.
    pub local: bool,
    /// STATIC or INSENSITIVE.
    pub fixed: bool,
    /// The rows.
    pub query: Query,
}
