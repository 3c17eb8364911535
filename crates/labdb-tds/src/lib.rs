//! The server side of TDS, the protocol that clients of SQL Server speak.
//!
//! Blocking I/O, one thread per connection. The crate knows types and values ([`labdb_types`]) and
//! nothing of SQL or storage. Layouts follow Microsoft's published specification \[MS-TDS\], of
//! which each module names its section.
//!
//! A server's thread for one connection:
//!
//! ```no_run
//! # use labdb_tds::{Connection, Done, Error, LoginReply, RequestBody, ServerConfig};
//! # fn serve(socket: std::net::TcpStream, config: &ServerConfig) -> Result<(), Error> {
//! let (mut connection, login) = Connection::accept(socket, config)?;
//! // … look at login.user and login.password; connection.login_failed(&error) to refuse …
//! connection.login_ok(&LoginReply::new("master"))?;
//! while let Some(request) = connection.next_request()? {
//!     let mut response = connection.response();
//!     if let RequestBody::Batch(text) = &request.body {
//!         // … run it; columns, row, error, info as they come …
//!         response.statement_done(&Done::default())?;
//!     }
//!     response.finish()?;
//! }
//! # Ok(())
//! # }
//! ```

mod certificate;
mod config;
mod connection;
mod error;
mod login;
mod prelogin;
mod requests;
mod response;
mod tokens;
mod types;
mod wire;

pub use certificate::{SelfSigned, self_signed};
pub use config::{Encryption, Identity, Limits, ProgramVersion, ServerConfig};
pub use connection::{Connection, ConnectionCloser, LoginReply, Security};
pub use error::{Error, Result};
pub use login::{Login, Password, TdsVersion};
pub use requests::{
    BulkLoad, BulkRows, ProcedureId, Request, RequestBody, Reset, RpcCall, RpcParameter, RpcTarget,
    TransactionRequest,
};
pub use response::{Done, EnvChange, Response, ReturnValue};
