//! The name that the restored database is to carry: whether it may be taken, and dropping what
//! carries it.

use crate::server::Workplace;
use records::{Failure, FailureCode};
use sqlserver::texts::database as texts;
use sqlserver::{DatabaseName, mark};
use std::time::Duration;

/// How often a drop is tried: a session that is just ending is in the way.
const ATTEMPTS: u32 = 10;

/// The pause before it is tried again.
const PAUSE: Duration = Duration::from_millis(300);

/// Makes the name free: what carries it is dropped where it is ours, else refused.
pub(crate) async fn make_free(
    place: &mut Workplace,
    name: &DatabaseName,
    adopt: Option<&str>,
) -> Result<(), Failure> {
    mark::refuse_system(name)?;
    let Some(state) = place.state(name).await? else {
        return Ok(());
    };
    if state == "ONLINE" {
        let mut inside = place.session(name.as_str()).await?;
        let found = mark::read(&mut inside)
            .await
            .map_err(|error| error.failure(&format!("looking for writelog's mark in `{name}`")))?;
        inside.close().await;
        if found.is_none() {
            allow_unmarked(name, adopt)?;
        }
    } else {
        allow_unmarked(name, adopt).map_err(|failure| Failure {
            message: format!(
                "the database `{name}` is {state}, so whether it carries writelog's mark cannot be \
                 read"
            ),
            ..failure
        })?;
    }
    drop_database(place, name).await
}

fn allow_unmarked(name: &DatabaseName, adopt: Option<&str>) -> Result<(), Failure> {
    mark::allow_unmarked(name, adopt).map_err(|failure| {
        failure.remedy(format!(
            "If it may be dropped, with all that is in it, say --adopt {name}; otherwise give the \
             restored database another name with --as."
        ))
    })
}

/// Drops a database, whoever is in it.
pub(crate) async fn drop_database(
    place: &mut Workplace,
    name: &DatabaseName,
) -> Result<(), Failure> {
    let doing = format!("dropping the database `{name}`");
    let mut attempt = 1;
    loop {
        let Some(state) = place.state(name).await? else {
            return Ok(());
        };
        // SINGLE_USER is not to be had in the middle of a restore, and nobody can be in it.
        let text = if state == "ONLINE" {
            texts::drop_exclusively(name)
        } else {
            texts::drop_plainly(name)
        };
        match place.run(&text, &doing).await {
            Err(failure) if attempt < ATTEMPTS && failure.code == FailureCode::Failed => {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            result => return result,
        }
    }
}
