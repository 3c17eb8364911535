//! BEGIN, COMMIT, ROLLBACK, SAVE TRANSACTION.

use super::Executor;
use crate::session::{ActiveTransaction, EnvChange};
use labdb_tsql::ast::TransactionName;
use labdb_types::{SqlError, SqlResult, Value};

impl Executor<'_> {
    fn transaction_name(&self, name: &TransactionName) -> SqlResult<String> {
        match name {
            TransactionName::Name(name) => Ok(name.clone()),
            TransactionName::Variable(variable) => {
                match self.frame.variable(&crate::catalog::fold(variable))? {
                    Value::Text(text) => Ok(text.to_string()),
                    _ => Ok(String::new()),
                }
            }
        }
    }

    /// BEGIN TRANSACTION.
    pub(crate) fn begin(&mut self, name: Option<&TransactionName>) -> SqlResult<()> {
        let session = self.session;
        let count = session.tran_count.get();
        if count == 0 {
            let name = name.map(|n| self.transaction_name(n)).transpose()?;
            let number = session.take_transaction_number();
            if let Some(leftover) = session.transaction.borrow_mut().take() {
                leftover.commit(session, None)?;
            }
            *session.transaction.borrow_mut() = Some(ActiveTransaction::new(number, name));
            self.client.env_change(&EnvChange::Begin(number))?;
        }
        session.set_tran_count(count + 1);
        self.done(crate::session::Command::Other, None)
    }

    /// Begins a transaction by itself where SET `IMPLICIT_TRANSACTIONS` is ON.
    pub(crate) fn implicit_begin(&mut self) -> SqlResult<()> {
        self.check_writable()?;
        self.implicit_begin_reading()
    }

    /// Refuses what writes in a transaction that can only be rolled back.
    pub(crate) fn check_writable(&self) -> SqlResult<()> {
        let session = self.session;
        if let Some(transaction) = session.transaction.borrow().as_ref()
            && transaction.doomed
            && session.tran_count.get() > 0
        {
            return Err(SqlError::new(
                3930,
                "The current transaction cannot be committed and cannot support operations that \
                 write to the log file. Roll back the transaction.",
            ));
        }
        Ok(())
    }

    /// The same for a statement that only reads, which a doomed transaction allows.
    pub(crate) fn implicit_begin_reading(&mut self) -> SqlResult<()> {
        let session = self.session;
        if !session.options.borrow().implicit_transactions
            || session.tran_count.get() > 0
            || session.atomic.get() > 0
        {
            return Ok(());
        }
        let number = session.take_transaction_number();
        *session.transaction.borrow_mut() = Some(ActiveTransaction::new(number, None));
        session.set_tran_count(1);
        self.client.env_change(&EnvChange::Begin(number))
    }

    /// COMMIT.
    pub(crate) fn commit(&mut self, delayed: Option<bool>) -> SqlResult<()> {
        let session = self.session;
        let count = session.tran_count.get();
        match count {
            0 => {
                return Err(SqlError::new(
                    3902,
                    "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.",
                ));
            }
            1 => {
                if session
                    .transaction
                    .borrow()
                    .as_ref()
                    .is_some_and(|t| t.doomed)
                {
                    return Err(SqlError::new(
                        3930,
                        "The current transaction cannot be committed and cannot support \
                         operations that write to the log file. Roll back the transaction.",
                    ));
                }
                let transaction = session.transaction.borrow_mut().take();
                session.set_tran_count(0);
                if let Some(transaction) = transaction {
                    let number = transaction.number;
                    transaction.commit(session, delayed)?;
                    self.client.env_change(&EnvChange::Commit(number))?;
                }
            }
            more => session.set_tran_count(more - 1),
        }
        self.done(crate::session::Command::Other, None)
    }

    /// ROLLBACK, of all or to a savepoint.
    pub(crate) fn rollback(&mut self, name: Option<&TransactionName>) -> SqlResult<()> {
        let session = self.session;
        if session.tran_count.get() == 0 {
            return Err(SqlError::new(
                3903,
                "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.",
            ));
        }
        if let Some(name) = name {
            let name = self.transaction_name(name)?;
            let mut slot = session.transaction.borrow_mut();
            let Some(transaction) = slot.as_mut() else {
                return Err(SqlError::new(
                    3903,
                    "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.",
                ));
            };
            let outer = transaction
                .name
                .as_ref()
                .is_some_and(|n| n.eq_ignore_ascii_case(&name));
            if transaction.doomed && !outer {
                return Err(SqlError::new(
                    3931,
                    "The current transaction cannot be committed and cannot be rolled back to a \
                     savepoint. Roll back the entire transaction.",
                ));
            }
            if transaction.rollback_to_savepoint(session, &name)? {
                drop(slot);
                return self.done(crate::session::Command::Other, None);
            }
            if !outer {
                return Err(SqlError::new(
                    6401,
                    format!(
                        "Cannot roll back {name}. No transaction or savepoint of that name was \
                         found."
                    ),
                ));
            }
        }
        let number = session
            .transaction
            .borrow()
            .as_ref()
            .map_or(0, |t| t.number);
        session.rollback_everything();
        self.client.env_change(&EnvChange::Rollback(number))?;
        self.done(crate::session::Command::Other, None)
    }

    /// SAVE TRANSACTION.
    pub(crate) fn save(&mut self, name: &TransactionName) -> SqlResult<()> {
        let session = self.session;
        if session.tran_count.get() == 0 {
            return Err(SqlError::new(
                628,
                "Cannot issue SAVE TRANSACTION when there is no active transaction.",
            ));
        }
        let name = self.transaction_name(name)?;
        if let Some(transaction) = session.transaction.borrow_mut().as_mut() {
            transaction.save(&name);
        }
        self.done(crate::session::Command::Other, None)
    }

    /// Refuses a statement that may not stand in a transaction.
    pub(crate) fn outside_transaction(&self, statement: &str) -> SqlResult<()> {
        if self.session.tran_count.get() > 0 {
            return Err(SqlError::new(
                226,
                format!("{statement} statement not allowed within multi-statement transaction."),
            )
            .state(6));
        }
        Ok(())
    }
}
