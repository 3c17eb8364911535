//! Transaction manager requests (\[MS-TDS\] 2.2.6.9).

use crate::Result;
use crate::wire::Reader;
use labdb_types::SqlError;

/// A transaction statement that came as its own kind of message. Names are empty where the client
/// gave none; an isolation level of 0 means "as it is", else 1 read uncommitted, 2 read committed,
/// 3 repeatable read, 4 serializable, 5 snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionRequest {
    /// `BEGIN TRANSACTION`; answer with the new descriptor.
    Begin {
        /// The isolation level.
        isolation: u8,
        /// The transaction's name.
        name: String,
    },
    /// `COMMIT TRANSACTION`.
    Commit {
        /// The transaction's name.
        name: String,
        /// A transaction to begin at once: its isolation level and name.
        then_begin: Option<(u8, String)>,
    },
    /// `ROLLBACK TRANSACTION`.
    Rollback {
        /// The transaction's or savepoint's name.
        name: String,
        /// A transaction to begin at once: its isolation level and name.
        then_begin: Option<(u8, String)>,
    },
    /// `SAVE TRANSACTION`.
    Save {
        /// The savepoint's name.
        name: String,
    },
}

/// The outer error is a broken message, the inner one a request for distributed transactions.
pub(crate) fn decode(
    reader: &mut Reader<'_>,
) -> Result<std::result::Result<TransactionRequest, SqlError>> {
    let kind = reader.u16()?;
    Ok(Ok(match kind {
        5 => TransactionRequest::Begin {
            isolation: reader.u8()?,
            name: name(reader)?,
        },
        7 => TransactionRequest::Commit {
            name: name(reader)?,
            then_begin: then_begin(reader)?,
        },
        8 => TransactionRequest::Rollback {
            name: name(reader)?,
            then_begin: then_begin(reader)?,
        },
        9 => TransactionRequest::Save {
            name: name(reader)?,
        },
        _ => {
            return Ok(Err(SqlError::new(
                3944,
                format!(
                    "Transaction manager request {kind} is not supported: there are no \
                     distributed transactions. Use local transactions."
                ),
            )));
        }
    }))
}

/// A name; its length byte counts bytes, not characters.
fn name(reader: &mut Reader<'_>) -> Result<String> {
    let length = reader.u8()?;
    reader.utf16_bytes(usize::from(length))
}

fn then_begin(reader: &mut Reader<'_>) -> Result<Option<(u8, String)>> {
    const BEGIN: u8 = 1;
    // Some clients leave the flags out when they are 0.
    if reader.is_empty() || reader.u8()? & BEGIN == 0 {
        return Ok(None);
    }
    Ok(Some((reader.u8()?, name(reader)?)))
}
