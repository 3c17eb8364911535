//! The database and its mark.

use crate::args::{Args, DEFAULT_DATA_SIZE, DEFAULT_LOG_SIZE};
use crate::durability::Durability;
use crate::files::{self, Wanted};
use crate::workshop::Workshop;
use records::{Failure, FailureCode};
use sqlserver::texts::database::{self as texts, FilePaths};
use sqlserver::{Connection, mark};

/// Makes sure that the database is there and that it may be changed, and enters it.
pub(crate) async fn ensure(workshop: &mut Workshop, args: &Args) -> Result<Connection, Failure> {
    let state = workshop.state().await?;
    let Some(state) = state else {
        if args.delayed_durability == Some(Durability::Before) {
            return Err(nothing_to_put_back(workshop));
        }
        return create(workshop, args).await;
    };
    if state != "ONLINE" {
        return Err(Failure::new(
            FailureCode::Failed,
            format!("the database `{}` is {state}", workshop.database),
        )
        .remedy("Bring it online, or name another one with -d."));
    }
    let mut inside = workshop.enter().await?;
    let found = read_mark(&mut inside, workshop).await?;
    if found.is_none() {
        mark::allow_unmarked(&workshop.database, args.adopt.as_deref())?;
        set_mark(&mut inside, workshop).await?;
    }
    refuse_other_paths(&mut inside, workshop, args).await?;
    Ok(inside)
}

fn nothing_to_put_back(workshop: &Workshop) -> Failure {
    Failure::new(
        FailureCode::Failed,
        format!(
            "there is no database `{}`, so nothing of it can be as before",
            workshop.database
        ),
    )
    .remedy("Name the database whose setting was changed with -d.")
}

/// The mark of the database that `inside` is in.
pub(crate) async fn read_mark(
    inside: &mut Connection,
    workshop: &Workshop,
) -> Result<Option<String>, Failure> {
    mark::read(inside).await.map_err(|error| {
        error.failure(&format!(
            "looking for writelog's mark in `{}`",
            workshop.database
        ))
    })
}

async fn set_mark(inside: &mut Connection, workshop: &mut Workshop) -> Result<(), Failure> {
    let value = format!("writelog {}", env!("CARGO_PKG_VERSION"));
    mark::set(inside, &value)
        .await
        .map_err(|error| error.failure(&format!("marking the database `{}`", workshop.database)))?;
    workshop.note("mark", None, Some(&value));
    Ok(())
}

/// Creates the database with its mark and its files, or leaves nothing behind.
async fn create(workshop: &mut Workshop, args: &Args) -> Result<Connection, Failure> {
    if workshop.is_azure_sql_database() {
        return Err(Failure::new(
            FailureCode::Failed,
            format!(
                "there is no database `{}`, and in Azure SQL Database it is not created from here, \
                 because that decides what it costs",
                workshop.database
            ),
        )
        .remedy(
            "Create it in the portal or with az sql db create, then name it with -d and --adopt.",
        ));
    }
    let paths = match (&args.data_file, &args.log_file) {
        (Some(data), Some(log)) => Some(FilePaths { data, log }),
        _ => None,
    };
    let doing = format!("creating the database `{}`", workshop.database);
    let text = texts::create(&workshop.database, paths);
    workshop.run(&text, &doing).await?;
    let name = workshop.database.clone();
    workshop.note("database", None, Some(&name));

    match mark_and_size(workshop, args).await {
        Ok(inside) => Ok(inside),
        Err(failure) => {
            // What this run created and could not finish is nobody's: it goes again.
            let drop = if workshop.is_managed_instance() {
                texts::drop_plainly(&workshop.database)
            } else {
                texts::drop_exclusively(&workshop.database)
            };
            if let Err(error) = workshop.master.run(&drop.sql).await {
                return Err(Failure {
                    message: format!(
                        "{} (and the database `{name}`, created just before, could not be dropped \
                         again: {error})",
                        failure.message
                    ),
                    ..failure
                });
            }
            workshop.note("database", Some(&name), None);
            Err(failure)
        }
    }
}

async fn mark_and_size(workshop: &mut Workshop, args: &Args) -> Result<Connection, Failure> {
    let mut inside = workshop.enter().await?;
    set_mark(&mut inside, workshop).await?;
    let wanted = Wanted {
        data_size: args.data_size.or(Some(DEFAULT_DATA_SIZE)),
        log_size: args.log_size.or(Some(DEFAULT_LOG_SIZE)),
        ..Wanted::of(args)
    };
    files::ensure(workshop, &mut inside, wanted).await?;
    Ok(inside)
}

/// A file cannot be moved from here: a path that was asked for must be the one that is.
async fn refuse_other_paths(
    inside: &mut Connection,
    workshop: &Workshop,
    args: &Args,
) -> Result<(), Failure> {
    let wanted = [&args.data_file, &args.log_file];
    if wanted.iter().all(|path| path.is_none()) {
        return Ok(());
    }
    let files = files::read(inside, workshop).await?;
    for path in wanted.into_iter().flatten() {
        if !files.iter().any(|file| file.physical_name == *path) {
            return Err(Failure::new(
                FailureCode::Failed,
                format!(
                    "the database `{}` is there already, and no file of it is {path}",
                    workshop.database
                ),
            )
            .remedy("Drop it first (--drop), name another database, or leave the paths out."));
        }
    }
    Ok(())
}
