//! DBCC commands of the subset.

use super::Executor;
use super::permission::{has_server, owns, require_dbcc, require_server};
use crate::bind::{Binder, TableUse};
use crate::instance::ServerPermission;
use labdb_tsql::ast::{Expr, ObjectName};
use labdb_types::{Column, Length, SqlError, SqlResult, SqlType, Value};

/// The commands, for the documentation's test.
pub const COMMANDS: &[&str] = &[
    "CHECKIDENT",
    "ERRORLOG",
    "FREEPROCCACHE",
    "LOGINFO",
    "OPENTRAN",
    "SQLPERF",
    "TRACEOFF",
    "TRACEON",
    "TRACESTATUS",
    "USEROPTIONS",
];

impl Executor<'_> {
    pub(crate) fn dbcc(
        &mut self,
        command: &str,
        arguments: &[Expr],
        options: &[String],
    ) -> SqlResult<()> {
        match command {
            "TRACEON" | "TRACEOFF" => self.trace_flags(command, arguments)?,
            "TRACESTATUS" => return self.trace_status(arguments),
            "ERRORLOG" => {
                let sysadmin = self
                    .session
                    .instance
                    .is_sysadmin(&self.session.shared.login_name);
                require_dbcc(self.session, sysadmin, command)?;
                self.session.instance.cycle_log()?;
            }
            "SQLPERF" => return self.sql_perf(arguments),
            "LOGINFO" => return self.log_info(arguments),
            "OPENTRAN" => {
                let database = self.session.database();
                let open = database.storage.transactions().len();
                let text = if open == 0 {
                    "No active open transactions.".to_owned()
                } else {
                    format!(
                        "{open} open transactions in database '{}'; see \
                         sys.dm_tran_database_transactions.",
                        database.name()
                    )
                };
                self.client
                    .info(&SqlError::new(7969, text).severity(0).at_line(self.line))?;
            }
            "CHECKIDENT" => self.check_identity(arguments)?,
            // There is no cache of plans beyond sessions, and pages are read through one pool.
            "FREEPROCCACHE" => {
                let allowed = has_server(self.session, ServerPermission::AlterServerState);
                require_dbcc(self.session, allowed, command)?;
                self.session.instance.bump_schema();
            }
            "USEROPTIONS" => {
                let rows = {
                    let o = self.session.options.borrow();
                    vec![
                        ("textsize", o.text_size.to_string()),
                        ("language", o.language.clone()),
                        ("dateformat", "mdy".to_owned()),
                        ("datefirst", o.date_first.to_string()),
                        ("lock_timeout", o.lock_timeout.to_string()),
                        (
                            "isolation level",
                            match o.isolation {
                                crate::session::Isolation::ReadUncommitted => "read uncommitted",
                                crate::session::Isolation::ReadCommitted => "read committed",
                                crate::session::Isolation::RepeatableRead => "repeatable read",
                                crate::session::Isolation::Serializable => "serializable",
                            }
                            .to_owned(),
                        ),
                    ]
                };
                let name = SqlType::NVarChar(Length::Limited(128));
                self.client
                    .columns(&[Column::new("Set Option", name), Column::new("Value", name)])?;
                for (option, value) in &rows {
                    self.client
                        .row(&[Value::text(option), Value::text(value)])?;
                }
                return self.finish(crate::session::Command::Select, rows.len() as u64);
            }
            other => {
                return Err(SqlError::new(
                    2526,
                    format!(
                        "Incorrect DBCC statement. DBCC {other} is outside labdb's subset, which \
                         has {}.",
                        COMMANDS.join(", ")
                    ),
                )
                .state(3));
            }
        }
        if !options.iter().any(|o| o == "NO_INFOMSGS") {
            self.client.info(
                &SqlError::new(
                    2528,
                    "DBCC execution completed. If DBCC printed error messages, contact your \
                     system administrator.",
                )
                .severity(0)
                .at_line(self.line),
            )?;
        }
        self.end_and_done()
    }

    fn sql_perf(&mut self, arguments: &[Expr]) -> SqlResult<()> {
        let what = match arguments.first() {
            Some(argument) => self.evaluate_text(argument)?.unwrap_or_default(),
            None => String::new(),
        };
        if !what.eq_ignore_ascii_case("LOGSPACE") {
            return Err(SqlError::new(
                40510,
                format!(
                    "DBCC SQLPERF({what}) is outside labdb's subset, which has LOGSPACE; counters \
                     are never cleared, take differences."
                ),
            ));
        }
        require_server(self.session, ServerPermission::ViewServerPerformanceState)?;
        self.client.columns(&[
            Column::new("Database Name", SqlType::NVarChar(Length::Limited(128))),
            Column::new("Log Size (MB)", SqlType::Real),
            Column::new("Log Space Used (%)", SqlType::Real),
            Column::new("Status", SqlType::Int),
        ])?;
        let databases = self.session.instance.databases();
        for database in &databases {
            let space = database.storage.log_space();
            let used = if space.total == 0 {
                0.0
            } else {
                space.used as f64 * 100.0 / space.total as f64
            };
            self.client.row(&[
                Value::text(database.name()),
                Value::Real((space.total as f64 / 1_048_576.0) as f32),
                Value::Real(used as f32),
                Value::Int(0),
            ])?;
        }
        self.finish(crate::session::Command::Select, databases.len() as u64)
    }

    fn log_info(&mut self, arguments: &[Expr]) -> SqlResult<()> {
        let database = match arguments.first() {
            Some(argument) => {
                let name = self.evaluate_text(argument)?.unwrap_or_default();
                self.named_database(&name)?
            }
            None => self.session.database(),
        };
        require_dbcc(self.session, owns(self.session, &database), "LOGINFO")?;
        let wide = SqlType::Decimal {
            precision: 25,
            scale: 0,
        };
        self.client.columns(&[
            Column::new("RecoveryUnitId", SqlType::Int),
            Column::new("FileId", SqlType::Int),
            Column::new("FileSize", SqlType::BigInt),
            Column::new("StartOffset", SqlType::BigInt),
            Column::new("FSeqNo", SqlType::Int),
            Column::new("Status", SqlType::Int),
            Column::new("Parity", SqlType::TinyInt),
            Column::new("CreateLSN", wide),
        ])?;
        let vlfs = database.storage.vlfs();
        for vlf in &vlfs {
            let lsn = i128::try_from(vlf.create_lsn.to_numeric()).unwrap_or(0);
            self.client.row(&[
                Value::Int(0),
                Value::Int(i32::from(vlf.file_id)),
                Value::BigInt(vlf.size as i64),
                Value::BigInt(vlf.begin_offset as i64),
                Value::Int(vlf.sequence_number as i32),
                Value::Int(i32::from(vlf.status)),
                Value::TinyInt(vlf.parity),
                Value::Decimal(labdb_types::Decimal::new(lsn, 0)),
            ])?;
        }
        self.finish(crate::session::Command::Select, vlfs.len() as u64)
    }

    fn check_identity(&mut self, arguments: &[Expr]) -> SqlResult<()> {
        let name = match arguments.first() {
            Some(argument) => self.evaluate_text(argument)?.unwrap_or_default(),
            None => String::new(),
        };
        let table = Binder::new(self.session, self.frame)
            .table(
                &ObjectName {
                    parts: crate::functions::split_name(&name),
                },
                TableUse::Alter,
            )
            .map_err(|_| {
                SqlError::new(
                    2501,
                    format!(
                        "Cannot find a table or object with the name \"{name}\". Check the system \
                         catalog."
                    ),
                )
                .state(45)
            })?;
        let Some((_, identity)) = table.identity() else {
            return Err(SqlError::new(
                7997,
                format!("'{name}' does not contain an identity column."),
            ));
        };
        let old = identity.last();
        let shown = old.map_or("NULL".to_owned(), |n| n.to_string());
        let mode = match arguments.get(1) {
            Some(argument) => self
                .evaluate_text(argument)?
                .unwrap_or_default()
                .to_ascii_uppercase(),
            None => String::new(),
        };
        let fresh = match arguments.get(2) {
            Some(argument) => self.evaluate_int(argument)?,
            None => None,
        };
        if let (true, Some(value)) = (mode == "RESEED", fresh) {
            // An empty table starts with the value itself, another one with the value after it.
            if old.is_some() {
                identity.reset(value.saturating_add(identity.increment));
                identity
                    .used
                    .store(true, std::sync::atomic::Ordering::Relaxed);
            } else {
                identity.reset(value);
            }
            if matches!(&*table.store, crate::catalog::Store::Heap(_)) {
                let database = super::table::home(self.session, &table)?;
                super::identity_record::keep(&database, &table, identity)?;
            }
        }
        self.client.info(
            &SqlError::new(
                7998,
                format!("Checking identity information: current identity value '{shown}'."),
            )
            .severity(0)
            .at_line(self.line),
        )
    }
}
