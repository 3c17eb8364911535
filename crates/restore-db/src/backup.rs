//! Backing up into a file.

use crate::media;
use crate::open_transaction::OpenTransaction;
use crate::server::{Workplace, interrupted, signal};
use records::{Failure, FailureCode};
use sqlserver::texts::restore as texts;
use sqlserver::{DatabaseName, TableName, mark};
use std::time::{Duration, Instant};

/// Engine edition of Express, which restores compressed backups and makes none.
const EXPRESS: i32 = 4;

/// Backs a database of ours up and says how long it took; `open` rows are inserted into a table by
/// a transaction that is open meanwhile.
pub(crate) async fn back_up(
    place: &mut Workplace,
    database: &DatabaseName,
    file: &str,
    compress: bool,
    adopt: Option<&str>,
    open: Option<(&TableName, u32)>,
) -> Result<Duration, Failure> {
    let mut inside = place.session(database.as_str()).await?;
    mark::require(&mut inside, database, adopt).await?;
    inside.close().await;
    refuse_foreign_file(place, database, file).await?;
    place.check_interrupt("the backup")?;

    let compress = compress && place.server.engine_edition != Some(EXPRESS);
    let text = texts::backup_to_file(database, file, compress);
    let open = match open {
        Some((table, rows)) => Some(OpenTransaction::begin(place, database, table, rows).await?),
        None => None,
    };
    // A session of its own: where it is broken off, the other goes on.
    let mut session = place.session("master").await?;
    let begun = Instant::now();
    let done = session
        .batch_until(&text.sql, signal(&place.interrupts))
        .await
        .map_err(|error| error.failure(&format!("backing `{database}` up to {file}")))?;
    let took = begun.elapsed();
    session.close().await;
    if let Some(open) = open {
        open.roll_back().await?;
    }
    match done {
        Some(_) => Ok(took),
        None => Err(interrupted(&format!(
            "interrupted while `{database}` was backed up; {file} holds no whole backup"
        ))),
    }
}

/// INIT overwrites: only what is the database's own.
async fn refuse_foreign_file(
    place: &mut Workplace,
    database: &DatabaseName,
    file: &str,
) -> Result<(), Failure> {
    // A file that is not there, or holds no backup, is left to BACKUP itself: it overwrites the
    // first, and refuses the second.
    let Ok(sets) = media::headers(&mut place.master, file).await else {
        return Ok(());
    };
    let foreign = sets
        .iter()
        .find(|set| !set.database.eq_ignore_ascii_case(database.as_str()));
    match foreign {
        None => Ok(()),
        Some(set) => Err(Failure::new(
            FailureCode::NotOurs,
            format!(
                "{file} holds a backup of `{}`: it is not overwritten with one of `{database}`",
                set.database
            ),
        )
        .remedy("Name another file with --backup.")),
    }
}
