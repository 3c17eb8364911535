//! The tokens of a response (\[MS-TDS\] 2.2.7), each appended to a payload.

use crate::login::TdsVersion;
use crate::types::{COLLATION, push_type, push_utf16};
use labdb_types::{Column, SqlError, SqlType};

pub(crate) const ROW: u8 = 0xD1;
const RETURN_STATUS: u8 = 0x79;
const COLUMN_METADATA: u8 = 0x81;
const ERROR: u8 = 0xAA;
const INFO: u8 = 0xAB;
const RETURN_VALUE: u8 = 0xAC;
const LOGIN_ACK: u8 = 0xAD;
const FEATURE_EXT_ACK: u8 = 0xAE;
const ENV_CHANGE: u8 = 0xE3;

/// Which of the three tokens ends something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoneKind {
    Statement = 0xFD,
    Procedure = 0xFE,
    InProcedure = 0xFF,
}

/// Bits of the status of DONE.
pub(crate) mod done_status {
    pub(crate) const MORE: u16 = 0x01;
    pub(crate) const ERROR: u16 = 0x02;
    pub(crate) const IN_TRANSACTION: u16 = 0x04;
    pub(crate) const COUNT: u16 = 0x10;
    pub(crate) const ATTENTION: u16 = 0x20;
}

pub(crate) fn push_done(
    out: &mut Vec<u8>,
    version: TdsVersion,
    kind: DoneKind,
    status: u16,
    command: u16,
    rows: u64,
) {
    out.push(kind as u8);
    out.extend_from_slice(&status.to_le_bytes());
    out.extend_from_slice(&command.to_le_bytes());
    if version.is_wide() {
        out.extend_from_slice(&rows.to_le_bytes());
    } else {
        out.extend_from_slice(&u32::try_from(rows).unwrap_or(u32::MAX).to_le_bytes());
    }
}

fn push_user_type(out: &mut Vec<u8>, version: TdsVersion) {
    out.extend_from_slice(if version.is_wide() { &[0; 4] } else { &[0; 2] });
}

/// COLMETADATA; the types are those that [`crate::types::wire_type`] gave.
pub(crate) fn push_columns(
    out: &mut Vec<u8>,
    version: TdsVersion,
    columns: &[Column],
    types: &[SqlType],
) {
    const NULLABLE: u16 = 0x01;
    const UPDATABLE_UNKNOWN: u16 = 0x08;
    const IDENTITY: u16 = 0x10;
    out.push(COLUMN_METADATA);
    out.extend_from_slice(
        &u16::try_from(columns.len())
            .unwrap_or(u16::MAX)
            .to_le_bytes(),
    );
    for (column, sql_type) in columns.iter().zip(types) {
        push_user_type(out, version);
        let mut flags = if column.identity {
            IDENTITY
        } else {
            UPDATABLE_UNKNOWN
        };
        if column.nullable {
            flags |= NULLABLE;
        }
        out.extend_from_slice(&flags.to_le_bytes());
        push_type(out, *sql_type, version);
        push_short_text(out, &column.name);
    }
}

/// A text of at most 255 UTF-16 code units behind one length byte.
fn push_short_text(out: &mut Vec<u8>, text: &str) {
    let text = cut(text, 255);
    let start = out.len();
    out.push(0);
    let units = push_utf16(out, text) / 2;
    if let Some(length) = out.get_mut(start) {
        *length = u8::try_from(units).unwrap_or(0);
    }
}

/// The longest beginning of a text that has at most so many UTF-16 code units.
fn cut(text: &str, units: usize) -> &str {
    if text.len() <= units {
        return text;
    }
    let mut left = units;
    for (at, character) in text.char_indices() {
        match left.checked_sub(character.len_utf16()) {
            Some(rest) => left = rest,
            None => return text.get(..at).unwrap_or_default(),
        }
    }
    text
}

/// Appends a token with a two-byte length behind its type byte.
fn push_token(out: &mut Vec<u8>, token: u8, content: impl FnOnce(&mut Vec<u8>)) {
    out.push(token);
    let start = out.len();
    out.extend_from_slice(&[0; 2]);
    content(out);
    let length = u16::try_from(out.len() - start - 2).unwrap_or(u16::MAX);
    if let Some(field) = out.get_mut(start..start + 2) {
        field.copy_from_slice(&length.to_le_bytes());
    }
}

