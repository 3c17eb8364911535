//! What a logged-in client can ask.

mod bulk;
mod headers;
mod rpc;
mod transaction;

#[cfg(test)]
mod tests;

pub use bulk::{BulkLoad, BulkRows};
pub use rpc::{ProcedureId, RpcCall, RpcParameter, RpcTarget};
pub use transaction::TransactionRequest;

pub(crate) use headers::read_all_headers;

use crate::login::TdsVersion;
use crate::wire::{PacketKind, Reader};
use crate::{Error, Result};
use labdb_types::SqlError;

/// One request, as one message of the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What to do with the session before the request runs.
    pub reset: Reset,
    /// The transaction in which the client believes to be, as
    /// [`EnvChange::BeginTransaction`](crate::EnvChange) told it; 0 for none.
    pub transaction: u64,
    /// The request itself.
    pub body: RequestBody,
}

/// The kinds of request. An attention is none: it ends the request before
/// ([`Response::attention_pending`](crate::Response::attention_pending)), and one that comes too
/// late is acknowledged by [`Connection::next_request`](crate::Connection::next_request).
#[derive(Clone, Debug, PartialEq)]
pub enum RequestBody {
    /// A batch of T-SQL.
    Batch(String),
    /// Procedure calls: one, or several to be run in order.
    Rpc(Vec<RpcCall>),
    /// The rows of the `INSERT BULK` that came before.
    BulkLoad(BulkLoad),
    /// A transaction statement as a request of its own.
    TransactionManager(TransactionRequest),
    /// A well-formed request that this crate cannot decode (a table-valued parameter, a CLR type):
    /// answer with this error.
    Unsupported(SqlError),
}

/// What a connection pool asks for before a request on a connection that it hands out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Nothing.
    Keep,
    /// Reset the session (options, temporary objects, database) and roll back its transaction;
    /// then [`EnvChange::ResetDone`](crate::EnvChange) first in the response.
    Session,
    /// The same, but the transaction stays.
    SessionKeepTransaction,
}

/// Decodes the payload of a whole message.
pub(crate) fn decode(
    kind: PacketKind,
    reset: Reset,
    payload: &[u8],
    version: TdsVersion,
) -> Result<Request> {
    let mut reader = Reader::new(payload);
    let mut transaction = 0;
    if kind != PacketKind::BulkLoad && version.has_all_headers() {
        transaction = read_all_headers(&mut reader)?;
    }
    let body = match kind {
        PacketKind::Batch => RequestBody::Batch(reader.rest_as_utf16()?),
        PacketKind::Rpc => match rpc::decode(&mut reader, version) {
            Ok(calls) => RequestBody::Rpc(calls),
            Err(rpc::Failure::Unsupported(error)) => RequestBody::Unsupported(error),
            Err(rpc::Failure::Broken(error)) => return Err(error),
        },
        PacketKind::BulkLoad => match BulkLoad::decode(payload, version)? {
            Ok(load) => RequestBody::BulkLoad(load),
            Err(error) => RequestBody::Unsupported(error),
        },
        PacketKind::TransactionManager => match transaction::decode(&mut reader)? {
            Ok(request) => RequestBody::TransactionManager(request),
            Err(error) => RequestBody::Unsupported(error),
        },
        other => {
            return Err(Error::protocol(format!(
                "a {other:?} message is no request after the log-in"
            )));
        }
    };
    Ok(Request {
        reset,
        transaction,
        body,
    })
}
