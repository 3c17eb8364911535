//! Names of things in a database: heaps, pages, rows, transactions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A heap: a table of byte rows without order. Never used twice in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HeapId(pub u32);

impl HeapId {
    /// The heap that exists from the start, for the upper layer's own catalogue.
    pub const CATALOG: Self = Self(1);
}

impl fmt::Display for HeapId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An 8-KB page: which file (from 1), which page in it (from 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId {
    /// The data file's id.
    pub file: u16,
    /// The page's number in the file.
    pub page: u32,
}

/// Where a row lives: page and slot. Valid until the row is deleted or moved by an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId {
    /// The page.
    pub page: PageId,
    /// The slot in the page, from 0.
    pub slot: u16,
}

impl RowId {
    /// Packed in 64 bits, in order of file, page and slot: for keys and lock resources.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        ((self.page.file as u64) << 48) | ((self.page.page as u64) << 16) | self.slot as u64
    }

    /// From the packed form.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the parts are cut out on purpose"
    )]
    pub const fn from_bits(bits: u64) -> Self {
        Self {
            page: PageId {
                file: (bits >> 48) as u16,
                page: (bits >> 16) as u32,
            },
            slot: bits as u16,
        }
    }
}

impl fmt::Display for RowId {
    /// `file:page:slot`, as SQL Server names a RID.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.page.file, self.page.page, self.slot)
    }
}

/// A transaction, numbered from 1 in each run of a database and never used twice in its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionId(pub u64);
