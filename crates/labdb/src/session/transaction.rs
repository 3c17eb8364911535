//! The session's transaction: the storage engine's transactions of each database it touched, and
//! what must be undone in memory.

use super::Session;
use crate::catalog::{Catalog, Index, Store, Table};
use crate::exec::failure::storage_error;
use crate::exec::locking::NewRows;
use crate::instance::Database;
use labdb_storage::{PlaceLock, Transaction, UndoMark};
use labdb_types::{SqlResult, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

/// A change in memory that a rollback takes back.
pub enum Undo {
    /// An index entry was added.
    IndexAdded(Arc<Index>, Vec<u8>),
    /// An index entry was removed.
    IndexRemoved(Arc<Index>, Vec<u8>, u64),
    /// An index entry was given up: it stays until the transaction ends, so that others find it
    /// and wait for its row.
    IndexLeft(Arc<Index>, Vec<u8>),
    /// An entry that was given up was used again; the address that it had.
    IndexTaken(Arc<Index>, Vec<u8>, u64),
    /// An index was emptied.
    IndexCleared(Arc<Index>, crate::catalog::KeyMap),
    /// A row in memory was added or changed; its value before.
    Memory(Arc<Store>, u64, Option<Vec<Value>>),
    /// The row count changed by this much.
    RowCount(Arc<Table>, i64),
    /// An identity counter was reset; its state before.
    IdentityReset(Arc<crate::catalog::Identity>, i64, bool),
    /// A database's catalog was replaced; the one before.
    Catalog(Arc<Database>, Arc<Catalog>),
    /// A temporary table was made or dropped; its name and what was there.
    TempTable(String, Option<(Arc<Table>, u32)>),
    /// The same for a temporary procedure.
    TempProcedure(String, Option<Arc<crate::catalog::Procedure>>),
}

/// One database's share of a transaction.
struct Branch {
    database: Arc<Database>,
    new_rows: Arc<NewRows>,
    transaction: Transaction,
    /// The state before its first change.
    begin: UndoMark,
}

/// A place to roll back to, for one statement.
pub struct Mark {
    undo: usize,
    branches: Vec<UndoMark>,
}

/// An open transaction.
pub struct ActiveTransaction {
    /// The number that the client knows it by; 0 for a single statement's.
    pub number: u64,
    /// Its name.
    pub name: Option<String>,
    /// When it began.
    pub begun: SystemTime,
    /// It can only be rolled back (`XACT_STATE()` is -1).
    pub doomed: bool,
    /// Locks that last until the end.
    pub locks: crate::exec::locking::HeldLocks,
    branches: Vec<Branch>,
    /// Index entries that go when the transaction commits, by index and key.
    left: HashMap<(usize, Vec<u8>), (Arc<Index>, u64)>,
    /// Each change, and whether ROLLBACK takes it back too (not so in table variables).
    undo: Vec<(Undo, bool)>,
    savepoints: Vec<(String, Mark)>,
}

/// Tells indexes apart.
fn identity(index: &Arc<Index>) -> usize {
    Arc::as_ptr(index) as usize
}

impl ActiveTransaction {
    /// A transaction that has done nothing.
    pub fn new(number: u64, name: Option<String>) -> Self {
        Self {
            number,
            name,
            begun: labdb_storage::clock::now(),
            doomed: false,
            locks: crate::exec::locking::HeldLocks::default(),
            branches: Vec::new(),
            left: HashMap::new(),
            undo: Vec::new(),
            savepoints: Vec::new(),
        }
    }

    /// The storage transaction of a database, begun when first needed.
    pub fn storage(&mut self, session: &Session, database: &Arc<Database>) -> &mut Transaction {
        &mut self.branch(session, database).transaction
    }

    /// The same, for storing rows; `lock` says whether their places are locked one by one.
    pub fn storage_for_rows(
        &mut self,
        session: &Session,
        database: &Arc<Database>,
        lock: bool,
    ) -> &mut Transaction {
        let branch = self.branch(session, database);
        let places: Option<Arc<dyn PlaceLock>> = if lock {
            Some(Arc::clone(&branch.new_rows) as Arc<dyn PlaceLock>)
        } else {
            None
        };
        branch.transaction.lock_places(places);
        &mut branch.transaction
    }

    fn branch(&mut self, session: &Session, database: &Arc<Database>) -> &mut Branch {
        let place = self
            .branches
            .iter()
            .position(|b| b.database.id == database.id && Arc::ptr_eq(&b.database, database));
        let place = place.unwrap_or_else(|| {
            let waits: Arc<dyn labdb_storage::WaitObserver> =
                Arc::clone(&session.shared) as Arc<dyn labdb_storage::WaitObserver>;
            let transaction = database.storage.begin(waits);
            database
                .storage_transactions
                .lock()
                .insert(transaction.id().0, session.id());
            let begin = database.storage.mark(&transaction);
            self.branches.push(Branch {
                database: Arc::clone(database),
                new_rows: Arc::new(NewRows::new(session, database.id)),
                transaction,
                begin,
            });
            self.branches.len() - 1
        });
        &mut self.branches[place]
    }

    /// Gives an index entry up: it goes when the transaction commits.
    pub fn leave_entry(&mut self, index: &Arc<Index>, key: Vec<u8>, address: u64) {
        self.left
            .insert((identity(index), key.clone()), (Arc::clone(index), address));
        self.push(Undo::IndexLeft(Arc::clone(index), key));
    }

    /// Whether the transaction has given the entry up.
    pub fn has_left(&self, index: &Arc<Index>, key: &[u8]) -> bool {
        !self.left.is_empty() && self.left.contains_key(&(identity(index), key.to_vec()))
    }

    /// Files a row in an index; an entry in its place must have been given up.
    pub fn add_entry(&mut self, index: &Arc<Index>, key: Vec<u8>, address: u64) {
        let before = index.entries.write().insert(&key, address);
        if !self.left.is_empty() {
            self.left.remove(&(identity(index), key.clone()));
        }
        self.push(match before {
            Some(before) => Undo::IndexTaken(Arc::clone(index), key, before),
            None => Undo::IndexAdded(Arc::clone(index), key),
        });
    }

    /// Notes a change in memory.
    pub fn push(&mut self, undo: Undo) {
        self.undo.push((undo, true));
    }

    /// Notes a change in a table variable: a failed statement takes it back, ROLLBACK does not.
    pub fn push_local(&mut self, undo: Undo) {
        self.undo.push((undo, false));
    }

    /// Whether anything was changed.
    pub fn has_written(&self) -> bool {
        self.branches.iter().any(|b| b.transaction.has_written())
    }

    /// The present, to come back to.
    pub fn mark(&self) -> Mark {
        Mark {
            undo: self.undo.len(),
            branches: self
                .branches
                .iter()
                .map(|b| b.database.storage.mark(&b.transaction))
                .collect(),
        }
    }

    /// Takes back what was done since the mark, also in table variables.
    ///
    /// # Errors
    /// When the storage engine cannot.
    pub fn rollback_to(&mut self, session: &Session, mark: &Mark) -> SqlResult<()> {
        self.undo_from(session, mark.undo, true);
        for (place, branch) in self.branches.iter_mut().enumerate() {
            let to = mark.branches.get(place).copied().unwrap_or(branch.begin);
            branch
                .database
                .storage
                .rollback_to_mark(&mut branch.transaction, to)
                .map_err(|e| storage_error(&e, &branch.database.name()))?;
        }
        Ok(())
    }

    /// SAVE TRANSACTION.
    pub fn save(&mut self, name: &str) {
        let mark = self.mark();
        self.savepoints.push((name.to_lowercase(), mark));
    }

    /// ROLLBACK TRANSACTION to a savepoint. `false` where there is none of this name.
    ///
    /// # Errors
    /// When the storage engine cannot.
    pub fn rollback_to_savepoint(&mut self, session: &Session, name: &str) -> SqlResult<bool> {
        let Some(place) = self
            .savepoints
            .iter()
            .rposition(|(n, _)| *n == name.to_lowercase())
        else {
            return Ok(false);
        };
        self.savepoints.truncate(place + 1);
        let Some((name, mark)) = self.savepoints.pop() else {
            return Ok(false);
        };
        let outcome = self.rollback_to(session, &mark);
        self.savepoints.push((name, mark));
        outcome.map(|()| true)
    }

    /// Commits in every database. Durable where the database or the statement asks for it.
    ///
    /// # Errors
    /// When a log cannot be written.
    pub fn commit(mut self, session: &Session, delayed: Option<bool>) -> SqlResult<()> {
        let several = self
            .branches
            .iter()
            .filter(|b| b.transaction.has_written())
            .count()
            > 1;
        let mut first_error = None;
        let mut committed = false;
        for branch in std::mem::take(&mut self.branches) {
            let id = branch.transaction.id().0;
            let durable = several || branch.database.commits_durably(delayed);
            let outcome = branch.database.storage.commit(branch.transaction, durable);
            branch.database.storage_transactions.lock().remove(&id);
            match outcome {
                Ok(_) => committed = true,
                Err(e) => {
                    first_error.get_or_insert_with(|| storage_error(&e, &branch.database.name()));
                }
            }
        }
        if first_error.is_some() && !committed {
            // The storage engine has rolled it back, or stopped.
            self.undo_from(session, 0, false);
        }
        // The rows are still locked: nobody has been given the places that these entries name.
        for ((_, key), (index, address)) in self.left {
            let mut entries = index.entries.write();
            if entries.get(&key) == Some(address) {
                entries.remove(&key);
            }
        }
        session.instance.locks.unlock_all(session.lock_owner());
        first_error.map_or(Ok(()), Err)
    }

    /// Takes everything back.
    pub fn rollback(mut self, session: &Session) {
        self.undo_from(session, 0, false);
        for branch in self.branches {
            let id = branch.transaction.id().0;
            // A rollback that fails leaves the database unavailable; the next open finishes it.
            if let Err(e) = branch.database.storage.rollback(branch.transaction) {
                session.instance.log_error(
                    session.id(),
                    &format!(
                        "Rollback in database '{}' failed: {e}",
                        branch.database.name()
                    ),
                );
            }
            branch.database.storage_transactions.lock().remove(&id);
        }
        session.instance.locks.unlock_all(session.lock_owner());
    }

    fn undo_from(&mut self, session: &Session, from: usize, statement: bool) {
        while self.undo.len() > from {
            let Some((undo, transactional)) = self.undo.pop() else {
                break;
            };
            if !statement && !transactional {
                continue;
            }
            match undo {
                Undo::IndexAdded(index, key) => {
                    index.entries.write().remove(&key);
                }
                Undo::IndexRemoved(index, key, address) => {
                    index.entries.write().insert(&key, address);
                }
                Undo::IndexLeft(index, key) => {
                    self.left.remove(&(identity(&index), key));
                }
                Undo::IndexTaken(index, key, before) => {
                    index.entries.write().insert(&key, before);
                    self.left.insert((identity(&index), key), (index, before));
                }
                Undo::IndexCleared(index, entries) => *index.entries.write() = entries,
                Undo::Memory(store, address, before) => {
                    if let Store::Memory(memory) = &*store {
                        match before {
                            Some(row) => memory.rows.lock().insert(address, row),
                            None => memory.rows.lock().remove(&address),
                        };
                    }
                }
                Undo::RowCount(table, change) => {
                    table.row_count.fetch_sub(change, Ordering::Relaxed);
                }
                Undo::IdentityReset(identity, next, used) => {
                    identity.next.store(next, Ordering::Relaxed);
                    identity.used.store(used, Ordering::Relaxed);
                    // The record is as it was; this only makes the next deletion look.
                    identity.kept.lock().next = None;
                }
                Undo::Catalog(database, before) => {
                    *database.catalog.write() = before;
                    session.instance.bump_schema();
                }
                Undo::TempProcedure(name, before) => {
                    let mut procedures = session.temp_procedures.borrow_mut();
                    match before {
                        Some(entry) => procedures.insert(name, entry),
                        None => procedures.remove(&name),
                    };
                }
                Undo::TempTable(name, before) => {
                    let mut tables = session.temp_tables.borrow_mut();
                    match before {
                        Some(entry) => tables.insert(name, entry),
                        None => tables.remove(&name),
                    };
                    session.bump_temp();
                }
            }
        }
    }
}
