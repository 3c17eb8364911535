//! Opening a connection: name, TCP, TLS, login, each with its own way to fail.

use super::settings::{Encrypt, Settings};
use super::socket;
use crate::connection::TcpClient;
use crate::error::SqlError;
use crate::remedies;
use records::{Failure, FailureCode};
use std::future::Future;
use std::io;
use std::time::Duration;
use tiberius::error::Error as DriverError;
use tiberius::{AuthMethod, Client, Config, EncryptionLevel, SqlBrowser};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::compat::TokioAsyncWriteCompatExt;

/// Opens a connection to `database`, or to the login's default database.
///
/// # Errors
/// No connection, with the reason and what to do.
pub(crate) async fn open(
    settings: &Settings,
    database: Option<&str>,
) -> Result<TcpClient, Failure> {
    within(
        settings,
        settings.login_timeout,
        Box::pin(open_unbounded(settings, database)),
    )
    .await
}

async fn within<T>(
    settings: &Settings,
    limit: Option<Duration>,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let Some(limit) = limit else {
        return work.await;
    };
    timeout(limit, work).await.unwrap_or_else(|_| {
        let hint = if settings.encrypt == Encrypt::Optional {
            " If the server has no TLS at all, say -N disable."
        } else {
            ""
        };
        Err(no_connection(
            settings,
            &format!("no answer within {} s", limit.as_secs_f64()),
        )
        .remedy(format!(
            "Check that this is a SQL Server and that no firewall is in between; allow more time \
             with -l SECONDS.{hint}"
        )))
    })
}

async fn open_unbounded(settings: &Settings, database: Option<&str>) -> Result<TcpClient, Failure> {
    let mut config = config(settings, database)?;
    let tcp = dial(settings, &config).await?;
    let error = match Box::pin(Client::connect(config.clone(), tcp.compat_write())).await {
        Ok(client) => return Ok(client),
        Err(DriverError::Routing { host, port }) => {
            // A gateway (Azure) names the node that has the database; its certificate carries the
            // gateway's name.
            if settings.host_name_in_certificate.is_none() {
                config.hostname_in_certificate(&settings.server.host);
            }
            config.host(&host);
            config.port(port);
            let tcp = connect_tcp(settings, &host, port).await?;
            match Box::pin(Client::connect(config, tcp.compat_write())).await {
                Ok(client) => return Ok(client),
                Err(error) => error,
            }
        }
        Err(error) => error,
    };
    Err(login_failure(settings, database, error))
}

fn config(settings: &Settings, database: Option<&str>) -> Result<Config, Failure> {
    let mut config = Config::new();
    config.host(&settings.server.host);
    if let Some(port) = settings.server.port {
        config.port(port);
    }
    // With a port the instance is not sent: the server would refuse another spelling of its name.
    if let Some(instance) = settings.server.browsed_instance() {
        config.instance_name(instance);
    }
    if let Some(database) = database {
        config.database(database);
    }
    config.application_name(&settings.application_name);
    config.authentication(AuthMethod::sql_server(
        &settings.user,
        settings.password.expose(),
    ));
    config.encryption(match settings.encrypt {
        Encrypt::Disable => EncryptionLevel::NotSupported,
        Encrypt::Optional => EncryptionLevel::Off,
        Encrypt::Mandatory => EncryptionLevel::Required,
        Encrypt::Strict => EncryptionLevel::Strict,
    });
    if settings.trust_certificate {
        config.trust_cert();
    } else if let Some(path) = &settings.ca_file {
        let certificates = std::fs::read(path).map_err(|error| {
            Failure::new(
                FailureCode::NoConnection,
                format!(
                    "the certificates in {} cannot be read: {error}",
                    path.display()
                ),
            )
            .remedy("Check WRITELOG_CA_FILE: a PEM or DER file of certificates to trust.")
        })?;
        config.trust_cert_ca_bundle(certificates);
    }
    if let Some(name) = &settings.host_name_in_certificate {
        config.hostname_in_certificate(name);
    }
    // Deadlines are ours: the driver's would leave the connection of no use and the server at work.
    config.handshake_timeout(None);
    config.command_timeout(None);
    Ok(config)
}

async fn dial(settings: &Settings, config: &Config) -> Result<TcpStream, Failure> {
    let server = &settings.server;
    let Some(instance) = server.browsed_instance() else {
        return connect_tcp(settings, &server.host, server.port_or_default()).await;
    };
    let stream = TcpStream::connect_named(config).await.map_err(|error| {
        no_connection(
            settings,
            &format!(
                "SQL Server Browser on {} (UDP 1434) did not say where the instance `{instance}` \
                 listens ({error})",
                server.host
            ),
        )
        .remedy(format!(
            "Start the SQL Server Browser service and open UDP 1434, check the instance's name, \
             or give its port: -S {},PORT",
            server.host
        ))
    })?;
    prepared(settings, stream)
}

