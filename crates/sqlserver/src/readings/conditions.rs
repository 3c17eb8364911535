//! What decides a result besides the setting under test, and what others do on the server.

use super::availability;
use super::gather::{Reading, gather};
use super::{States, settings, unavailable};
use crate::connection::Connection;
use crate::error::SqlError;
use crate::names::DatabaseName;
use crate::permission::Scope;
use crate::row::Columns;
use crate::texts::{conditions as texts, files};
use records::{Conditions, OtherSession, OthersReading, Server, Unavailable};
use tiberius::Row;

/// What surrounds a measurement.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// What decides the result; what is the database's own state is not filled in, see
    /// [`Surroundings::with`].
    pub conditions: Conditions,
    /// What others had done by then.
    pub others: OthersReading,
    /// What could not be read, and why; fields begin with `conditions.` or `others.`.
    pub unavailable: Vec<Unavailable>,
}

impl Surroundings {
    /// The conditions, those among the database's states too.
    #[must_use]
    pub fn with(&self, states: &States) -> Conditions {
        Conditions {
            read_committed_snapshot: states.database.read_committed_snapshot,
            accelerated_database_recovery: states.database.accelerated_database_recovery,
            compatibility_level: states
                .compatibility_level
                .and_then(|level| u32::try_from(level).ok()),
            target_recovery_time_s: states.target_recovery_time_s,
            vlf_count: states.database.vlf_count,
            ..self.conditions.clone()
        }
    }
}

/// What others have done so far, outside a database that need not exist yet: where it is restored
/// or made meanwhile, its own files are no others'. The session is not in it.
///
/// # Errors
/// The connection is gone.
pub async fn others_than(
    connection: &mut Connection,
    server: &Server,
    database: &DatabaseName,
) -> Result<(OthersReading, Vec<Unavailable>), SqlError> {
    let texts = [
        texts::other_sessions(),
        texts::databases_other_than(database),
    ];
    let [sessions, databases] = gather(connection, texts).await?;
    let mut gaps = Gaps {
        server,
        login: connection.settings().user.clone(),
        missing: Vec::new(),
    };
    let others = others(&mut gaps, sessions, databases);
    Ok((others, gaps.missing))
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

    let mut gaps = Gaps {
        server,
        login: connection.settings().user.clone(),
        missing: Vec::new(),
    };
    let host = only(host)
        .and_then(|row| Ok((row.some_int("cpus")?, kilobytes(row.some_big("memory_kb")?))));
    let fields = ["conditions.server_cpus", "conditions.server_memory_bytes"];
    let host = gaps.some(&fields, Scope::ServerState, host);
    let memory = only(memory).and_then(|row| row.some_big("limit_mb"));
    let memory = gaps.one(
        "conditions.max_server_memory_bytes",
        Scope::Catalogue,
        memory,
    );
    let initialization = only(initialization).and_then(|row| yes_or_no(&row.some_text("enabled")?));
    let field = "conditions.instant_file_initialization";
    let initialization = gaps.one(field, Scope::ServerSecurity, initialization);
    let group = only(group).and_then(|row| row.bit("in_group"));
    let group = gaps.one("conditions.availability_group", Scope::Catalogue, group);
    let availability = if group == Some(Some(true)) {
        let replicas = availability::read(connection).await?;
        gaps.one("conditions.availability", Scope::ServerState, replicas)
    } else {
        None
    };
    let flags = all(flags, flag).map(|flags| sorted(flags.into_iter().flatten()));
    let flags = gaps.one("conditions.global_trace_flags", Scope::ServerState, flags);
    let files = gaps.one(
        "conditions.files",
        Scope::Catalogue,
        all(files, settings::file),
    );
    let conditions = Conditions {
        instant_file_initialization: initialization,
        global_trace_flags: flags,
        availability_group: group.flatten(),
        availability,
        server_cpus: host.map(|(cpus, _)| cpus),
        server_memory_bytes: host.and_then(|(_, bytes)| bytes),
        max_server_memory_bytes: memory.and_then(|mb| mb.checked_mul(1024 * 1024)),
        files,
        ..Conditions::default()
    };
    let others = others(&mut gaps, sessions, databases);
    Ok(Surroundings {
        conditions,
        others,
        unavailable: gaps.missing,
    })
}

fn others(gaps: &mut Gaps, sessions: Reading, databases: Reading) -> OthersReading {
    let fields = ["others.session_count", "others.sessions"];
    let sessions = gaps.some(&fields, Scope::ServerState, all(sessions, session));
    let bytes = only(databases).and_then(|row| row.some_big("bytes"));
    OthersReading {
        session_count: sessions
            .as_ref()
            .and_then(|sessions| i64::try_from(sessions.len()).ok()),
        sessions: sessions.map(|sessions| {
            let busy = |session: &OtherSession| session.cpu_ms > 0;
            sessions.into_iter().filter(busy).collect()
        }),
        other_databases_bytes: gaps.one("others.other_databases_bytes", Scope::ServerState, bytes),
    }
}

/// What could not be read so far.
struct Gaps<'a> {
    server: &'a Server,
    login: String,
    missing: Vec<Unavailable>,
}

impl Gaps<'_> {
    /// The reading; where there is none, each field that lacks it is noted with the reason.
    fn some<T>(
        &mut self,
        fields: &[&str],
        scope: Scope,
        reading: Result<T, SqlError>,
    ) -> Option<T> {
        match reading {
            Ok(value) => Some(value),
            Err(error) => {
                let gap =
                    |field: &&str| unavailable(field, scope, &error, self.server, &self.login);
                self.missing.extend(fields.iter().map(gap));
                None
            }
        }
    }

    fn one<T>(&mut self, field: &str, scope: Scope, reading: Result<T, SqlError>) -> Option<T> {
        self.some(&[field], scope, reading)
    }
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
