//! The stage: the steps in their order.

use crate::apply::Texts;
use crate::args::{Args, DEFAULT_DATABASE, TableShape};
use crate::files::Wanted;
use crate::workshop::Workshop;
use crate::{create, drop, durability, files, loops, options, source, table};
use records::stage::{Interrupts, Stage, StageResult, defer_interrupts};
use records::{
    Change, DatabaseDurability, DatabaseSettings, ExitStatus, Failure, FailureCode, Record, Setup,
};
use sqlserver::{Connection, DatabaseName, Environment, NameError, Settings};
use sqlserver::{block_on, mark, probe, readings, texts};
use std::io::Write;
use std::sync::Arc;

/// What the steps left.
struct Done {
    changes: Vec<Change>,
    settings: Option<DatabaseSettings>,
    delayed_durability_databases: Option<Vec<DatabaseDurability>>,
    remarks: Vec<String>,
}

/// Brings the database to the declared state and writes the record.
///
/// # Errors
/// The server cannot be reached, the database is not ours, or a step failed; what was changed
/// before is said on standard error.
pub fn run(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let interrupts = defer_interrupts()?;
    stage.trial = args.trial.trial();
    let mut settings = Settings::resolve(
        stage.program(),
        &args.connection,
        None,
        &Environment::of_process(),
    )?;
    if args.drop {
        drop::refuse_without_name(settings.database.is_some())?;
    }
    settings
        .database
        .get_or_insert_with(|| DEFAULT_DATABASE.to_owned());
    stage.target = Some(settings.target()?);
    let database: DatabaseName = settings.database()?.parse().map_err(|error: NameError| {
        Failure::new(FailureCode::Usage, error.to_string()).remedy("Name the database with -d.")
    })?;
    mark::refuse_system(&database)?;
    let user_texts = Texts::read(args)?;
    for warning in &settings.warnings {
        remark(stage, warning);
    }

    let done = block_on(work(
        stage,
        args,
        &user_texts,
        &Arc::new(settings),
        database,
        &interrupts,
    ))?;
    for text in &done.remarks {
        remark(stage, text);
    }
    let has_table = !args.drop && !args.no_table;
    let source_table = args
        .source_rows
        .map(|_| source::name_beside(&args.table))
        .transpose()?;
    stage.emit(&Record::Setup(Box::new(Setup {
        header: stage.header(),
        changes: done.changes,
        settings: done.settings,
        table: has_table.then(|| args.table.to_string()),
        delayed_durability_databases: done.delayed_durability_databases,
        source_table: source_table.map(|table| table.to_string()),
    })))?;
    Ok(interrupts.status_or(ExitStatus::Success))
}

async fn work(
    stage: &mut Stage,
    args: &Args,
    user_texts: &Texts,
    settings: &Arc<Settings>,
    database: DatabaseName,
    interrupts: &Interrupts,
) -> Result<Done, Failure> {
    let mut master = Connection::open_in(settings, Some("master")).await?;
    let server = probe::server(&mut master)
        .await
        .map_err(|error| error.failure("reading the server's version"))?;
    stage.server = Some(server.clone());
    let mut workshop = Workshop::new(master, server, database, settings);
    match declare(&mut workshop, args, user_texts, interrupts).await {
        Ok(done) => {
            workshop.master.close().await;
            Ok(Done {
                changes: workshop.changes,
                ..done
            })
        }
        Err(failure) => {
            if !workshop.changes.is_empty() {
                remark(
                    stage,
                    &format!("changed before it failed: {}", list(&workshop.changes)),
                );
            }
            Err(failure)
        }
    }
}

/// All but the changes, which the workshop has.
async fn declare(
    workshop: &mut Workshop,
    args: &Args,
    user_texts: &Texts,
    interrupts: &Interrupts,
) -> Result<Done, Failure> {
    let mut done = Done {
        changes: Vec::new(),
        settings: None,
        delayed_durability_databases: None,
        remarks: Vec::new(),
    };
    if args.drop {
        done.remarks = drop::drop_database(workshop, args).await?;
        return Ok(done);
    }
    done.settings = Some(declared_state(workshop, args, user_texts, interrupts).await?);
    if args.list_delayed_durability {
        let databases = durability::not_disabled(workshop).await?;
        done.remarks.push(durability::in_words(&databases));
        done.delayed_durability_databases = Some(databases);
    }
    Ok(done)
}

async fn declared_state(
    workshop: &mut Workshop,
    args: &Args,
    user_texts: &Texts,
    interrupts: &Interrupts,
) -> Result<DatabaseSettings, Failure> {
    let mut inside = create::ensure(workshop, args).await?;
    files::ensure(workshop, &mut inside, Wanted::of(args)).await?;
    options::ensure(workshop, &mut inside, args).await?;
    if !args.no_table {
        let shape = table::Shape {
            kind: if args.source_rows.is_some() {
                TableShape::Copy
            } else {
                args.table_shape
            },
            line_length: args.line_length,
        };
        table::ensure(workshop, &mut inside, &args.table, shape).await?;
    }
    if args.loops {
        loops::ensure(workshop, &mut inside, &args.table).await?;
    }
    if args.empty_table {
        table::empty(workshop, &mut inside, &args.table).await?;
    }
    if let Some(rows) = args.source_rows {
        source::ensure(workshop, &mut inside, &args.table, rows, interrupts).await?;
    }
    if user_texts.run(workshop, &mut inside).await? {
        // They may have set the recovery model.
        options::arm(workshop, &mut inside).await?;
    }
    for table in &args.empty {
        table::empty(workshop, &mut inside, table).await?;
    }
    if args.checkpoint {
        inside
            .run(&texts::database::checkpoint().sql)
            .await
            .map_err(|error| {
                error.failure(&format!("the checkpoint in `{}`", workshop.database))
            })?;
    }
    if args.backup_log {
        options::backup_log(workshop, &mut inside).await?;
    }
    let settings = readings::settings(&mut inside, &workshop.server)
        .await
        .map_err(|error| {
            error.failure(&format!(
                "reading back the settings of `{}`",
                workshop.database
            ))
        })?;
    inside.close().await;
    Ok(settings)
}

/// Changes in a line, for people.
fn list(changes: &[Change]) -> String {
    let shown: Vec<String> = changes
        .iter()
        .map(|change| {
            format!(
                "{} {} -> {}",
                change.what,
                change.from.as_deref().unwrap_or("(none)"),
                change.to.as_deref().unwrap_or("(gone)")
            )
        })
        .collect();
    shown.join(", ")
}

fn remark(stage: &Stage, text: &str) {
    // Nothing can be done where standard error is closed.
    let _ = writeln!(std::io::stderr(), "{}: {text}", stage.program());
}
