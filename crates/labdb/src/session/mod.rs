//! A session: what one connection has set, opened and left behind.

mod client;
pub mod cursor;
mod frame;
pub mod memory;
mod options;
mod shared;
mod transaction;

pub use client::{CANCELLED, CLIENT_GONE, Client, Command, Discard, Done, EnvChange, cancelled};
pub use frame::{Frame, Variable};
pub use options::{EFFECTIVE, Isolation, SWITCHES, SetOptions};
pub use shared::{SessionShared, Status, WaitCounter};
pub use transaction::{ActiveTransaction, Mark, Undo};

use crate::catalog::{Table, fold};
use crate::exec::PlanCache;
use crate::instance::{Database, Instance};
use labdb_types::{SqlResult, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A statement prepared by `sp_prepare`.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The batch.
    pub text: String,
    /// The declaration of its parameters.
    pub parameters: String,
}

/// One connection's state. It lives on the connection's thread.
pub struct Session {
    /// The server that it belongs to.
    pub instance: Arc<Instance>,
    /// What other sessions can see of it.
    pub shared: Arc<SessionShared>,
    database: RefCell<Arc<Database>>,
    /// SET options.
    pub options: RefCell<SetOptions>,
    /// `@@ROWCOUNT`.
    pub row_count: Cell<i64>,
    /// `@@ERROR`.
    pub last_error: Cell<i32>,
    /// `@@IDENTITY`.
    pub last_identity: Cell<Option<i64>>,
    /// `@@TRANCOUNT`.
    pub tran_count: Cell<u32>,
    /// The open transaction, the user's or that of the running statement.
    pub transaction: RefCell<Option<ActiveTransaction>>,
    /// Temporary tables by folded name, with the procedure level that made them.
    pub temp_tables: RefCell<HashMap<String, (Arc<Table>, u32)>>,
    /// The `##` tables that it made, with their object ids: they go when it ends.
    pub global_temp_tables: RefCell<Vec<(String, i32)>>,
    /// Temporary procedures by folded name.
    pub temp_procedures: RefCell<HashMap<String, Arc<crate::catalog::Procedure>>>,
    /// Counts changes of `temp_tables`, so that plans know when they are stale.
    pub temp_version: Cell<u64>,
    /// The cursors that are not LOCAL.
    pub cursors: cursor::Cursors,
    /// `@@FETCH_STATUS`.
    pub fetch_status: Cell<i32>,
    /// `@@CURSOR_ROWS`.
    pub cursor_rows: Cell<i32>,
    /// Prepared statements by handle.
    pub prepared: RefCell<HashMap<i32, Prepared>>,
    /// The INSERT BULK whose rows the next message has.
    pub bulk: RefCell<Option<labdb_tsql::ast::InsertBulk>>,
    /// Bound plans.
    pub plans: RefCell<PlanCache>,
    /// `CONTEXT_INFO`.
    pub context_info: RefCell<Value>,
    /// How deep procedures and EXEC texts are nested.
    pub nesting: Cell<u32>,
    /// The table for which SET `IDENTITY_INSERT` is ON.
    pub identity_insert: RefCell<Option<i32>>,
    /// The state of RAND.
    pub random: RefCell<rand::rngs::StdRng>,
    /// More than 0 while statements run inside one statement (INSERT … EXEC).
    pub atomic: Cell<u32>,
    next_temp_id: Cell<i32>,
    next_handle: Cell<i32>,
    next_transaction: Cell<u64>,
    next_frame_key: Cell<u64>,
    statement_time: Cell<Option<crate::eval::calendar::Moment>>,
}

impl Session {
    /// A session in a database.
    pub fn new(
        instance: Arc<Instance>,
        shared: Arc<SessionShared>,
        database: Arc<Database>,
    ) -> Self {
        Self {
            instance,
            shared,
            database: RefCell::new(database),
            options: RefCell::new(SetOptions::default()),
            row_count: Cell::new(0),
            last_error: Cell::new(0),
            last_identity: Cell::new(None),
            tran_count: Cell::new(0),
            transaction: RefCell::new(None),
            temp_tables: RefCell::new(HashMap::new()),
            global_temp_tables: RefCell::default(),
            temp_procedures: RefCell::default(),
            temp_version: Cell::new(0),
            cursors: RefCell::default(),
            fetch_status: Cell::new(0),
            cursor_rows: Cell::new(0),
            prepared: RefCell::new(HashMap::new()),
            bulk: RefCell::new(None),
            plans: RefCell::new(PlanCache::default()),
            context_info: RefCell::new(Value::Null),
            nesting: Cell::new(0),
            identity_insert: RefCell::new(None),
            random: RefCell::new(rand::SeedableRng::from_os_rng()),
            atomic: Cell::new(0),
            next_temp_id: Cell::new(-1),
            next_handle: Cell::new(1),
            next_transaction: Cell::new(1),
            next_frame_key: Cell::new(1),
            statement_time: Cell::new(None),
        }
    }

    /// Its number, `@@SPID`.
    pub fn id(&self) -> i16 {
        self.shared.id
    }

    /// The current database.
    pub fn database(&self) -> Arc<Database> {
        Arc::clone(&self.database.borrow())
    }

    /// The current database's id, without taking a reference.
    pub fn database_id(&self) -> i32 {
        self.database.borrow().id
    }

