//! Which locks reads and changes take. Row locks of a transaction are remembered, because a
//! shared lock for one read must not release what the transaction holds.

use super::failure::storage_error;
use crate::catalog::Table;
use crate::instance::Instance;
use crate::session::Session;
use foldhash::fast::{FixedState, RandomState};
use labdb_storage::{HeapId, LockMode, LockOwner, LockRequest, PlaceLock, Resource, RowId};
use labdb_types::SqlResult;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

/// After so many row locks on one table a transaction asks for the table instead, as SQL Server's
/// lock escalation does.
const ESCALATE_AT: usize = 5_000;

/// The locks of one transaction that last until it ends.
#[derive(Debug, Default)]
pub struct HeldLocks {
    tables: HashMap<(i32, i32), TableLocks, RandomState>,
}

#[derive(Debug, Default)]
struct TableLocks {
    intent: bool,
    whole: bool,
    refused: bool,
    rows: HashSet<u64, RandomState>,
    keys: usize,
}

impl HeldLocks {
    fn of(&mut self, table: &Table) -> &mut TableLocks {
        self.tables
            .entry((table.database_id, table.object_id))
            .or_default()
    }

    /// Whether the transaction holds the row (or its whole table) until its end.
    pub fn holds_row(&self, table: &Table, address: u64) -> bool {
        self.tables
            .get(&(table.database_id, table.object_id))
            .is_some_and(|t| t.whole || t.rows.contains(&address))
    }

    /// Whether the transaction has the table to itself.
    pub fn holds_table(&self, table: &Table) -> bool {
        self.tables
            .get(&(table.database_id, table.object_id))
            .is_some_and(|t| t.whole)
    }
}

fn object(table: &Table) -> Resource {
    Resource::Object(table.database_id.unsigned_abs(), table.object_id as u32)
}

/// Takes a lock for the session.
///
/// # Errors
/// 1222, 1205 or a cancellation.
pub fn lock(session: &Session, resource: &Resource, mode: LockMode) -> SqlResult<()> {
    let (timeout, deadlock_priority) = {
        let options = session.options.borrow();
        (options.lock_wait(), options.deadlock_priority)
    };
    let request = LockRequest {
        owner: session.lock_owner(),
        timeout,
        deadlock_priority,
        cancel: &session.shared.cancel,
        waits: &*session.shared,
    };
    session
        .instance
        .locks
        .lock(&request, resource, mode)
        .map_err(|e| match storage_error(&e, "") {
            error if error.number == 1205 => labdb_types::SqlError {
                message: format!(
                    "Transaction (Process ID {}) was deadlocked on lock resources with another \
                     process and has been chosen as the deadlock victim. Rerun the transaction.",
                    session.id()
                ),
                ..error
            },
            error => error,
        })
}

/// The table in a mode, until the transaction ends.
///
/// # Errors
/// As [`lock`].
pub fn table(
    session: &Session,
    held: &mut HeldLocks,
    table: &Table,
    mode: LockMode,
) -> SqlResult<()> {
    let state = held.of(table);
    if state.whole || (mode == LockMode::IX && state.intent) {
        return Ok(());
    }
    lock(session, &object(table), mode)?;
    let state = held.of(table);
    match mode {
        LockMode::X | LockMode::SchM => state.whole = true,
        LockMode::IX => state.intent = true,
        _ => {}
    }
    Ok(())
}

/// A row exclusively (or in the mode given), until the transaction ends.
///
/// # Errors
/// As [`lock`].
pub fn row(
    session: &Session,
    held: &mut HeldLocks,
    table: &Table,
    heap: HeapId,
    address: u64,
    mode: LockMode,
) -> SqlResult<()> {
    let state = held.of(table);
    if state.whole || (mode != LockMode::X && state.rows.contains(&address)) {
        return Ok(());
    }
    escalate(session, state, table);
    if state.whole {
        return Ok(());
    }
    lock(
        session,
        &Resource::Row(
            table.database_id.unsigned_abs(),
            heap,
            RowId::from_bits(address),
        ),
        mode,
    )?;
    held.of(table).rows.insert(address);
    Ok(())
}

