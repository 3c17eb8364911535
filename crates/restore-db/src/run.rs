//! The stage: the backup, the restore, the records.

use crate::args::Args;
use crate::record::{Restored, round};
use crate::restore::{Order, restore};
use crate::server::Workplace;
use crate::{backup, media, space, target};
use records::stage::{Interrupts, Stage, StageResult, defer_interrupts, say};
use records::{
    Change, Conditions, DatabaseState, ExitStatus, Failure, FailureCode, OtherActivity,
    OthersReading, Reason, Record, Round, Setup, Unavailable, Validity, milliseconds,
};
use sqlserver::texts::conditions as texts;
use sqlserver::{Columns, DatabaseName, Environment, NameError, Settings};
use sqlserver::{block_on, mark, readings};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// Backs up and restores as the flags say, and writes the records.
///
/// # Errors
/// The server cannot be reached, a database is not ours, a disk has no room, or a statement failed.
pub fn run(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let interrupts = defer_interrupts()?;
    stage.trial = args.trial.trial();
    let settings = Settings::resolve(
        stage.program(),
        &args.connection,
        None,
        &Environment::of_process(),
    )?;
    for warning in &settings.warnings {
        // Nothing can be done where standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}: {warning}", stage.program());
    }
    let source = match &args.backup {
        Some(_) => Some(named(settings.database()?, "-d")?),
        None => None,
    };
    let name = args
        .name
        .as_deref()
        .map(|name| named(name, "--as"))
        .transpose()?;
    for name in source.iter().chain(&name) {
        mark::refuse_system(name)?;
    }
    if let (Some(source), Some(name)) = (&source, &name)
        && source.as_str().eq_ignore_ascii_case(name.as_str())
    {
        return Err(Failure::new(
            FailureCode::Usage,
            format!("--as names `{name}`, the database that is backed up"),
        )
        .remedy("Restore it under another name: the restored one replaces what carries it.")
        .into());
    }
    let server = settings.server.to_string();
    let target = |database: &DatabaseName| records::Target {
        server: server.clone(),
        database: database.as_str().to_owned(),
    };
    stage.target = name.as_ref().or(source.as_ref()).map(target);
    let (setup, round) = block_on(work(
        stage,
        args,
        &Arc::new(settings),
        &interrupts,
        (source.as_ref(), name.as_ref()),
    ))?;
    if let Some(mut setup) = setup {
        setup.header.target = source.as_ref().map(target);
        stage.emit(&Record::Setup(Box::new(setup)))?;
    }
    let status = match round {
        None => ExitStatus::Success,
        Some(round) => {
            let status = tell(stage.program(), &round);
            stage.emit(&Record::Round(Box::new(round)))?;
            status
        }
    };
    Ok(interrupts.status_or(status))
}

fn named(name: &str, flag: &str) -> Result<DatabaseName, Failure> {
    name.parse().map_err(|error: NameError| {
        Failure::new(FailureCode::Usage, error.to_string())
            .remedy(format!("Name the database with {flag}."))
    })
}

type Names<'a> = (Option<&'a DatabaseName>, Option<&'a DatabaseName>);

async fn work(
    stage: &mut Stage,
    args: &Args,
    settings: &Arc<Settings>,
    interrupts: &Interrupts,
    (source, name): Names<'_>,
) -> Result<(Option<Setup>, Option<Round>), Failure> {
    let mut place = Workplace::open(settings, interrupts).await?;
    stage.server = Some(place.server.clone());
    place.refuse_azure()?;
    let mut setup = None;
    let mut took = None;
    if let (Some(source), Some(file)) = (source, &args.backup) {
        let adopt = args.adopt.as_deref();
        let compress = !args.no_compression;
        let open = args.open_transaction.map(|rows| (&args.table, rows));
        let elapsed = backup::back_up(&mut place, source, file, compress, adopt, open).await?;
        if args.restore.as_ref() == Some(file) {
            took = Some(elapsed);
        }
        let mut backup = backed_up(stage, &mut place, source, file, elapsed).await?;
        if let Some(rows) = args.open_transaction {
            backup.changes.push(Change {
                what: "open_transaction_rows".to_owned(),
                from: None,
                to: Some(rows.to_string()),
            });
        }
        setup = Some(backup);
    }
    let mut measured = None;
    if let (Some(name), Some(file)) = (name, &args.restore) {
        measured = Some(restored(stage, args, &mut place, name, file, took).await?);
    }
    place.master.close().await;
    Ok((setup, measured))
}

