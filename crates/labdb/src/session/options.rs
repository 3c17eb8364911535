//! SET options of a session.

use labdb_storage::LockTimeout;
use std::time::Duration;

/// The isolation level; numbers as `sys.dm_exec_sessions` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Isolation {
    /// READ UNCOMMITTED.
    ReadUncommitted = 1,
    /// READ COMMITTED.
    ReadCommitted = 2,
    /// REPEATABLE READ.
    RepeatableRead = 3,
    /// SERIALIZABLE.
    Serializable = 4,
}

/// The options.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOptions {
    /// NOCOUNT.
    pub no_count: bool,
    /// `XACT_ABORT`.
    pub xact_abort: bool,
    /// `IMPLICIT_TRANSACTIONS`.
    pub implicit_transactions: bool,
    /// ROWCOUNT; 0 is no limit.
    pub row_count: u64,
    /// `LOCK_TIMEOUT` in ms; -1 waits for ever.
    pub lock_timeout: i32,
    /// TEXTSIZE.
    pub text_size: i32,
    /// TRANSACTION ISOLATION LEVEL.
    pub isolation: Isolation,
    /// `DEADLOCK_PRIORITY`, -10 to 10.
    pub deadlock_priority: i8,
    /// DATEFIRST.
    pub date_first: u8,
    /// LANGUAGE.
    pub language: String,
    /// PARSEONLY.
    pub parse_only: bool,
    /// NOEXEC.
    pub no_exec: bool,
    /// FMTONLY.
    pub format_only: bool,
    /// Switches that change nothing here and are remembered for `@@OPTIONS`.
    pub switches: u32,
}

impl Default for SetOptions {
    fn default() -> Self {
        Self {
            no_count: false,
            xact_abort: false,
            implicit_transactions: false,
            row_count: 0,
            lock_timeout: -1,
            text_size: 2_147_483_647,
            isolation: Isolation::ReadCommitted,
            deadlock_priority: 0,
            date_first: 7,
            language: "us_english".to_owned(),
            parse_only: false,
            no_exec: false,
            format_only: false,
            // ANSI_WARNINGS, ANSI_PADDING, ANSI_NULLS, QUOTED_IDENTIFIER, ANSI_NULL_DFLT_ON,
            // CONCAT_NULL_YIELDS_NULL: what ODBC clients set.
            switches: 8 | 16 | 32 | 256 | 1024 | 4096,
        }
    }
}

/// The switches that are accepted, with their bit in `@@OPTIONS` (0 where it has none) and
/// whether OFF would change results that labdb cannot give.
pub const SWITCHES: &[(&str, u32, bool)] = &[
    ("ANSI_DEFAULTS", 0, false),
    ("ANSI_NULLS", 32, true),
    ("ANSI_NULL_DFLT_OFF", 2048, false),
    ("ANSI_NULL_DFLT_ON", 1024, false),
    ("ANSI_PADDING", 16, true),
    ("ANSI_WARNINGS", 8, false),
    ("ARITHABORT", 64, false),
    ("ARITHIGNORE", 128, false),
    ("CONCAT_NULL_YIELDS_NULL", 4096, true),
    ("CURSOR_CLOSE_ON_COMMIT", 4, false),
    ("FORCEPLAN", 0, false),
    ("NUMERIC_ROUNDABORT", 8192, false),
    ("QUOTED_IDENTIFIER", 256, true),
    ("REMOTE_PROC_TRANSACTIONS", 0, false),
    ("STATISTICS IO", 0, false),
    ("STATISTICS TIME", 0, false),
];

/// The options that do something, for the documentation's test.
pub const EFFECTIVE: &[&str] = &[
    "CONTEXT_INFO",
    "DATEFIRST",
    "DATEFORMAT",
    "DEADLOCK_PRIORITY",
    "FMTONLY",
    "IDENTITY_INSERT",
    "IMPLICIT_TRANSACTIONS",
    "LANGUAGE",
    "LOCK_TIMEOUT",
    "NOCOUNT",
    "NOEXEC",
    "PARSEONLY",
    "ROWCOUNT",
    "TEXTSIZE",
    "TRANSACTION ISOLATION LEVEL",
    "XACT_ABORT",
];

impl SetOptions {
    /// `@@OPTIONS`.
    pub fn bits(&self) -> i32 {
        let mut bits = self.switches;
        if self.implicit_transactions {
            bits |= 2;
        }
        if self.no_count {
            bits |= 512;
        }
        if self.xact_abort {
            bits |= 16384;
        }
        bits as i32
    }

    /// How long a lock is waited for.
    pub fn lock_wait(&self) -> LockTimeout {
        match u64::try_from(self.lock_timeout) {
            Ok(ms) => LockTimeout::After(Duration::from_millis(ms)),
            Err(_) => LockTimeout::Never,
        }
    }
}
