//! An instance in a folder of its own and sessions on it, in this process and without a socket.

use labdb::exec::run_batch;
use labdb::instance::{Instance, InstanceOptions};
use labdb::server::set_login;
use labdb::session::{Client, Done, Session, SessionShared};
use labdb_storage::{Options, SystemFiles};
use labdb_types::{Column, Message, SqlError, SqlResult, Value};
use std::sync::Arc;

pub(crate) struct Engine {
    instance: Arc<Instance>,
    _folder: tempfile::TempDir,
}

impl Engine {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = InstanceOptions {
            data: folder.path().to_owned(),
            server_name: "labtest".into(),
            storage: Options {
                buffer_pool_bytes: 16 << 20,
                ..Options::default()
            },
            files: Arc::new(SystemFiles),
            faults: String::new(),
            max_connections: 100,
        };
        let instance = Instance::open(options).unwrap();
        set_login(&instance, "sa", "a password for tests", true, false).unwrap();
        Self {
            instance,
            _folder: folder,
        }
    }

    pub(crate) fn session(&self, database: &str) -> Session {
        let shared = self
            .instance
            .begin_session(|id| {
                let mut shared = SessionShared::new(id, "sa");
                shared.initial_database = database.to_owned();
                shared
            })
            .unwrap();
        let database = self.instance.database(database).unwrap();
        Session::new(Arc::clone(&self.instance), shared, database)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.instance.close();
    }
}

/// What a batch gave.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The columns of the last result set.
    pub(crate) columns: Vec<Column>,
    /// Its rows.
    pub(crate) rows: Vec<Vec<Value>>,
    /// All errors.
    pub(crate) errors: Vec<SqlError>,
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

    fn info(&mut self, _: &Message) -> SqlResult<()> {
        Ok(())
    }
}

/// Runs a batch.
pub(crate) fn run(session: &Session, text: &str) -> Answer {
    let mut answer = Answer::default();
    run_batch(session, text, &mut answer).unwrap_or_else(|e| panic!("{text}\n{e}"));
    answer
}
