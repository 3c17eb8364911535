//! Lock modes and which of them can be held together.

/// A lock mode of SQL Server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockMode {
    /// Schema stability.
    SchS,
    /// Intent shared.
    IS,
    /// Shared.
    S,
    /// Update.
    U,
    /// Intent exclusive.
    IX,
    /// Shared with intent exclusive.
    SIX,
    /// Exclusive.
    X,
    /// Schema modification.
    SchM,
}

impl LockMode {
    /// The name in `sys.dm_tran_locks.request_mode`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SchS => "Sch-S",
            Self::IS => "IS",
            Self::S => "S",
            Self::U => "U",
            Self::IX => "IX",
            Self::SIX => "SIX",
            Self::X => "X",
            Self::SchM => "Sch-M",
        }
    }

    /// The wait type of a request of this mode.
    #[must_use]
    pub const fn wait_type(self) -> &'static str {
        match self {
            Self::SchS => "LCK_M_SCH_S",
            Self::IS => "LCK_M_IS",
            Self::S => "LCK_M_S",
            Self::U => "LCK_M_U",
            Self::IX => "LCK_M_IX",
            Self::SIX => "LCK_M_SIX",
            Self::X => "LCK_M_X",
            Self::SchM => "LCK_M_SCH_M",
        }
    }
}
