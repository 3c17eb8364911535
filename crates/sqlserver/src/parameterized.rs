//! A text with parameters: sent as `sp_executesql`, so that the server reuses one plan and no value
//! is ever spliced into the text.

use crate::connection::TcpClient;
use std::borrow::Cow;
use tiberius::{ColumnData, Command, IntoSql, Uuid, numeric::Numeric};

/// The procedure, by its name; its first two arguments go by place, the others by name.
const PROCEDURE: &str = "sp_executesql";

/// A T-SQL text and what it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterizedText {
    /// The text: one batch.
    pub text: String,
    /// `@worker int, @amount decimal(9, 2)`; empty where it has no parameter.
    pub declarations: String,
}

/// A parameter's value; the server converts it to the type that was declared for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `tinyint`.
    TinyInt(u8),
    /// `smallint`.
    SmallInt(i16),
    /// `int`.
    Int(i32),
    /// `bigint`.
    BigInt(i64),
    /// `decimal`: `unscaled` / 10^`scale`.
    Decimal {
        /// All digits, without the point.
        unscaled: i128,
        /// How many of them stand behind the point, at most 37.
        scale: u8,
    },
    /// `float`.
    Float(f64),
    /// `nvarchar`.
    Text(String),
    /// `uniqueidentifier`, as its sixteen bytes in the order in which they are written.
    Guid([u8; 16]),
}

impl<'a> IntoSql<'a> for Value {
    fn into_sql(self) -> ColumnData<'a> {
        match self {
            Self::TinyInt(value) => ColumnData::U8(Some(value)),
            Self::SmallInt(value) => ColumnData::I16(Some(value)),
            Self::Int(value) => ColumnData::I32(Some(value)),
            Self::BigInt(value) => ColumnData::I64(Some(value)),
            Self::Decimal { unscaled, scale } => {
                ColumnData::Numeric(Some(Numeric::new_with_scale(unscaled, scale)))
            }
            Self::Float(value) => ColumnData::F64(Some(value)),
            Self::Text(value) => ColumnData::String(Some(Cow::Owned(value))),
            Self::Guid(bytes) => ColumnData::Guid(Some(Uuid::from_bytes(bytes))),
        }
    }
}

/// What a request reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCount {
    /// The rows that its statements affected or returned, summed. Under SET NOCOUNT ON nothing is
    /// reported, which looks like 0.
    pub rows: u64,
}

/// Sends the text and drains all that comes back.
pub(crate) async fn execute(
    client: &mut TcpClient,
    text: &ParameterizedText,
    parameters: Vec<(&str, Value)>,
) -> tiberius::Result<RowCount> {
    let mut command = Command::new(PROCEDURE);
    command.bind_param("", text.text.as_str());
    if !parameters.is_empty() {
        command.bind_param("", text.declarations.as_str());
    }
    for (name, value) in parameters {
        command.bind_param(name, value);
    }
    let result = command.exec(client).await?.into_command_result().await?;
    let rows = result
        .rows_affected()
        .iter()
        .fold(0_u64, |sum, rows| sum.saturating_add(*rows));
    Ok(RowCount { rows })
}
