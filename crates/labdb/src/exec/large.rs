//! Rows with values that lie outside them: stored, replaced and deleted together.
//!
//! A row that is too long for a page has its longest text and binary values outside, the longest
//! first, until it fits. So `max` columns and the row overflow of limited ones are one thing here.

use super::codec::{self, Loaded, Outside, POINTER};
use super::failure::storage_error;
use crate::catalog::{Table, TableColumn};
use crate::eval::types;
use crate::instance::Database;
use labdb_storage::{HeapId, LargeValue, MAX_ROW, RowId, Transaction};
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};

/// The longest row of SQL Server's, in its own bytes.
const ROW_LIMIT: usize = 8_060;
/// What a value outside leaves in SQL Server's row.
const ROW_POINTER: usize = 24;

/// Loads values from a database, those of all columns or of some.
pub(crate) struct Pieces<'a> {
    storage: &'a labdb_storage::Database,
    /// By column; `None` is all.
    wanted: Option<&'a [bool]>,
}

impl<'a> Pieces<'a> {
    pub(crate) fn all(storage: &'a labdb_storage::Database) -> Self {
        Self {
            storage,
            wanted: None,
        }
    }

    /// Of the columns with `true`; others are NULL.
    pub(crate) fn of(storage: &'a labdb_storage::Database, wanted: &'a [bool]) -> Self {
        Self {
            storage,
            wanted: Some(wanted),
        }
    }
}

impl Outside for Pieces<'_> {
    fn load(&self, column: usize, value: &LargeValue) -> SqlResult<Loaded> {
        if self
            .wanted
            .is_some_and(|w| !w.get(column).copied().unwrap_or(true))
        {
            return Ok(Loaded::Unwanted);
        }
        let bytes = self
            .storage
            .read_large(value)
            .map_err(|e| storage_error(&e, ""))?;
        Ok(bytes.map_or(Loaded::Gone, Loaded::Bytes))
    }
}

/// The row of somebody who holds it: what lies outside must be there.
///
/// # Errors
/// Storage; a row that is damaged.
pub(super) fn decode_held(
    database: &Database,
    columns: &[TableColumn],
    bytes: &[u8],
) -> SqlResult<Vec<Value>> {
    codec::decode(columns, bytes, &Pieces::all(&database.storage))?.ok_or_else(|| {
        crate::plan::expression::internal("a value outside its row is gone, though the row is held")
    })
}

/// Whether a row of these columns may be too long for a page.
pub(super) fn may_overflow(columns: &[TableColumn]) -> bool {
    let longest = |column: &TableColumn| match column.sql_type {
        // At most three bytes for a character.
        SqlType::Char(n) | SqlType::NChar(n) => usize::from(n) * 3,
        SqlType::VarChar(Length::Limited(n)) | SqlType::NVarChar(Length::Limited(n)) => {
            usize::from(n) * 3
        }
        SqlType::Binary(n) | SqlType::VarBinary(Length::Limited(n)) => usize::from(n),
        SqlType::VarChar(Length::Max)
        | SqlType::NVarChar(Length::Max)
        | SqlType::VarBinary(Length::Max)
        | SqlType::SqlVariant => MAX_ROW,
        _ => 17,
    };
    let all: usize = columns.iter().map(|c| longest(c) + 5).sum();
    all > MAX_ROW
}

/// One database's part of a transaction, and the table that is changed.
pub(super) struct Change<'a> {
    pub(super) database: &'a Database,
    pub(super) storage: &'a mut Transaction,
    pub(super) heap: HeapId,
}

