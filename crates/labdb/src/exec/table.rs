//! Changing a table's rows, with its indexes, locks and identity.

use super::failure::storage_error;
use super::index_entry::{
    add_entry, duplicate, is_taken, move_entry, note, remove_entries, remove_entry,
};
use super::large::{self, Change};
use super::{identity_record, locking};
use crate::catalog::{MemoryRows, Store, Table};
use crate::eval::convert;
use crate::instance::Database;
use crate::session::memory::row_bytes;
use crate::session::{ActiveTransaction, Session, Undo};
use labdb_storage::{LockMode, RowId};
use labdb_types::{SqlError, SqlResult, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The number of an identity value of any type.
pub fn identity_number(value: &Value) -> Option<i64> {
    match value {
        Value::Decimal(d) if d.scale == 0 => i64::try_from(d.mantissa).ok(),
        other => convert::as_i64(other),
    }
}

pub(super) fn home(session: &Session, table: &Table) -> SqlResult<Arc<Database>> {
    if session.database_id() == table.database_id {
        return Ok(session.database());
    }
    session
        .instance
        .database_by_id(table.database_id)
        .ok_or_else(|| SqlError::new(911, "The table's database does not exist any more."))
}

/// Works on the session's transaction; a statement of its own has begun one by now.
///
/// # Errors
/// What `work` returns.
pub fn with_transaction<T>(
    session: &Session,
    work: impl FnOnce(&mut ActiveTransaction) -> SqlResult<T>,
) -> SqlResult<T> {
    let mut slot = session.transaction.borrow_mut();
    work(slot.get_or_insert_with(|| ActiveTransaction::new(0, None)))
}

fn check_writable(database: &Database) -> SqlResult<()> {
    if database.read_only.load(Ordering::Relaxed) {
        return Err(SqlError::new(
            3906,
            format!(
                "Failed to update database \"{}\" because the database is read-only.",
                database.name()
            ),
        ));
    }
    Ok(())
}

/// About the bytes that a row in memory takes, its places in indexes included.
fn kept_bytes(table: &Table, row: &[Value]) -> u64 {
    row_bytes(row).saturating_mul(1 + table.indexes.len() as u64)
}

/// Takes the memory for a row in memory.
fn hold(session: &Session, table: &Table, memory: &MemoryRows, row: &[Value]) -> SqlResult<()> {
    let bytes = kept_bytes(table, row);
    memory.grant.lock().take(&session.instance.memory, bytes)
}

/// Stores a row that has the table's types and is checked already.
///
/// # Errors
/// 2627, 2601, locks, storage.
pub fn insert(session: &Session, table: &Arc<Table>, row: &[Value]) -> SqlResult<u64> {
    with_transaction(session, |transaction| {
        let mut keys: Vec<Vec<u8>> = Vec::with_capacity(table.indexes.len());
        let heap = match &*table.store {
            Store::Heap(heap) => {
                locking::table(session, &mut transaction.locks, table, LockMode::IX)?;
                Some(*heap)
            }
            Store::Memory(_) => None,
        };
        for index in &table.indexes {
            let key = index.key_of(row);
            if index.unique {
                if heap.is_some() {
                    locking::key(session, &mut transaction.locks, table, index.index_id, &key)?;
                }
                if is_taken(session, transaction, table, index, &key)? {
                    return Err(duplicate(table, index, row));
                }
            }
            keys.push(key);
        }
        let address = match (&*table.store, heap) {
            (Store::Heap(_), Some(heap)) => {
                let database = home(session, table)?;
                check_writable(&database)?;
                let lock = locking::new_row(session, &mut transaction.locks, table);
                let storage = transaction.storage_for_rows(session, &database, lock);
                let mut change = Change {
                    database: &database,
                    storage,
                    heap,
                };
                let address = change.insert(&table.columns, row)?.to_bits();
                if lock {
                    locking::note_new_row(&mut transaction.locks, table, address);
                }
                address
            }
            (Store::Memory(memory), _) => {
                hold(session, table, memory, row)?;
                let address = memory.last.fetch_add(1, Ordering::Relaxed) + 1;
                memory.rows.lock().insert(address, row.to_vec());
                note(
                    transaction,
                    table,
                    Undo::Memory(Arc::clone(&table.store), address, None),
                );
                address
            }
            _ => 0,
        };
        for (index, key) in table.indexes.iter().zip(keys) {
            add_entry(transaction, table, index, key, address);
        }
        table.row_count.fetch_add(1, Ordering::Relaxed);
        note(transaction, table, Undo::RowCount(Arc::clone(table), 1));
        session.shared.writes.fetch_add(1, Ordering::Relaxed);
        Ok(address)
    })
}

/// Locks a row for changing and gives it as it is now; `None` where it is gone.
///
/// # Errors
/// Locks, storage.
pub fn claim(session: &Session, table: &Arc<Table>, address: u64) -> SqlResult<Option<Vec<Value>>> {
    match &*table.store {
        Store::Memory(memory) => Ok(memory.rows.lock().get(&address).cloned()),
        Store::Heap(heap) => {
            let database = home(session, table)?;
            with_transaction(session, |transaction| {
                locking::table(session, &mut transaction.locks, table, LockMode::IX)?;
                locking::row(
                    session,
                    &mut transaction.locks,
                    table,
                    *heap,
                    address,
                    LockMode::X,
                )
            })?;
            match database
                .storage
                .read(RowId::from_bits(address))
                .map_err(|e| storage_error(&e, &database.name()))?
            {
                Some(bytes) => large::decode_held(&database, &table.columns, &bytes).map(Some),
                None => Ok(None),
            }
        }
    }
}

/// Deletes a row that was claimed.
///
/// # Errors
/// Storage.
pub fn delete(session: &Session, table: &Arc<Table>, address: u64, row: &[Value]) -> SqlResult<()> {
    with_transaction(session, |transaction| {
        for index in table.indexes.iter().filter(|i| i.unique) {
            if matches!(&*table.store, Store::Heap(_)) {
                locking::key(
                    session,
                    &mut transaction.locks,
                    table,
                    index.index_id,
                    &index.key_of(row),
                )?;
            }
        }
        match &*table.store {
            Store::Heap(heap) => {
                let database = home(session, table)?;
                check_writable(&database)?;
                if let Some((at, identity)) = table.identity()
                    && let Some(value) = row.get(at).and_then(identity_number)
                    && !identity.is_kept(value)
                {
                    identity_record::keep(&database, table, identity)?;
                }
                let storage = transaction.storage(session, &database);
                let mut change = Change {
                    database: &database,
                    storage,
                    heap: *heap,
                };
                change.delete(RowId::from_bits(address), &table.columns)?;
            }
            Store::Memory(memory) => {
                let before = memory.rows.lock().remove(&address);
                if let Some(before) = &before {
                    memory.grant.lock().give(kept_bytes(table, before));
                }
                note(
                    transaction,
                    table,
                    Undo::Memory(Arc::clone(&table.store), address, before),
                );
            }
        }
        remove_entries(transaction, table, address, row);
        table.row_count.fetch_sub(1, Ordering::Relaxed);
        note(transaction, table, Undo::RowCount(Arc::clone(table), -1));
        session.shared.writes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// Replaces claimed rows by new ones, all of a statement at once: keys may swap between rows.
///
/// # Errors
/// 2627, 2601, storage.
pub fn update(
    session: &Session,
    table: &Arc<Table>,
    changes: &[(u64, Vec<Value>, Vec<Value>)],
) -> SqlResult<()> {
    with_transaction(session, |transaction| {
        for (address, before, after) in changes {
            for index in &table.indexes {
                let key = index.key_of(before);
                if key != index.key_of(after) {
                    remove_entry(transaction, table, index, key, *address);
                }
            }
        }
        let database = match &*table.store {
            Store::Heap(_) => {
                let database = home(session, table)?;
                check_writable(&database)?;
                Some(database)
            }
            Store::Memory(_) => None,
        };
        for (old_address, before, after) in changes {
            let address = match (&*table.store, &database) {
                (Store::Heap(heap), Some(database)) => {
                    for index in table.indexes.iter().filter(|i| i.unique) {
                        let (old, new) = (index.key_of(before), index.key_of(after));
                        if old != new {
                            locking::key(
                                session,
                                &mut transaction.locks,
                                table,
                                index.index_id,
                                &old,
                            )?;
                            locking::key(
                                session,
                                &mut transaction.locks,
                                table,
                                index.index_id,
                                &new,
                            )?;
                        }
                    }
                    let lock = locking::new_row(session, &mut transaction.locks, table);
                    let storage = transaction.storage_for_rows(session, database, lock);
                    let mut change = Change {
                        database,
                        storage,
                        heap: *heap,
                    };
                    let (id, columns) = (RowId::from_bits(*old_address), &table.columns);
                    let id = change.update(id, columns, Some(before), columns, after)?;
                    let moved = id.to_bits();
                    if lock && moved != *old_address {
                        locking::note_new_row(&mut transaction.locks, table, moved);
                    }
                    moved
                }
                (Store::Memory(memory), _) => {
                    hold(session, table, memory, after)?;
                    let before = memory.rows.lock().insert(*old_address, after.clone());
                    if let Some(before) = &before {
                        memory.grant.lock().give(kept_bytes(table, before));
                    }
                    note(
                        transaction,
                        table,
                        Undo::Memory(Arc::clone(&table.store), *old_address, before),
                    );
                    *old_address
                }
                _ => *old_address,
            };
            for index in &table.indexes {
                let key = index.key_of(after);
                if key == index.key_of(before) {
                    if address != *old_address {
                        move_entry(transaction, table, index, key, *old_address, address);
                    }
                    continue;
                }
                if index.unique && is_taken(session, transaction, table, index, &key)? {
                    return Err(duplicate(table, index, after));
                }
                add_entry(transaction, table, index, key, address);
            }
        }
        session
            .shared
            .writes
            .fetch_add(changes.len() as u64, Ordering::Relaxed);
        Ok(())
    })
}

/// Empties a table: extents are freed, rows are not logged one by one; the identity starts again.
///
/// # Errors
/// Locks, storage.
pub fn truncate(session: &Session, table: &Arc<Table>) -> SqlResult<()> {
    with_transaction(session, |transaction| {
        match &*table.store {
            Store::Heap(heap) => {
                let database = home(session, table)?;
                check_writable(&database)?;
                locking::table(session, &mut transaction.locks, table, LockMode::SchM)?;
                let storage = transaction.storage(session, &database);
                database
                    .storage
                    .truncate(storage, *heap)
                    .map_err(|e| storage_error(&e, &database.name()))?;
                if let Some((_, identity)) = table.identity() {
                    identity_record::restart(&database, storage, table, identity)?;
                }
            }
            Store::Memory(memory) => {
                let rows = std::mem::take(&mut *memory.rows.lock());
                memory.forget();
                for (address, row) in rows {
                    note(
                        transaction,
                        table,
                        Undo::Memory(Arc::clone(&table.store), address, Some(row)),
                    );
                }
            }
        }
        for index in &table.indexes {
            let entries = std::mem::take(&mut *index.entries.write());
            note(
                transaction,
                table,
                Undo::IndexCleared(Arc::clone(index), entries),
            );
        }
        let rows = table.row_count.swap(0, Ordering::Relaxed);
        note(transaction, table, Undo::RowCount(Arc::clone(table), -rows));
        if let Some((_, identity)) = table.identity() {
            let (next, used) = (
                identity.next.load(Ordering::Relaxed),
                identity.used.load(Ordering::Relaxed),
            );
            note(
                transaction,
                table,
                Undo::IdentityReset(Arc::clone(identity), next, used),
            );
            identity.reset(identity.seed);
        }
        Ok(())
    })
}
