//! How a server listens: its name, its encryption, its limits.

use crate::{Error, Result};
use rustls::SupportedProtocolVersion;
use rustls::crypto::aws_lc_rs;
use rustls::version::{TLS12, TLS13};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Whether a server encrypts. What a connection really does also depends on its client
/// (\[MS-TDS\] 2.2.6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Everything is plain text; needs no certificate.
    NotSupported,
    /// All is encrypted for clients that ask for it, the log-in alone for those that can encrypt
    /// but do not ask, nothing for those that cannot.
    Optional,
    /// All is encrypted; a client that cannot is refused.
    Required,
}

/// A certificate chain with its private key.
#[derive(Clone)]
pub struct Identity {
    /// For handshakes inside of packets.
    pub(crate) in_packets: Arc<rustls::ServerConfig>,
    /// For TDS 8.0.
    pub(crate) strict: Arc<rustls::ServerConfig>,
}

impl Identity {
    /// Reads a chain (the server's own certificate first) and its key from PEM texts.
    ///
    /// # Errors
    /// [`Error::Certificate`] if a text holds none, or the key is not the certificate's.
    pub fn from_pem(certificates: &[u8], private_key: &[u8]) -> Result<Self> {
        // As SQL Server does: TLS 1.3 only where TLS is the outer layer. Clients whose packets wrap
        // the handshake were made for TLS 1.2, and some (FreeTDS with GnuTLS) lose their place in
        // the other.
        let in_packets = tls(certificates, private_key, &[&TLS12])?;
        let mut strict = tls(certificates, private_key, &[&TLS13, &TLS12])?;
        strict.alpn_protocols = vec![b"tds/8.0".to_vec()];
        Ok(Self {
            in_packets: Arc::new(in_packets),
            strict: Arc::new(strict),
        })
    }
}

fn tls(
    certificates: &[u8],
    private_key: &[u8],
    versions: &[&'static SupportedProtocolVersion],
) -> Result<rustls::ServerConfig> {
    let unusable = |what: &dyn fmt::Display| Error::Certificate(what.to_string());
    let chain = CertificateDer::pem_slice_iter(certificates)
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|error| unusable(&error))?;
    if chain.is_empty() {
        return Err(unusable(&"the PEM text has no CERTIFICATE block"));
    }
    let key = PrivateKeyDer::from_pem_slice(private_key).map_err(|error| unusable(&error))?;
    rustls::ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(versions)
        .map_err(|error| unusable(&error))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| unusable(&error))
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(certificate and key)")
    }
}

/// What a client may cost before it is cut off.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of one request, all its packets together.
    pub message_bytes: usize,
    /// Bytes of one message before the log-in is accepted.
    pub login_bytes: usize,
    /// Time from the connection to the end of its LOGIN7 message.
    pub login_time: Duration,
    /// Time for the rest of a request, once its first bytes are there.
    pub message_time: Duration,
    /// Time that one write may wait for a client which does not read.
    pub write_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 64 << 20,
            login_bytes: 128 << 10,
            login_time: Duration::from_secs(15),
            message_time: Duration::from_mins(2),
            write_time: Duration::from_mins(5),
        }
    }
}

/// The version that a server tells its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramVersion {
    /// Major version.
    pub major: u8,
    /// Minor version.
    pub minor: u8,
    /// Build number.
    pub build: u16,
}

/// A server's settings, shared by its connections.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The program's name, told in the log-in acknowledgement.
    pub program_name: String,
    /// The program's version.
    pub version: ProgramVersion,
    /// The server's name, which every message carries (`@@SERVERNAME`).
    pub server_name: String,
    /// Whether connections are encrypted.
    pub encryption: Encryption,
    /// The certificate; needed unless `encryption` is [`Encryption::NotSupported`].
    pub identity: Option<Identity>,
    /// The limits on clients.
    pub limits: Limits,
}

impl ServerConfig {
    /// A plain-text server with the usual limits.
    #[must_use]
    pub fn new(program_name: impl Into<String>, version: ProgramVersion) -> Self {
        let program_name = program_name.into();
        Self {
            server_name: program_name.clone(),
            program_name,
            version,
            encryption: Encryption::NotSupported,
            identity: None,
            limits: Limits::default(),
        }
    }

    /// The same with encryption and a certificate for it.
    #[must_use]
    pub fn with_encryption(mut self, encryption: Encryption, identity: Identity) -> Self {
        self.encryption = encryption;
        self.identity = Some(identity);
        self
    }
}
