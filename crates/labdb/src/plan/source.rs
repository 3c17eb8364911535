//! Row sources: the nodes of a query's tree.

use super::aggregate::Aggregate;
use super::window::WindowCall;
use super::{Condition, Typed};
use crate::catalog::Table;
use crate::views::SystemView;
use std::sync::Arc;

/// A join's type; the right side of [`Plan::Apply`] has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinType {
    /// Only pairs.
    Inner,
    /// And left rows without a partner.
    Left,
    /// And right rows without a partner.
    Right,
    /// And both.
    Full,
}

/// One key of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// The value.
    pub value: Typed,
    /// DESC.
    pub descending: bool,
}

/// How rows of a table are found.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// All rows.
    Scan,
    /// The rows of an index that have these values in its first columns.
    Seek {
        /// The place in the table's index list.
        index: usize,
        /// The values, without reference to the row itself.
        values: Vec<Typed>,
    },
}

/// How reads of a table behave beside writers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMode {
    /// NOLOCK, READUNCOMMITTED.
    pub dirty: bool,
    /// UPDLOCK or XLOCK: rows stay locked for the transaction.
    pub update: bool,
    /// HOLDLOCK, SERIALIZABLE, REPEATABLEREAD.
    pub hold: bool,
    /// READPAST.
    pub skip_locked: bool,
    /// TABLOCKX.
    pub table_exclusive: bool,
    /// The columns whose values are loaded where they lie outside their rows; `None` is all.
    pub columns: Option<Arc<[bool]>>,
}

/// A tree of row sources.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// One row without columns.
    Single,
    /// The rows of a table.
    Table {
        /// The table.
        table: Arc<Table>,
        /// How.
        access: Access,
        /// Locks.
        mode: ReadMode,
        /// Whether each row ends with its address as a `bigint`, for UPDATE and DELETE.
        with_address: bool,
    },
    /// A table variable, found by name when the plan runs.
    Variable {
        /// The folded name.
        name: Arc<str>,
        /// As for a table.
        with_address: bool,
    },
    /// The rows of a system view or function.
    View(&'static SystemView, Vec<Typed>),
    /// The rows of a function that follow from its arguments alone.
    Rowset(super::rowset::Rowset, Vec<Typed>),
    /// Rows that are written out.
    Values(Vec<Vec<Typed>>),
    /// Rows for which a condition holds.
    Filter(Box<Plan>, Condition),
    /// New rows from old ones.
    Project(Box<Plan>, Vec<Typed>),
    /// Pairs of rows.
    Join {
        /// Which.
        kind: JoinType,
        /// The left side.
        left: Box<Plan>,
        /// The right side.
        right: Box<Plan>,
        /// Pairs of expressions that must be equal: of the left row, of the right row.
        equal: Vec<(Typed, Typed)>,
        /// What else must hold for a pair.
        on: Condition,
        /// Columns of a left row.
        left_width: usize,
        /// Columns of a right row.
        right_width: usize,
    },
    /// The right side once for each left row, which it sees.
    Apply {
        /// The left side.
        left: Box<Plan>,
        /// The right side.
        right: Box<Plan>,
        /// Whether a left row without right rows stays, with NULLs.
        outer: bool,
        /// Columns of a right row.
        right_width: usize,
    },
    /// Groups: a row has the keys and then the aggregates.
    Group {
        /// The input.
        input: Box<Plan>,
        /// The keys; none makes one group, also of no rows.
        keys: Vec<Typed>,
        /// What is worked out for each group.
        aggregates: Vec<Aggregate>,
    },
    /// The input's rows with window functions' values behind.
    Window(Box<Plan>, Vec<WindowCall>),
    /// Sorted rows.
    Sort(Box<Plan>, Vec<SortKey>),
    /// Only the first `width` columns.
    Trim(Box<Plan>, usize),
    /// Without duplicates.
    Distinct(Box<Plan>),
    /// The first rows.
    Top {
        /// The input.
        input: Box<Plan>,
        /// How many, a `bigint`; or what share.
        count: Typed,
        /// `count` is percent.
        percent: bool,
        /// WITH TIES: the keys that tie, over the input's rows.
        ties: Option<Vec<SortKey>>,
    },
    /// OFFSET and FETCH.
    Offset {
        /// The input.
        input: Box<Plan>,
        /// Rows to skip.
        skip: Typed,
        /// Rows to keep.
        fetch: Option<Typed>,
    },
    /// One after the other.
    Concat(Box<Plan>, Box<Plan>),
    /// Distinct left rows that are (INTERSECT) or are not (EXCEPT) among the right.
    Matching {
        /// The left side.
        left: Box<Plan>,
        /// The right side.
        right: Box<Plan>,
        /// INTERSECT.
        keep: bool,
    },
    /// A recursive common table: its anchor, and the part that sees the rows made last.
    Recursive {
        /// The first rows.
        anchor: Box<Plan>,
        /// What makes the next.
        step: Box<Plan>,
        /// The number of the table in [`Plan::Working`].
        id: usize,
        /// OPTION (MAXRECURSION n).
        limit: u64,
    },
    /// The rows that a recursive common table made last.
    Working(usize),
}
