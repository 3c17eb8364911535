//! ALTER DATABASE … SET.

use super::Executor;
use super::failure::storage_error;
use crate::instance::{Database, DelayedDurability, UserAccess};
use labdb_storage::RecoveryModel;
use labdb_tsql::ast::{DatabaseOption, Termination};
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;

impl Executor<'_> {
    pub(super) fn set_database_option(
        &mut self,
        database: &Arc<Database>,
        option: &DatabaseOption,
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        let word = option.words.first().map_or("", String::as_str);
        let bad = || SqlError::new(102, format!("Incorrect syntax near '{word}'.")).severity(15);
        match option.name.as_str() {
            "RECOVERY" => {
                let model = match word {
                    "FULL" => RecoveryModel::Full,
                    "SIMPLE" => RecoveryModel::Simple,
                    "BULK_LOGGED" => RecoveryModel::BulkLogged,
                    _ => return Err(bad()),
                };
                if database.id == 2 {
                    return Err(SqlError::new(
                        5058,
                        "Option 'RECOVERY' cannot be set in database 'tempdb'.",
                    ));
                }
                database
                    .storage
                    .set_recovery_model(model)
                    .map_err(|e| storage_error(&e, &database.name()))?;
                self.session.instance.log_error(
                    self.session.id(),
                    &format!(
                        "Setting database option RECOVERY to {word} for database '{}'.",
                        database.name()
                    ),
                );
            }
            "DELAYED_DURABILITY" => {
                let value = match word {
                    "DISABLED" => DelayedDurability::Disabled,
                    "ALLOWED" => DelayedDurability::Allowed,
                    "FORCED" => DelayedDurability::Forced,
                    _ => return Err(bad()),
                };
                database.set_delayed_durability(value)?;
                // What was committed lazily before is not left behind by the change.
                database
                    .storage
                    .flush_log(&*self.session.shared)
                    .map_err(|e| storage_error(&e, &database.name()))?;
                self.session.instance.log_error(
                    self.session.id(),
                    &format!(
                        "Setting database option delayed_durability to {word} for database '{}'.",
                        database.name()
                    ),
                );
            }
            "SINGLE_USER" | "RESTRICTED_USER" | "MULTI_USER" => {
                if database.is_system() {
                    return Err(SqlError::new(
                        5058,
                        format!(
                            "Option '{}' cannot be set in database '{}'.",
                            option.name,
                            database.name()
                        ),
                    ));
                }
                if database.user_access() == UserAccess::Single {
                    database.check_access(self.session).map_err(|_| {
                        SqlError::new(
                            5064,
                            format!(
                                "Changes to the state or options of database '{}' cannot be made \
                                 at this time. The database is in single-user mode, and a user is \
                                 currently connected to it.",
                                database.name()
                            ),
                        )
                    })?;
                }
                let access = match option.name.as_str() {
                    "SINGLE_USER" => UserAccess::Single,
                    "RESTRICTED_USER" => UserAccess::Restricted,
                    _ => UserAccess::Multi,
                };
                // Nobody comes in any more while those who are in it leave.
                let before = database.user_access();
                database.set_user_access(access, self.session)?;
                if access != UserAccess::Multi
                    && let Err(error) = self.clear_sessions(database, termination)
                {
                    database.set_user_access(before, self.session)?;
                    return Err(error);
                }
                self.session.instance.log_error(
                    self.session.id(),
                    &format!(
                        "Setting database option {} to ON for database '{}'.",
                        option.name,
                        database.name()
                    ),
                );
            }
            "READ_ONLY" | "READ_WRITE" => {
                if database.is_system() {
                    return Err(SqlError::new(
                        5058,
                        format!(
                            "Option '{}' cannot be set in database '{}'.",
                            option.name,
                            database.name()
                        ),
                    ));
                }
                self.clear_sessions(database, termination)?;
                database
                    .storage
                    .checkpoint()
                    .map_err(|e| storage_error(&e, &database.name()))?;
                database.set_read_only(option.name == "READ_ONLY")?;
            }
            "ONLINE" => {}
            "TARGET_RECOVERY_TIME" => {
                let n: i32 = word.parse().map_err(|_| bad())?;
                let seconds = if option.words.iter().any(|w| w == "MINUTES") {
                    n.saturating_mul(60)
                } else {
                    n
                };
                database.change_settings(|s| s.target_recovery_time = seconds)?;
            }
            "COMPATIBILITY_LEVEL" => {
                let level: u8 = word.parse().map_err(|_| bad())?;
                if ![100, 110, 120, 130, 140, 150, 160].contains(&level) {
                    return Err(SqlError::new(
                        15048,
                        "Valid values of the database compatibility level are 100, 110, 120, 130, \
                         140, 150, or 160.",
                    ));
                }
                database.change_settings(|s| s.compatibility_level = level)?;
            }
            "PAGE_VERIFY" => {
                if word != "CHECKSUM" {
                    return Err(SqlError::new(
                        40510,
                        format!(
                            "PAGE_VERIFY {word} is outside labdb's subset: its pages always carry \
                             a checksum."
                        ),
                    ));
                }
            }
            "AUTO_CLOSE"
            | "AUTO_SHRINK"
            | "AUTO_CREATE_STATISTICS"
            | "AUTO_UPDATE_STATISTICS"
            | "AUTO_UPDATE_STATISTICS_ASYNC"
            | "QUERY_STORE"
            | "TRUSTWORTHY"
            | "DB_CHAINING"
            | "ANSI_NULL_DEFAULT"
            | "ANSI_NULLS"
            | "ANSI_PADDING"
            | "ANSI_WARNINGS"
            | "ARITHABORT"
            | "CONCAT_NULL_YIELDS_NULL"
            | "NUMERIC_ROUNDABORT"
            | "QUOTED_IDENTIFIER"
            | "RECURSIVE_TRIGGERS"
            | "CURSOR_CLOSE_ON_COMMIT"
            | "DATE_CORRELATION_OPTIMIZATION" => {
                let name = option.name.clone();
                let on = word == "ON";
                if name == "AUTO_CLOSE" && on {
                    return Err(SqlError::new(
                        40510,
                        "AUTO_CLOSE ON is outside labdb's subset: its databases stay open.",
                    ));
                }
                database.change_settings(|s| {
                    s.switches.retain(|n| *n != name);
                    if on {
                        s.switches.push(name);
                    }
                })?;
            }
            "READ_COMMITTED_SNAPSHOT"
            | "ALLOW_SNAPSHOT_ISOLATION"
            | "ACCELERATED_DATABASE_RECOVERY"
            | "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT"
            | "CHANGE_TRACKING"
            | "ENCRYPTION"
                if word == "OFF" => {}
            other => {
                return Err(SqlError::new(
                    40510,
                    format!(
                        "ALTER DATABASE … SET {other} {} is outside labdb's subset.",
                        option.words.join(" ")
                    ),
                ));
            }
        }
        Ok(())
    }
}
