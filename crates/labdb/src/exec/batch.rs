//! Requests: a batch, a procedure call, a transaction request.

use super::{Executor, Outcome, call, parameters};
use crate::session::{CANCELLED, CLIENT_GONE, Client, Command, Done, EnvChange, Frame, Session};
use labdb_tsql::ast::TransactionName;
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A parameter of a call by protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcArgument {
    /// With the `@`; empty where it goes by position.
    pub name: String,
    /// OUTPUT.
    pub output: bool,
    /// Its default is asked for.
    pub default: bool,
    /// Its type.
    pub sql_type: SqlType,
    /// Its value.
    pub value: Value,
}

/// A transaction statement that came by protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionRequest {
    /// BEGIN, with an isolation level as SET numbers it (0 for none).
    Begin {
        /// The name; empty for none.
        name: String,
        /// 1 READ UNCOMMITTED to 4 SERIALIZABLE; 0 as it is.
        isolation: u8,
    },
    /// COMMIT, and whether a new one begins at once.
    Commit {
        /// Begin again.
        then_begin: bool,
    },
    /// ROLLBACK to a savepoint or of everything.
    Rollback {
        /// The savepoint; empty for all.
        name: String,
        /// Begin again.
        then_begin: bool,
    },
    /// SAVE.
    Save {
        /// The savepoint.
        name: String,
    },
}

/// Runs a batch of text. Errors go to the client; only the loss of the client is returned.
///
/// # Errors
/// [`CLIENT_GONE`], [`CANCELLED`], or an error of severity 20 and more, after it was sent.
pub fn run_batch(session: &Session, text: &str, client: &mut dyn Client) -> SqlResult<()> {
    session.forget_time();
    let batch = session.plans.borrow_mut().batch(text);
    let batch = match batch {
        Ok(batch) => batch,
        Err(e) => return report_and_end(session, client, e),
    };
    if session.options.borrow().parse_only {
        return Ok(());
    }
    let frame = Frame::new();
    let owner: Arc<dyn std::any::Any + Send + Sync> =
        Arc::clone(&batch) as Arc<dyn std::any::Any + Send + Sync>;
    let mut executor = Executor::new(session, &frame, client, owner);
    let outcome = executor.compile_and_run(&batch.statements);
    end(session, client, outcome)
}

pub(super) fn end(
    session: &Session,
    client: &mut dyn Client,
    outcome: SqlResult<Outcome>,
) -> SqlResult<()> {
    let result = match outcome {
        Ok(_) => Ok(()),
        Err(e) if e.number == CANCELLED || e.number == CLIENT_GONE => {
            // An open transaction stays open after an attention, unless XACT_ABORT is on.
            let abort = session.options.borrow().xact_abort || session.tran_count.get() == 0;
            if abort {
                session.rollback_everything();
            }
            Err(e)
        }
        Err(e) => report_and_end(session, client, e),
    };
    let doomed = session
        .transaction
        .borrow()
        .as_ref()
        .is_some_and(|t| t.doomed);
    if doomed && session.tran_count.get() > 0 {
        let number = session
            .transaction
            .borrow()
            .as_ref()
            .map_or(0, |t| t.number);
        session.rollback_everything();
        client.env_change(&EnvChange::Rollback(number))?;
        client.error(
            &SqlError::new(
                3998,
                "Uncommittable transaction is detected at the end of the batch. The transaction \
                 is rolled back.",
            )
            .at_line(1),
        )?;
        client.done(&Done {
            rows: None,
            error: true,
            in_transaction: false,
            command: Command::Other,
        })?;
    }
    result
}

pub(super) fn report_and_end(
    session: &Session,
    client: &mut dyn Client,
    error: SqlError,
) -> SqlResult<()> {
    session.last_error.set(error.number);
    session
        .shared
        .previous_error
        .store(error.number, Ordering::Relaxed);
    client.error(&error.clone().at_line(1))?;
    if let Some(second) = super::permission::follower(&error) {
        client.error(&second.at_line(error.line.max(1)))?;
    }
    client.done(&Done {
        rows: None,
        error: true,
        in_transaction: session.tran_count.get() > 0,
        command: Command::Other,
    })?;
    if error.severity >= 20 {
        Err(error)
    } else {
        Ok(())
    }
}

/// Runs a procedure call that came by protocol.
///
/// # Errors
/// As [`run_batch`].
pub fn run_rpc(
    session: &Session,
    name: &str,
    arguments: &[RpcArgument],
    client: &mut dyn Client,
) -> SqlResult<()> {
    session.forget_time();
    let frame = Frame::new();
    let owner: Arc<dyn std::any::Any + Send + Sync> = Arc::new(());
    client.begin_procedure();
    let mut executor = Executor::new(session, &frame, client, owner);
    let parts = crate::functions::split_name(name);
    let target = labdb_tsql::ast::ObjectName { parts };
    let bound: Vec<parameters::Argument> = arguments
        .iter()
        .map(|a| parameters::Argument {
            name: (!a.name.is_empty()).then(|| a.name.clone()),
            sql_type: a.sql_type,
            value: (!a.default).then(|| a.value.clone()),
            output: a.output,
        })
        .collect();
    let outcome = call::procedure(&mut executor, &target, &bound);
    let in_transaction = session.tran_count.get() > 0;
    let done = |error: bool| Done {
        rows: None,
        error,
        in_transaction,
        command: Command::Other,
    };
    let result = match outcome {
        Ok(returned) => {
            for (ordinal, output) in returned.outputs {
                client.return_value(ordinal, &output.name, output.sql_type, &output.value)?;
            }
            client.end_procedure(returned.status, &done(false))?;
            Ok(Outcome::Next)
        }
        Err(e) if e.number == CANCELLED || e.number == CLIENT_GONE => Err(e),
        Err(e) => {
            session.last_error.set(e.number);
            client.error(&e.clone().at_line(1))?;
            if let Some(second) = super::permission::follower(&e) {
                client.error(&second.at_line(e.line.max(1)))?;
            }
            client.end_procedure(None, &done(true))?;
            if e.severity >= 20 {
                return Err(e);
            }
            Ok(Outcome::Next)
        }
    };
    end(session, client, result)
}

/// Runs a transaction request.
///
/// # Errors
/// As [`run_batch`].
pub fn run_transaction_request(
    session: &Session,
    request: &TransactionRequest,
    client: &mut dyn Client,
) -> SqlResult<()> {
    let frame = Frame::new();
    let owner: Arc<dyn std::any::Any + Send + Sync> = Arc::new(());
    let mut executor = Executor::new(session, &frame, client, owner);
    let named = |name: &str| (!name.is_empty()).then(|| TransactionName::Name(name.to_owned()));
    let outcome = match request {
        TransactionRequest::Begin { name, isolation } => {
            super::set_option::isolation_number(session, *isolation);
            executor.begin(named(name).as_ref())
        }
        TransactionRequest::Commit { then_begin } => executor.commit(None).and_then(|()| {
            if *then_begin {
                executor.begin(None)
            } else {
                Ok(())
            }
        }),
        TransactionRequest::Rollback { name, then_begin } => {
            executor.rollback(named(name).as_ref()).and_then(|()| {
                if *then_begin {
                    executor.begin(None)
                } else {
                    Ok(())
                }
            })
        }
        TransactionRequest::Save { name } => executor.save(&TransactionName::Name(name.clone())),
    };
    match outcome {
        Ok(()) => client.done(&Done {
            rows: None,
            error: false,
            in_transaction: session.tran_count.get() > 0,
            command: Command::Other,
        }),
        Err(e) => report_and_end(session, client, e),
    }
}
