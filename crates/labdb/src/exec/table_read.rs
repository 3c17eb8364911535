//! Reading a table's rows: scans and seeks, with their locks.

use super::failure::storage_error;
use super::large::Pieces;
use super::table::{home, with_transaction};
use super::{codec, locking};
use crate::catalog::{Index, Store, Table};
use crate::instance::Database;
use crate::plan::source::{Access, ReadMode};
use crate::plan::{Context, Env, Flow};
use crate::session::Isolation;
use labdb_storage::{HeapId, LockMode, RowId};
use labdb_types::{SqlError, SqlResult, Value};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Pushes a table's rows into a sink. With `with_address` each row ends with its address.
///
/// # Errors
/// Locks, storage, and what the sink returns.
pub fn read(
    ctx: &Context<'_>,
    table: &Arc<Table>,
    access: &Access,
    mode: &ReadMode,
    with_address: bool,
    outer: Option<&Env<'_>>,
    sink: &mut dyn FnMut(Vec<Value>) -> SqlResult<Flow>,
) -> SqlResult<Flow> {
    let sought = match access {
        Access::Scan => None,
        Access::Seek { index, values } => {
            let env = outer.copied().unwrap_or_else(Env::empty);
            let Some(index) = table.indexes.get(*index) else {
                return Ok(Flow::More);
            };
            let mut prefix = Vec::new();
            for (value, part) in values.iter().zip(&index.keys) {
                let value = value.eval(ctx, &env)?;
                if value.is_null() {
                    return Ok(Flow::More);
                }
                crate::eval::key::push(&mut prefix, &value, part.descending);
            }
            Some(Sought {
                index,
                prefix,
                parts: values.len(),
            })
        }
    };
    let mut give = |mut row: Vec<Value>, address: u64| -> SqlResult<Flow> {
        if with_address {
            row.push(Value::BigInt(address as i64));
        }
        sink(row)
    };
    match &*table.store {
        Store::Memory(memory) => {
            let rows: Vec<(u64, Vec<Value>)> = match &sought {
                None => memory
                    .rows
                    .lock()
                    .iter()
                    .map(|(a, r)| (*a, r.clone()))
                    .collect(),
                Some(sought) => {
                    let rows = memory.rows.lock();
                    sought
                        .addresses()
                        .into_iter()
                        .filter_map(|a| Some((a, rows.get(&a)?.clone())))
                        .collect()
                }
            };
            for (count, (address, row)) in rows.into_iter().enumerate() {
                if count % 1024 == 1023 {
                    ctx.check_cancelled()?;
                }
                if give(row, address)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
            }
            Ok(Flow::More)
        }
        Store::Heap(heap) => {
            let database = home(ctx.session, table)?;
            let reader = HeapReader::new(ctx, table, &database, *heap, mode)?;
            let mut count = 0_u64;
            let flow = match &sought {
                Some(sought) => reader.seek(sought, &mut |row, address| {
                    count += 1;
                    give(row, address)
                })?,
                None => {
                    let mut flow = Flow::More;
                    for found in database.storage.scan(*heap) {
                        let found = found.map_err(|e| storage_error(&e, &database.name()))?;
                        count += 1;
                        if count.is_multiple_of(1024) {
                            ctx.check_cancelled()?;
                        }
                        let address = found.id.to_bits();
                        let Some(row) = reader.row(address, Some((found.ghost, &found.bytes)))?
                        else {
                            continue;
                        };
                        if give(row, address)? == Flow::Enough {
                            flow = Flow::Enough;
                            break;
                        }
                    }
                    flow
                }
            };
            ctx.session
                .shared
                .logical_reads
                .fetch_add(count, Ordering::Relaxed);
            Ok(flow)
        }
    }
}

/// A seek: the keys of an index that begin with these bytes, of so many of its columns.
struct Sought<'a> {
    index: &'a Index,
    prefix: Vec<u8>,
    parts: usize,
}

impl Sought<'_> {
    fn addresses(&self) -> Vec<u64> {
        self.index.seek(&self.prefix)
    }

    /// Whether a row has the key that is sought: an entry outlives its row's key until the
    /// transaction that changed it has ended.
    fn is_met_by(&self, row: &[Value]) -> bool {
        let mut key = Vec::with_capacity(self.prefix.len());
        for part in self.index.keys.iter().take(self.parts) {
            let value = row.get(part.column).unwrap_or(&Value::Null);
            crate::eval::key::push(&mut key, value, part.descending);
        }
        key == self.prefix
    }
}

/// Reads rows of a heap under the session's isolation level.
struct HeapReader<'a> {
    ctx: &'a Context<'a>,
    table: &'a Table,
    database: &'a Database,
    heap: HeapId,
    dirty: bool,
    keep: Option<LockMode>,
    skip_locked: bool,
    mode: &'a ReadMode,
}

