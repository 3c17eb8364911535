//! Recovery model, delayed durability, and whether a FULL database really keeps its log.

use crate::args::Args;
use crate::durability;
use crate::workshop::Workshop;
use records::{DatabaseState, Failure, FailureCode};
use sqlserver::texts::{backup, database as texts};
use sqlserver::{Connection, readings};

/// Makes the options what is declared, and arms a database that keeps its log.
pub(crate) async fn ensure(
    workshop: &mut Workshop,
    inside: &mut Connection,
    args: &Args,
) -> Result<(), Failure> {
    let before = read(inside, workshop).await?;
    if let Some(recovery) = args.recovery {
        let model = texts::RecoveryModel::from(recovery);
        if before.recovery_model != model.keyword() {
            let doing = format!(
                "setting the recovery model of `{}` to {}",
                workshop.database,
                model.keyword()
            );
            refuse_on_managed_instance(workshop, model)?;
            let text = texts::set_recovery(&workshop.database, model);
            workshop.run(&text, &doing).await?;
            workshop.note(
                "recovery_model",
                Some(&before.recovery_model),
                Some(&model.keyword()),
            );
        }
    }
    if let Some(wanted) = args.delayed_durability {
        let is = before.delayed_durability.as_deref();
        durability::ensure(workshop, inside, is, wanted).await?;
    }
    arm(workshop, inside).await
}

/// Until its first full backup a FULL database reuses its log as SIMPLE does.
pub(crate) async fn arm(workshop: &mut Workshop, inside: &mut Connection) -> Result<(), Failure> {
    let state = read(inside, workshop).await?;
    if state.recovery_model == "SIMPLE" || state.armed == Some(true) {
        return Ok(());
    }
    if workshop.is_azure_sql_database() {
        // Azure takes its own backups, and what says so cannot always be read there.
        return Ok(());
    }
    if !workshop.is_managed_instance() {
        let doing = format!("a full backup of `{}` to NUL", workshop.database);
        let text = backup::full_to_nul(&workshop.database);
        workshop.run(&text, &doing).await?;
    }
    match read(inside, workshop).await?.armed {
        Some(true) => {
            workshop.note("armed", Some(&false), Some(&true));
            Ok(())
        }
        Some(false) => Err(Failure::new(
            FailureCode::Failed,
            format!(
                "`{}` is {} and a full backup was taken, but it is not armed: last_log_backup_lsn \
                 is still NULL, so its log is reused as under SIMPLE",
                workshop.database, state.recovery_model
            ),
        )
        .remedy(
            "Take a full backup to a real file (BACKUP DATABASE ... TO DISK = N'path'), see the \
             server's error log, and run this again.",
        )),
        None => Err(Failure::new(
            FailureCode::Permission,
            format!(
                "whether `{}` is armed cannot be read (sys.database_recovery_status)",
                workshop.database
            ),
        )
        .remedy("In master: GRANT VIEW SERVER STATE and GRANT VIEW ANY DEFINITION to the login.")),
    }
}

/// Frees the log by a backup to nowhere.
pub(crate) async fn backup_log(
    workshop: &mut Workshop,
    inside: &mut Connection,
) -> Result<(), Failure> {
    let state = read(inside, workshop).await?;
    if state.recovery_model == "SIMPLE" {
        return Err(Failure::new(
            FailureCode::Failed,
            format!("`{}` is SIMPLE: there is no log backup", workshop.database),
        )
        .remedy("Leave --backup-log out, or say --recovery full."));
    }
    let doing = format!("a log backup of `{}` to NUL", workshop.database);
    let text = backup::log_to_nul(&workshop.database);
    workshop.run(&text, &doing).await?;
    workshop.note("log_backup", None, Some(&"NUL"));
    Ok(())
}

async fn read(inside: &mut Connection, workshop: &Workshop) -> Result<DatabaseState, Failure> {
    readings::states(inside, &workshop.server)
        .await
        .map(|states| states.database)
        .map_err(|error| error.failure(&format!("reading the states of `{}`", workshop.database)))
}

fn refuse_on_managed_instance(
    workshop: &Workshop,
    model: texts::RecoveryModel,
) -> Result<(), Failure> {
    if workshop.is_managed_instance() && model != texts::RecoveryModel::Full {
        return Err(Failure::new(
            FailureCode::Failed,
            format!(
                "a Managed Instance keeps every database FULL; {} cannot be set",
                model.keyword()
            ),
        )
        .remedy("The recovery models can only be compared on SQL Server itself."));
    }
    Ok(())
}
