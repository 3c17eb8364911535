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

    const ALL: [Self; 8] = [
        Self::SchS,
        Self::IS,
        Self::S,
        Self::U,
        Self::IX,
        Self::SIX,
        Self::X,
        Self::SchM,
    ];

    /// Whether two owners can hold these modes at once: SQL Server's compatibility matrix.
    #[must_use]
    pub fn compatible(self, other: Self) -> bool {
        use LockMode::{IS, IX, S, SchM, SchS, U, X};
        match (self, other) {
            (SchS, other) | (other, SchS) => other != SchM,
            (IS, other) | (other, IS) => !matches!(other, X | SchM),
            (a, b) => matches!((a, b), (IX, IX) | (S, S | U) | (U, S)),
        }
    }

    /// Whether holding this mode makes asking for the other one needless.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self == other || self.and(other) == self
    }

    /// The weakest mode that is as strong as both: what a conversion asks for.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::ALL
            .into_iter()
            .find(|mode| mode.blocks_all_that(self) && mode.blocks_all_that(other))
            .unwrap_or(Self::SchM)
    }

    /// Whether this mode is incompatible with all that the other is incompatible with, and allows
    /// all that it allows.
    fn blocks_all_that(self, other: Self) -> bool {
        let rights = |mode: Self| match mode {
            Self::SchS => 0b0_0000,
            Self::IS => 0b0_0001,
            Self::S => 0b0_0011,
            Self::U => 0b0_0111,
            Self::IX => 0b0_1001,
            Self::SIX => 0b0_1011,
            Self::X => 0b0_1111,
            Self::SchM => 0b1_1111,
        };
        rights(self) & rights(other) == rights(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compatibility_matrix_is_that_of_the_locking_guide() {
        use LockMode::{IS, IX, S, SIX, SchM, SchS, U, X};
        // Rows and columns: IS S U IX SIX X; y where both can be held.
        let modes = [IS, S, U, IX, SIX, X];
        let matrix = ["yyyyyn", "yyynnn", "yynnnn", "ynnynn", "ynnnnn", "nnnnnn"];
        for (a, row) in modes.into_iter().zip(matrix) {
            for (b, cell) in modes.into_iter().zip(row.chars()) {
                assert_eq!(a.compatible(b), cell == 'y', "{a:?} {b:?}");
            }
        }
        for mode in LockMode::ALL {
            assert!(!SchM.compatible(mode) && !mode.compatible(SchM));
            assert_eq!(SchS.compatible(mode), mode != SchM);
        }
    }

    #[test]
    fn conversions_lead_to_the_weakest_mode_that_covers_both() {
        use LockMode::{IS, IX, S, SIX, SchM, SchS, U, X};
        assert_eq!(S.and(IX), SIX);
        assert_eq!(IS.and(S), S);
        assert_eq!(U.and(IX), X);
        assert_eq!(S.and(U), U);
        assert_eq!(SchS.and(IX), IX);
        assert_eq!(X.and(SchM), SchM);
        assert!(X.covers(S) && X.covers(IX) && !S.covers(IX) && SIX.covers(IX));
    }
}
