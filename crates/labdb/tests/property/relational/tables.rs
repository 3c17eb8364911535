//! The tables, with and without keys and indexes, their rows, and both engines.

use super::expression::Kind;
use crate::choices::Choices;
use crate::engine::{Engine, run};
use labdb::session::Session;
use labdb_types::Value;

/// Every table's columns. `id` tells the rows of a table apart.
pub(crate) const COLUMNS: [(&str, Kind); 4] = [
    ("id", Kind::Number),
    ("a", Kind::Number),
    ("b", Kind::Number),
    ("s", Kind::Text),
];

/// What comes behind a table's columns, and indexes, `{}` being its name.
const FORMS: [(&str, &str); 5] = [
    ("", ""),
    (", PRIMARY KEY (id)", ""),
    ("", "CREATE INDEX i_{} ON {} (a)"),
    (", PRIMARY KEY (id)", "CREATE INDEX i_{} ON {} (b, s)"),
    (", UNIQUE (id)", "CREATE INDEX i_{} ON {} (s, a)"),
];

/// labdb and SQLite with the same tables: three in each form.
pub(crate) struct Both {
    pub(crate) session: Session,
    pub(crate) sqlite: rusqlite::Connection,
    _engine: Engine,
}

/// An answer's rows as texts; `None` is NULL.
pub(crate) type Rows = Vec<Vec<Option<String>>>;

impl Both {
    pub(crate) fn start() -> Self {
        let engine = Engine::start();
        let session = engine.session("master");
        for text in [
            "CREATE DATABASE relational",
            "ALTER DATABASE relational SET DELAYED_DURABILITY = FORCED",
            "USE relational",
        ] {
            assert!(run(&session, text).errors.is_empty(), "{text}");
        }
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        let both = Self {
            session,
            sqlite,
            _engine: engine,
        };
        for (form, (constraint, index)) in FORMS.iter().enumerate() {
            for table in 0..3 {
                let name = format!("t{table}_{form}");
                let mut texts = vec![format!(
                    "CREATE TABLE {name} (id int NOT NULL, a int, b int, s varchar(100)\
                     {constraint})"
                )];
                if !index.is_empty() {
                    texts.push(index.replace("{}", &name));
                }
                for text in texts {
                    both.change(&text, &text).unwrap();
                }
            }
        }
        both
    }

    /// Runs a statement in both; whether both took it or both refused it.
    pub(crate) fn change(&self, tsql: &str, sqlite: &str) -> Result<(), String> {
        let answer = run(&self.session, tsql);
        let other = self.sqlite.execute(sqlite, []);
        match (answer.errors.first(), other) {
            (None, Ok(_)) => Ok(()),
            (Some(e), Err(rusqlite::Error::SqliteFailure(..)))
                if matches!(e.number, 2627 | 515) =>
            {
                Ok(())
            }
            (e, other) => Err(format!("{tsql}\nlabdb: {e:?}\nSQLite: {other:?}")),
        }
    }

    /// Three tables of some form, with some rows.
    pub(crate) fn fill(&self, choices: &mut Choices<'_>) -> Vec<String> {
        (0..3)
            .map(|table| {
                let form = choices.below(FORMS.len());
                let name = format!("t{table}_{form}");
                let clear = format!("DELETE FROM {name}");
                self.change(&clear, &clear).unwrap();
                let rows: Vec<String> = (0..choices.below(6))
                    .map(|id| {
                        let a = choices.of(&["1", "NULL", "2", "0", "3"]);
                        let b = choices.of(&["1", "2", "NULL", "-1", "0"]);
                        let s = choices.of(&["'a'", "NULL", "'b'", "''", "'ab'"]);
                        format!("({id}, {a}, {b}, {s})")
                    })
                    .collect();
                if !rows.is_empty() {
                    let insert = format!("INSERT INTO {name} VALUES {}", rows.join(", "));
                    self.change(&insert, &insert).unwrap();
                }
                name
            })
            .collect()
    }

    /// labdb's rows, or the error's number and text.
    pub(crate) fn ask_labdb(&self, text: &str) -> Result<Rows, (i32, String)> {
        let answer = run(&self.session, text);
        if let Some(e) = answer.errors.first() {
            return Err((e.number, e.to_string()));
        }
        let cell = |value: &Value| match value {
            Value::Null => None,
            Value::Int(n) => Some(n.to_string()),
            Value::BigInt(n) => Some(n.to_string()),
            Value::Text(t) => Some(t.to_string()),
            other => panic!("{other:?}"),
        };
        let row = |row: &Vec<Value>| row.iter().map(cell).collect();
        Ok(answer.rows.iter().map(row).collect())
    }

    /// SQLite's rows; `None` where it cannot plan the query: it refuses some conditions of joins
    /// once it has flattened a derived table.
    pub(crate) fn ask_sqlite(&self, text: &str) -> Option<Rows> {
        use rusqlite::types::ValueRef;
        let mut statement = match self.sqlite.prepare(text) {
            Err(e) if e.to_string().contains("tables to its right") => return None,
            other => other.unwrap_or_else(|e| panic!("{text}\n{e}")),
        };
        let width = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut all = Vec::new();
        while let Some(row) = rows.next().unwrap_or_else(|e| panic!("{text}\n{e}")) {
            let cell = |at| match row.get_ref(at).unwrap() {
                ValueRef::Null => None,
                ValueRef::Integer(n) => Some(n.to_string()),
                ValueRef::Text(t) => Some(String::from_utf8(t.to_vec()).unwrap()),
                other => panic!("{text}\n{other:?}"),
            };
            all.push((0..width).map(cell).collect());
        }
        Some(all)
    }
}
