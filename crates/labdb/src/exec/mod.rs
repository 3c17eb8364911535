//! Running statements.

mod alter_table;
mod alter_table_add;
pub mod assign;
mod backup;
mod batch;
mod bulk;
mod call;
mod catalog_change;
pub(crate) mod catalog_procedures;
pub(crate) mod catalog_record;
pub mod codec;
mod compile;
mod control;
mod create_table;
mod cursor;
pub mod database;
mod database_access;
mod database_file;
mod database_option;
mod datatype_info;
mod dbcc;
mod dbcc_trace;
mod describe;
mod dispatch;
mod error_log;
pub mod failure;
mod grant;
mod identity_record;
mod index;
mod index_entry;
mod insert;
mod insert_execute;
pub(crate) mod large;
pub mod locking;
mod login;
mod media;
mod media_contents;
mod media_history;
pub mod messages;
mod modify;
mod output;
mod parameters;
pub mod permission;
mod plans;
mod procedure;
mod properties;
mod query;
mod raise;
mod rename;
mod restore;
mod restore_plan;
mod restore_trace;
mod row_rules;
mod schema;
mod session_statements;
mod set_option;
mod system_procedures;
pub mod table;
mod table_collations;
mod table_definition;
pub mod table_read;
mod temporary_table;
mod transactions;
mod user;

pub use batch::{RpcArgument, TransactionRequest, run_batch, run_rpc, run_transaction_request};
pub use bulk::{BulkRows, run_bulk_load};
pub use dbcc::COMMANDS as DBCC_COMMANDS;
pub use plans::PlanCache;
pub use system_procedures::{NAMES as SYSTEM_PROCEDURES, object_id as system_procedure_id};
pub(crate) use temporary_table::drop_global_temporary;

use crate::plan::Context;
use crate::session::{Client, Frame, Session};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a running plan looks for an attention: often enough for a person, rarely enough to
/// cost nothing.
const ATTENTION_EVERY: Duration = Duration::from_millis(10);

/// Where a run of statements goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With the next statement.
    Next,
    /// Behind the innermost loop.
    Break,
    /// At the innermost loop's condition.
    Continue,
    /// Back to the caller, with a return code.
    Return(Option<i32>),
    /// At a label.
    Goto(String),
    /// Nowhere: the batch ends; its error was sent.
    Abort,
}

/// Runs the statements of one batch or procedure.
pub(crate) struct Executor<'a> {
    pub(crate) session: &'a Session,
    pub(crate) frame: &'a Frame,
    pub(crate) client: &'a mut dyn Client,
    /// Keeps the syntax tree alive while plans refer to its addresses.
    pub(crate) owner: Arc<dyn Any + Send + Sync>,
    /// Lines of an EXEC text count from its own first line.
    pub(crate) line: u32,
    /// The error on its way was thrown, which ends the batch as THROW does.
    pub(crate) thrown: bool,
    /// BACKUP DATABASE and the like, for the error that follows theirs.
    pub(crate) backup_verb: &'static str,
    /// The rows of a bulk load, for its INSERT BULK.
    bulk: Option<&'a mut (dyn BulkRows + 'a)>,
    /// What was called last ended its batch.
    pub(crate) aborted: bool,
    /// The statement that runs changes rows.
    pub(crate) modifies: bool,
    /// The error on its way was found while a statement was compiled.
    pub(crate) recompiling: Cell<bool>,
    /// The error on its way is for the callers' CATCH blocks only.
    pub(crate) for_callers: bool,
    /// The last object id that an ALTER TABLE gave out.
    scratch_id: i32,
    polls: u32,
}

impl<'a> Executor<'a> {
    pub(crate) fn new(
        session: &'a Session,
        frame: &'a Frame,
        client: &'a mut dyn Client,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        frame.use_memory(&session.instance.memory);
        Self {
            session,
            frame,
            client,
            owner,
            line: 1,
            thrown: false,
            backup_verb: "",
            bulk: None,
            aborted: false,
            modifies: false,
            recompiling: Cell::new(false),
            for_callers: false,
            scratch_id: 0,
            polls: 0,
        }
    }

    pub(crate) fn context(&self) -> Context<'a> {
        Context {
            session: self.session,
            frame: self.frame,
            attention: None,
        }
    }

    /// Runs plans that may take long: with a context that sees an attention of the client, which
    /// gets its rows from `work` meanwhile.
    pub(crate) fn attentively<T>(
        &mut self,
        work: impl FnOnce(&Context<'_>, &RefCell<&mut dyn Client>) -> T,
    ) -> T {
        let context = self.context();
        let reborrowed: &mut dyn Client = &mut *self.client;
        let client = RefCell::new(reborrowed);
        let asked_at = Cell::new(Instant::now());
        let attention = || {
            asked_at.get().elapsed() >= ATTENTION_EVERY && {
                asked_at.set(Instant::now());
                client
                    .try_borrow_mut()
                    .is_ok_and(|mut client| client.cancel_requested())
            }
        };
        work(
            &Context {
                attention: Some(&attention),
                ..context
            },
            &client,
        )
    }
}
