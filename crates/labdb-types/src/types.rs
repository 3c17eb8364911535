//! The data types and what a result column is.

/// The declared length of a variable-length type, in its own unit (bytes for `varchar` and
/// `varbinary`, UTF-16 code units for `nvarchar`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// A number: 1 to 8000, or 1 to 4000 for `nvarchar`.
    Limited(u16),
    /// `max`: up to 2^31-1 bytes.
    Max,
}

/// A T-SQL data type with its length, precision or scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SqlType {
    /// `bit`.
    Bit,
    /// `tinyint`, 0 to 255.
    TinyInt,
    /// `smallint`.
    SmallInt,
    /// `int`.
    Int,
    /// `bigint`.
    BigInt,
    /// `real`, 32-bit.
    Real,
    /// `float`, 64-bit.
    Float,
    /// `decimal(p,s)` and `numeric(p,s)`; p is 1 to 38.
    Decimal {
        /// Digits in all, 1 to 38.
        precision: u8,
        /// Digits behind the point, 0 to `precision`.
        scale: u8,
    },
    /// `money`: a 64-bit count of ten-thousandths.
    Money,
    /// `smallmoney`: the same in 4 bytes.
    SmallMoney,
    /// `char(n)`, n in bytes.
    Char(u16),
    /// `varchar(n|max)`.
    VarChar(Length),
    /// `nchar(n)`, n in UTF-16 code units.
    NChar(u16),
    /// `nvarchar(n|max)`; also `sysname` (128) and `ntext`.
    NVarChar(Length),
    /// `binary(n)`.
    Binary(u16),
    /// `varbinary(n|max)`.
    VarBinary(Length),
    /// `date`.
    Date,
    /// `time(s)`, s = 0 to 7.
    Time(u8),
    /// `smalldatetime`, whole minutes.
    SmallDateTime,
    /// `datetime`, 1/300 s.
    DateTime,
    /// `datetime2(s)`, s = 0 to 7.
    DateTime2(u8),
    /// `datetimeoffset(s)`, s = 0 to 7.
    DateTimeOffset(u8),
    /// `uniqueidentifier`.
    UniqueIdentifier,
    /// `sql_variant`: a value that brings its own type.
    SqlVariant,
}

/// One column of a result set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name that the client sees; empty where the expression has none.
    pub name: String,
    /// Its type on the wire.
    pub sql_type: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Whether it is an identity column of a table.
    pub identity: bool,
}

impl Column {
    /// A nullable column that is no identity.
    #[must_use]
    pub fn new(name: impl Into<String>, sql_type: SqlType) -> Self {
        Self {
            name: name.into(),
            sql_type,
            nullable: true,
            identity: false,
        }
    }
}