fn prepared(settings: &Settings, stream: TcpStream) -> Result<TcpStream, Failure> {
    socket::prepare(&stream).map_err(|error| no_connection(settings, &error.to_string()))?;
    Ok(stream)
}

async fn connect_tcp(settings: &Settings, host: &str, port: u16) -> Result<TcpStream, Failure> {
    let addresses: Vec<_> = tokio::net::lookup_host((host, port))
        .await
        .map_err(|error| {
            no_connection(
                settings,
                &format!("the name `{host}` is not known ({error})"),
            )
            .remedy("Check the server's name (-S or SQLCMDSERVER).")
        })?
        .collect();
    let mut first = None;
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return prepared(settings, stream),
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    let error = first.unwrap_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    let remedy = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            "Is the server running, is TCP/IP enabled for it, and is this its port? (In a \
             container: is the port published?)"
        }
        io::ErrorKind::NotFound => "Check the server's name (-S or SQLCMDSERVER).",
        _ => "Check the network and the firewalls between here and the server.",
    };
    let what = if host == settings.server.host {
        error.to_string()
    } else {
        format!("it sent on to {host},{port}: {error}")
    };
    Err(no_connection(settings, &what).remedy(remedy))
}

fn login_failure(settings: &Settings, database: Option<&str>, error: DriverError) -> Failure {
    match error {
        DriverError::Tls(text) => tls_failure(settings, &text),
        DriverError::Io { message, .. } if is_tls(&message) => tls_failure(settings, &message),
        DriverError::Io { message, .. } => {
            no_connection(settings, &format!("the connection broke during the login ({message})"))
                .remedy(
                    "Is this a SQL Server's port? If it has no TLS, say -N disable; if it insists \
                     on strict encryption, -N strict.",
                )
        }
        DriverError::Protocol(text) if text.contains("encryption level") => {
            no_connection(settings, "the server does not encrypt as asked").remedy(
                "A server without TLS is reached with -N disable (WRITELOG_ENCRYPT=disable), and \
                 then the password travels in the clear; one that insists on TLS with -N mandatory.",
            )
        }
        DriverError::Routing { host, port } => no_connection(
            settings,
            &format!("it was redirected twice, the second time to {host},{port}"),
        )
        .remedy("Connect to that address itself."),
        error => match SqlError::from(error) {
            SqlError::Server(error) => {
                let what = match (error.number, database) {
                    (4060, Some(database)) => format!(
                        "there is no database `{database}` that this login may open: Msg 4060: {}",
                        error.message
                    ),
                    _ => format!("Msg {}, level {}: {}", error.number, error.class, error.message),
                };
                let mut failure = no_connection(settings, &what).sql_error(error.number);
                failure.remedy = remedies::for_number(error.number).map(str::to_owned);
                failure
            }
            other => no_connection(settings, &other.to_string())
                .remedy("Is this a SQL Server's port?"),
        },
    }
}

/// Whether the text of an input/output error is one of the TLS library.
fn is_tls(message: &str) -> bool {
    [
        "certificate",
        "handshake",
        "Handshake",
        "AlertReceived",
        "fatal alert",
        "corrupt message",
    ]
    .iter()
    .any(|word| message.contains(word))
}

fn tls_failure(settings: &Settings, text: &str) -> Failure {
    // The driver says around the reason what is said here too, and adds advice for programmers.
    let reason = text.split(" To connect anyway").next().unwrap_or(text);
    let reason = reason
        .trim_start_matches("the server's certificate was rejected during the TLS handshake: ")
        .trim_end_matches('.');
    if text.contains("ertificate") {
        return no_connection(
            settings,
            &format!("the server's certificate is not trusted ({reason})"),
        )
        .remedy(
            "Give the certificate (or its authority's) in WRITELOG_CA_FILE, or take any \
             certificate with -C (WRITELOG_TRUST_CERT=yes), which protects nobody from an impostor.",
        );
    }
    no_connection(settings, &format!("TLS could not be agreed on ({reason})")).remedy(
        "Is this a SQL Server's port? A server without TLS is reached with -N disable; a very old \
         one speaks a TLS version that is not built in.",
    )
}

fn no_connection(settings: &Settings, what: &str) -> Failure {
    Failure::new(
        FailureCode::NoConnection,
        format!("no connection to {}: {what}", settings.server),
    )
}
