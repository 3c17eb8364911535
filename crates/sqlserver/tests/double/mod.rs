//! A server that says what a test tells it to, over a real socket.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    reason = "a part of the tests, of which each binary uses its own part"
)]

use labdb_tds::{
    Connection, Done, Encryption, Identity, LoginReply, ProgramVersion, RequestBody, Response,
    Result, ServerConfig,
};
use labdb_types::{Column, Length, SqlError, SqlType, Value};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// One part of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A result set.
    Rows(Vec<Column>, Vec<Vec<Value>>),
    /// An error: number, severity, text.
    Error(i32, u8, &'static str),
    /// Nothing, until the client cancels.
    UntilCancelled,
    /// The connection is closed.
    Close,
}

/// What the server answers to a batch.
pub(crate) type Answers = dyn Fn(&str) -> Vec<Part> + Send + Sync;

/// What it saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Users, databases and application names of the log-ins.
    pub(crate) logins: Vec<(String, String, String)>,
    /// The batches.
    pub(crate) batches: Vec<String>,
    /// How many batches the client cancelled.
    pub(crate) cancelled: usize,
}

/// The server, until the test's process ends.
pub(crate) struct Double {
    address: SocketAddr,
    pub(crate) seen: Arc<Mutex<Seen>>,
    /// The certificate of a server that encrypts.
    pub(crate) certificate: String,
}

/// Whether and how it lets clients in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Door {
    /// In plain text.
    Plain,
    /// Encrypted, with a certificate that it signed itself.
    Tls,
    /// Refused with an error.
    Refused(i32, &'static str),
}

impl Double {
    pub(crate) fn start(
        door: Door,
        answers: impl Fn(&str) -> Vec<Part> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let made = labdb_tds::self_signed(&["127.0.0.1"]).unwrap();
        let version = ProgramVersion {
            major: 16,
            minor: 0,
            build: 1000,
        };
        let mut config = ServerConfig::new("test double", version);
        if matches!(door, Door::Tls) {
            let identity = Identity::from_pem(
                made.certificate_pem.as_bytes(),
                made.private_key_pem.as_bytes(),
            )
            .unwrap();
            config = config.with_encryption(Encryption::Required, identity);
        }
        let (shared, answers): (_, Arc<Answers>) = (Arc::clone(&seen), Arc::new(answers));
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (seen, answers) = (Arc::clone(&shared), Arc::clone(&answers));
                let config = config.clone();
                std::thread::spawn(move || {
                    // A client that goes away in the middle is part of the tests.
                    let _ = serve(socket.unwrap(), &config, door, &answers, &seen);
                });
            }
        });
        Self {
            address,
            seen,
            certificate: made.certificate_pem,
        }
    }

    /// The server as `-S` takes it.
    pub(crate) fn server(&self) -> String {
        format!("127.0.0.1,{}", self.address.port())
    }
}

fn serve(
    socket: TcpStream,
    config: &ServerConfig,
    door: Door,
    answers: &Arc<Answers>,
    seen: &Mutex<Seen>,
) -> Result<()> {
    let (mut connection, login) = Connection::accept(socket, config)?;
    if let Door::Refused(number, text) = door {
        return connection.login_failed(&SqlError::new(number, text).severity(14));
    }
    seen.lock().unwrap().logins.push((
        login.user.clone(),
        login.database.clone(),
        login.app_name.clone(),
    ));
    connection.login_ok(&LoginReply::new(login.database))?;
    let closer = connection.closer()?;
    while let Some(request) = connection.next_request()? {
        let RequestBody::Batch(text) = &request.body else {
            panic!("only batches are sent");
        };
        seen.lock().unwrap().batches.push(text.clone());
        let mut response = connection.response();
        for part in answers(text) {
            match part {
                Part::Close => {
                    closer.close();
                    return Ok(());
                }
                Part::UntilCancelled => {
                    wait_for_attention(&mut response)?;
                    seen.lock().unwrap().cancelled += 1;
                }
                Part::Rows(columns, rows) => {
                    response.columns(&columns)?;
                    for row in rows {
                        response.row(&row)?;
                    }
                    response.statement_done(&Done::default())?;
                }
                Part::Error(number, severity, text) => {
                    response.error(&SqlError::new(number, text).severity(severity))?;
                    response.statement_done(&Done {
                        error: true,
                        ..Done::default()
                    })?;
                }
            }
        }
        response.finish()?;
    }
    Ok(())
}

fn wait_for_attention(response: &mut Response<'_>) -> Result<()> {
    let begun = Instant::now();
    while !response.attention_pending()? {
        assert!(begun.elapsed() < Duration::from_mins(1), "nobody cancelled");
        sleep(Duration::from_millis(5));
    }
    Ok(())
}

pub(crate) fn text_column(name: &str) -> Column {
    Column::new(name, SqlType::NVarChar(Length::Limited(260)))
}

pub(crate) fn big_column(name: &str) -> Column {
    Column::new(name, SqlType::BigInt)
}

pub(crate) fn int_column(name: &str) -> Column {
    Column::new(name, SqlType::Int)
}