impl<'a> HeapReader<'a> {
    pub(super) fn new(
        ctx: &'a Context<'a>,
        table: &'a Table,
        database: &'a Database,
        heap: HeapId,
        mode: &'a ReadMode,
    ) -> SqlResult<Self> {
        let isolation = ctx.session.options.borrow().isolation;
        let dirty =
            mode.dirty || (isolation == Isolation::ReadUncommitted && !mode.update && !mode.hold);
        let hold = mode.hold || isolation as u8 >= Isolation::RepeatableRead as u8;
        let keep = if mode.update {
            Some(LockMode::U)
        } else if hold && !dirty {
            Some(LockMode::S)
        } else {
            None
        };
        if !dirty {
            let whole = mode.table_exclusive || (mode.hold && mode.update);
            let serializable = isolation == Isolation::Serializable;
            with_transaction(ctx.session, |transaction| {
                let wanted = if whole {
                    LockMode::X
                } else if serializable || (mode.hold && !mode.update) {
                    LockMode::S
                } else if mode.update {
                    LockMode::IX
                } else {
                    LockMode::IS
                };
                locking::table(ctx.session, &mut transaction.locks, table, wanted)
            })?;
        }
        Ok(Self {
            ctx,
            table,
            database,
            heap,
            dirty,
            keep,
            skip_locked: mode.skip_locked,
            mode,
        })
    }

    /// The rows that a seek finds. Where a row was gone, or had another key by the time that it
    /// could be read, the index is asked again: the row may have moved meanwhile.
    fn seek(
        &self,
        sought: &Sought<'_>,
        give: &mut dyn FnMut(Vec<Value>, u64) -> SqlResult<Flow>,
    ) -> SqlResult<Flow> {
        let mut addresses = sought.addresses();
        let mut seen: HashSet<u64> = HashSet::new();
        loop {
            let mut missed = false;
            for &address in &addresses {
                match self.row(address, None)? {
                    Some(row) if sought.is_met_by(&row) => {
                        if give(row, address)? == Flow::Enough {
                            return Ok(Flow::Enough);
                        }
                    }
                    _ => missed = true,
                }
            }
            if !missed {
                return Ok(Flow::More);
            }
            seen.extend(addresses);
            addresses = sought.addresses();
            addresses.retain(|address| !seen.contains(address));
            if addresses.is_empty() {
                return Ok(Flow::More);
            }
        }
    }

    fn fetch(&self, address: u64) -> SqlResult<Option<Vec<u8>>> {
        self.database
            .storage
            .read(RowId::from_bits(address))
            .map_err(|e| storage_error(&e, &self.database.name()))
    }

    /// A row as this reader may see it; `seen` is what a scan met at the address.
    pub(super) fn row(
        &self,
        address: u64,
        seen: Option<(bool, &[u8])>,
    ) -> SqlResult<Option<Vec<Value>>> {
        let session = self.ctx.session;
        let own = self.dirty
            || session
                .transaction
                .borrow()
                .as_ref()
                .is_some_and(|t| t.locks.holds_row(self.table, address));
        if own {
            return match seen {
                Some((true, _)) => Ok(None),
                Some((false, bytes)) => match self.decode(bytes)? {
                    Some(row) => Ok(Some(row)),
                    None => self.fetch_row(address),
                },
                None => self.fetch_row(address),
            };
        }
        let release = match self.keep {
            Some(mode) if self.skip_locked => {
                let locked = with_transaction(session, |t| {
                    Ok(locking::try_row(
                        session,
                        &mut t.locks,
                        self.table,
                        self.heap,
                        address,
                        mode,
                    ))
                })?;
                if !locked {
                    return Ok(None);
                }
                None
            }
            Some(mode) => {
                with_transaction(session, |t| {
                    locking::row(session, &mut t.locks, self.table, self.heap, address, mode)
                })?;
                None
            }
            None if self.skip_locked => {
                match locking::try_share(session, self.table, self.heap, address) {
                    Some(resource) => Some(resource),
                    None => return Ok(None),
                }
            }
            None => Some(locking::share(session, self.table, self.heap, address)?),
        };
        // What was there before the lock may be gone or changed.
        let row = self.fetch_row(address);
        if let Some(resource) = release {
            session
                .instance
                .locks
                .unlock(session.lock_owner(), &resource);
        }
        row
    }

    fn decode(&self, bytes: &[u8]) -> SqlResult<Option<Vec<Value>>> {
        let storage = &self.database.storage;
        let outside = match &self.mode.columns {
            Some(columns) => Pieces::of(storage, columns),
            None => Pieces::all(storage),
        };
        codec::decode(&self.table.columns, bytes, &outside)
    }

    /// A row as it is now; `None` where it is gone. Without a lock a value outside the row may go
    /// between reading the row and reading it: then the row has changed too, or will be gone.
    fn fetch_row(&self, address: u64) -> SqlResult<Option<Vec<Value>>> {
        const ATTEMPTS: usize = 100;
        for _ in 0..ATTEMPTS {
            let Some(bytes) = self.fetch(address)? else {
                return Ok(None);
            };
            if let Some(row) = self.decode(&bytes)? {
                return Ok(Some(row));
            }
            std::thread::yield_now();
        }
        Err(SqlError::new(
            601,
            "Could not continue scan with NOLOCK due to data movement.",
        )
        .severity(12)
        .state(3))
    }
}
