//! A server whose behaviour a test knows exactly: how long an INSERT takes, which one fails, and
//! how many there were. It speaks TDS over a socket and keeps nothing but counts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a part of the tests")]

mod catalogue;

use labdb_tds::{
    Connection, Done, LoginReply, ProgramVersion, RequestBody, Response, Result, ServerConfig,
};
use labdb_types::SqlError;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// What happens at one INSERT instead of an answer.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "each test binary uses its own part")]
pub(crate) enum Fault {
    /// An error of this number and severity; nothing is inserted.
    Error(i32, u8),
    /// The connection is closed before anything is inserted.
    Drop,
    /// The row goes in, and the connection is closed before the answer.
    DropAfterInsert,
    /// No answer for ever.
    Silence,
}

/// The behaviour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// How long each INSERT takes.
    pub(crate) delay: Duration,
    /// The fault at the n-th transaction of all, from 1.
    pub(crate) fault: Option<(u64, Fault)>,
    /// Log-ins after this many are refused.
    pub(crate) refuse_after: Option<u64>,
    /// Sessions may not read their waits (error 300).
    pub(crate) no_waits: bool,
    /// The database carries no mark.
    pub(crate) unmarked: bool,
    /// Each counting of the rows says so many more than the one before.
    pub(crate) strangers_rows: i64,
    /// How long flushing the log takes.
    pub(crate) flush_takes: Duration,
    /// `sys.sp_flush_log` returns 0, which is no success.
    pub(crate) flush_fails: bool,
}

/// What it counted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Accepted log-ins.
    pub(crate) logins: AtomicU64,
    /// Sessions that said `SET NOCOUNT ON`: workers.
    pub(crate) prepared: AtomicU64,
    /// Workers that were prepared when the first transaction came.
    pub(crate) prepared_at_first: AtomicU64,
    /// Transactions that came.
    pub(crate) received: AtomicU64,
    /// Rows that are in the table.
    pub(crate) rows: AtomicI64,
    /// How often the log was flushed.
    pub(crate) flushes: AtomicU64,
    /// Transactions that had come when the log was flushed.
    pub(crate) received_at_flush: AtomicU64,
    /// How often the rows were counted.
    pub(crate) countings: AtomicI64,
}

/// The server, until the test's process ends.
pub(crate) struct Double {
    pub(crate) address: SocketAddr,
    pub(crate) counts: Arc<Counts>,
}

/// WRITELOG of one transaction: each session's waits are this times its transactions.
pub(crate) const WAIT_MS: i64 = 3;
/// Waits that every session has before its first transaction.
pub(crate) const WAITS_BEFORE: i64 = 40;

impl Double {
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::new(Counts::default());
        let shared = Arc::clone(&counts);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (script, counts) = (script.clone(), Arc::clone(&shared));
                std::thread::spawn(move || {
                    // A client that goes away in the middle is part of the tests.
                    let _ = serve(socket.unwrap(), &script, &counts);
                });
            }
        });
        Self { address, counts }
    }

    /// The server as `-S` takes it.
    pub(crate) fn server(&self) -> String {
        format!("127.0.0.1,{}", self.address.port())
    }
}

fn serve(socket: TcpStream, script: &Script, counts: &Counts) -> Result<()> {
    let version = ProgramVersion {
        major: 16,
        minor: 0,
        build: 1000,
    };
    let config = ServerConfig::new("test double", version);
    let (mut connection, login) = Connection::accept(socket, &config)?;
    let number = counts.logins.fetch_add(1, Ordering::SeqCst);
    if script.refuse_after.is_some_and(|most| number >= most) {
        let error = SqlError::new(18456, "Login failed for user 'sa'.").severity(14);
        return connection.login_failed(&error);
    }
    connection.login_ok(&LoginReply::new(login.database))?;
    let closer = connection.closer()?;
    let session = Session {
        id: 51 + i32::try_from(number).unwrap(),
        transactions: AtomicI64::new(0),
    };
    while let Some(request) = connection.next_request()? {
        let RequestBody::Batch(text) = &request.body else {
            panic!("only batches are sent");
        };
        if text.contains("INSERT INTO") {
            match insert(text, script, counts, &session) {
                Answer::Done => done(connection.response())?,
                Answer::Error(error) => {
                    let mut response = connection.response();
                    response.error(&error)?;
                    response.statement_done(&Done {
                        error: true,
                        ..Done::default()
                    })?;
                    response.finish()?;
                }
                Answer::Close => {
                    closer.close();
                    return Ok(());
                }
                Answer::Never => loop {
                    sleep(Duration::from_secs(1));
                },
            }
        } else {
            catalogue::answer(text, connection.response(), script, counts, &session)?;
        }
    }
    Ok(())
}

struct Session {
    id: i32,
    transactions: AtomicI64,
}

enum Answer {
    Done,
    Error(SqlError),
    Close,
    Never,
}

/// One transaction: as many rows as the batch says in its WHILE or its TOP, or one.
fn insert(text: &str, script: &Script, counts: &Counts, session: &Session) -> Answer {
    let number = counts.received.fetch_add(1, Ordering::SeqCst) + 1;
    if number == 1 {
        let prepared = counts.prepared.load(Ordering::SeqCst);
        counts.prepared_at_first.store(prepared, Ordering::SeqCst);
    }
    let rows = text
        .split_once("@rows < ")
        .or_else(|| text.split_once("TOP ("))
        .and_then(|(_, rest)| rest.split([' ', ')']).next())
        .map_or(1, |rows| rows.parse().unwrap());
    let fault = script.fault.filter(|(at, _)| *at == number);
    match fault.map(|(_, fault)| fault) {
        Some(Fault::Error(number, severity)) => {
            return Answer::Error(SqlError::new(number, "injected by the test").severity(severity));
        }
        Some(Fault::Drop) => return Answer::Close,
        Some(Fault::DropAfterInsert) => {
            counts.rows.fetch_add(rows, Ordering::SeqCst);
            return Answer::Close;
        }
        Some(Fault::Silence) => {
            return Answer::Never;
        }
        None => {}
    }
    if !script.delay.is_zero() {
        sleep(script.delay);
    }
    counts.rows.fetch_add(rows, Ordering::SeqCst);
    session.transactions.fetch_add(1, Ordering::SeqCst);
    Answer::Done
}

fn done(mut response: Response<'_>) -> Result<()> {
    response.statement_done(&Done::default())?;
    response.finish()
}
