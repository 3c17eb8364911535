//! A value at run time.

use crate::{Decimal, SqlType};
use std::sync::Arc;

/// One value. Its static type stands beside it (in a [`crate::Column`] or in the bound
/// expression); a `Value` alone tells only the storage class.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL of any type.
    Null,
    /// `bit`.
    Bit(bool),
    /// `tinyint`.
    TinyInt(u8),
    /// `smallint`.
    SmallInt(i16),
    /// `int`.
    Int(i32),
    /// `bigint`.
    BigInt(i64),
    /// `real`.
    Real(f32),
    /// `float`.
    Float(f64),
    /// `decimal`, `numeric`.
    Decimal(Decimal),
    /// `money`: ten-thousandths.
    Money(i64),
    /// `char`, `varchar`, `nchar`, `nvarchar`.
    Text(Arc<str>),
    /// `binary`, `varbinary`.
    Binary(Arc<[u8]>),
    /// `date`: days since 0001-01-01.
    Date(i32),
    /// `time`: ticks of 100 ns since midnight.
    Time(u64),
    /// `datetime`: days since 1900-01-01 (may be negative) and 1/300 s since midnight.
    DateTime {
        /// Days since 1900-01-01.
        days: i32,
        /// Three-hundredths of a second since midnight.
        ticks: u32,
    },
    /// `smalldatetime`: days since 1900-01-01 and minutes since midnight.
    SmallDateTime {
        /// Days since 1900-01-01.
        days: u16,
        /// Minutes since midnight.
        minutes: u16,
    },
    /// `datetime2`: days since 0001-01-01 and ticks of 100 ns since midnight.
    DateTime2 {
        /// Days since 0001-01-01.
        days: i32,
        /// Ticks of 100 ns since midnight.
        ticks: u64,
    },
    /// `datetimeoffset`: UTC days and ticks, and the offset that is shown.
    DateTimeOffset {
        /// Days since 0001-01-01, in UTC.
        days: i32,
        /// Ticks of 100 ns since midnight, in UTC.
        ticks: u64,
        /// Minutes east of UTC, -840 to 840.
        offset_minutes: i16,
    },
    /// `uniqueidentifier`, in the order in which it is written as text.
    Uuid([u8; 16]),
    /// `sql_variant`: a value with its base type; never holds NULL or another variant.
    Variant(Box<(SqlType, Value)>),
}

impl Value {
    /// Whether this is NULL.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A text value.
    #[must_use]
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }
}
