//! A session in this process, so that messages can be seen too, which the driver hides.

use super::harness::Lab;
use labdb::exec::run_batch;
use labdb::instance::Instance;
use labdb::session::{Client, Done, Session, SessionShared};
use labdb_types::{Column, Message, SqlError, SqlResult, Value};
use std::sync::Arc;

/// What a batch gave.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Value>>,
    pub(crate) errors: Vec<SqlError>,
    pub(crate) messages: Vec<Message>,
}

impl Answer {
    pub(crate) fn error_numbers(&self) -> Vec<i32> {
        self.errors.iter().map(|e| e.number).collect()
    }

    /// A column's values as text, `NULL` for NULL.
    pub(crate) fn column(&self, name: &str) -> Vec<String> {
        let at = self.columns.iter().position(|c| c.name == name);
        let at = at.unwrap_or_else(|| panic!("no column {name}"));
        self.rows.iter().map(|row| shown(&row[at])).collect()
    }
}

pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Int(n) => n.to_string(),
        Value::SmallInt(n) => n.to_string(),
        Value::TinyInt(n) => n.to_string(),
        Value::BigInt(n) => n.to_string(),
        Value::Bit(on) => u8::from(*on).to_string(),
        Value::Decimal(n) => n.to_string(),
        Value::Uuid(bytes) => uuid::Uuid::from_bytes(*bytes).to_string().to_uppercase(),
        other => format!("{other:?}"),
    }
}

impl Client for Answer {
    fn columns(&mut self, columns: &[Column]) -> SqlResult<()> {
        self.columns = columns.to_vec();
        self.rows.clear();
        Ok(())
    }
    fn row(&mut self, row: &[Value]) -> SqlResult<()> {
        self.rows.push(row.to_vec());
        Ok(())
    }
    fn done(&mut self, _: &Done) -> SqlResult<()> {
        Ok(())
    }
    fn error(&mut self, error: &SqlError) -> SqlResult<()> {
        self.errors.push(error.clone());
        Ok(())
    }
    fn info(&mut self, message: &Message) -> SqlResult<()> {
        self.messages.push(message.clone());
        Ok(())
    }
}

/// A session of `sa` in master.
pub(crate) struct Direct {
    session: Session,
}

impl Direct {
    pub(crate) fn new(lab: &Lab) -> Self {
        Self::on(&lab.server().instance)
    }

    pub(crate) fn on(instance: &Arc<Instance>) -> Self {
        let shared = instance
            .begin_session(|id| SessionShared::new(id, "sa"))
            .unwrap();
        let master = instance.database("master").unwrap();
        Self {
            session: Session::new(Arc::clone(instance), shared, master),
        }
    }

    pub(crate) fn run(&self, sql: &str) -> Answer {
        let mut answer = Answer::default();
        run_batch(&self.session, sql, &mut answer).unwrap_or_else(|e| panic!("{sql}: {e}"));
        answer
    }

    /// Runs what must succeed.
    pub(crate) fn exec(&self, sql: &str) -> Answer {
        let answer = self.run(sql);
        assert!(answer.errors.is_empty(), "{sql}: {:?}", answer.errors);
        answer
    }

    /// The numbers of all errors.
    pub(crate) fn errors(&self, sql: &str) -> Vec<i32> {
        self.run(sql).error_numbers()
    }

    /// The one value of a query.
    pub(crate) fn value(&self, sql: &str) -> String {
        let answer = self.exec(sql);
        shown(&answer.rows[0][0])
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        self.session.instance.end_session(&self.session.shared);
    }
}
