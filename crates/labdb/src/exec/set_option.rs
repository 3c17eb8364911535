//! SET options.

use super::Executor;
use crate::bind::{Binder, TableUse};
use crate::session::{Isolation, Session};
use labdb_tsql::ast::{ObjectName, OptionValue};
use labdb_types::{SqlError, SqlResult, Value};
use std::sync::Arc;

/// Sets the isolation level by the number that the protocol uses; 0 changes nothing.
pub(crate) fn isolation_number(session: &Session, number: u8) {
    let level = match number {
        1 => Isolation::ReadUncommitted,
        2 => Isolation::ReadCommitted,
        3 => Isolation::RepeatableRead,
        4 => Isolation::Serializable,
        _ => return,
    };
    session.options.borrow_mut().isolation = level;
    session.shared.publish_options(&session.options.borrow());
}

fn outside(name: &str, value: &str) -> SqlError {
    SqlError::new(
        40510,
        format!("SET {name} {value} is outside labdb's subset."),
    )
}

impl Executor<'_> {
    pub(crate) fn set_option(
        &mut self,
        names: &[String],
        table: Option<&ObjectName>,
        value: &OptionValue,
    ) -> SqlResult<()> {
        for name in names {
            self.set_one(name, table, value)?;
        }
        self.session
            .shared
            .publish_options(&self.session.options.borrow());
        Ok(())
    }

    fn number(&self, value: &OptionValue) -> SqlResult<i64> {
        match value {
            OptionValue::Expr(e) => Ok(self.evaluate_int(e)?.unwrap_or(0)),
            OptionValue::Words(words) => words.parse().map_err(|_| {
                SqlError::new(102, format!("Incorrect syntax near '{words}'.")).severity(15)
            }),
            OptionValue::Switch(on) => Err(SqlError::new(
                102,
                format!(
                    "Incorrect syntax near '{}'.",
                    if *on { "ON" } else { "OFF" }
                ),
            )
            .severity(15)),
        }
    }

    fn set_one(
        &mut self,
        name: &str,
        table: Option<&ObjectName>,
        value: &OptionValue,
    ) -> SqlResult<()> {
        let session = self.session;
        let switch = || match value {
            OptionValue::Switch(on) => Ok(*on),
            OptionValue::Words(words) => {
                Err(SqlError::new(102, format!("Incorrect syntax near '{words}'.")).severity(15))
            }
            OptionValue::Expr(_) => {
                Err(SqlError::new(102, format!("SET {name} takes ON or OFF.")).severity(15))
            }
        };
        match name {
            "NOCOUNT" => session.options.borrow_mut().no_count = switch()?,
            "XACT_ABORT" => session.options.borrow_mut().xact_abort = switch()?,
            "IMPLICIT_TRANSACTIONS" => {
                session.options.borrow_mut().implicit_transactions = switch()?;
            }
            "PARSEONLY" => session.options.borrow_mut().parse_only = switch()?,
            "FMTONLY" => session.options.borrow_mut().format_only = switch()?,
            "NOEXEC" => session.options.borrow_mut().no_exec = switch()?,
            "ROWCOUNT" => {
                session.options.borrow_mut().row_count =
                    u64::try_from(self.number(value)?).unwrap_or(0);
            }
            "LOCK_TIMEOUT" => {
                session.options.borrow_mut().lock_timeout =
                    self.number(value)?.clamp(-1, i64::from(i32::MAX)) as i32;
            }
            "TEXTSIZE" => {
                let n = self.number(value)?.clamp(-1, i64::from(i32::MAX)) as i32;
                session.options.borrow_mut().text_size = if n == 0 { 4096 } else { n };
            }
            "DATEFIRST" => {
                let n = self.number(value)?;
                if !(1..=7).contains(&n) {
                    return Err(SqlError::new(
                        2742,
                        format!("SET DATEFIRST {n} is out of range."),
                    ));
                }
                session.options.borrow_mut().date_first = n as u8;
            }
            "DEADLOCK_PRIORITY" => {
                let n = match value {
                    OptionValue::Words(w) if w == "LOW" => -5,
                    OptionValue::Words(w) if w == "NORMAL" => 0,
                    OptionValue::Words(w) if w == "HIGH" => 5,
                    other => self.number(other)?,
                };
                session.options.borrow_mut().deadlock_priority = n.clamp(-10, 10) as i8;
            }
            "TRANSACTION ISOLATION LEVEL" => {
                let words = match value {
                    OptionValue::Words(words) => words.as_str(),
                    _ => "",
                };
                let level = match words {
                    "READ UNCOMMITTED" => Isolation::ReadUncommitted,
                    "READ COMMITTED" => Isolation::ReadCommitted,
                    "REPEATABLE READ" => Isolation::RepeatableRead,
                    "SERIALIZABLE" => Isolation::Serializable,
                    other => return Err(outside(name, other)),
                };
                session.options.borrow_mut().isolation = level;
            }
            "IDENTITY_INSERT" => self.identity_insert(table, switch()?)?,
            "LANGUAGE" => {
                let words = match value {
                    OptionValue::Words(words) => words.clone(),
                    OptionValue::Expr(e) => self.evaluate_text(e)?.unwrap_or_default(),
                    OptionValue::Switch(_) => String::new(),
                };
                if !words.eq_ignore_ascii_case("us_english")
                    && !words.eq_ignore_ascii_case("english")
                {
                    return Err(outside(name, &words));
                }
            }
            "DATEFORMAT" => {
                let words = match value {
                    OptionValue::Words(words) => words.clone(),
                    OptionValue::Expr(e) => self.evaluate_text(e)?.unwrap_or_default(),
                    OptionValue::Switch(_) => String::new(),
                };
                if !words.eq_ignore_ascii_case("mdy") {
                    return Err(outside(name, &words));
                }
            }
            "CONTEXT_INFO" => {
                if let OptionValue::Expr(e) = value {
                    let value = self.evaluate_as(
                        e,
                        labdb_types::SqlType::VarBinary(labdb_types::Length::Limited(128)),
                    )?;
                    if let Value::Binary(bytes) = &value {
                        let mut padded = bytes.to_vec();
                        padded.resize(128, 0);
                        *session.context_info.borrow_mut() = Value::Binary(Arc::from(padded));
                    }
                }
            }
            other => {
                let Some((_, bit, only_on)) = crate::session::SWITCHES
                    .iter()
                    .find(|(n, _, _)| *n == other)
                else {
                    return Err(SqlError::new(
                        195,
                        format!("'{other}' is not a recognized SET option."),
                    )
                    .severity(15)
                    .state(5));
                };
                let on = switch()?;
                if *only_on && !on {
                    return Err(outside(other, "OFF"));
                }
                let mut options = session.options.borrow_mut();
                if on {
                    options.switches |= bit;
                } else {
                    options.switches &= !bit;
                }
            }
        }
        Ok(())
    }

    fn identity_insert(&mut self, table: Option<&ObjectName>, on: bool) -> SqlResult<()> {
        let Some(name) = table else {
            return Err(SqlError::new(102, "SET IDENTITY_INSERT needs a table.").severity(15));
        };
        let table = Binder::new(self.session, self.frame)
            .table(name, TableUse::Alter)
            .map_err(|e| {
                if e.number == 208 {
                    SqlError::new(
                        1088,
                        format!(
                            "Cannot find the object \"{}\" because it does not exist or you do \
                             not have permissions.",
                            name.object()
                        ),
                    )
                } else {
                    e
                }
            })?;
        if table.identity().is_none() {
            return Err(SqlError::new(
                8106,
                format!(
                    "Table '{}' does not have the identity property. Cannot perform SET operation.",
                    name.object()
                ),
            ));
        }
        let mut slot = self.session.identity_insert.borrow_mut();
        if on {
            if slot.is_some_and(|id| id != table.object_id) {
                return Err(SqlError::new(
                    8107,
                    format!(
                        "IDENTITY_INSERT is already ON for another table. Cannot perform SET \
                         operation for table '{}'.",
                        name.object()
                    ),
                ));
            }
            *slot = Some(table.object_id);
        } else if *slot == Some(table.object_id) {
            *slot = None;
        }
        drop(slot);
        self.session.bump_temp();
        Ok(())
    }
}
