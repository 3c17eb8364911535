//! Whether a query can meet the rows that its own statement writes.
//!
//! Only what is certain counts as safe: where an expression holds a query of its own, or a node is
//! of a kind that is not looked into here, the query may read any table.

use super::needed::holds_a_query;
use super::source::Access;
use super::{Aggregate, Condition, Plan, SortKey, Typed};
use crate::catalog::Table;
use std::sync::Arc;

impl Plan {
    /// Whether a run of the plan may read rows of the table.
    #[must_use]
    pub fn may_read(&self, table: &Arc<Table>) -> bool {
        let values = |values: &[Typed]| holds_a_query(values, []);
        let keys = |keys: &[SortKey]| keys.iter().any(|key| holds_a_query([&key.value], []));
        let condition = |condition: &Condition| holds_a_query([], [condition]);
        match self {
            Self::Single => false,
            Self::Table {
                table: read,
                access,
                ..
            } => {
                let sought = match access {
                    Access::Scan => false,
                    Access::Seek { values: sought, .. } => values(sought),
                };
                sought || (read.database_id, read.object_id) == (table.database_id, table.object_id)
            }
            Self::Values(rows) => rows.iter().any(|row| values(row)),
            Self::Rowset(_, arguments) => values(arguments),
            Self::Filter(input, kept) => condition(kept) || input.may_read(table),
            Self::Project(input, expressions) => values(expressions) || input.may_read(table),
            Self::Join {
                left,
                right,
                equal,
                on,
                ..
            } => {
                condition(on)
                    || equal.iter().any(|(a, b)| holds_a_query([a, b], []))
                    || left.may_read(table)
                    || right.may_read(table)
            }
            Self::Group {
                input,
                keys: grouped,
                aggregates,
            } => {
                let of_aggregate = |aggregate: &Aggregate| {
                    holds_a_query(&aggregate.argument, [])
                        || holds_a_query(&aggregate.separator, [])
                        || keys(&aggregate.order)
                };
                values(grouped) || aggregates.iter().any(of_aggregate) || input.may_read(table)
            }
            Self::Window(input, calls) => {
                !calls.iter().all(super::window::WindowCall::counts_rows) || input.may_read(table)
            }
            Self::Sort(input, sorted) => keys(sorted) || input.may_read(table),
            Self::Top {
                input, count, ties, ..
            } => {
                holds_a_query([count], [])
                    || ties.as_deref().is_some_and(keys)
                    || input.may_read(table)
            }
            Self::Offset { input, skip, fetch } => {
                holds_a_query([skip], []) || holds_a_query(fetch, []) || input.may_read(table)
            }
            Self::Trim(input, _) | Self::Distinct(input) => input.may_read(table),
            Self::Concat(left, right) => left.may_read(table) || right.may_read(table),
            Self::Variable { .. }
            | Self::View(..)
            | Self::Apply { .. }
            | Self::Matching { .. }
            | Self::Recursive { .. }
            | Self::Working(_) => true,
        }
    }
}
