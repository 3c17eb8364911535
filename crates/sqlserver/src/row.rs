//! Reading a row by column name and exact type.
//!
//! The driver does not widen: an `int` is no `i64`. Every text casts every column to `bigint`,
//! `int`, `bit`, `float` or `nvarchar`, and these readers take exactly those.

use crate::error::SqlError;
use tiberius::{ColumnData, Row};

/// Columns of a row by name.
pub trait Columns {
    /// A `bigint`.
    ///
    /// # Errors
    /// There is no such column or it has another type; so for all readers.
    fn big(&self, column: &str) -> Result<Option<i64>, SqlError>;
    /// An `int`.
    ///
    /// # Errors
    /// As [`Columns::big`].
    fn int(&self, column: &str) -> Result<Option<i32>, SqlError>;
    /// A `bit`.
    ///
    /// # Errors
    /// As [`Columns::big`].
    fn bit(&self, column: &str) -> Result<Option<bool>, SqlError>;
    /// An `nvarchar`.
    ///
    /// # Errors
    /// As [`Columns::big`].
    fn text(&self, column: &str) -> Result<Option<String>, SqlError>;
    /// A whole number of any type, for statements whose columns cannot be cast (DBCC, `RESTORE …
    /// ONLY`): `bigint`, `int`, `smallint`, `tinyint`, `bit`, or `numeric` without decimals.
    ///
    /// # Errors
    /// As [`Columns::big`]; also where it does not fit into 64 bits.
    fn whole(&self, column: &str) -> Result<Option<i64>, SqlError>;
    /// A `varbinary`, in lower-case hexadecimal.
    ///
    /// # Errors
    /// As [`Columns::big`].
    fn hexadecimal(&self, column: &str) -> Result<Option<String>, SqlError>;

    /// A `bigint` that is not NULL.
    ///
    /// # Errors
    /// Also where it is NULL; so for all that follow.
    fn some_big(&self, column: &str) -> Result<i64, SqlError> {
        self.big(column)?.ok_or_else(|| null(column))
    }
    /// An `int` that is not NULL.
    ///
    /// # Errors
    /// As [`Columns::some_big`].
    fn some_int(&self, column: &str) -> Result<i32, SqlError> {
        self.int(column)?.ok_or_else(|| null(column))
    }
    /// An `nvarchar` that is not NULL.
    ///
    /// # Errors
    /// As [`Columns::some_big`].
    fn some_text(&self, column: &str) -> Result<String, SqlError> {
        self.text(column)?.ok_or_else(|| null(column))
    }
}

fn null(column: &str) -> SqlError {
    SqlError::Unreadable(format!("the column `{column}` is NULL"))
}

fn bad(column: &str, error: &tiberius::error::Error) -> SqlError {
    SqlError::Unreadable(format!("the column `{column}`: {error}"))
}

impl Columns for Row {
    fn big(&self, column: &str) -> Result<Option<i64>, SqlError> {
        self.try_get(column).map_err(|error| bad(column, &error))
    }

    fn int(&self, column: &str) -> Result<Option<i32>, SqlError> {
        self.try_get(column).map_err(|error| bad(column, &error))
    }

    fn bit(&self, column: &str) -> Result<Option<bool>, SqlError> {
        self.try_get(column).map_err(|error| bad(column, &error))
    }

    fn text(&self, column: &str) -> Result<Option<String>, SqlError> {
        Ok(self
            .try_get::<&str, _>(column)
            .map_err(|error| bad(column, &error))?
            .map(str::to_owned))
    }

    fn whole(&self, column: &str) -> Result<Option<i64>, SqlError> {
        let place = self
            .columns()
            .iter()
            .position(|other| other.name().eq_ignore_ascii_case(column));
        let data = place.and_then(|place| self.cells().nth(place));
        let wrong = |what: &str| SqlError::Unreadable(format!("the column `{column}`: {what}"));
        match data.map(|(_, data)| data) {
            None => Err(wrong("there is none")),
            Some(ColumnData::I64(value)) => Ok(*value),
            Some(ColumnData::I32(value)) => Ok(value.map(i64::from)),
            Some(ColumnData::I16(value)) => Ok(value.map(i64::from)),
            Some(ColumnData::U8(value)) => Ok(value.map(i64::from)),
            Some(ColumnData::Bit(value)) => Ok(value.map(i64::from)),
            Some(ColumnData::Numeric(None)) => Ok(None),
            Some(ColumnData::Numeric(Some(number))) if number.scale() == 0 => {
                i64::try_from(number.value())
                    .map(Some)
                    .map_err(|_| wrong("it passes 64 bits"))
            }
            Some(_) => Err(wrong("it is no whole number")),
        }
    }

    fn hexadecimal(&self, column: &str) -> Result<Option<String>, SqlError> {
        use std::fmt::Write;
        let bytes = self
            .try_get::<&[u8], _>(column)
            .map_err(|error| bad(column, &error))?;
        Ok(bytes.map(|bytes| {
            let mut text = String::with_capacity(bytes.len() * 2);
            for byte in bytes {
                // Writing to a String cannot fail.
                let _ = write!(text, "{byte:02x}");
            }
            text
        }))
    }
}
