//! A certificate for servers that were given none.

use crate::{Error, Result};

/// A self-signed certificate and its key, as PEM texts, for the caller to store.
pub struct SelfSigned {
    /// The certificate; clients that are to verify the server trust this file.
    pub certificate_pem: String,
    /// The private key; to be stored readable by its owner only.
    pub private_key_pem: String,
}

/// Makes a self-signed certificate for host names and IP addresses (as text).
///
/// # Errors
/// [`Error::Certificate`] if a name is not a valid host name.
pub fn self_signed(names: &[&str]) -> Result<SelfSigned> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names)
        .map_err(|error| Error::Certificate(error.to_string()))?;
    Ok(SelfSigned {
        certificate_pem: made.cert.pem(),
        private_key_pem: made.signing_key.serialize_pem(),
    })
}