impl Change<'_> {
    fn failed(&self, error: &labdb_storage::StorageError) -> SqlError {
        storage_error(error, &self.database.name())
    }

    /// Stores a row.
    ///
    /// # Errors
    /// 511, 7119, storage.
    pub(super) fn insert(&mut self, columns: &[TableColumn], row: &[Value]) -> SqlResult<RowId> {
        let bytes = if may_overflow(columns) {
            let outside = vec![None; row.len()];
            self.fitting(columns, row, outside)?
        } else {
            codec::encode(row)
        };
        self.database
            .storage
            .insert(self.storage, self.heap, &bytes)
            .map_err(|e| self.failed(&e))
    }

    /// Replaces a row; gives its place. Values outside that stay the same are not written again;
    /// `before` is the old row where `columns` are also its columns.
    ///
    /// # Errors
    /// As [`Change::insert`].
    pub(super) fn update(
        &mut self,
        id: RowId,
        old_columns: &[TableColumn],
        before: Option<&[Value]>,
        columns: &[TableColumn],
        after: &[Value],
    ) -> SqlResult<RowId> {
        let mut old = if may_overflow(old_columns) {
            self.outside_values(id, old_columns)?
        } else {
            Vec::new()
        };
        let mut kept = vec![None; after.len()];
        if let Some(before) = before {
            let values = before.iter().zip(after);
            for ((place, old), (before, after)) in kept.iter_mut().zip(&mut old).zip(values) {
                if before == after {
                    *place = old.take();
                }
            }
        }
        let bytes = if may_overflow(columns) {
            self.fitting(columns, after, kept)?
        } else {
            codec::encode(after)
        };
        let moved = self
            .database
            .storage
            .update(self.storage, self.heap, id, &bytes)
            .map_err(|e| self.failed(&e))?;
        self.delete_values(&old)?;
        Ok(moved)
    }

    /// Deletes a row.
    ///
    /// # Errors
    /// Storage.
    pub(super) fn delete(&mut self, id: RowId, columns: &[TableColumn]) -> SqlResult<()> {
        let old = if may_overflow(columns) {
            self.outside_values(id, columns)?
        } else {
            Vec::new()
        };
        self.database
            .storage
            .delete(self.storage, self.heap, id)
            .map_err(|e| self.failed(&e))?;
        self.delete_values(&old)
    }

    fn outside_values(
        &self,
        id: RowId,
        columns: &[TableColumn],
    ) -> SqlResult<Vec<Option<LargeValue>>> {
        let bytes = self
            .database
            .storage
            .read(id)
            .map_err(|e| self.failed(&e))?;
        match bytes {
            Some(bytes) => codec::outside_values(columns, &bytes),
            None => Ok(Vec::new()),
        }
    }

    fn delete_values(&mut self, values: &[Option<LargeValue>]) -> SqlResult<()> {
        for value in values.iter().flatten() {
            self.database
                .storage
                .delete_large(self.storage, self.heap, value)
                .map_err(|e| self.failed(&e))?;
        }
        Ok(())
    }

    /// The bytes of a row, after storing outside what does not fit it; `outside` has what is there
    /// already.
    fn fitting(
        &mut self,
        columns: &[TableColumn],
        row: &[Value],
        mut outside: Vec<Option<LargeValue>>,
    ) -> SqlResult<Vec<u8>> {
        let long: usize = row
            .iter()
            .zip(&outside)
            .filter(|(_, outside)| outside.is_none())
            .filter_map(|(value, _)| codec::long_bytes(value).map(<[u8]>::len))
            .sum();
        if long <= MAX_ROW {
            let bytes = codec::encode_around(row, &outside);
            if bytes.len() <= MAX_ROW {
                return Ok(bytes);
            }
        }
        for column in columns_to_move(columns, row, &outside)? {
            let Some(bytes) = row.get(column).and_then(codec::long_bytes) else {
                continue;
            };
            let large = self
                .database
                .storage
                .insert_large(self.storage, self.heap, bytes)
                .map_err(|e| self.failed(&e))?;
            if let Some(place) = outside.get_mut(column) {
                *place = Some(large);
            }
        }
        Ok(codec::encode_around(row, &outside))
    }
}

/// The columns whose values must lie outside for the row to fit, besides those that do.
fn columns_to_move(
    columns: &[TableColumn],
    row: &[Value],
    outside: &[Option<LargeValue>],
) -> SqlResult<Vec<usize>> {
    let mut inside: Vec<(usize, usize)> = Vec::new();
    let mut length = 2 + row.len().div_ceil(8);
    for (at, value) in row.iter().enumerate() {
        match codec::long_bytes(value) {
            None if value.is_null() => {}
            None => length += codec::encode(std::slice::from_ref(value)).len() - 3,
            Some(bytes) => {
                if let Value::Variant(inner) = value {
                    length += 1 + types::declaration(inner.0).len();
                }
                if matches!(outside.get(at), Some(Some(_))) {
                    length += POINTER;
                } else {
                    length += 4 + bytes.len();
                    inside.push((bytes.len(), at));
                }
            }
        }
    }
    if length <= MAX_ROW {
        return Ok(Vec::new());
    }
    let least = least_size(columns, row);
    if least > ROW_LIMIT {
        return Err(too_long(least));
    }
    inside.sort_unstable_by(|a, b| b.cmp(a));
    let mut moved = Vec::new();
    for (bytes, at) in inside {
        if length <= MAX_ROW || 4 + bytes <= POINTER {
            break;
        }
        length = length - 4 - bytes + POINTER;
        moved.push(at);
    }
    if length > MAX_ROW {
        return Err(too_long(length));
    }
    Ok(moved)
}

