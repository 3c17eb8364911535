//! Remote procedure calls (\[MS-TDS\] 2.2.6.6).

use crate::Error;
use crate::login::TdsVersion;
use crate::types::{Declared, TypeFailure, read_declared, read_value};
use crate::wire::Reader;
use labdb_types::{SqlError, SqlType, Value};

/// One procedure call with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcCall {
    /// Which procedure.
    pub target: RpcTarget,
    /// Run without a cached plan.
    pub recompile: bool,
    /// The client wants no COLMETADATA before rows.
    pub no_metadata: bool,
    /// The parameters in the order of the message.
    pub parameters: Vec<RpcParameter>,
}

/// How a call names its procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RpcTarget {
    /// By its name, as sent (may have a schema and brackets).
    Name(String),
    /// By the number of a well-known one.
    Id(ProcedureId),
}

/// The well-known procedures that have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the procedures' own")]
pub enum ProcedureId {
    Cursor = 1,
    CursorOpen = 2,
    CursorPrepare = 3,
    CursorExecute = 4,
    CursorPrepExec = 5,
    CursorUnprepare = 6,
    CursorFetch = 7,
    CursorOption = 8,
    CursorClose = 9,
    ExecuteSql = 10,
    Prepare = 11,
    Execute = 12,
    PrepExec = 13,
    PrepExecRpc = 14,
    Unprepare = 15,
}

impl ProcedureId {
    const ALL: [(Self, &'static str); 15] = [
        (Self::Cursor, "sp_cursor"),
        (Self::CursorOpen, "sp_cursoropen"),
        (Self::CursorPrepare, "sp_cursorprepare"),
        (Self::CursorExecute, "sp_cursorexecute"),
        (Self::CursorPrepExec, "sp_cursorprepexec"),
        (Self::CursorUnprepare, "sp_cursorunprepare"),
        (Self::CursorFetch, "sp_cursorfetch"),
        (Self::CursorOption, "sp_cursoroption"),
        (Self::CursorClose, "sp_cursorclose"),
        (Self::ExecuteSql, "sp_executesql"),
        (Self::Prepare, "sp_prepare"),
        (Self::Execute, "sp_execute"),
        (Self::PrepExec, "sp_prepexec"),
        (Self::PrepExecRpc, "sp_prepexecrpc"),
        (Self::Unprepare, "sp_unprepare"),
    ];

    /// The procedure's name, such as `sp_executesql`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(id, _)| *id == self)
            .map_or("", |(_, name)| *name)
    }

    fn from_number(number: u16) -> Option<Self> {
        Self::ALL
            .iter()
            .map(|(id, _)| *id)
            .find(|id| *id as u16 == number)
    }
}

/// One parameter of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcParameter {
    /// Its name with the `@`; empty where it goes by position.
    pub name: String,
    /// An OUTPUT parameter: its value goes back in
    /// [`Response::return_value`](crate::Response::return_value).
    pub by_ref: bool,
    /// The client asks for the parameter's default; `value` is NULL then.
    pub default: bool,
    /// The declared type. `text`, `ntext`, `image` and `xml` come as the `max` types.
    pub sql_type: SqlType,
    /// The value.
    pub value: Value,
}

/// Why a call could not be decoded.
pub(super) enum Failure {
    /// The message is fine but has a type that is not supported.
    Unsupported(SqlError),
    /// The message is broken.
    Broken(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}

/// The most parameters of one call, as SQL Server has it.
const MAX_PARAMETERS: usize = 2100;
/// The most calls of one message; a call costs more memory than its few bytes on the wire.
const MAX_CALLS: usize = 65_536;

pub(super) fn decode(
    reader: &mut Reader<'_>,
    version: TdsVersion,
) -> std::result::Result<Vec<RpcCall>, Failure> {
    let mut calls = Vec::new();
    loop {
        if calls.len() == MAX_CALLS {
            return Err(Failure::Unsupported(SqlError::new(
                8009,
                format!(
                    "The message has more than {MAX_CALLS} remote procedure calls. Send it as \
                     several messages."
                ),
            )));
        }
        calls.push(call(reader, version)?);
        if reader.is_empty() {
            return Ok(calls);
        }
        // The separator; some clients also put one after the last call.
        reader.u8()?;
        if reader.is_empty() {
            return Ok(calls);
        }
    }
}

fn call(reader: &mut Reader<'_>, version: TdsVersion) -> std::result::Result<RpcCall, Failure> {
    const BY_NUMBER: u16 = 0xFFFF;
    let length = reader.u16()?;
    let target = if length == BY_NUMBER {
        let number = reader.u16()?;
        match ProcedureId::from_number(number) {
            Some(id) => RpcTarget::Id(id),
            None => {
                return Err(Failure::Unsupported(SqlError::new(
                    2812,
                    format!("Could not find stored procedure number {number}."),
                )));
            }
        }
    } else {
        RpcTarget::Name(reader.utf16(usize::from(length))?)
    };
    let flags = reader.u16()?;
    let mut parameters = Vec::new();
    while let Some(next) = reader.peek() {
        if is_separator(next, version) {
            break;
        }
        if parameters.len() == MAX_PARAMETERS {
            return Err(Failure::Unsupported(SqlError::new(
                8003,
                format!(
                    "The incoming request has too many parameters. The server supports a maximum \
                     of {MAX_PARAMETERS} parameters. Reduce the number of parameters and resend \
                     the request."
                ),
            )));
        }
        parameters.push(parameter(reader, parameters.len() + 1)?);
    }
    Ok(RpcCall {
        target,
        recompile: flags & 1 != 0,
        no_metadata: flags & 2 != 0,
        parameters,
    })
}

/// Whether a byte where a parameter's name length could be ends the call: `BatchFlag` or
/// `NoExecFlag`. A name has at most 128 = 0x80 characters, so 0x80 separates only in TDS 7.1.
fn is_separator(byte: u8, version: TdsVersion) -> bool {
    byte == 0xFE || byte == 0xFF || (byte == 0x80 && version == TdsVersion::V7_1)
}

fn parameter(
    reader: &mut Reader<'_>,
    position: usize,
) -> std::result::Result<RpcParameter, Failure> {
    const BY_REF: u8 = 1;
    const DEFAULT: u8 = 2;
    const ENCRYPTED: u8 = 8;
    let length = reader.u8()?;
    let name = reader.utf16(usize::from(length))?;
    let status = reader.u8()?;
    let unsupported = |what: &str| {
        Failure::Unsupported(SqlError::new(
            8009,
            format!(
                "Parameter {position} (\"{name}\") of the remote procedure call has {what}, which \
                 is not supported. Send it as a basic type."
            ),
        ))
    };
    if status & ENCRYPTED != 0 {
        return Err(unsupported("an encrypted value"));
    }
    let declared: Declared = match read_declared(reader) {
        Ok(declared) => declared,
        Err(TypeFailure::Unsupported(what)) => return Err(unsupported(what)),
        Err(TypeFailure::Broken(error)) => return Err(error.into()),
    };
    let (sql_type, value) = match read_value(reader, &declared) {
        Ok(read) => read,
        Err(TypeFailure::Unsupported(what)) => return Err(unsupported(what)),
        Err(TypeFailure::Broken(error)) => return Err(error.into()),
    };
    Ok(RpcParameter {
        name,
        by_ref: status & BY_REF != 0,
        default: status & DEFAULT != 0,
        sql_type,
        value,
    })
}
