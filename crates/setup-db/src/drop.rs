//! Away with the database, and with its rows in the backup history.

use crate::args::Args;
use crate::create::read_mark;
use crate::workshop::Workshop;
use records::{Failure, FailureCode};
use sqlserver::texts::{Text, backup, database as texts};
use sqlserver::{Columns, SqlError, mark};
use std::time::Duration;

/// Errors that say that another session is in the database: in use (3702), single user (924, 5064,
/// 5070), no lock (5061), deadlock with a session that was thrown out (1205).
const IN_THE_WAY: [u32; 6] = [3702, 924, 5064, 5070, 5061, 1205];

/// How often the drop is tried.
const DROP_ATTEMPTS: u32 = 5;

/// The pause before it is tried again.
const DROP_PAUSE: Duration = Duration::from_millis(200);

/// Drops the database where it is there and ours. Gives remarks for the user.
pub(crate) async fn drop_database(
    workshop: &mut Workshop,
    args: &Args,
) -> Result<Vec<String>, Failure> {
    let Some(state) = workshop.state().await? else {
        return Ok(vec![format!(
            "there is no database `{}`: nothing to drop",
            workshop.database
        )]);
    };
    allow(workshop, args, &state).await?;
    // SINGLE_USER is not to be had in the middle of a restore, and nobody can be in it.
    let exclusively =
        state == "ONLINE" && !workshop.is_azure_sql_database() && !workshop.is_managed_instance();
    let doing = format!("dropping the database `{}`", workshop.database);
    let dropped = if exclusively {
        let text = texts::drop_exclusively(&workshop.database);
        run_until_nobody_is_in_the_way(workshop, &text, &doing).await
    } else {
        end_our_sessions(workshop).await?;
        let text = texts::drop_plainly(&workshop.database);
        run_until_nobody_is_in_the_way(workshop, &text, &doing).await
    };
    if let Err(failure) = dropped {
        if exclusively && workshop.master.is_open() {
            // The drop may have failed after everybody was locked out; best effort.
            let text = texts::set_multi_user(&workshop.database);
            let _ = workshop.master.run(&text.sql).await;
        }
        return Err(failure);
    }
    let name = workshop.database.clone();
    workshop.note("database", Some(&name), None);
    if workshop.is_azure_sql_database() {
        return Ok(Vec::new());
    }
    Ok(delete_history(workshop).await.err().into_iter().collect())
}

/// Sends a text again where a session that is just ending, or one that took the only seat, was in
/// the way.
async fn run_until_nobody_is_in_the_way(
    workshop: &mut Workshop,
    text: &Text,
    doing: &str,
) -> Result<(), Failure> {
    let mut attempt = 1;
    loop {
        match workshop.run(text, doing).await {
            Err(failure)
                if attempt < DROP_ATTEMPTS
                    && failure
                        .sql_error
                        .is_some_and(|number| IN_THE_WAY.contains(&number)) =>
            {
                attempt += 1;
                tokio::time::sleep(DROP_PAUSE).await;
            }
            result => return result,
        }
    }
}

async fn allow(workshop: &mut Workshop, args: &Args, state: &str) -> Result<(), Failure> {
    if state != "ONLINE" {
        // Its mark cannot be read: only its name, repeated, allows it.
        return mark::allow_unmarked(&workshop.database, args.adopt.as_deref()).map_err(
            |failure| Failure {
                message: format!(
                    "the database `{}` is {state}, so whether it carries writelog's mark cannot be \
                     read",
                    workshop.database
                ),
                ..failure
            },
        );
    }
    let mut inside = workshop.enter().await?;
    let found = read_mark(&mut inside, workshop).await?;
    inside.close().await;
    match found {
        Some(_) => Ok(()),
        None => mark::allow_unmarked(&workshop.database, args.adopt.as_deref()),
    }
}

/// Where `SINGLE_USER` cannot be had, sessions of these programs are ended one by one.
async fn end_our_sessions(workshop: &mut Workshop) -> Result<(), Failure> {
    let doing = format!("ending writelog's own sessions in `{}`", workshop.database);
    let failed = |error: SqlError| error.failure(&doing);
    let text = texts::our_sessions(&workshop.database);
    let results = workshop.master.batch(&text.sql).await.map_err(failed)?;
    for row in results.iter().flatten() {
        let session = row.some_int("session_id").map_err(failed)?;
        match workshop.master.run(&texts::kill(session).sql).await {
            // 6106: the session ended by itself.
            Err(error) if error.number() != Some(6106) => return Err(failed(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Deletes the backup history; the error is a remark, because the database is gone already.
async fn delete_history(workshop: &mut Workshop) -> Result<(), String> {
    let remark = |error: &SqlError| {
        format!(
            "the rows of `{}` in msdb's backup history were not removed: {error}\n  A sysadmin can: \
             {}",
            workshop.database,
            backup::delete_history(&workshop.database).sql
        )
    };
    let count = backup::count_history(&workshop.database);
    let row = workshop
        .master
        .row(&count.sql)
        .await
        .map_err(|error| remark(&error))?;
    let rows = match row {
        Some(row) => row.some_big("backups").map_err(|error| remark(&error))?,
        None => 0,
    };
    if rows == 0 {
        return Ok(());
    }
    let delete = backup::delete_history(&workshop.database);
    workshop
        .master
        .run(&delete.sql)
        .await
        .map_err(|error| remark(&error))?;
    workshop.note("backup_history_rows", Some(&rows), Some(&0));
    Ok(())
}

/// A database that cannot be dropped because it is one of the server's own.
pub(crate) fn refuse_without_name(named: bool) -> Result<(), Failure> {
    if named {
        return Ok(());
    }
    Err(Failure::new(
        FailureCode::Usage,
        "--drop drops no database that was not named",
    )
    .remedy("Name it with -d or SQLCMDDBNAME."))
}
