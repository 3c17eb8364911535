//! RAISERROR and THROW.

use super::Executor;
use labdb_tsql::ast::Expr;
use labdb_types::{SqlError, SqlResult};

impl Executor<'_> {
    pub(super) fn throw(&mut self, parts: Option<&(Expr, Expr, Expr)>) -> SqlResult<()> {
        self.thrown = true;
        match parts {
            None => {
                let caught = self.frame.caught.borrow().last().cloned();
                Err(caught.unwrap_or_else(|| {
                    SqlError::new(
                        10704,
                        "To rethrow an error, a THROW statement must be used inside a CATCH \
                         block. Insert the THROW statement inside a CATCH block, or add error \
                         parameters to the THROW statement.",
                    )
                    .severity(15)
                }))
            }
            Some((number, message, state)) => {
                let number = self.evaluate_int(number)?.unwrap_or(0);
                if !(50_000..=2_147_483_647).contains(&number) {
                    return Err(SqlError::new(
                        35100,
                        format!(
                            "Error number {number} in the THROW statement is outside the valid \
                             range. Specify an error number in the valid range of 50000 to \
                             2147483647."
                        ),
                    )
                    .state(10));
                }
                let text = self.evaluate_text(message)?.unwrap_or_default();
                let state = self.evaluate_int(state)?.unwrap_or(1).clamp(0, 255) as u8;
                Err(SqlError::new(number as i32, text).state(state))
            }
        }
    }

    pub(super) fn raise(
        &mut self,
        message: &Expr,
        severity: &Expr,
        state: &Expr,
        arguments: &[Expr],
        options: &[String],
    ) -> SqlResult<()> {
        let (value, from) = self.evaluate(message)?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.evaluate(argument)?.0);
        }
        let severity = self.evaluate_int(severity)?.unwrap_or(0).clamp(0, 25) as u8;
        let state = self.evaluate_int(state)?.unwrap_or(1).clamp(0, 255) as u8;
        if severity > 18 && !options.iter().any(|o| o == "LOG") {
            return Err(SqlError::new(
                2754,
                "Error severity levels greater than 18 can only be specified by members of the \
                 sysadmin role, using the WITH LOG option.",
            ));
        }
        let (number, text) = match crate::eval::convert::as_i64(&value) {
            Some(n)
                if let Some(text) = super::catalog_procedures::message(n)
                    && super::catalog_procedures::is_system(self.frame.procedure_id) =>
            {
                (n as i32, super::messages::format(text, &values)?)
            }
            Some(n) => {
                return Err(SqlError::new(
                    18054,
                    format!(
                        "Error {n}, severity {severity}, state {state} was raised, but no message \
                         with that error number was found in sys.messages. If error is \
                         larger than 50000, make sure the user-defined message is added using \
                         sp_addmessage."
                    ),
                ));
            }
            None => {
                let text = crate::eval::format::text(&value, from, None).unwrap_or_default();
                (50_000, super::messages::format(&text, &values)?)
            }
        };
        if options.iter().any(|o| o == "LOG") {
            self.session.instance.log_error(self.session.id(), &text);
        }
        let error = SqlError::new(number, text)
            .severity(severity)
            .state(state)
            .at_line(self.line);
        if severity <= 10 {
            self.client.info(&error)?;
        } else {
            return Err(error);
        }
        if options.iter().any(|o| o == "NOWAIT") {
            self.client.flush()?;
        }
        Ok(())
    }
}
