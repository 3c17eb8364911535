//! A labdb process with a folder of its own, and clients for it.

use std::net::{SocketAddr, TcpStream as Socket};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tiberius::{AuthMethod, Client, Config, EncryptionLevel, Row};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

const PASSWORD: &str = "a password for tests";

pub(crate) struct Server {
    process: Child,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) address: SocketAddr,
    runtime: tokio::runtime::Runtime,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port_file = folder.path().join("port");
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_labdb"));
        command
            .arg("--data")
            .arg(folder.path().join("data"))
            .arg("--port-file")
            .arg(&port_file)
            .args(["--encrypt", "off"]);
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let process = command
            .args(arguments)
            .env("LABDB_PASSWORD", PASSWORD)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let began = Instant::now();
        let port: u16 = loop {
            if let Ok(text) = std::fs::read_to_string(&port_file) {
                break text.trim().parse().unwrap();
            }
            assert!(
                began.elapsed() < Duration::from_mins(1),
                "it does not start"
            );
            std::thread::sleep(Duration::from_millis(5));
        };
        Self {
            process,
            folder,
            address: ([127, 0, 0, 1], port).into(),
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap(),
        }
    }

    pub(crate) fn socket(&self) -> Socket {
        let socket = Socket::connect(self.address).unwrap();
        let limit = Some(Duration::from_mins(1));
        socket.set_read_timeout(limit).unwrap();
        socket
    }

    pub(crate) fn try_connect(&self) -> tiberius::Result<Session<'_>> {
        self.try_connect_as("sa", PASSWORD)
    }

    pub(crate) fn try_connect_as(
        &self,
        user: &str,
        password: &str,
    ) -> tiberius::Result<Session<'_>> {
        let mut config = Config::new();
        config.host("127.0.0.1");
        config.port(self.address.port());
        config.authentication(AuthMethod::sql_server(user, password));
        config.encryption(EncryptionLevel::NotSupported);
        config.command_timeout(None);
        let client = self.runtime.block_on(async {
            let socket = TcpStream::connect(self.address).await?;
            socket.set_nodelay(true)?;
            Box::pin(Client::connect(config, socket.compat_write())).await
        })?;
        Ok(Session {
            server: self,
            client,
        })
    }

    pub(crate) fn connect(&self) -> Session<'_> {
        self.try_connect().unwrap()
    }

    /// What it said on standard error.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The process's memory in MB, as a field of /proc/PID/status gives it (`VmRSS`, `VmHWM`).
    pub(crate) fn memory(&self, field: &str) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kilobytes / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) struct Session<'s> {
    server: &'s Server,
    client: Client<Compat<TcpStream>>,
}

impl Session<'_> {
    pub(crate) fn try_all(&mut self, sql: &str) -> tiberius::Result<Vec<Vec<Row>>> {
        let client = &mut self.client;
        self.server
            .runtime
            .block_on(async { client.simple_query(sql).await?.into_results().await })
    }

    pub(crate) fn rows(&mut self, sql: &str) -> Vec<Row> {
        let all = self.try_all(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
        all.into_iter().next_back().unwrap_or_default()
    }

    pub(crate) fn exec(&mut self, sql: &str) {
        self.rows(sql);
    }

    /// The first error's number; 0 where there is none.
    pub(crate) fn error(&mut self, sql: &str) -> u32 {
        match self.try_all(sql) {
            Ok(_) => 0,
            Err(e) => e.code().unwrap_or_else(|| panic!("{sql}: {e}")),
        }
    }

    pub(crate) fn number(&mut self, expression: &str) -> i64 {
        let rows = self.rows(&format!("SELECT CAST({expression} AS bigint)"));
        rows[0].try_get::<i64, _>(0).unwrap().unwrap()
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        let rows = self.rows(&format!("SELECT CAST({expression} AS nvarchar(4000))"));
        rows[0]
            .try_get::<&str, _>(0)
            .unwrap()
            .unwrap_or("NULL")
            .to_owned()
    }

    /// Sends a batch and lets it run; whether it still runs after this time.
    pub(crate) fn runs_for(&mut self, time: Duration, sql: &str) -> bool {
        let client = &mut self.client;
        self.server.runtime.block_on(async {
            let work = async { client.simple_query(sql).await?.into_results().await };
            tokio::time::timeout(time, work).await.is_err()
        })
    }

    /// Sends an attention.
    pub(crate) fn cancel(&mut self) {
        let client = &mut self.client;
        // The driver takes the end of the first message for the end of all: what it says of the
        // acknowledgement is of no use.
        let _ = self.server.runtime.block_on(client.cancel_query());
    }
}
