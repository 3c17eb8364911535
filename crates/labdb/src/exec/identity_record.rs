//! How far an identity counter has come, on disk. A database that opens goes on behind the highest
//! value in the table; a value whose row is deleted must not be given again either. So before the
//! first of the newest rows is deleted, the counter is written down.

use super::catalog_record;
use super::failure::storage_error;
use crate::catalog::{Identity, ObjectRecord, Table};
use crate::instance::Database;
use labdb_storage::{NoWaits, Transaction};
use labdb_types::SqlResult;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Records have one length, so that a change never moves one: a rollback finds it in its place.
fn record(table: &Table, next: i64) -> ObjectRecord {
    ObjectRecord::Identity {
        object_id: table.object_id,
        next: format!("{next:+020}"),
    }
}

/// Makes sure that no value up to those given so far is given again after a restart. Its commit
/// lies in the log before that of the change which needs it, and so waits for no disk.
///
/// # Errors
/// Storage.
pub(crate) fn keep(database: &Database, table: &Table, identity: &Identity) -> SqlResult<()> {
    let mut kept = identity.kept.lock();
    let next = identity.next.load(Ordering::Relaxed);
    let mut own = database.storage.begin(Arc::new(NoWaits));
    let at = catalog_record::write(database, &mut own, kept.at, &record(table, next))?;
    database
        .storage
        .commit(own, false)
        .map_err(|e| storage_error(&e, &database.name()))?;
    kept.at = Some(at);
    kept.next = Some(next);
    Ok(())
}

/// Writes down, as part of a transaction that has the table to itself, that the counter starts
/// again; nothing where nothing is written down.
///
/// # Errors
/// Storage.
pub(crate) fn restart(
    database: &Database,
    storage: &mut Transaction,
    table: &Table,
    identity: &Identity,
) -> SqlResult<()> {
    let mut kept = identity.kept.lock();
    if kept.at.is_some() {
        let fresh = record(table, identity.seed);
        kept.at = Some(catalog_record::write(database, storage, kept.at, &fresh)?);
        kept.next = Some(identity.seed);
    }
    Ok(())
}
