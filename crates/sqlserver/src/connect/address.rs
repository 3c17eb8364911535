//! Where a server is, as `-S` takes it.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The port of a default instance.
const DEFAULT_PORT: u16 = 1433;

/// A server: a host with a port, or a host with an instance that SQL Server Browser knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// A name or an address, without brackets.
    pub host: String,
    /// The instance; none is the default instance.
    pub instance: Option<String>,
    /// The port; none where the Browser has to be asked for it.
    pub port: Option<u16>,
}

/// A server that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Not over TCP.
    #[error("the server `{0}` is not reached over TCP (named pipe, shared memory or LocalDB)")]
    NotTcp(String),
    /// The dedicated administrator connection.
    #[error("the server `{0}` asks for the dedicated administrator connection")]
    Admin(String),
    /// The port is no port.
    #[error("the server `{0}` has `{1}` where a port from 1 to 65535 belongs")]
    Port(String, String),
    /// A colon where SQL Server's tools have a comma.
    #[error("the server `{0}` has its port after a colon")]
    Colon(String),
    /// There is no host.
    #[error("the server `{0}` names no host")]
    NoHost(String),
}

impl AddressError {
    /// What to write instead.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotTcp(_) => {
                "Enable TCP/IP for the instance (SQL Server Configuration Manager) and give \
                 `host,port` or `host\\instance`."
            }
            Self::Admin(_) => "Give the server without `admin:`.",
            Self::Colon(_) => "SQL Server's tools write `host,port`, with a comma.",
            Self::Port(..) | Self::NoHost(_) => {
                "Give `host`, `host,port`, `host\\instance` or `[::1],port`."
            }
        }
    }
}

impl ServerAddress {
    /// The address to dial where no Browser is asked.
    #[must_use]
    pub fn port_or_default(&self) -> u16 {
        self.port.unwrap_or(DEFAULT_PORT)
    }

    /// The instance that only the Browser can find: one was named and no port was.
    #[must_use]
    pub fn browsed_instance(&self) -> Option<&str> {
        match self.port {
            None => self.instance.as_deref(),
            Some(_) => None,
        }
    }
}

impl FromStr for ServerAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let whole = || text.to_owned();
        let rest = text.trim();
        if rest.starts_with(r"\\") {
            return Err(AddressError::NotTcp(whole()));
        }
        let rest = match split_protocol(rest) {
            (Some("tcp"), rest) => rest.trim(),
            (Some("admin"), _) => return Err(AddressError::Admin(whole())),
            (Some(_), _) => return Err(AddressError::NotTcp(whole())),
            (None, rest) => rest,
        };
        let (place, port) = match rest.rsplit_once(',') {
            Some((place, port)) => (place.trim(), Some(port.trim())),
            None => (rest, None),
        };
        let (host, instance) = match place.split_once('\\') {
            Some((host, instance)) => (host.trim(), Some(instance.trim())),
            None => (place, None),
        };
        let port = match port {
            None => None,
            Some(port) => match port.parse::<u16>() {
                Ok(number) if number > 0 => Some(number),
                _ => return Err(AddressError::Port(whole(), port.to_owned())),
            },
        };
        let host = host
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .unwrap_or(host);
        if host.to_ascii_lowercase().starts_with("(localdb") {
            return Err(AddressError::NotTcp(whole()));
        }
        // An address of version 6 has at least two colons; one colon is a port in the wrong place.
        if host.matches(':').count() == 1 {
            return Err(AddressError::Colon(whole()));
        }
        let host = match host {
            "." | "(local)" => "localhost",
            "" => return Err(AddressError::NoHost(whole())),
            other => other,
        };
        let instance = instance
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("MSSQLSERVER"))
            .map(str::to_owned);
        let port = match (&instance, port) {
            (None, None) => Some(DEFAULT_PORT),
            (_, port) => port,
        };
        Ok(Self {
            host: host.to_owned(),
            instance,
            port,
        })
    }
}

/// The protocol in front of a server, in lower case, if it is one.
fn split_protocol(text: &str) -> (Option<&'static str>, &str) {
    for protocol in ["tcp", "np", "lpc", "admin"] {
        if let (Some(head), Some(tail)) = (text.get(..protocol.len()), text.get(protocol.len()..))
            && head.eq_ignore_ascii_case(protocol)
            && let Some(rest) = tail.strip_prefix(':')
        {
            return (Some(protocol), rest);
        }
    }
    (None, text)
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)?;
        } else {
            f.write_str(&self.host)?;
        }
        if let Some(instance) = &self.instance {
            write!(f, "\\{instance}")?;
        }
        if let Some(port) = self.port {
            write!(f, ",{port}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressError, ServerAddress};

    fn parts(text: &str) -> (String, Option<String>, Option<u16>) {
        let address: ServerAddress = text.parse().unwrap();
        (address.host, address.instance, address.port)
    }

    #[test]
    fn every_form_that_sqlcmd_takes_over_tcp_is_understood() {
        for (text, host, instance, port) in [
            ("db1", "db1", None, Some(1433)),
            ("db1,1500", "db1", None, Some(1500)),
            ("tcp:db1,1500", "db1", None, Some(1500)),
            ("TCP:db1 , 1500", "db1", None, Some(1500)),
            (r"db1\SALES", "db1", Some("SALES"), None),
            (r"tcp:db1\SALES,1500", "db1", Some("SALES"), Some(1500)),
            (r"db1\MSSQLSERVER", "db1", None, Some(1433)),
            (".", "localhost", None, Some(1433)),
            ("(local)", "localhost", None, Some(1433)),
            (r".\SQLEXPRESS", "localhost", Some("SQLEXPRESS"), None),
            ("[::1],1433", "::1", None, Some(1433)),
            ("::1,1500", "::1", None, Some(1500)),
            ("fe80::1", "fe80::1", None, Some(1433)),
            (
                "x.database.windows.net",
                "x.database.windows.net",
                None,
                Some(1433),
            ),
        ] {
            assert_eq!(
                parts(text),
                (host.to_owned(), instance.map(str::to_owned), port),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_tcp_or_not_an_address_is_refused_by_its_reason() {
        let error = |text: &str| text.parse::<ServerAddress>().unwrap_err();
        for text in [
            r"np:\\db1\pipe\sql\query",
            r"lpc:db1",
            r"(localdb)\v11",
            r"\\db1\pipe\x",
        ] {
            assert_eq!(error(text), AddressError::NotTcp(text.to_owned()));
        }
        assert!(matches!(error("admin:db1"), AddressError::Admin(_)));
        assert!(matches!(error("db1:1433"), AddressError::Colon(_)));
        for text in ["db1,", "db1,0", "db1,65536", "db1,x", "db1,-1"] {
            assert!(matches!(error(text), AddressError::Port(..)), "{text}");
        }
        for text in ["", "tcp:", ",1433", r"\X"] {
            assert!(matches!(error(text), AddressError::NoHost(_)), "{text}");
        }
    }

    #[test]
    fn what_is_shown_reads_back_as_the_same_address() {
        for text in ["db1", r"db1\SALES", r"db1\SALES,1500", "[::1],1433", "."] {
            let address: ServerAddress = text.parse().unwrap();
            assert_eq!(
                address.to_string().parse::<ServerAddress>().unwrap(),
                address
            );
        }
    }
}
