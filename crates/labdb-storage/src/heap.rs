//! Heaps: rows in slotted pages, without order.

use crate::id::RowId;

/// A row that a scan meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRow {
    /// Where it is.
    pub id: RowId,
    /// Deleted, and its space not reused yet. While the deleting transaction is open the row may
    /// come back: a reader that waits for writers locks it and reads it again.
    pub ghost: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The rows of a heap; see `Database::scan`.
pub struct Scan {}
