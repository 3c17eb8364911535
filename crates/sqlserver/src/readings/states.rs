//! The database's states: recovery model, reuse wait, armed or not, log space, virtual log files.

use super::gather::{Reading, gather, one};
use super::{no_row, unavailable};
use crate::connection::Connection;
use crate::error::SqlError;
use crate::permission::Scope;
use crate::row::Columns;
use crate::texts::readings as texts;
use records::{DatabaseState, Server, Unavailable};
use tiberius::Row;

/// "Invalid object name": the view is not on this version.
const INVALID_OBJECT: u32 = 208;

/// `Status` of an active virtual log file in DBCC LOGINFO.
const ACTIVE_VLF: i32 = 2;

/// The states of the current database.
#[derive(Clone, Debug)]
pub struct States {
    /// The states.
    pub database: DatabaseState,
    /// The compatibility level.
    pub compatibility_level: Option<i32>,
    /// `target_recovery_time_in_seconds`.
    pub target_recovery_time_s: Option<i64>,
    /// What could not be read, and why; fields begin with `database.`.
    pub unavailable: Vec<Unavailable>,
}

/// Reads the states.
///
/// # Errors
/// The connection is gone, the database's own row cannot be read, or an answer is not what it
/// should be. What the login may not read is none, with its reason.
pub async fn states(connection: &mut Connection, server: &Server) -> Result<States, SqlError> {
    let [database, recovery, space, vlfs] = gather(
        connection,
        [
            texts::database(server),
            texts::recovery_status(),
            texts::log_space(),
            texts::log_info(),
        ],
    )
    .await?;
    let vlfs = match vlfs {
        Err(error) if error.number() == Some(INVALID_OBJECT) => {
            virtual_log_files_before_2016_sp2(connection).await?
        }
        Err(error) => Err(error),
        Ok(rows) => match rows.first() {
            Some(row) => Ok(Vlfs {
                all: row.some_big("vlf_count")?,
                active: row.big("active_vlf_count")?,
            }),
            None => Err(SqlError::Unreadable("no row came".to_owned())),
        },
    };

    let login = connection.settings().user.as_str();
    let mut missing = Vec::new();
    let row = one(database, "the database in sys.databases")?;
    let mut row_of = |fields: &[&str], scope, reading: Reading| {
        let (row, gap) = match reading {
            Ok(rows) => (rows.into_iter().next(), None),
            Err(error) => (None, Some(error)),
        };
        if row.is_none() {
            missing.extend(fields.iter().map(|field| {
                let field = format!("database.{field}");
                match &gap {
                    Some(error) => unavailable(&field, scope, error, server, login),
                    None => no_row(&field, server, login),
                }
            }));
        }
        row
    };
    let recovery = row_of(
        &[
            "armed",
            "last_log_backup_lsn",
            "database_guid",
            "recovery_fork_guid",
        ],
        Scope::DatabaseState,
        recovery,
    );
    let space = row_of(
        &["log_size_bytes", "log_used_bytes", "log_since_backup_bytes"],
        Scope::ServerState,
        space,
    );
    let vlfs = vlfs
        .map_err(|error| {
            missing.extend(["vlf_count", "active_vlf_count"].map(|field| {
                let field = format!("database.{field}");
                unavailable(&field, Scope::DatabaseState, &error, server, login)
            }));
        })
        .ok();

    let lsn = text(recovery.as_ref(), "last_log_backup_lsn")?;
    Ok(States {
        compatibility_level: row.int("compatibility_level")?,
        target_recovery_time_s: row.big("target_recovery_time_s")?,
        database: DatabaseState {
            database_id: row.some_int("database_id")?,
            create_date: row.text("create_date")?,
            recovery_model: row.some_text("recovery_model")?,
            armed: recovery.as_ref().map(|_| lsn.is_some()),
            last_log_backup_lsn: lsn,
            database_guid: text(recovery.as_ref(), "database_guid")?,
            recovery_fork_guid: text(recovery.as_ref(), "recovery_fork_guid")?,
            log_reuse_wait: row.some_text("log_reuse_wait")?,
            delayed_durability: row.text("delayed_durability")?,
            read_committed_snapshot: row.bit("read_committed_snapshot")?,
            accelerated_database_recovery: row.bit("accelerated_database_recovery")?,
            log_size_bytes: big(space.as_ref(), "log_size_bytes")?,
            log_used_bytes: big(space.as_ref(), "log_used_bytes")?,
            log_since_backup_bytes: big(space.as_ref(), "log_since_backup_bytes")?,
            vlf_count: vlfs.as_ref().map(|vlfs| vlfs.all),
            active_vlf_count: vlfs.and_then(|vlfs| vlfs.active),
        },
        unavailable: missing,
    })
}

struct Vlfs {
    all: i64,
    active: Option<i64>,
}

/// Counts the rows of DBCC LOGINFO: their columns differ by version, `Status` is in all.
async fn virtual_log_files_before_2016_sp2(
    connection: &mut Connection,
) -> Result<Result<Vlfs, SqlError>, SqlError> {
    let results = match connection
        .batch(&texts::log_info_before_2016_sp2().sql)
        .await
    {
        Ok(results) => results,
        Err(error) if error.ends_connection() => return Err(error),
        Err(error) => return Ok(Err(error)),
    };
    let mut vlfs = Vlfs {
        all: 0,
        active: Some(0),
    };
    for row in results.iter().flatten() {
        vlfs.all += 1;
        if row.some_int("Status")? == ACTIVE_VLF {
            vlfs.active = vlfs.active.map(|active| active + 1);
        }
    }
    Ok(Ok(vlfs))
}

fn text(row: Option<&Row>, column: &str) -> Result<Option<String>, SqlError> {
    row.map_or(Ok(None), |row| row.text(column))
}

fn big(row: Option<&Row>, column: &str) -> Result<Option<i64>, SqlError> {
    row.map_or(Ok(None), |row| row.big(column))
}
