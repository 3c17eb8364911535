//! A second way to ask the server: the driver, without any of our programs' code.

use crate::Labdb;
use tiberius::{AuthMethod, Client, Config, EncryptionLevel};
use tokio::net::TcpStream;
use tokio_util::compat::TokioAsyncWriteCompatExt;

/// Runs a batch and gives the first column of the first row of its first result as text; empty
/// where it has none.
///
/// # Panics
/// Where the server refuses.
#[must_use]
pub fn query_text(server: &Labdb, database: &str, text: &str) -> String {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(async {
            let (host, port) = server
                .environment("SQLCMDSERVER")
                .split_once(',')
                .expect("host,port");
            let mut config = Config::new();
            config.host(host);
            config.port(port.parse().expect("a port"));
            config.database(database);
            config.encryption(EncryptionLevel::Off);
            config.trust_cert();
            config.authentication(AuthMethod::sql_server(
                server.environment("SQLCMDUSER"),
                server.environment("SQLCMDPASSWORD"),
            ));
            let stream = TcpStream::connect(config.get_addr())
                .await
                .expect("a connection");
            let mut client = Box::pin(Client::connect(config, stream.compat_write()))
                .await
                .expect("a login");
            let results = client
                .simple_query(text)
                .await
                .unwrap_or_else(|error| panic!("{text}: {error}"))
                .into_results()
                .await
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            results
                .first()
                .and_then(|rows| rows.first())
                .and_then(|row| row.try_get::<&str, _>(0).expect("text"))
                .unwrap_or_default()
                .to_owned()
        })
}
