//! INSERT BULK.

use super::{ObjectName, TypeName};

/// INSERT BULK: the rows come in the message behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct InsertBulk {
    /// The table.
    pub table: ObjectName,
    /// The columns that the rows have, in order; none means all of the table's.
    pub columns: Vec<BulkColumn>,
    /// `KEEP_NULLS`: a NULL stays NULL where the column has a default.
    pub keep_nulls: bool,
}

/// A column of the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkColumn {
    /// The table's column.
    pub name: String,
    /// The type in which its values come.
    pub type_name: TypeName,
}
