//! The rows of an `INSERT BULK` (\[MS-TDS\] 2.2.6.1): column metadata and rows as a server would
//! send them.

use crate::login::TdsVersion;
use crate::types::{Declared, TypeFailure, read_declared, read_long_value, read_value};
use crate::wire::Reader;
use crate::{Error, Result};
use labdb_types::{SqlError, SqlType, Value};

const COLUMN_METADATA: u8 = 0x81;
const ROW: u8 = 0xD1;
const ROW_WITHOUT_NULLS: u8 = 0xD2;
const DONE: u8 = 0xFD;

/// The message of a bulk load. Its rows are decoded when they are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkLoad {
    columns: Vec<Declared>,
    rows: Vec<u8>,
}

/// The rows of a [`BulkLoad`], in order; the last item may be an error.
#[derive(Debug)]
pub struct BulkRows<'a> {
    columns: &'a [Declared],
    reader: Reader<'a>,
    ended: bool,
}

impl BulkLoad {
    /// The types of the columns, as the client declared them.
    #[must_use]
    pub fn types(&self) -> Vec<SqlType> {
        self.columns.iter().map(Declared::sql_type).collect()
    }

    /// The rows. An item that is an error ends them: [`Error::Protocol`] where the message is
    /// broken.
    #[must_use]
    pub fn rows(&self) -> BulkRows<'_> {
        BulkRows {
            columns: &self.columns,
            reader: Reader::new(&self.rows),
            ended: false,
        }
    }

    /// The inner error is a column of a type that is not supported.
    pub(super) fn decode(
        message: &[u8],
        version: TdsVersion,
    ) -> Result<std::result::Result<Self, SqlError>> {
        let mut reader = Reader::new(message);
        let mut columns = Vec::new();
        if reader.peek() == Some(COLUMN_METADATA) {
            reader.u8()?;
            let count = reader.u16()?;
            for position in 1..=count {
                match column(&mut reader, version) {
                    Ok(declared) => columns.push(declared),
                    Err(TypeFailure::Broken(error)) => return Err(error),
                    Err(TypeFailure::Unsupported(what)) => {
                        return Ok(Err(SqlError::new(
                            4816,
                            format!(
                                "Invalid column type from bcp client for colid {position}: {what} \
                                 is not supported."
                            ),
                        )));
                    }
                }
            }
        }
        Ok(Ok(Self {
            columns,
            rows: reader.rest().to_vec(),
        }))
    }
}

fn column(
    reader: &mut Reader<'_>,
    version: TdsVersion,
) -> std::result::Result<Declared, TypeFailure> {
    if version.is_wide() {
        reader.u32()?;
    } else {
        reader.u16()?;
    }
    let _flags = reader.u16()?;
    let declared = read_declared(reader)?;
    if declared.is_legacy_long() {
        // The name of the table, in parts since TDS 7.2.
        let parts = if version.is_wide() { reader.u8()? } else { 1 };
        for _ in 0..parts {
            let length = reader.u16()?;
            reader.utf16(usize::from(length))?;
        }
    }
    let length = reader.u8()?;
    reader.utf16(usize::from(length))?;
    Ok(declared)
}

impl BulkRows<'_> {
    fn row(&mut self) -> Result<Option<Vec<Value>>> {
        if self.reader.is_empty() {
            return Ok(None);
        }
        let nulls = match self.reader.u8()? {
            ROW => &[],
            ROW_WITHOUT_NULLS => self.reader.bytes(self.columns.len().div_ceil(8))?,
            DONE => return Ok(None),
            other => {
                return Err(Error::protocol(format!(
                    "a token {other:#04x} among the rows of a bulk load"
                )));
            }
        };
        if self.columns.is_empty() {
            return Err(Error::protocol("a bulk load has rows and no columns"));
        }
        let mut row = Vec::with_capacity(self.columns.len());
        for (place, declared) in self.columns.iter().enumerate() {
            let absent = nulls
                .get(place / 8)
                .is_some_and(|byte| byte >> (place % 8) & 1 == 1);
            if absent {
                row.push(Value::Null);
                continue;
            }
            let value = if declared.is_legacy_long() {
                read_long_value(&mut self.reader, declared)
            } else {
                read_value(&mut self.reader, declared).map(|(_, value)| value)
            };
            row.push(value.map_err(|failure| match failure {
                TypeFailure::Broken(error) => error,
                TypeFailure::Unsupported(what) => Error::protocol(format!("{what} in a bulk load")),
            })?);
        }
        Ok(Some(row))
    }
}

impl Iterator for BulkRows<'_> {
    type Item = Result<Vec<Value>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let row = self.row().transpose();
        self.ended = !matches!(row, Some(Ok(_)));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// COLMETADATA of an `int` "a" that may be NULL and a `varchar(10)` "b".
    const COLUMNS: &[u8] = &[
        0x81, 2, 0, //
        0, 0, 0, 0, 9, 0, 0x26, 4, 1, b'a', 0, //
        0, 0, 0, 0, 9, 0, 0xA7, 10, 0, 9, 4, 0xD0, 0, 0x34, 1, b'b', 0,
    ];
    const DONE_OF_2: &[u8] = &[0xFD, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];

    fn rows(message: &[u8]) -> Result<Vec<Vec<Value>>> {
        let load = BulkLoad::decode(message, TdsVersion::V7_4)?.unwrap();
        load.rows().collect()
    }

    #[test]
    fn rows_come_with_their_nulls_in_them_or_in_a_bitmap() {
        let body = [
            COLUMNS,
            &[0xD1, 4, 7, 0, 0, 0, 0xFF, 0xFF],
            &[0xD2, 1, 2, 0, b'x', b'y'],
            DONE_OF_2,
        ];
        let expected = vec![
            vec![Value::Int(7), Value::Null],
            vec![Value::Null, Value::text("xy")],
        ];
        assert_eq!(rows(&body.concat()).unwrap(), expected);
    }

    #[test]
    fn a_load_without_rows_may_leave_its_columns_out() {
        assert_eq!(rows(DONE_OF_2).unwrap(), Vec::<Vec<Value>>::new());
        assert_eq!(rows(&[]).unwrap(), Vec::<Vec<Value>>::new());
    }

    #[test]
    fn long_texts_stand_behind_a_pointer_and_a_timestamp() {
        // One ntext "c" of table "t"; 16 bytes of pointer, 8 of timestamp; then a NULL.
        let mut body = vec![0x81, 1, 0, 0, 0, 0, 0, 9, 0, 0x63, 0xFF, 0xFF, 0xFF, 0x7F];
        body.extend_from_slice(&[9, 4, 0xD0, 0, 0x34, 1, 1, 0, b't', 0, 1, b'c', 0]);
        body.extend_from_slice(&[0xD1, 16]);
        body.extend_from_slice(&[0; 24]);
        body.extend_from_slice(&[4, 0, 0, 0, b'h', 0, b'i', 0]);
        body.extend_from_slice(&[0xD1, 0]);
        let expected = vec![vec![Value::text("hi")], vec![Value::Null]];
        assert_eq!(rows(&body).unwrap(), expected);
    }

    #[test]
    fn a_broken_row_ends_the_rows_with_an_error() {
        for broken in [&[0xD1, 4, 7][..], &[0xAA], &[0xD1, 3, 0, 0, 0, 0xFF, 0xFF]] {
            assert!(rows(&[COLUMNS, broken].concat()).is_err(), "{broken:?}");
        }
        let without_columns = [0xD1; 4];
        assert!(rows(&without_columns).is_err());
    }
}