fn too_long(size: usize) -> SqlError {
    SqlError::new(
        511,
        format!(
            "Cannot create a row of size {size} which is greater than the allowable maximum row \
             size of {ROW_LIMIT}."
        ),
    )
}

/// Bytes that a value of a type with a fixed length has in SQL Server's row; bits share bytes and
/// count nothing here.
fn fixed_size(sql_type: SqlType) -> Option<usize> {
    Some(match sql_type {
        SqlType::Bit => 0,
        SqlType::TinyInt => 1,
        SqlType::SmallInt => 2,
        SqlType::Int | SqlType::Real | SqlType::SmallMoney | SqlType::SmallDateTime => 4,
        SqlType::BigInt | SqlType::Float | SqlType::Money | SqlType::DateTime => 8,
        SqlType::Decimal { precision, .. } => match precision {
            ..=9 => 5,
            10..=19 => 9,
            20..=28 => 13,
            _ => 17,
        },
        SqlType::Char(n) | SqlType::Binary(n) => usize::from(n),
        SqlType::NChar(n) => usize::from(n) * 2,
        SqlType::Date => 3,
        SqlType::Time(scale) => time_size(scale),
        SqlType::DateTime2(scale) => time_size(scale) + 3,
        SqlType::DateTimeOffset(scale) => time_size(scale) + 5,
        SqlType::UniqueIdentifier => 16,
        SqlType::VarChar(_)
        | SqlType::NVarChar(_)
        | SqlType::VarBinary(_)
        | SqlType::SqlVariant => return None,
    })
}

fn time_size(scale: u8) -> usize {
    match scale {
        ..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

/// The bytes of the columns of fixed length, and those of the row's header and NULL bitmap.
fn fixed_part(columns: &[TableColumn]) -> (usize, usize) {
    let bits = columns.iter().filter(|c| c.sql_type == SqlType::Bit);
    let data = columns
        .iter()
        .filter_map(|c| fixed_size(c.sql_type))
        .sum::<usize>()
        + bits.count().div_ceil(8);
    (data, 4 + 2 + columns.len().div_ceil(8))
}

/// The least bytes that the row has in SQL Server: all that can go is outside.
fn least_size(columns: &[TableColumn], row: &[Value]) -> usize {
    let (data, overhead) = fixed_part(columns);
    let mut variable = 0;
    let mut size = data + overhead;
    for (column, value) in columns.iter().zip(row) {
        if fixed_size(column.sql_type).is_some() {
            continue;
        }
        variable += 1;
        if let Some(bytes) = codec::long_bytes(value) {
            let length = match value {
                Value::Text(text) if types::is_unicode(column.sql_type) => {
                    text.encode_utf16().count() * 2
                }
                _ => bytes.len(),
            };
            size += length.min(ROW_POINTER);
        }
    }
    size + if variable > 0 { 2 + 2 * variable } else { 0 }
}

/// Refuses a table whose columns of fixed length alone are too long.
///
/// # Errors
/// 1701.
pub(crate) fn check_columns(table: &Table) -> SqlResult<()> {
    let (data, overhead) = fixed_part(&table.columns);
    if data + overhead <= ROW_LIMIT {
        return Ok(());
    }
    Err(SqlError::new(
        1701,
        format!(
            "Creating or altering table '{}' failed because the minimum row size would be {}, \
             including {overhead} bytes of internal overhead. This exceeds the maximum allowable \
             table row size of {ROW_LIMIT} bytes.",
            table.name,
            data + overhead
        ),
    ))
}
