//! A server with a folder of its own, and a client.

use labdb::instance::{Instance, InstanceOptions};
use labdb::server::{Server, set_login};
use labdb_storage::{Options, SystemFiles};
use labdb_tds::{ProgramVersion, ServerConfig};
use std::sync::Arc;
use tiberius::{AuthMethod, Client, Config, EncryptionLevel, Row};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

pub(crate) type Connection = Client<Compat<TcpStream>>;

pub(crate) const PASSWORD: &str = "a password for tests";

pub(crate) struct Lab {
    pub(crate) folder: tempfile::TempDir,
    server: Option<Server>,
    runtime: tokio::runtime::Runtime,
}

impl Lab {
    pub(crate) fn start() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    /// With options of its own, until it is started again.
    pub(crate) fn start_with(change: impl FnOnce(&mut InstanceOptions)) -> Self {
        Self::in_folder_with(tempfile::tempdir().unwrap(), change)
    }

    fn open(folder: &std::path::Path, change: impl FnOnce(&mut InstanceOptions)) -> Server {
        let mut options = InstanceOptions {
            data: folder.to_owned(),
            server_name: "labtest".into(),
            storage: Options {
                buffer_pool_bytes: 16 << 20,
                ..Options::default()
            },
            files: Arc::new(SystemFiles),
            faults: String::new(),
            max_connections: 100,
        };
        change(&mut options);
        let instance = Instance::open(options).unwrap();
        set_login(&instance, "sa", PASSWORD, true, false).unwrap();
        let config = ServerConfig::new(
            "labdb",
            ProgramVersion {
                major: 16,
                minor: 0,
                build: 1000,
            },
        );
        Server::start(instance, "127.0.0.1:0".parse().unwrap(), config).unwrap()
    }

    fn in_folder(folder: tempfile::TempDir) -> Self {
        Self::in_folder_with(folder, |_| ())
    }

    fn in_folder_with(
        folder: tempfile::TempDir,
        change: impl FnOnce(&mut InstanceOptions),
    ) -> Self {
        let server = Self::open(folder.path(), change);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        Self {
            folder,
            server: Some(server),
            runtime,
        }
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Stops the server and starts it again on the same folder.
    pub(crate) fn restart(&mut self) {
        self.server.take().unwrap().stop();
        self.server = Some(Self::open(self.folder.path(), |_| ()));
    }

    pub(crate) fn run<T>(&self, work: impl std::future::Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn connect_as(
        &self,
        user: &str,
        password: &str,
        database: &str,
    ) -> tiberius::Result<Connection> {
        let address = self.server().address();
        self.run(async {
            let mut config = Config::new();
            config.host("127.0.0.1");
            config.port(address.port());
            config.authentication(AuthMethod::sql_server(user, password));
            config.encryption(EncryptionLevel::NotSupported);
            config.database(database);
            config.application_name("labdb tests");
            config.command_timeout(None);
            let socket = TcpStream::connect(address).await.unwrap();
            socket.set_nodelay(true).unwrap();
            Box::pin(Client::connect(config, socket.compat_write())).await
        })
    }

    pub(crate) fn connect(&self) -> Session<'_> {
        Session {
            lab: self,
            client: self.connect_as("sa", PASSWORD, "master").unwrap(),
        }
    }

    pub(crate) fn session(&self, client: Connection) -> Session<'_> {
        Session { lab: self, client }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// A client that waits for each answer.
pub(crate) struct Session<'a> {
    lab: &'a Lab,
    pub(crate) client: Connection,
}

impl Session<'_> {
    /// Runs a batch; all result sets, or the first error.
    pub(crate) fn try_all(&mut self, sql: &str) -> tiberius::Result<Vec<Vec<Row>>> {
        let client = &mut self.client;
        self.lab
            .run(async { client.simple_query(sql).await?.into_results().await })
    }

    pub(crate) fn all(&mut self, sql: &str) -> Vec<Vec<Row>> {
        self.try_all(sql).unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    pub(crate) fn rows(&mut self, sql: &str) -> Vec<Row> {
        self.all(sql).into_iter().next_back().unwrap_or_default()
    }

    pub(crate) fn exec(&mut self, sql: &str) {
        self.all(sql);
    }

    /// The first error's number.
    pub(crate) fn error(&mut self, sql: &str) -> u32 {
        match self.try_all(sql) {
            Ok(_) => panic!("no error: {sql}"),
            Err(e) => e.code().unwrap_or_else(|| panic!("{sql}: {e}")),
        }
    }

    /// Starts a text on a connection of its own, which stays open, and cancels it after a moment.
    pub(crate) fn cancel_soon(&self, sql: &str) -> Connection {
        let mut client = self.lab.connect().client;
        self.lab.run(async {
            let moment = std::time::Duration::from_millis(50);
            let ended = tokio::time::timeout(moment, async {
                client.simple_query(sql).await?.into_results().await
            })
            .await;
            assert!(ended.is_err(), "it ended by itself: {sql}");
            // The driver takes the end of the first message for the end of all: what it says of the
            // acknowledgement is of no use.
            let _ = client.cancel_query().await;
        });
        client
    }

    /// The text of an expression, cast to nvarchar; `NULL` for NULL.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        let rows = self.rows(&format!("SELECT CAST({expression} AS nvarchar(4000))"));
        rows[0]
            .try_get::<&str, _>(0)
            .unwrap()
            .unwrap_or("NULL")
            .to_owned()
    }

    /// One int.
    pub(crate) fn int(&mut self, sql: &str) -> i32 {
        let rows = self.rows(sql);
        rows[0].try_get::<i32, _>(0).unwrap().unwrap()
    }

    /// One text column of all rows, joined.
    pub(crate) fn column(&mut self, sql: &str) -> String {
        let rows = self.rows(sql);
        rows.iter()
            .map(|r| {
                r.try_get::<&str, _>(0)
                    .unwrap()
                    .unwrap_or("NULL")
                    .to_owned()
            })
            .collect::<Vec<_>>()
            .join(",")
    }
}
