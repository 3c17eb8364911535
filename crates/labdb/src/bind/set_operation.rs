//! UNION, EXCEPT and INTERSECT; the body of a query before its order.

use super::{Binder, Scope};
use crate::plan::{Plan, Query, Typed};
use labdb_tsql::ast::{QueryBody, SetOp};
use labdb_types::{Column, SqlError, SqlResult};

impl Binder<'_> {
    pub(super) fn body(&self, body: &QueryBody, parent: Option<&Scope<'_>>) -> SqlResult<Query> {
        match body {
            QueryBody::Select(select) => self.select(select, &[], false, parent),
            QueryBody::Nested(query) => self.bind_query(query, parent),
            QueryBody::Set {
                op,
                all,
                left,
                right,
            } => {
                let (left, right) = (self.body(left, parent)?, self.body(right, parent)?);
                if left.columns.len() != right.columns.len() {
                    return Err(SqlError::new(
                        205,
                        "All queries combined using a UNION, INTERSECT or EXCEPT operator must \
                         have an equal number of expressions in their target lists.",
                    ));
                }
                let mut columns = Vec::with_capacity(left.columns.len());
                let (mut convert_left, mut convert_right) = (Vec::new(), Vec::new());
                for (at, (a, b)) in left.columns.iter().zip(&right.columns).enumerate() {
                    let (x, y) = (
                        Typed::column(at, a.sql_type, a.nullable),
                        Typed::column(at, b.sql_type, b.nullable),
                    );
                    let common = match (
                        is_null_column(&left.plan, at),
                        is_null_column(&right.plan, at),
                    ) {
                        (true, false) => b.sql_type,
                        (false, true) => a.sql_type,
                        _ => crate::eval::types::common_type(a.sql_type, b.sql_type)?,
                    };
                    columns.push(Column {
                        name: a.name.clone(),
                        sql_type: common,
                        nullable: a.nullable || b.nullable,
                        identity: false,
                    });
                    convert_left.push(x.coerced(common)?);
                    convert_right.push(y.coerced(common)?);
                }
                let adjust = |plan: Plan, old: &[Column], by: Vec<Typed>| {
                    if old
                        .iter()
                        .zip(&columns)
                        .all(|(o, n)| o.sql_type == n.sql_type)
                    {
                        plan
                    } else {
                        Plan::Project(Box::new(plan), by)
                    }
                };
                let (l, r) = (
                    adjust(left.plan, &left.columns, convert_left),
                    adjust(right.plan, &right.columns, convert_right),
                );
                let plan = match op {
                    SetOp::Union if *all => Plan::Concat(Box::new(l), Box::new(r)),
                    SetOp::Union => {
                        Plan::Distinct(Box::new(Plan::Concat(Box::new(l), Box::new(r))))
                    }
                    SetOp::Except => Plan::Matching {
                        left: Box::new(l),
                        right: Box::new(r),
                        keep: false,
                    },
                    SetOp::Intersect => Plan::Matching {
                        left: Box::new(l),
                        right: Box::new(r),
                        keep: true,
                    },
                };
                Ok(Query { plan, columns })
            }
        }
    }
}

/// Whether a column of a plan is nothing but the literal NULL.
pub(super) fn is_null_column(plan: &Plan, at: usize) -> bool {
    match plan {
        Plan::Project(_, values) => values.get(at).is_some_and(Typed::is_null_literal),
        _ => false,
    }
}
