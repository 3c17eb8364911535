//! DBCC TRACEON, TRACEOFF and TRACESTATUS.

use super::Executor;
use super::permission::require_dbcc;
use crate::session::Command;
use labdb_tsql::ast::Expr;
use labdb_types::{Column, SqlError, SqlResult, SqlType, Value};

/// The argument that means every session.
const EVERYWHERE: i64 = -1;

impl Executor<'_> {
    /// The flags of the arguments, and whether −1 is among them.
    fn flags(&self, arguments: &[Expr]) -> SqlResult<(Vec<i32>, bool)> {
        let (mut flags, mut global) = (Vec::new(), false);
        for argument in arguments {
            let number = self.evaluate_int(argument)?.unwrap_or(0);
            match i32::try_from(number) {
                _ if number == EVERYWHERE => global = true,
                Ok(flag) if flag > 0 && flag <= i32::from(i16::MAX) => flags.push(flag),
                _ => {
                    return Err(SqlError::new(
                        2549,
                        format!("DBCC: Trace flag {number} is not in the range 1 to 32767."),
                    ));
                }
            }
        }
        Ok((flags, global))
    }

    pub(super) fn trace_flags(&self, command: &str, arguments: &[Expr]) -> SqlResult<()> {
        let instance = &self.session.instance;
        let sysadmin = instance.is_sysadmin(&self.session.shared.login_name);
        require_dbcc(self.session, sysadmin, command)?;
        let (flags, global) = self.flags(arguments)?;
        for flag in &flags {
            instance
                .trace_flags
                .set(*flag, global, command == "TRACEON");
        }
        if global && !flags.is_empty() {
            let list: Vec<String> = flags.iter().map(ToString::to_string).collect();
            instance.log_error(
                self.session.id(),
                &format!(
                    "DBCC {command} {}, server process ID (SPID) {}. This is an informational \
                     message only; no user action is required.",
                    list.join(","),
                    self.session.id()
                ),
            );
        }
        Ok(())
    }

    pub(super) fn trace_status(&mut self, arguments: &[Expr]) -> SqlResult<()> {
        let (mut wanted, global) = self.flags(arguments)?;
        let flags = std::sync::Arc::clone(&self.session.instance.trace_flags);
        if wanted.is_empty() {
            wanted = flags.all();
            if global {
                wanted.retain(|flag| flags.status(*flag).0);
            }
        }
        self.client.columns(&[
            Column::new("TraceFlag", SqlType::SmallInt),
            Column::new("Status", SqlType::SmallInt),
            Column::new("Global", SqlType::SmallInt),
            Column::new("Session", SqlType::SmallInt),
        ])?;
        let number = |on: bool| Value::SmallInt(i16::from(on));
        for flag in &wanted {
            let (everywhere, own) = flags.status(*flag);
            self.client.row(&[
                Value::SmallInt(i16::try_from(*flag).unwrap_or(i16::MAX)),
                number(everywhere || own),
                number(everywhere),
                number(own),
            ])?;
        }
        self.finish(Command::Select, wanted.len() as u64)
    }
}
