//! INSERT BULK and the rows behind it: `bcp`, `SqlBulkCopy` and their kin.
//!
//! The statement comes as a batch, which only says what will come. The rows come as a message of
//! their own, and then the statement runs: all of them are stored or none.

use super::Executor;
use super::batch::{end, report_and_end};
use super::insert::target_places;
use crate::bind::{Binder, TableUse};
use crate::catalog::{DataPermission, Table};
use crate::eval::types;
use crate::session::{Client, Command, Frame, Session};
use labdb_tsql::ast::{InsertBulk, Statement, StatementKind};
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// The rows of a bulk load.
pub trait BulkRows {
    /// The types of their values.
    fn types(&self) -> Vec<SqlType>;
    /// The next row.
    ///
    /// # Errors
    /// What is wrong with the message of the rows.
    fn next_row(&mut self) -> SqlResult<Option<Vec<Value>>>;
}

/// Loads the rows for which the session's last batch was an INSERT BULK.
///
/// # Errors
/// As [`super::run_batch`].
pub fn run_bulk_load(
    session: &Session,
    source: &mut dyn BulkRows,
    client: &mut dyn Client,
) -> SqlResult<()> {
    let Some(bulk) = session.bulk.take() else {
        return report_and_end(
            session,
            client,
            SqlError::new(
                4002,
                "Rows of a bulk load came without an INSERT BULK statement before them. Send the \
                 statement first.",
            ),
        );
    };
    session.forget_time();
    let statement = Arc::new(Statement {
        line: 1,
        kind: StatementKind::InsertBulk(Box::new(bulk)),
    });
    let frame = Frame::new();
    let mut executor = Executor::new(session, &frame, client, Arc::clone(&statement) as Arc<_>);
    executor.bulk = Some(source);
    let outcome = executor.run_all(std::slice::from_ref(&*statement));
    end(session, client, outcome)
}

impl Executor<'_> {
    /// The statement: looked at when it comes, and run when its rows are there.
    pub(super) fn insert_bulk(&mut self, bulk: &InsertBulk) -> SqlResult<()> {
        let binder = Binder::new(self.session, self.frame);
        let table = binder.table(&bulk.table, TableUse::Data(DataPermission::Insert))?;
        let places = places(&table, bulk)?;
        let Some(source) = self.bulk.take() else {
            *self.session.bulk.borrow_mut() = Some(bulk.clone());
            return self.done(Command::Other, None);
        };
        self.implicit_begin()?;
        let rules = Binder::new(self.session, self.frame).rules(&table)?;
        let declared = declared_types(bulk)?;
        let source_types = source.types();
        let mut count = 0_u64;
        while let Some(row) = source.next_row()? {
            if row.len() != places.len() {
                return Err(SqlError::new(
                    4819,
                    "Cannot bulk load. The rows do not have the columns that the INSERT BULK \
                     statement names.",
                ));
            }
            check_lengths(&row, &declared)?;
            if !bulk.keep_nulls && row.iter().any(Value::is_null) {
                let (mut some_places, mut values, mut value_types) =
                    (Vec::new(), Vec::new(), Vec::new());
                for ((value, from), at) in row.into_iter().zip(&source_types).zip(&places) {
                    let has_default = matches!(rules.defaults.get(*at), Some(Some(_)));
                    if !(value.is_null() && has_default) {
                        some_places.push(*at);
                        values.push(value);
                        value_types.push(*from);
                    }
                }
                self.insert_row(&table, &rules, &some_places, &values, &value_types)?;
            } else {
                self.insert_row(&table, &rules, &places, &row, &source_types)?;
            }
            count += 1;
            if count.is_multiple_of(1024) {
                self.poll_client()?;
            }
        }
        self.finish(Command::Insert, count)
    }
}

/// Which columns the rows fill. An identity column that is named gets the values that come.
fn places(table: &Table, bulk: &InsertBulk) -> SqlResult<Vec<usize>> {
    if bulk.columns.is_empty() {
        return Ok((0..table.columns.len()).collect());
    }
    let names: Vec<String> = bulk.columns.iter().map(|c| c.name.clone()).collect();
    target_places(table, &names)
}

fn declared_types(bulk: &InsertBulk) -> SqlResult<Vec<SqlType>> {
    bulk.columns
        .iter()
        .map(|column| {
            let name = &column.type_name;
            types::resolve_type(&name.name, &name.arguments, name.max)
        })
        .collect()
}

/// A text or binary value must not be longer than the statement said.
fn check_lengths(row: &[Value], declared: &[SqlType]) -> SqlResult<()> {
    for (at, (value, sql_type)) in row.iter().zip(declared).enumerate() {
        let fits = match (value, sql_type) {
            (
                Value::Text(text),
                SqlType::NChar(limit) | SqlType::NVarChar(Length::Limited(limit)),
            ) => text.len() <= usize::from(*limit) || utf16_units(text) <= usize::from(*limit),
            (
                Value::Text(text),
                SqlType::Char(limit) | SqlType::VarChar(Length::Limited(limit)),
            ) => text.len() <= usize::from(*limit) || text.chars().count() <= usize::from(*limit),
            (
                Value::Binary(bytes),
                SqlType::Binary(limit) | SqlType::VarBinary(Length::Limited(limit)),
            ) => bytes.len() <= usize::from(*limit),
            _ => true,
        };
        if !fits {
            return Err(SqlError::new(
                4815,
                format!(
                    "Received an invalid column length from the bcp client for colid {}.",
                    at + 1
                ),
            ));
        }
    }
    Ok(())
}

fn utf16_units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