/// ERROR, or INFO for severities up to 10 when `error` is false.
pub(crate) fn push_message(
    out: &mut Vec<u8>,
    version: TdsVersion,
    error: bool,
    message: &SqlError,
    server: &str,
) {
    // What keeps the token below 64 KiB with the longest names.
    const TEXT_UNITS: usize = 31_000;
    push_token(out, if error { ERROR } else { INFO }, |out| {
        out.extend_from_slice(&message.number.to_le_bytes());
        out.extend_from_slice(&[message.state, message.severity]);
        let text = cut(&message.message, TEXT_UNITS);
        let start = out.len();
        out.extend_from_slice(&[0; 2]);
        let units = push_utf16(out, text) / 2;
        if let Some(field) = out.get_mut(start..start + 2) {
            field.copy_from_slice(&u16::try_from(units).unwrap_or(0).to_le_bytes());
        }
        push_short_text(out, server);
        push_short_text(out, message.procedure.as_deref().unwrap_or_default());
        if version.is_wide() {
            out.extend_from_slice(&message.line.to_le_bytes());
        } else {
            let line = u16::try_from(message.line).unwrap_or(u16::MAX);
            out.extend_from_slice(&line.to_le_bytes());
        }
    });
}

/// ENVCHANGE with texts.
pub(crate) fn push_env_text(out: &mut Vec<u8>, kind: u8, new: &str, old: &str) {
    push_token(out, ENV_CHANGE, |out| {
        out.push(kind);
        push_short_text(out, new);
        push_short_text(out, old);
    });
}

/// ENVCHANGE with bytes.
pub(crate) fn push_env_bytes(out: &mut Vec<u8>, kind: u8, new: &[u8], old: &[u8]) {
    push_token(out, ENV_CHANGE, |out| {
        out.push(kind);
        for value in [new, old] {
            out.push(u8::try_from(value.len()).unwrap_or(0));
            out.extend_from_slice(value);
        }
    });
}

/// The kinds of ENVCHANGE.
pub(crate) mod env {
    pub(crate) const DATABASE: u8 = 1;
    pub(crate) const LANGUAGE: u8 = 2;
    pub(crate) const PACKET_SIZE: u8 = 4;
    pub(crate) const COLLATION: u8 = 7;
    pub(crate) const BEGIN: u8 = 8;
    pub(crate) const COMMIT: u8 = 9;
    pub(crate) const ROLLBACK: u8 = 10;
    pub(crate) const RESET_DONE: u8 = 18;
}

pub(crate) fn push_collation(out: &mut Vec<u8>) {
    push_env_bytes(out, env::COLLATION, &COLLATION, &[]);
}

pub(crate) fn push_login_ack(
    out: &mut Vec<u8>,
    version: TdsVersion,
    program: &str,
    program_version: crate::ProgramVersion,
) {
    const TSQL: u8 = 1;
    push_token(out, LOGIN_ACK, |out| {
        out.push(TSQL);
        out.extend_from_slice(&version.acknowledged().to_be_bytes());
        push_short_text(out, program);
        let [high, low] = program_version.build.to_be_bytes();
        out.extend_from_slice(&[program_version.major, program_version.minor, high, low]);
    });
}

/// FEATUREEXTACK: of what clients may offer, only UTF-8 is taken (values from the client may be in
/// it).
pub(crate) fn push_feature_ack(out: &mut Vec<u8>, offered: &[u8]) {
    const UTF8: u8 = 0x0A;
    const END: u8 = 0xFF;
    out.push(FEATURE_EXT_ACK);
    if offered.contains(&UTF8) {
        out.extend_from_slice(&[UTF8, 1, 0, 0, 0, 1]);
    }
    out.push(END);
}

pub(crate) fn push_return_status(out: &mut Vec<u8>, status: i32) {
    out.push(RETURN_STATUS);
    out.extend_from_slice(&status.to_le_bytes());
}

/// RETURNVALUE up to its value.
pub(crate) fn push_return_value_header(
    out: &mut Vec<u8>,
    version: TdsVersion,
    ordinal: u16,
    name: &str,
    function_result: bool,
    sql_type: SqlType,
) {
    out.push(RETURN_VALUE);
    out.extend_from_slice(&ordinal.to_le_bytes());
    push_short_text(out, name);
    out.push(if function_result { 2 } else { 1 });
    push_user_type(out, version);
    out.extend_from_slice(&1_u16.to_le_bytes());
    push_type(out, sql_type, version);
}