/// Tries to lock a row until the transaction ends, without waiting (READPAST); says whether it is
/// locked.
pub fn try_row(
    session: &Session,
    held: &mut HeldLocks,
    table: &Table,
    heap: HeapId,
    address: u64,
    mode: LockMode,
) -> bool {
    let state = held.of(table);
    if state.whole || (mode != LockMode::X && state.rows.contains(&address)) {
        return true;
    }
    let resource = Resource::Row(
        table.database_id.unsigned_abs(),
        heap,
        RowId::from_bits(address),
    );
    let owner = session.lock_owner();
    let locked = session.instance.locks.try_lock(owner, &resource, mode);
    if locked {
        held.of(table).rows.insert(address);
    }
    locked
}

fn escalate(session: &Session, state: &mut TableLocks, table: &Table) {
    if state.refused || state.rows.len() + state.keys < ESCALATE_AT {
        return;
    }
    let owner = session.lock_owner();
    state.whole = session
        .instance
        .locks
        .try_lock(owner, &object(table), LockMode::X);
    state.refused = !state.whole;
}

/// Makes ready for the row locks of new rows: asks for the table where there are many already.
/// Says whether the new row needs a lock of its own.
pub fn new_row(session: &Session, held: &mut HeldLocks, table: &Table) -> bool {
    let state = held.of(table);
    if !state.whole {
        escalate(session, state, table);
    }
    !state.whole
}

/// Notes that the place of a new row was locked when it was chosen.
pub fn note_new_row(held: &mut HeldLocks, table: &Table, address: u64) {
    held.of(table).rows.insert(address);
}

/// Locks the places of new rows for a session before anybody can read them.
pub struct NewRows {
    instance: Arc<Instance>,
    owner: LockOwner,
    database_id: u32,
}

impl NewRows {
    /// For a session's new rows in a database.
    pub fn new(session: &Session, database_id: i32) -> Self {
        Self {
            instance: Arc::clone(&session.instance),
            owner: session.lock_owner(),
            database_id: database_id.unsigned_abs(),
        }
    }
}

impl PlaceLock for NewRows {
    fn take(&self, heap: HeapId, row: RowId) -> bool {
        let resource = Resource::Row(self.database_id, heap, row);
        self.instance
            .locks
            .try_lock(self.owner, &resource, LockMode::X)
    }
}

/// A key of a unique index exclusively, until the transaction ends.
///
/// # Errors
/// As [`lock`].
pub fn key(
    session: &Session,
    held: &mut HeldLocks,
    table: &Table,
    index_id: i32,
    key: &[u8],
) -> SqlResult<()> {
    let state = held.of(table);
    if state.whole {
        return Ok(());
    }
    escalate(session, state, table);
    if state.whole {
        return Ok(());
    }
    state.keys += 1;
    // All sessions must come to the same number.
    let hash = FixedState::default().hash_one(key);
    let index = (table.object_id as u32)
        .wrapping_mul(31)
        .wrapping_add(index_id as u32);
    lock(
        session,
        &Resource::Key(table.database_id.unsigned_abs(), index, hash),
        LockMode::X,
    )
}

/// A row shared, for one read.
///
/// # Errors
/// As [`lock`].
pub fn share(session: &Session, table: &Table, heap: HeapId, address: u64) -> SqlResult<Resource> {
    let resource = Resource::Row(
        table.database_id.unsigned_abs(),
        heap,
        RowId::from_bits(address),
    );
    lock(session, &resource, LockMode::S)?;
    Ok(resource)
}

/// Tries to share a row without waiting (READPAST); `None` where another session holds it.
pub fn try_share(session: &Session, table: &Table, heap: HeapId, address: u64) -> Option<Resource> {
    let resource = Resource::Row(
        table.database_id.unsigned_abs(),
        heap,
        RowId::from_bits(address),
    );
    let owner = session.lock_owner();
    let locked = session
        .instance
        .locks
        .try_lock(owner, &resource, LockMode::S);
    locked.then_some(resource)
}

/// The lock that serializes DDL in a database, until the transaction ends.
///
/// # Errors
/// As [`lock`].
pub fn schema(session: &Session, database_id: i32) -> SqlResult<()> {
    lock(
        session,
        &Resource::Object(database_id.unsigned_abs(), u32::MAX),
        LockMode::X,
    )
}
