//! What decides a result besides the setting under test, and what others do on the server.

use super::gather::{Reading, gather};
use super::{settings, unavailable};
use crate::connection::Connection;
use crate::error::SqlError;
use crate::permission::Scope;
use crate::row::Columns;
use crate::texts::{conditions as texts, files};
use records::{Conditions, OtherSession, OthersReading, Server, Unavailable};
use tiberius::Row;

/// What surrounds a measurement.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// What decides the result; what is the database's own state is not filled in, see
    /// [`super::States`].
    pub conditions: Conditions,
    /// What others had done by then.
    pub others: OthersReading,
    /// What could not be read, and why; fields begin with `conditions.` or `others.`.
    pub unavailable: Vec<Unavailable>,
}

/// Reads them. Nothing here is worth a failed measurement: what cannot be read, whether the login
/// may not, the version has it not, or the answer is not what was expected, is none with its
/// reason.
///
/// # Errors
/// The connection is gone.
pub async fn surroundings(
    connection: &mut Connection,
    server: &Server,
) -> Result<Surroundings, SqlError> {
    let [
        host,
        memory,
        initialization,
        group,
        files,
        sessions,
        databases,
    ] = gather(
        connection,
        [
            texts::host(),
            texts::memory_limit(),
            texts::instant_file_initialization(),
            texts::availability_group(),
            files::list(),
            texts::other_sessions(),
            texts::other_databases(),
        ],
    )
    .await?;
    // By itself: where no flag is on, SQL Server may send no result set.
    let flags = match connection.batch(&texts::trace_flags().sql).await {
        Ok(results) => Ok(results.into_iter().flatten().collect()),
        Err(error) if error.ends_connection() => return Err(error),
        Err(error) => Err(error),
    };

    let login = connection.settings().user.as_str();
    let mut missing = Vec::new();
    let mut gap = |fields: &[&str], scope, error: &SqlError| {
        missing.extend(
            fields
                .iter()
                .map(|field| unavailable(field, scope, error, server, login)),
        );
    };
    let fields = ["conditions.server_cpus", "conditions.server_memory_bytes"];
    let host = only(host)
        .and_then(|row| Ok((row.some_int("cpus")?, kilobytes(row.some_big("memory_kb")?))))
        .map_err(|error| gap(&fields, Scope::ServerState, &error))
        .ok();
    let memory = only(memory)
        .and_then(|row| row.some_big("limit_mb"))
        .map_err(|error| {
            gap(
                &["conditions.max_server_memory_bytes"],
                Scope::Catalogue,
                &error,
            )
        })
        .ok();
    let initialization = only(initialization)
        .and_then(|row| yes_or_no(&row.some_text("enabled")?))
        .map_err(|error| {
            let field = "conditions.instant_file_initialization";
            gap(&[field], Scope::ServerSecurity, &error);
        })
        .ok();
    let group = only(group)
        .and_then(|row| row.bit("in_group"))
        .map_err(|error| gap(&["conditions.availability_group"], Scope::Catalogue, &error))
        .unwrap_or_default();
    let flags = all(flags, flag)
        .map(|flags| sorted(flags.into_iter().flatten()))
        .map_err(|error| {
            gap(
                &["conditions.global_trace_flags"],
                Scope::ServerState,
                &error,
            )
        })
        .ok();
    let files = all(files, settings::file)
        .map_err(|error| gap(&["conditions.files"], Scope::Catalogue, &error))
        .ok();
    let sessions = all(sessions, session)
        .map_err(|error| {
            let fields = ["others.session_count", "others.sessions"];
            gap(&fields, Scope::ServerState, &error);
        })
        .ok();
    let bytes = only(databases)
        .and_then(|row| row.some_big("bytes"))
        .map_err(|error| {
            gap(
                &["others.other_databases_bytes"],
                Scope::ServerState,
                &error,
            )
        })
        .ok();
    Ok(Surroundings {
        conditions: Conditions {
            instant_file_initialization: initialization,
            global_trace_flags: flags,
            availability_group: group,
            server_cpus: host.map(|(cpus, _)| cpus),
            server_memory_bytes: host.and_then(|(_, bytes)| bytes),
            max_server_memory_bytes: memory.and_then(|mb| mb.checked_mul(1024 * 1024)),
            files,
            ..Conditions::default()
        },
        others: OthersReading {
            session_count: sessions
                .as_ref()
                .and_then(|sessions| i64::try_from(sessions.len()).ok()),
            sessions: sessions.map(|sessions| {
                let busy = |session: &OtherSession| session.cpu_ms > 0;
                sessions.into_iter().filter(busy).collect()
            }),
            other_databases_bytes: bytes,
        },
        unavailable: missing,
    })
}

/// The first row, which must be there.
fn only(reading: Reading) -> Result<Row, SqlError> {
    let row = reading?.into_iter().next();
    row.ok_or_else(|| SqlError::Unreadable("no row came".to_owned()))
}

fn all<T>(
    reading: Reading,
    read: impl Fn(&Row) -> Result<T, SqlError>,
) -> Result<Vec<T>, SqlError> {
    reading?.iter().map(read).collect()
}

fn kilobytes(count: i64) -> Option<i64> {
    count.checked_mul(1024)
}

fn yes_or_no(text: &str) -> Result<bool, SqlError> {
    match text {
        "Y" => Ok(true),
        "N" => Ok(false),
        other => Err(SqlError::Unreadable(format!(
            "instant file initialization is said to be `{other}`"
        ))),
    }
}

/// A flag that is on for all sessions; the columns of DBCC are those of the server.
fn flag(row: &Row) -> Result<Option<i32>, SqlError> {
    let global = row.some_int("Global")? != 0 && row.some_int("Status")? != 0;
    Ok(global.then_some(row.some_int("TraceFlag")?))
}

fn sorted(flags: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut flags: Vec<i32> = flags.collect();
    flags.sort_unstable();
    flags.dedup();
    flags
}

fn session(row: &Row) -> Result<OtherSession, SqlError> {
    Ok(OtherSession {
        session_id: row.some_int("session_id")?,
        login_time: row.some_text("login_time")?,
        cpu_ms: row.some_big("cpu_ms")?,
    })
}
