//! Which columns of its tables a plan looks at, so that values outside their rows are loaded only
//! where they are wanted.
//!
//! Only what is certain is left out: where an expression holds a query of its own, or a node is of
//! a kind that is not looked into here, all columns count as wanted.

use super::source::Access;
use super::{Condition, Node, Plan, SortKey, Typed};
use std::sync::Arc;

/// Columns of a row.
#[derive(Clone, Debug, Default)]
struct Columns {
    all: bool,
    used: Vec<bool>,
}

impl Columns {
    fn all() -> Self {
        Self {
            all: true,
            used: Vec::new(),
        }
    }

    fn add(&mut self, index: usize) {
        if self.used.len() <= index {
            self.used.resize(index + 1, false);
        }
        if let Some(place) = self.used.get_mut(index) {
            *place = true;
        }
    }

    fn add_value(&mut self, value: &Typed) {
        match &value.node {
            Node::Literal(_) | Node::Constant(_) | Node::Variable(_) => {}
            Node::Column { depth: 0, index } => self.add(*index),
            Node::Column { .. } => {}
            Node::Negate(inner) | Node::BitNot(inner) => self.add_value(inner),
            Node::Arithmetic(_, a, b) | Node::NullIf(a, b) => {
                self.add_value(a);
                self.add_value(b);
            }
            Node::Convert { value, style, .. } => {
                self.add_value(value);
                if let Some(style) = style {
                    self.add_value(style);
                }
            }
            Node::Coalesce(values) | Node::Call(_, values) => self.add_values(values),
            Node::Case { arms, otherwise } => {
                for (condition, value) in arms {
                    self.add_condition(condition);
                    self.add_value(value);
                }
                if let Some(otherwise) = otherwise {
                    self.add_value(otherwise);
                }
            }
            Node::Subquery(_) => self.all = true,
        }
    }

    fn add_values<'v>(&mut self, values: impl IntoIterator<Item = &'v Typed>) {
        values.into_iter().for_each(|value| self.add_value(value));
    }

    fn add_condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Always => {}
            Condition::And(parts) | Condition::Or(parts) => {
                for part in parts {
                    self.add_condition(part);
                }
            }
            Condition::Not(inner) => self.add_condition(inner),
            Condition::Compare(_, a, b) => self.add_values([a, b]),
            Condition::IsNull(value) => self.add_value(value),
            Condition::InList(value, list) => {
                self.add_value(value);
                self.add_values(list);
            }
            Condition::Like(value, pattern, escape) => {
                self.add_values([value, pattern]);
                self.add_values(escape);
            }
            Condition::Exists(_) | Condition::Quantified { .. } => self.all = true,
        }
    }

    fn add_keys(&mut self, keys: &[SortKey]) {
        self.add_values(keys.iter().map(|key| &key.value));
    }

    /// The columns before and from a place on, as two rows.
    fn split(&self, width: usize) -> (Self, Self) {
        let part = |used: Option<&[bool]>| Self {
            all: self.all,
            used: used.unwrap_or_default().to_vec(),
        };
        let middle = width.min(self.used.len());
        (part(self.used.get(..middle)), part(self.used.get(middle..)))
    }

    /// As a mask over a row of so many columns; `None` is all of them.
    fn mask(&self, width: usize) -> Option<Arc<[bool]>> {
        let column = |at| self.used.get(at).copied().unwrap_or(false);
        (!self.all).then(|| (0..width).map(column).collect())
    }
}

/// Whether any of these holds a query of its own.
pub(super) fn holds_a_query<'v>(
    values: impl IntoIterator<Item = &'v Typed>,
    conditions: impl IntoIterator<Item = &'v Condition>,
) -> bool {
    let mut columns = Columns::default();
    columns.add_values(values);
    for condition in conditions {
        columns.add_condition(condition);
    }
    columns.all
}

/// Notes in each table of a plan which of its columns are wanted; all that the plan gives is.
pub fn note(plan: &mut Plan) {
    visit(plan, Columns::all());
}

fn visit(plan: &mut Plan, mut wanted: Columns) {
    match plan {
        Plan::Table {
            table,
            access,
            mode,
            ..
        } => {
            // A row found by its key is held against the key again.
            if let Access::Seek { index, .. } = access
                && let Some(index) = table.indexes.get(*index)
            {
                index.keys.iter().for_each(|part| wanted.add(part.column));
            }
            mode.columns = wanted.mask(table.columns.len());
        }
        Plan::Filter(input, condition) => {
            wanted.add_condition(condition);
            visit(input, wanted);
        }
        Plan::Project(input, values) => {
            let mut below = Columns::default();
            below.add_values(values.iter());
            visit(input, below);
        }
        Plan::Group {
            input,
            keys,
            aggregates,
        } => {
            let mut below = Columns::default();
            below.add_values(keys.iter());
            for aggregate in aggregates {
                below.add_values(&aggregate.argument);
                below.add_values(&aggregate.separator);
                below.add_keys(&aggregate.order);
            }
            visit(input, below);
        }
        Plan::Sort(input, keys) => {
            wanted.add_keys(keys);
            visit(input, wanted);
        }
        Plan::Top { input, ties, .. } => {
            if let Some(keys) = ties {
                wanted.add_keys(keys);
            }
            visit(input, wanted);
        }
        Plan::Trim(input, _) | Plan::Offset { input, .. } => visit(input, wanted),
        Plan::Distinct(input) => visit(input, Columns::all()),
        Plan::Concat(left, right) => {
            visit(left, wanted.clone());
            visit(right, wanted);
        }
        Plan::Join {
            left,
            right,
            equal,
            on,
            left_width,
            ..
        } => {
            wanted.add_condition(on);
            let (mut of_left, mut of_right) = wanted.split(*left_width);
            for (a, b) in equal {
                of_left.add_value(a);
                of_right.add_value(b);
            }
            visit(left, of_left);
            visit(right, of_right);
        }
        // What they look at is not worked out: their tables give all columns.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labdb_types::SqlType;

    fn column(depth: usize, index: usize) -> Typed {
        Typed {
            node: Node::Column { depth, index },
            sql_type: SqlType::Int,
            nullable: true,
        }
    }

    #[test]
    fn what_an_expression_looks_at_is_found_and_what_holds_a_query_looks_at_all() {
        let mut columns = Columns::default();
        columns.add_value(&Typed {
            node: Node::Case {
                arms: vec![(Condition::IsNull(column(0, 3)), column(0, 1))],
                otherwise: Some(Box::new(column(1, 2))),
            },
            ..column(0, 0)
        });
        assert_eq!(
            columns.mask(5).as_deref(),
            Some(&[false, true, false, true, false][..])
        );
        let (left, right) = columns.split(2);
        assert_eq!(left.mask(2).as_deref(), Some(&[false, true][..]));
        assert_eq!(right.mask(3).as_deref(), Some(&[false, true, false][..]));
        columns.add_condition(&Condition::Exists(Arc::new(Plan::Single)));
        assert_eq!(columns.mask(5), None);
    }
}