    /// Goes to another database (USE).
    ///
    /// # Errors
    /// 911 where there is none, 924 where it is another session's alone, 916 without access.
    pub fn use_database(&self, name: &str) -> SqlResult<Arc<Database>> {
        let database = self
            .instance
            .database(name)
            .ok_or_else(|| self.instance.not_usable(name))?;
        database.enter(self)?;
        *self.database.borrow_mut() = Arc::clone(&database);
        Ok(database)
    }

    /// Whether the session's work shall end: KILL or shutdown or an attention.
    ///
    /// # Errors
    /// [`cancelled`].
    pub fn check_cancelled(&self) -> SqlResult<()> {
        if self.shared.cancel.load(Ordering::Relaxed) {
            Err(cancelled())
        } else {
            Ok(())
        }
    }

    /// An id for a temporary table or table variable.
    pub fn take_temp_id(&self) -> i32 {
        let id = self.next_temp_id.get();
        self.next_temp_id.set(id - 1);
        id
    }

    /// A number for a frame whose plans are of no use to any other.
    pub fn take_frame_key(&self) -> u64 {
        let key = self.next_frame_key.get();
        self.next_frame_key.set(key + 1);
        key
    }

    /// A handle for a prepared statement.
    pub fn take_handle(&self) -> i32 {
        let handle = self.next_handle.get();
        self.next_handle.set(handle.wrapping_add(1).max(1));
        handle
    }

    /// A number for a transaction, as the client is told it.
    pub fn take_transaction_number(&self) -> u64 {
        let n = self.next_transaction.get();
        self.next_transaction.set(n + 1);
        (u64::from(self.shared.id.unsigned_abs()) << 40) | n
    }

    /// The database part of a name; tempdb for `##t`, wherever it is named.
    pub fn database_of_name<'n>(&self, name: &'n labdb_tsql::ast::ObjectName) -> Option<&'n str> {
        if crate::catalog::is_global_temporary(name.object()) {
            return Some("tempdb");
        }
        name.database()
    }

    /// A temporary table.
    pub fn temp_table(&self, name: &str) -> Option<Arc<Table>> {
        self.temp_tables
            .borrow()
            .get(&fold(name))
            .map(|(table, _)| Arc::clone(table))
    }

    /// Notes that temporary tables changed.
    pub fn bump_temp(&self) {
        self.temp_version.set(self.temp_version.get() + 1);
        // None of the plans would be taken again, and a plan keeps the rows of its tables.
        self.plans.borrow_mut().forget_plans();
    }

    /// Drops the temporary tables of a procedure level and deeper.
    pub fn drop_temp_tables(&self, level: u32) {
        let mut tables = self.temp_tables.borrow_mut();
        let before = tables.len();
        tables.retain(|_, (_, l)| *l < level);
        if tables.len() != before {
            self.bump_temp();
        }
    }

    /// The time that GETDATE and its kin give: one for a whole statement.
    pub fn now(&self) -> crate::eval::calendar::Moment {
        if let Some(time) = self.statement_time.get() {
            return time;
        }
        let now = crate::eval::calendar::now_local();
        self.statement_time.set(Some(now));
        now
    }

    /// Lets the next call of [`Session::now`] look at the clock.
    pub fn forget_time(&self) {
        self.statement_time.set(None);
    }

    /// Puts everything back as it was at log-in (`sp_reset_connection`).
    pub fn reset(&self, keep_transaction: bool) {
        if !keep_transaction {
            self.rollback_everything();
        }
        *self.options.borrow_mut() = SetOptions::default();
        self.temp_tables.borrow_mut().clear();
        self.temp_procedures.borrow_mut().clear();
        crate::exec::drop_global_temporary(self);
        self.bump_temp();
        self.cursors.borrow_mut().clear();
        self.fetch_status.set(0);
        self.cursor_rows.set(0);
        self.prepared.borrow_mut().clear();
        *self.context_info.borrow_mut() = Value::Null;
        *self.identity_insert.borrow_mut() = None;
        self.row_count.set(0);
        self.last_error.set(0);
        self.shared.reset_waits();
        self.shared.publish_options(&self.options.borrow());
        if let Some(home) = self.instance.database(&self.shared.initial_database) {
            // One that it may not enter any more it does not come back to.
            if home.enter(self).is_ok() {
                *self.database.borrow_mut() = home;
            }
        }
    }

    /// Rolls back whatever is open and releases all locks.
    pub fn rollback_everything(&self) {
        if let Some(transaction) = self.transaction.borrow_mut().take() {
            transaction.rollback(self);
        }
        self.set_tran_count(0);
        self.instance.locks.unlock_all(self.lock_owner());
    }

    /// Sets `@@TRANCOUNT` here and where other sessions see it.
    pub fn set_tran_count(&self, count: u32) {
        self.tran_count.set(count);
        self.shared
            .open_transactions
            .store(count, Ordering::Relaxed);
    }

    /// Under which its locks are held.
    pub fn lock_owner(&self) -> labdb_storage::LockOwner {
        labdb_storage::LockOwner(u64::from(self.shared.id.unsigned_abs()))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.rollback_everything();
        crate::exec::drop_global_temporary(self);
        self.instance.end_session(&self.shared);
    }
}
