//! The entries of a table's indexes: made, given up and moved, each so that it can be undone.

use super::codec;
use super::failure::storage_error;
use super::large::Pieces;
use super::table::home;
use crate::catalog::{Index, KeyKind, Store, Table};
use crate::eval::format;
use crate::session::{ActiveTransaction, Session, Undo};
use labdb_storage::RowId;
use labdb_types::{SqlError, SqlResult, Value};
use std::sync::Arc;

/// Error 2627 or 2601.
pub(super) fn duplicate(table: &Table, index: &Index, row: &[Value]) -> SqlError {
    let values: Vec<String> = index
        .keys
        .iter()
        .map(|part| {
            let value = row.get(part.column).unwrap_or(&Value::Null);
            let sql_type = table
                .columns
                .get(part.column)
                .map_or(labdb_types::SqlType::Int, |c| c.sql_type);
            if value.is_null() {
                "<NULL>".to_owned()
            } else {
                format::text(value, sql_type, None).unwrap_or_default()
            }
        })
        .collect();
    let values = values.join(", ");
    match index.kind {
        KeyKind::Plain => SqlError::new(
            2601,
            format!(
                "Cannot insert duplicate key row in object '{}' with unique index '{}'. The \
                 duplicate key value is ({values}).",
                table.full_name(),
                index.name
            ),
        )
        .severity(14),
        kind => SqlError::new(
            2627,
            format!(
                "Violation of {} constraint '{}'. Cannot insert duplicate key in object '{}'. The \
                 duplicate key value is ({values}).",
                if kind == KeyKind::Primary {
                    "PRIMARY KEY"
                } else {
                    "UNIQUE KEY"
                },
                index.name,
                table.full_name()
            ),
        )
        .severity(14),
    }
}

pub(super) fn note(transaction: &mut ActiveTransaction, table: &Table, undo: Undo) {
    match &*table.store {
        Store::Memory(memory) if !memory.transactional => transaction.push_local(undo),
        _ => transaction.push(undo),
    }
}

pub(super) fn remove_entries(
    transaction: &mut ActiveTransaction,
    table: &Table,
    address: u64,
    row: &[Value],
) {
    for index in &table.indexes {
        remove_entry(transaction, table, index, index.key_of(row), address);
    }
}

pub(super) fn remove_entry(
    transaction: &mut ActiveTransaction,
    table: &Table,
    index: &Arc<Index>,
    key: Vec<u8>,
    address: u64,
) {
    let key = index.entry_key(key, address);
    if matches!(&*table.store, Store::Heap(_)) {
        if index.entries.read().get(&key) == Some(address) {
            transaction.leave_entry(index, key, address);
        }
    } else if index.entries.write().remove(&key).is_some() {
        note(
            transaction,
            table,
            Undo::IndexRemoved(Arc::clone(index), key, address),
        );
    }
}

pub(super) fn add_entry(
    transaction: &mut ActiveTransaction,
    table: &Table,
    index: &Arc<Index>,
    key: Vec<u8>,
    address: u64,
) {
    let key = index.entry_key(key, address);
    if matches!(&*table.store, Store::Heap(_)) {
        transaction.add_entry(index, key, address);
    } else {
        index.entries.write().insert(&key, address);
        note(transaction, table, Undo::IndexAdded(Arc::clone(index), key));
    }
}

/// Whether a unique key belongs to a row. The key is locked: an entry is this transaction's own or
/// committed. One that this transaction has given up does not count, nor one whose row is gone.
pub(super) fn is_taken(
    session: &Session,
    transaction: &ActiveTransaction,
    table: &Table,
    index: &Arc<Index>,
    key: &[u8],
) -> SqlResult<bool> {
    let Some(address) = index.entries.read().get(key) else {
        return Ok(false);
    };
    if !matches!(&*table.store, Store::Heap(_)) {
        return Ok(true);
    }
    if transaction.has_left(index, key) {
        return Ok(false);
    }
    let database = home(session, table)?;
    let bytes = database
        .storage
        .read(RowId::from_bits(address))
        .map_err(|e| storage_error(&e, &database.name()))?;
    let wanted: Vec<bool> = (0..table.columns.len())
        .map(|column| index.keys.iter().any(|part| part.column == column))
        .collect();
    let outside = Pieces::of(&database.storage, &wanted);
    let row = match &bytes {
        Some(bytes) => codec::decode(&table.columns, bytes, &outside)?,
        None => None,
    };
    Ok(row.is_some_and(|row| index.key_of(&row) == key))
}

/// Files a row that keeps its key under its new address. In one step: a session that seeks the
/// key meanwhile must find the row, whose lock makes it wait.
pub(super) fn move_entry(
    transaction: &mut ActiveTransaction,
    table: &Table,
    index: &Arc<Index>,
    key: Vec<u8>,
    from: u64,
    to: u64,
) {
    let (old, new) = (index.entry_key(key.clone(), from), index.entry_key(key, to));
    let mut entries = index.entries.write();
    entries.remove(&old);
    entries.insert(&new, to);
    drop(entries);
    note(
        transaction,
        table,
        Undo::IndexRemoved(Arc::clone(index), old, from),
    );
    note(transaction, table, Undo::IndexAdded(Arc::clone(index), new));
}
