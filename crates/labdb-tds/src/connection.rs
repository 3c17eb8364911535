//! One client's connection from accept to close.

use crate::config::Encryption;
use crate::login::{self, Parsed};
use crate::prelogin::{self, Agreed};
use crate::requests;
use crate::response::ResponseState;
use crate::tokens::{self, DoneKind, done_status, env};
use crate::wire::{
    HEADER_LENGTH, Header, Incoming, PacketKind, PacketWriter, Transport, read_message,
};
use crate::{Error, Login, Request, Response, Result, ServerConfig, TdsVersion};
use labdb_types::SqlError;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroize;

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
    /// The session's number (`@@SPID`), which packet headers carry.
    pub session_id: u16,
}

impl LoginReply {
    /// A session in a database, in `us_english`, without a number.
    #[must_use]
    pub fn new(database: impl Into<String>) -> Self {
        Self {
            database: database.into(),
            language: "us_english".into(),
            session_id: 0,
        }
    }
}

/// Closes a connection from another thread (KILL, shutdown): its thread sees an end of input.
#[derive(Debug)]
pub struct ConnectionCloser {
    socket: TcpStream,
}

impl ConnectionCloser {
    /// Closes both directions; does nothing if they are closed.
    pub fn close(&self) {
        // It fails only where there is nothing to close any more.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// One client's connection.
pub struct Connection {
    pub(crate) transport: Transport,
    pub(crate) packets: PacketWriter,
    pub(crate) version: TdsVersion,
    pub(crate) server_name: Arc<str>,
    pub(crate) state: ResponseState,
    message: Vec<u8>,
    message_limit: usize,
    message_time: Duration,
    security: Security,
    peer: SocketAddr,
    greeting: Greeting,
}

/// What the answer to the log-in needs.
struct Greeting {
    program_name: String,
    program_version: crate::ProgramVersion,
    packet_size: u16,
    features: Vec<u8>,
}

const DEFAULT_PACKET_SIZE: u16 = 4096;

impl Connection {
    /// Does everything up to the client's log-in message: PRELOGIN, TLS, LOGIN7. The caller looks
    /// at the name and password and then calls [`Connection::login_ok`] or
    /// [`Connection::login_failed`].
    ///
    /// # Errors
    /// When the client breaks the protocol, takes too long, or asks for what is not offered (it was
    /// told then).
    pub fn accept(socket: TcpStream, config: &ServerConfig) -> Result<(Self, Login)> {
        let limits = &config.limits;
        let peer = socket.peer_addr()?;
        let mut connection = Self {
            transport: Transport::new(socket, limits.write_time, limits.login_time)?,
            packets: PacketWriter::new(PacketKind::Response, DEFAULT_PACKET_SIZE),
            version: TdsVersion::V7_4,
            server_name: Arc::from(config.server_name.as_str()),
            state: ResponseState::default(),
            message: Vec::new(),
            message_limit: limits.message_bytes,
            message_time: limits.message_time,
            security: Security::Plain,
            peer,
            greeting: Greeting {
                program_name: config.program_name.clone(),
                program_version: config.version,
                packet_size: DEFAULT_PACKET_SIZE,
                features: Vec::new(),
            },
        };
        connection.agree_on_security(config)?;
        let login = connection.read_login()?;
        Ok((connection, login))
    }

    /// From the first byte to the LOGIN7 message, which is in `message` then.
    fn agree_on_security(&mut self, config: &ServerConfig) -> Result<()> {
        const TLS_HANDSHAKE: u8 = 0x16;
        let identity = || {
            config
                .identity
                .as_ref()
                .ok_or_else(|| Error::Certificate("the server was given none".to_owned()))
        };
        if self.transport.first_byte()? == Some(TLS_HANDSHAKE) {
            if config.encryption == Encryption::NotSupported {
                return Err(Error::Refused(
                    "the client wants strict encryption and the server has none".to_owned(),
                ));
            }
            let tls = Arc::clone(&identity()?.strict);
            self.transport.handshake_strict(tls)?;
            self.security = Security::Encrypted;
        }
        let mut kind = self.read_before_login(config)?;
        if kind == PacketKind::Prelogin {
            let client = prelogin::decode(&self.message)?;
            let (answer, agreed) = prelogin::agree(config.encryption, client.encryption);
            let mut answers = PacketWriter::new(PacketKind::Response, DEFAULT_PACKET_SIZE);
            prelogin::push_answer(answers.payload(), config.version, answer, client.mars);
            self.transport.send(answers.take_last())?;
            // Inside of strict encryption the option has no meaning.
            if self.security == Security::Plain {
                let tls = || Ok(Arc::clone(&identity()?.in_packets));
                self.secure(agreed, tls)?;
            }
            kind = self.read_before_login(config)?;
        } else if config.encryption == Encryption::Required && self.security == Security::Plain {
            return self.refuse(
                "Login failed. This server requires encryption and the client did not offer it. \
                 Turn on encryption in the client.",
            );
        }
        match kind {
            PacketKind::Login7 => Ok(()),
            PacketKind::Prelogin => Err(Error::Refused(
                "the client began to encrypt though the server said that it does not".to_owned(),
            )),
            PacketKind::PreTds7Login => Err(Error::Refused(
                "the client speaks a TDS version before 7.0; set it to 7.4".to_owned(),
            )),
            other => Err(Error::protocol(format!("{other:?} before the log-in"))),
        }
    }

    fn secure(
        &mut self,
        agreed: Agreed,
        tls: impl Fn() -> Result<Arc<rustls::ServerConfig>>,
    ) -> Result<()> {
        match agreed {
            Agreed::Plain => {}
            Agreed::LoginOnly => {
                self.transport.handshake_in_packets(tls()?, true)?;
                self.security = Security::LoginOnly;
            }
            Agreed::Encrypted => {
                self.transport.handshake_in_packets(tls()?, false)?;
                self.security = Security::Encrypted;
            }
            Agreed::Impossible => {
                return Err(Error::Refused(
                    "the server requires encryption and the client cannot".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn read_before_login(&mut self, config: &ServerConfig) -> Result<PacketKind> {
        let limit = config.limits.login_bytes;
        match read_message(&mut self.transport, &mut self.message, limit, None)? {
            Incoming::Message { kind, .. } => Ok(kind),
            Incoming::TakenBack => Err(Error::protocol("a log-in was taken back")),
            Incoming::Closed => Err(Error::Truncated),
        }
    }

    fn read_login(&mut self) -> Result<Login> {
        let parsed = login::decode(&self.message);
        // It held the password, which the scrambling hides from nobody.
        self.message.zeroize();
        self.transport.login_arrived();
        if self.security == Security::LoginOnly {
            self.transport.end_tls();
        }
        match parsed? {
            Parsed::Refused { version, text } => {
                self.version = version;
                self.refuse(&text)
            }
            Parsed::Login(login) => {
                self.version = login.tds_version;
                self.greeting.features.clone_from(&login.features);
                let asked = u16::try_from(login.packet_size).unwrap_or(u16::MAX);
                self.greeting.packet_size = match asked {
                    0 => DEFAULT_PACKET_SIZE,
                    size => size.clamp(512, self.largest_packet()),
                };
                Ok(*login)
            }
        }
    }

    /// A packet must fit into one TLS record, as in SQL Server.
    fn largest_packet(&self) -> u16 {
        if self.security == Security::Encrypted {
            16_383
        } else {
            32_767
        }
    }

    fn refuse<T>(&mut self, text: &str) -> Result<T> {
        self.login_failed(&SqlError::new(18456, text).severity(14))?;
        Err(Error::Refused(text.to_owned()))
    }

    /// Accepts the log-in: the client may send requests.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn login_ok(&mut self, reply: &LoginReply) -> Result<()> {
        let version = self.version;
        let server_name = Arc::clone(&self.server_name);
        self.packets.set_session_id(reply.session_id);
        let size = self.greeting.packet_size;
        let out = self.packets.payload();
        let changed =
            |number, what: &str| SqlError::new(number, what).severity(0).state(1).at_line(1);
        tokens::push_env_text(out, env::DATABASE, &reply.database, "");
        let text = format!("Changed database context to '{}'.", reply.database);
        tokens::push_message(
            out,
            version,
            false,
            &changed(5701, &text).state(2),
            &server_name,
        );
        tokens::push_collation(out);
        tokens::push_env_text(out, env::LANGUAGE, &reply.language, "");
        let text = format!("Changed language setting to {}.", reply.language);
        tokens::push_message(out, version, false, &changed(5703, &text), &server_name);
        let greeting = &self.greeting;
        tokens::push_login_ack(
            out,
            version,
            &greeting.program_name,
            greeting.program_version,
        );
        let old_size = DEFAULT_PACKET_SIZE.to_string();
        tokens::push_env_text(out, env::PACKET_SIZE, &size.to_string(), &old_size);
        if !greeting.features.is_empty() {
            tokens::push_feature_ack(out, &greeting.features);
        }
        tokens::push_done(out, version, DoneKind::Statement, 0, 0, 0);
        self.send_message()?;
        self.packets.set_packet_size(size);
        Ok(())
    }

    /// Refuses the log-in (18456, 4060, …); then drop the connection.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn login_failed(&mut self, error: &SqlError) -> Result<()> {
        let version = self.version;
        let server_name = Arc::clone(&self.server_name);
        let out = self.packets.payload();
        tokens::push_message(out, version, true, error, &server_name);
        let failed = done_status::ERROR;
        tokens::push_done(out, version, DoneKind::Statement, failed, 0, 0);
        self.send_message()
    }

    /// Waits for the next request; `None` when the client closed the connection.
    ///
    /// An attention that came too late for its request is acknowledged in here.
    ///
    /// # Errors
    /// When the client breaks the protocol (it was told then), sends too much or too slowly, or the
    /// socket fails.
    pub fn next_request(&mut self) -> Result<Option<Request>> {
        if self.state.open {
            return Err(Error::Unfinished);
        }
        loop {
            match self.read_request() {
                Ok(Incoming::Message {
                    kind: PacketKind::Attention,
                    ..
                }) => self.send_done(done_status::ATTENTION)?,
                Ok(Incoming::Message { kind, reset }) => {
                    match requests::decode(kind, reset, &self.message, self.version) {
                        Ok(request) => {
                            self.state.open = true;
                            return Ok(Some(request));
                        }
                        Err(error) => return Err(self.complain(error)),
                    }
                }
                Ok(Incoming::TakenBack) => self.send_done(done_status::ERROR)?,
                Ok(Incoming::Closed) => return Ok(None),
                Err(Error::Io(error)) if error.kind() == ErrorKind::ConnectionReset => {
                    return Ok(None);
                }
                Err(error) => return Err(self.complain(error)),
            }
        }
    }

    fn read_request(&mut self) -> Result<Incoming> {
        const KEEP: usize = 256 << 10;
        self.message.clear();
        self.message.shrink_to(KEEP);
        let (limit, within) = (self.message_limit, Some(self.message_time));
        read_message(&mut self.transport, &mut self.message, limit, within)
    }

    /// A message of one DONE.
    pub(crate) fn send_done(&mut self, status: u16) -> Result<()> {
        let version = self.version;
        let out = self.packets.payload();
        tokens::push_done(out, version, DoneKind::Statement, status, 0, 0);
        self.send_message()
    }

    /// Tells the client what it did wrong, where the connection still allows it.
    fn complain(&mut self, error: Error) -> Error {
        let text = match &error {
            Error::Protocol(_) => {
                "The incoming tabular data stream (TDS) protocol stream is incorrect. The stream \
                 ended unexpectedly."
            }
            Error::MessageTooLarge { .. } | Error::TimedOut(_) => &error.to_string(),
            _ => return error,
        };
        let told = SqlError::new(4002, text).severity(20);
        // The first error is the one to report.
        let _ = self.login_failed(&told);
        error
    }

    /// The answer to the request that came last.
    pub fn response(&mut self) -> Response<'_> {
        Response::new(self)
    }

    /// Whether the client cancelled the running request; see [`Response::attention_pending`].
    ///
    /// # Errors
    /// When the client went away.
    pub fn attention_pending(&mut self) -> Result<bool> {
        loop {
            if self.state.attention {
                return Ok(true);
            }
            let unread = self.transport.unread();
            if let Some(header) = Header::decode(unread)? {
                if header.kind != PacketKind::Attention {
                    return Ok(false);
                }
                let length = HEADER_LENGTH + header.payload;
                if unread.len() >= length {
                    self.transport.consume(length);
                    self.state.attention = true;
                    continue;
                }
            }
            match self.transport.fill_now()? {
                None => return Ok(false),
                Some(0) => {
                    return Err(io::Error::new(
                        ErrorKind::ConnectionAborted,
                        "the client closed the connection while its request ran",
                    )
                    .into());
                }
                Some(_) => {}
            }
        }
    }

    pub(crate) fn send_message(&mut self) -> Result<()> {
        let sent = self.transport.send(self.packets.take_last());
        self.packets.clear();
        sent
    }

    /// How the connection is protected.
    #[must_use]
    pub fn security(&self) -> Security {
        self.security
    }

    /// The client's address.
    #[must_use]
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// The packet size agreed on, in bytes; in use from the answer to the log-in on.
    #[must_use]
    pub fn packet_size(&self) -> u16 {
        self.greeting.packet_size
    }

    /// A handle for other threads that closes the connection.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn closer(&self) -> Result<ConnectionCloser> {
        Ok(ConnectionCloser {
            socket: self.transport.socket().try_clone()?,
        })
    }
}
