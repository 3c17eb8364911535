//! One client's connection from accept to close.

use crate::{Error, Login, Request, Response, Result, ServerConfig};
use labdb_types::{SqlError};
use std::net::{SocketAddr, TcpStream};

/// What a connection's bytes are protected by, after the log-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Nothing; not even the log-in was encrypted.
    Plain,
    /// TLS for the log-in only.
    LoginOnly,
    /// TLS for all.
    Encrypted,
}

/// What the server tells a client whose log-in it accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginReply {
    /// The session's database.
    pub database: String,
    /// The session's language.
    pub language: String,
}

impl LoginReply {
    /// A session in a database, in us_english.
    #[must_use]
    pub fn new(database: impl Into<String>) -> Self {
        Self {
            database: database.into(),
            language: "us_english".into(),
        }
    }
}

/// Closes a connection from another thread (KILL, shutdown): its thread sees an end of input.
pub struct ConnectionCloser { socket: TcpStream }
impl ConnectionCloser {
    /// Closes both directions.
    pub fn close(&self) { todo!() }
}

/// One client's connection.
pub struct Connection {}

impl Connection {
    /// Does everything up to the client's log-in message: PRELOGIN, TLS, LOGIN7.
    ///
    /// # Errors
    /// When the client breaks the protocol, takes too long, or asks for what is not offered.
    pub fn accept(socket: TcpStream, config: &ServerConfig) -> Result<(Self, Login)> { todo!() }
    /// Accepts the log-in: the client may send requests.
    pub fn login_ok(&mut self, reply: &LoginReply) -> Result<()> { todo!() }
    /// Refuses the log-in (18456, 4060, …); then drop the connection.
    pub fn login_failed(&mut self, error: &SqlError) -> Result<()> { todo!() }
    /// Waits for the next request; `None` when the client closed the connection.
    /// An attention that came too late for its request is acknowledged in here.
    pub fn next_request(&mut self) -> Result<Option<Request>> { todo!() }
    /// The answer to the request that came last.
    pub fn response(&mut self) -> Response<'_> { todo!() }
    /// Whether the client cancelled the running request; see [`Response::attention_pending`].
    pub fn attention_pending(&mut self) -> Result<bool> { todo!() }
    /// How the connection is protected.
    pub fn security(&self) -> Security { todo!() }
    /// The client's address.
    pub fn peer(&self) -> SocketAddr { todo!() }
    /// The packet size in use, in bytes.
    pub fn packet_size(&self) -> u16 { todo!() }
    /// A handle for other threads that closes the connection.
    pub fn closer(&self) -> Result<ConnectionCloser> { todo!() }
}