/// The record of a backup.
async fn backed_up(
    stage: &Stage,
    place: &mut Workplace,
    source: &DatabaseName,
    file: &str,
    took: Duration,
) -> Result<Setup, Failure> {
    let (set, _) = media::read(&mut place.master, file).await?;
    let mut inside = place.session(source.as_str()).await?;
    let settings = readings::settings(&mut inside, &place.server)
        .await
        .map_err(|error| error.failure(&format!("reading the settings of `{source}`")))?;
    inside.close().await;
    let change = |what: &str, to: Option<String>| {
        to.map(|to| Change {
            what: what.to_owned(),
            from: None,
            to: Some(to),
        })
    };
    let changes = [
        change("backup_file", Some(file.to_owned())),
        change("backup_bytes", set.bytes.map(|bytes| bytes.to_string())),
        change(
            "backup_compressed_bytes",
            set.compressed_bytes.map(|bytes| bytes.to_string()),
        ),
        change("backup_ms", Some(milliseconds(took).to_string())),
    ];
    Ok(Setup {
        header: stage.header(),
        changes: changes.into_iter().flatten().collect(),
        settings: Some(settings),
        table: None,
        delayed_durability_databases: None,
        source_table: None,
    })
}

async fn restored(
    stage: &Stage,
    args: &Args,
    place: &mut Workplace,
    name: &DatabaseName,
    file: &str,
    backup: Option<Duration>,
) -> Result<Round, Failure> {
    let (set, files) = media::read(&mut place.master, file).await?;
    let (data, log) = media::folders(
        &mut place.master,
        args.data_dir.as_deref(),
        args.log_dir.as_deref(),
    )
    .await?;
    let files = media::place(files, name, &data, &log);
    target::make_free(place, name, args.adopt.as_deref()).await?;
    space::check(&mut place.master, &files, args.free_space_unknown).await?;
    let server_instant = instant(place).await;
    let order = Order {
        name,
        file,
        files: &files,
        with_phases: !args.no_phases,
        // Where it is off already there is nothing to turn off.
        zero_data_files: args.no_instant_initialization && server_instant != Ok(false),
    };
    let zero_data_files = order.zero_data_files;
    let before = readings::others_than(&mut place.master, &place.server, name)
        .await
        .map_err(|error| error.failure("reading what others do on the server"))?;
    let measured = restore(place, order).await?;
    let (database, conditions) = look_inside(place, name, before).await?;
    let restored = Restored {
        measured,
        set,
        files,
        backup,
        server_instant,
        zero_data_files,
        state: database,
        conditions,
    };
    let round = round(stage.header(), &restored);
    if args.drop {
        target::drop_database(place, name).await?;
    }
    Ok(round)
}

/// Whether the server has instant file initialization on.
async fn instant(place: &mut Workplace) -> Result<bool, String> {
    let text = texts::instant_file_initialization();
    let row = match place.master.row(&text.sql).await {
        Ok(row) => row,
        Err(error) => return Err(error.to_string()),
    };
    let enabled = match row {
        Some(row) => row.text("enabled").map_err(|error| error.to_string())?,
        None => None,
    };
    match enabled.as_deref().map(str::trim) {
        Some("Y") => Ok(true),
        Some("N") => Ok(false),
        _ => Err("sys.dm_server_services does not say".to_owned()),
    }
}

/// The states of the restored database and what surrounded its restore; and the mark, should the
/// backup have been of a database without it: what this run made is writelog's to drop. Trace
/// flags that this run turned on are off again by now.
async fn look_inside(
    place: &mut Workplace,
    name: &DatabaseName,
    (before, mut unavailable): (OthersReading, Vec<Unavailable>),
) -> Result<(DatabaseState, Conditions), Failure> {
    let mut inside = place.session(name.as_str()).await?;
    let surroundings = readings::surroundings(&mut inside, &place.server)
        .await
        .map_err(|error| error.failure("reading the conditions"))?;
    let marked = mark::read(&mut inside)
        .await
        .map_err(|error| error.failure(&format!("looking for writelog's mark in `{name}`")))?;
    let states = readings::states(&mut inside, &place.server)
        .await
        .map_err(|error| error.failure(&format!("reading the states of `{name}`")))?;
    if marked.is_none() {
        let value = format!("writelog {}", env!("CARGO_PKG_VERSION"));
        mark::set(&mut inside, &value)
            .await
            .map_err(|error| error.failure(&format!("marking the database `{name}`")))?;
    }
    inside.close().await;
    // What is missing at one end only is missing in the difference.
    for gap in &surroundings.unavailable {
        if unavailable.iter().all(|known| known.field != gap.field) {
            unavailable.push(gap.clone());
        }
    }
    let conditions = Conditions {
        others: Some(OtherActivity::between(&before, &surroundings.others)),
        unavailable,
        ..surroundings.with(&states)
    };
    Ok((states.database, conditions))
}

/// Says on standard error why a round cannot be trusted; the exit status.
fn tell(program: &str, round: &Round) -> ExitStatus {
    if round.reasons.is_empty() {
        return ExitStatus::Success;
    }
    let valid = round.validity == Validity::Valid;
    let head = if valid {
        "a remark on the round:"
    } else {
        "the round cannot be trusted:"
    };
    let mut told = Failure::new(FailureCode::InvalidRound, head);
    for detail in Reason::first_details(&round.reasons) {
        told.message.push_str("\n  ");
        told.message.push_str(&detail);
    }
    say(program, &told);
    if valid {
        ExitStatus::Success
    } else {
        ExitStatus::InvalidRound
    }
}
