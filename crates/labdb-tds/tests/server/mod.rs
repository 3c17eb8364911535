//! A server on a free port whose answers a test gives, and a tiberius client for it.
#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::unwrap_used, reason = "it is part of tests")]

use labdb_tds::{
    Connection, Done, Encryption, Identity, Login, LoginReply, ProgramVersion, Request, Result,
    Security, ServerConfig, self_signed,
};
use labdb_types::SqlError;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use tiberius::{AuthMethod, Client, Config, EncryptionLevel};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

pub(crate) type Tiberius = Client<Compat<TcpStream>>;

/// A server whose connections are answered by one function.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// Each accepted log-in with how it was protected, or why it failed.
    pub(crate) logins: Receiver<std::result::Result<(Login, Security), String>>,
    /// How each connection ended.
    pub(crate) ends: Receiver<Result<()>>,
}

pub(crate) const PASSWORD: &str = "Pässword€1";

impl Server {
    pub(crate) fn start<F>(config: ServerConfig, answer: F) -> Self
    where
        F: Fn(&mut Connection, &Request) -> Result<()> + Send + Clone + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (login_sender, logins) = channel();
        let (end_sender, ends) = channel();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (config, answer) = (config.clone(), answer.clone());
                let (login_sender, end_sender) = (login_sender.clone(), end_sender.clone());
                std::thread::spawn(move || {
                    let end = serve(socket.unwrap(), &config, &login_sender, &answer);
                    let _ = end_sender.send(end);
                });
            }
        });
        Self {
            address,
            logins,
            ends,
        }
    }

    pub(crate) fn client_config(&self, encryption: EncryptionLevel) -> Config {
        let mut config = Config::new();
        config.host("127.0.0.1");
        config.port(self.address.port());
        config.authentication(AuthMethod::sql_server("sa", PASSWORD));
        config.encryption(encryption);
        config
    }

    pub(crate) async fn plain_client(&self) -> Tiberius {
        connect(self.client_config(EncryptionLevel::NotSupported))
            .await
            .unwrap()
    }
}

pub(crate) async fn connect(config: Config) -> tiberius::Result<Tiberius> {
    let socket = TcpStream::connect(config.get_addr()).await.unwrap();
    socket.set_nodelay(true).unwrap();
    Box::pin(Client::connect(config, socket.compat_write())).await
}

fn serve(
    socket: std::net::TcpStream,
    config: &ServerConfig,
    logins: &Sender<std::result::Result<(Login, Security), String>>,
    answer: &impl Fn(&mut Connection, &Request) -> Result<()>,
) -> Result<()> {
    let accepted = Connection::accept(socket, config);
    let (mut connection, login) = match accepted {
        Ok(accepted) => accepted,
        Err(error) => {
            let _ = logins.send(Err(error.to_string()));
            return Err(error);
        }
    };
    let good = login.password.reveal() == PASSWORD;
    let _ = logins.send(Ok((login, connection.security())));
    if !good {
        let error = SqlError::new(18456, "Login failed for user 'sa'.").severity(14);
        return connection.login_failed(&error);
    }
    connection.login_ok(&LoginReply::new("master"))?;
    while let Some(request) = connection.next_request()? {
        answer(&mut connection, &request)?;
    }
    Ok(())
}

/// Answers every request with an empty DONE.
pub(crate) fn just_done(connection: &mut Connection, _: &Request) -> Result<()> {
    let mut response = connection.response();
    response.statement_done(&Done::default())?;
    response.finish()
}

pub(crate) fn plain() -> ServerConfig {
    let version = ProgramVersion {
        major: 16,
        minor: 0,
        build: 1000,
    };
    ServerConfig::new("labdb", version)
}

/// A server with a fresh certificate, and that certificate.
pub(crate) fn encrypting(encryption: Encryption) -> (ServerConfig, String) {
    let made = self_signed(&["localhost", "127.0.0.1"]).unwrap();
    let identity = Identity::from_pem(
        made.certificate_pem.as_bytes(),
        made.private_key_pem.as_bytes(),
    )
    .unwrap();
    (
        plain().with_encryption(encryption, identity),
        made.certificate_pem,
    )
}
