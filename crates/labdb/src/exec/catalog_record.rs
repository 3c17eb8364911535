//! Catalog records as rows of the catalog heap; one that is too long for a row lies outside it.

use super::failure::storage_error;
use crate::catalog::ObjectRecord;
use crate::instance::Database;
use labdb_storage::{HeapId, LargeValue, MAX_ROW, RowId, Transaction};
use labdb_types::SqlResult;
use std::borrow::Cow;

/// The first byte of a row that only says where its record is. A record is JSON and begins with a
/// brace.
const ELSEWHERE: u8 = 0;

fn elsewhere(row: &[u8]) -> Option<LargeValue> {
    let (&mark, place) = row.split_first()?;
    let place = place.try_into().ok()?;
    (mark == ELSEWHERE).then(|| LargeValue::from_bytes(place))
}

/// A record's bytes from its row; `None` when they lie elsewhere and are gone.
///
/// # Errors
/// Storage.
pub(crate) fn read<'a>(
    storage: &labdb_storage::Database,
    row: &'a [u8],
) -> labdb_storage::Result<Option<Cow<'a, [u8]>>> {
    match elsewhere(row) {
        None => Ok(Some(Cow::Borrowed(row))),
        Some(place) => Ok(storage.read_large(&place)?.map(Cow::Owned)),
    }
}

/// The row for a record; stores the record elsewhere if it must.
fn row(
    database: &Database,
    storage: &mut Transaction,
    record: &ObjectRecord,
) -> SqlResult<Vec<u8>> {
    let bytes = serde_json::to_vec(record)
        .map_err(|e| crate::plan::expression::internal(&e.to_string()))?;
    if bytes.len() <= MAX_ROW {
        return Ok(bytes);
    }
    let place = database
        .storage
        .insert_large(storage, HeapId::CATALOG, &bytes)
        .map_err(|e| storage_error(&e, &database.name()))?;
    Ok([&[ELSEWHERE][..], &place.to_bytes()].concat())
}

/// Stores a record; `at` is its row now, if it has one.
///
/// # Errors
/// Storage.
pub(super) fn write(
    database: &Database,
    storage: &mut Transaction,
    at: Option<RowId>,
    record: &ObjectRecord,
) -> SqlResult<RowId> {
    let row = row(database, storage, record)?;
    let failed = |e: &labdb_storage::StorageError| storage_error(e, &database.name());
    let files = &database.storage;
    let Some(at) = at else {
        return files
            .insert(storage, HeapId::CATALOG, &row)
            .map_err(|e| failed(&e));
    };
    let before = files.read(at).map_err(|e| failed(&e))?;
    let moved = files
        .update(storage, HeapId::CATALOG, at, &row)
        .map_err(|e| failed(&e))?;
    if let Some(place) = before.as_deref().and_then(elsewhere) {
        files
            .delete_large(storage, HeapId::CATALOG, &place)
            .map_err(|e| failed(&e))?;
    }
    Ok(moved)
}

/// Removes a record.
///
/// # Errors
/// Storage.
pub(super) fn delete(database: &Database, storage: &mut Transaction, at: RowId) -> SqlResult<()> {
    let failed = |e: &labdb_storage::StorageError| storage_error(e, &database.name());
    let files = &database.storage;
    let before = files.read(at).map_err(|e| failed(&e))?;
    files
        .delete(storage, HeapId::CATALOG, at)
        .map_err(|e| failed(&e))?;
    if let Some(place) = before.as_deref().and_then(elsewhere) {
        files
            .delete_large(storage, HeapId::CATALOG, &place)
            .map_err(|e| failed(&e))?;
    }
    Ok(())
}
