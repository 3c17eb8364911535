//! An engine with a folder of its own, for the targets that run statements.

use crate::conversation::{LOGIN, PASSWORD};
use labdb::exec::run_batch;
use labdb::instance::{Instance, InstanceOptions};
use labdb::server::set_login;
use labdb::session::{Client, Done, Session, SessionShared};
use labdb_storage::{Options, SystemFiles};
use labdb_types::{Column, Message, SqlError, SqlResult, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What stands in the database that inputs run in.
const TABLES: &str =
    "CREATE TABLE t (a int IDENTITY PRIMARY KEY, b varchar(20) NULL, c decimal(10, \
    2) DEFAULT 1.5, d datetime2 NULL);
    INSERT t (b, c) VALUES ('one', 1), ('two', 2.25), (NULL, -3);
    CREATE TABLE u (id bigint NOT NULL, x float NULL, y nvarchar(50) NULL, INDEX i (x));
    INSERT u VALUES (1, 1e0, N'eins'), (2, NULL, N'zwei');";

/// A database server in a temporary folder.
pub struct Engine {
    /// The instance.
    pub instance: Arc<Instance>,
    _folder: tempfile::TempDir,
}

impl Engine {
    /// A fresh one, with a database `fuzz`.
    #[must_use]
    pub fn start() -> Self {
        let folder = crate::fast_folder();
        let options = InstanceOptions {
            data: folder.path().to_owned(),
            server_name: "fuzzed".into(),
            storage: Options {
                buffer_pool_bytes: 8 << 20,
                ..Options::default()
            },
            files: Arc::new(SystemFiles),
            faults: String::new(),
            max_connections: 100,
        };
        let instance = Instance::open(options).expect("an instance in a fresh folder");
        set_login(&instance, LOGIN, PASSWORD, true, false).expect("a login");
        let engine = Self {
            instance,
            _folder: folder,
        };
        let mut told = Listener::for_a(Duration::from_mins(1));
        let session = engine.session().expect("a session");
        run_batch(&session, "CREATE DATABASE fuzz", &mut told).expect("a database");
        session.use_database("fuzz").expect("a database");
        run_batch(&session, TABLES, &mut told).expect("tables");
        assert_eq!(told.errors, 0, "the tables cannot be made");
        drop(session);
        engine
    }

    /// A session in the database `fuzz`; `None` where an input has dropped it.
    #[must_use]
    pub fn session(&self) -> Option<Session> {
        let database = self
            .instance
            .database("fuzz")
            .or_else(|| self.instance.database("master"))?;
        let shared = self
            .instance
            .begin_session(|id| SessionShared::new(id, LOGIN))
            .ok()?;
        Some(Session::new(Arc::clone(&self.instance), shared, database))
    }
}

/// Whether a text could write a file outside of the engine's folder, which a fuzzer must not.
#[must_use]
pub fn writes_elsewhere(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    (text.contains('/') || text.contains("..") || text.contains("char"))
        && ["backup", "restore", "filename", "disk"]
            .iter()
            .any(|word| text.contains(word))
}

/// A client that listens for so long and then asks for the end, as an attention does.
pub struct Listener {
    until: Instant,
    /// Errors that it was told.
    pub errors: u32,
}

impl Listener {
    /// It loses patience after this time.
    #[must_use]
    pub fn for_a(time: Duration) -> Self {
        Self {
            until: Instant::now() + time,
            errors: 0,
        }
    }
}

impl Client for Listener {
    fn columns(&mut self, _: &[Column]) -> SqlResult<()> {
        Ok(())
    }

    fn row(&mut self, _: &[Value]) -> SqlResult<()> {
        Ok(())
    }

    fn done(&mut self, _: &Done) -> SqlResult<()> {
        Ok(())
    }

    fn error(&mut self, error: &SqlError) -> SqlResult<()> {
        assert!(error.number != 0 && !error.message.is_empty());
        self.errors += 1;
        Ok(())
    }

    fn info(&mut self, _: &Message) -> SqlResult<()> {
        Ok(())
    }

    fn cancel_requested(&mut self) -> bool {
        Instant::now() >= self.until
    }
}
