//! DECLARE … CURSOR, OPEN, FETCH, CLOSE and DEALLOCATE. A cursor reads forward; its rows are those
//! of the moment of its OPEN, and are kept until CLOSE.

use super::Executor;
use crate::bind::Binder;
use crate::catalog::fold;
use crate::plan::{Context, Query};
use crate::session::cursor::{Cursor, Cursors, OpenRows};
use crate::session::{Command, Frame};
use labdb_tsql::ast::{CursorName, DeclareCursor};
use labdb_types::{SqlError, SqlResult};
use std::rc::Rc;

fn unknown(name: &str) -> SqlError {
    SqlError::new(
        16916,
        format!("A cursor with the name '{name}' does not exist."),
    )
}

fn not_open() -> SqlError {
    SqlError::new(16917, "Cursor is not open.")
}

impl Executor<'_> {
    /// Where a cursor of a name is: the batch's own come first.
    fn cursors(&self, cursor: &CursorName) -> SqlResult<&Cursors> {
        let key = fold(&cursor.name);
        let frame: &Frame = self.frame;
        if !cursor.global && frame.cursors.borrow().contains_key(&key) {
            return Ok(&frame.cursors);
        }
        if self.session.cursors.borrow().contains_key(&key) {
            return Ok(&self.session.cursors);
        }
        Err(unknown(&cursor.name))
    }

    fn cursor_version(&self) -> (u64, u64) {
        (
            self.session.instance.schema_version(),
            self.session.temp_version.get(),
        )
    }

    fn bind_cursor(&self, query: &labdb_tsql::ast::Query, frame: &Frame) -> SqlResult<Rc<Query>> {
        let mut plan = Binder::new(self.session, frame).query(query)?;
        crate::plan::needed::note(&mut plan.plan);
        Ok(Rc::new(plan))
    }

    /// DECLARE c CURSOR.
    pub(super) fn declare_cursor(&mut self, declared: &DeclareCursor) -> SqlResult<()> {
        let key = fold(&declared.name);
        let cursors = if declared.local {
            &self.frame.cursors
        } else {
            &self.session.cursors
        };
        if cursors.borrow().contains_key(&key) {
            return Err(SqlError::new(
                16915,
                format!("A cursor with the name '{}' already exists.", declared.name),
            ));
        }
        super::query::check_gives_rows(&declared.query)?;
        let frame = self.frame.snapshot(&self.session.instance.memory)?;
        let plan = self.bind_cursor(&declared.query, &frame)?;
        cursors.borrow_mut().insert(
            key,
            Cursor {
                frame: Rc::new(frame),
                query: Rc::new(declared.query.clone()),
                plan,
                version: self.cursor_version(),
                fixed: declared.fixed,
                open: None,
            },
        );
        Ok(())
    }

    /// OPEN.
    pub(super) fn open_cursor(&mut self, name: &CursorName) -> SqlResult<()> {
        let key = fold(&name.name);
        let version = self.cursor_version();
        let (plan, frame, query, stale, fixed) = match self.cursors(name)?.borrow().get(&key) {
            Some(cursor) if cursor.open.is_some() => {
                return Err(SqlError::new(16905, "The cursor is already open."));
            }
            Some(cursor) => (
                Rc::clone(&cursor.plan),
                Rc::clone(&cursor.frame),
                Rc::clone(&cursor.query),
                cursor.version != version,
                cursor.fixed,
            ),
            None => return Err(unknown(&name.name)),
        };
        let plan = if stale {
            self.bind_cursor(&query, &frame)?
        } else {
            plan
        };
        let kept = self.attentively(|context, _| {
            let context = Context {
                frame: &frame,
                ..*context
            };
            plan.plan.collect(&context, None)
        })?;
        let count = kept.rows.len();
        let open = OpenRows {
            rows: kept.rows.into_iter(),
            count,
            columns: plan.columns.clone(),
            grant: kept.grant,
        };
        self.session.cursor_rows.set(if fixed {
            i32::try_from(count).unwrap_or(i32::MAX)
        } else {
            -1
        });
        if let Some(cursor) = self.cursors(name)?.borrow_mut().get_mut(&key) {
            cursor.plan = plan;
            cursor.version = version;
            cursor.open = Some(open);
        }
        self.done(Command::Other, None)
    }

    /// FETCH NEXT: a result of at most one row, or its values into variables.
    pub(super) fn fetch_cursor(&mut self, name: &CursorName, into: &[String]) -> SqlResult<()> {
        let (columns, row) = {
            let mut cursors = self.cursors(name)?.borrow_mut();
            let open = cursors
                .get_mut(&fold(&name.name))
                .and_then(|cursor| cursor.open.as_mut())
                .ok_or_else(not_open)?;
            if !into.is_empty() && into.len() != open.columns.len() {
                return Err(SqlError::new(
                    16924,
                    "Cursorfetch: The number of variables declared in the INTO list must match \
                     that of selected columns.",
                ));
            }
            (open.columns.clone(), open.rows.next())
        };
        self.session
            .fetch_status
            .set(if row.is_some() { 0 } else { -1 });
        let fetched = u64::from(row.is_some());
        if into.is_empty() {
            self.client.columns(&columns)?;
            if let Some(row) = row {
                self.client.row(&row)?;
            }
        } else if let Some(row) = row {
            for ((variable, column), value) in into.iter().zip(&columns).zip(row) {
                let target = self
                    .frame
                    .variable_type(variable)
                    .ok_or_else(|| Frame::undeclared(variable))?;
                let value = crate::eval::convert::convert(&value, column.sql_type, target, None)?;
                self.frame.set(variable, value)?;
            }
        }
        self.finish(Command::Select, fetched)
    }

    /// CLOSE.
    pub(super) fn close_cursor(&mut self, name: &CursorName) -> SqlResult<()> {
        let closed = self
            .cursors(name)?
            .borrow_mut()
            .get_mut(&fold(&name.name))
            .and_then(|cursor| cursor.open.take());
        if closed.is_none() {
            return Err(not_open());
        }
        self.session.cursor_rows.set(0);
        self.done(Command::Other, None)
    }

    /// DEALLOCATE; an open cursor is closed by it.
    pub(super) fn deallocate_cursor(&mut self, name: &CursorName) -> SqlResult<()> {
        self.cursors(name)?.borrow_mut().remove(&fold(&name.name));
        self.done(Command::Other, None)
    }
}
