//! SELECT as a statement: rows to the client, into variables, or into a new table.

use super::Executor;
use crate::plan::Flow;
use crate::session::Command;
use labdb_tsql::ast::{ObjectName, Query, QueryBody, SelectItem};
use labdb_types::{Column, SqlError, SqlResult, Value};

/// What the select list of a statement is for.
enum Purpose<'q> {
    Rows,
    Variables(Vec<&'q str>),
    Into(&'q ObjectName),
}

fn purpose(query: &Query) -> SqlResult<Purpose<'_>> {
    let QueryBody::Select(select) = &query.body else {
        return Ok(Purpose::Rows);
    };
    if let Some(into) = &select.into {
        return Ok(Purpose::Into(into));
    }
    let mut names = Vec::new();
    for item in &select.items {
        if let SelectItem::Assign { variable, .. } = item {
            names.push(variable.as_str());
        }
    }
    if names.is_empty() {
        return Ok(Purpose::Rows);
    }
    if names.len() != select.items.len() {
        return Err(SqlError::new(
            141,
            "A SELECT statement that assigns a value to a variable must not be combined with \
             data-retrieval operations.",
        )
        .severity(15));
    }
    Ok(Purpose::Variables(names))
}

/// Whether a query's rows go to the client.
pub(super) fn gives_rows(query: &Query) -> SqlResult<bool> {
    Ok(matches!(purpose(query)?, Purpose::Rows))
}

/// Checks that a cursor's query gives rows.
///
/// # Errors
/// 154 where it makes a table or sets variables.
pub(super) fn check_gives_rows(query: &Query) -> SqlResult<()> {
    let what = match purpose(query)? {
        Purpose::Rows => return Ok(()),
        Purpose::Variables(_) => "variable assignment",
        Purpose::Into(_) => "INTO clause",
    };
    Err(SqlError::new(
        154,
        format!("{what} is not allowed in a cursor declaration."),
    )
    .severity(15)
    .state(3))
}

/// Whether this is SELECT … INTO.
pub(super) fn makes_a_table(query: &Query) -> bool {
    matches!(&query.body, QueryBody::Select(select) if select.into.is_some())
}

impl Executor<'_> {
    pub(crate) fn select(&mut self, query: &Query) -> SqlResult<()> {
        let purpose = purpose(query)?;
        let plan = self.query_plan(query)?;
        let limit = self.session.options.borrow().row_count;
        let rows = match purpose {
            Purpose::Rows => self.send_rows(&plan, limit)?,
            Purpose::Variables(names) => {
                let frame = self.frame;
                let mut count = 0;
                self.attentively(|context, _| {
                    // Each row assigns: `@v = @v + x` adds up over rows.
                    plan.plan.run(context, None, &mut |row| {
                        for (name, value) in names.iter().zip(row) {
                            frame.set(name, value)?;
                        }
                        count += 1;
                        Ok(if count == limit {
                            Flow::Enough
                        } else {
                            Flow::More
                        })
                    })
                })?;
                self.session.row_count.set(count as i64);
                return Ok(());
            }
            Purpose::Into(name) => self.select_into(name, &plan)?,
        };
        self.finish(Command::Select, rows)
    }

    fn send_rows(&mut self, plan: &crate::plan::Query, limit: u64) -> SqlResult<u64> {
        self.client.columns(&plan.columns)?;
        if self.session.options.borrow().format_only {
            return Ok(0);
        }
        self.attentively(|context, client| {
            let mut count = 0_u64;
            plan.plan.run(context, None, &mut |row: Vec<Value>| {
                client.borrow_mut().row(&row)?;
                count += 1;
                if count.is_multiple_of(256) {
                    context.check_cancelled()?;
                }
                Ok(if count == limit {
                    Flow::Enough
                } else {
                    Flow::More
                })
            })?;
            Ok(count)
        })
    }

    fn select_into(&mut self, name: &ObjectName, plan: &crate::plan::Query) -> SqlResult<u64> {
        if let Some(at) = plan.columns.iter().position(|c| c.name.is_empty()) {
            return Err(SqlError::new(
                1038,
                format!(
                    "An object or column name is missing or empty. For SELECT INTO statements, \
                     verify each column has a name (column {} has none).",
                    at + 1
                ),
            )
            .severity(15));
        }
        let columns: Vec<Column> = plan.columns.clone();
        let kept = self.attentively(|context, _| plan.plan.collect(context, None))?;
        let table = self.create_table_of(name, &columns)?;
        let mut count = 0;
        for row in &kept.rows {
            if let Some((at, identity)) = table.identity()
                && let Some(n) = row.get(at).and_then(super::table::identity_number)
            {
                identity.note(n);
            }
            super::table::insert(self.session, &table, row)?;
            count += 1;
            if count % 1024 == 0 {
                self.poll_client()?;
            }
        }
        Ok(count)
    }
}
