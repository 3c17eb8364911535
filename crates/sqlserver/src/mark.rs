//! The mark: what says that a database is writelog's to change.

use crate::connection::Connection;
use crate::error::SqlError;
use crate::names::DatabaseName;
use crate::row::Columns;
use crate::texts;
use records::{Failure, FailureCode};

/// The current database's mark, if it carries one.
///
/// # Errors
/// The statement failed.
pub async fn read(connection: &mut Connection) -> Result<Option<String>, SqlError> {
    match connection.row(&texts::mark::read().sql).await? {
        None => Ok(None),
        Some(row) => Ok(Some(row.text("mark")?.unwrap_or_default())),
    }
}

/// Marks the current database.
///
/// # Errors
/// The statement failed.
pub async fn set(connection: &mut Connection, value: &str) -> Result<(), SqlError> {
    connection.run(&texts::mark::set(value).sql).await
}

/// Allows writing to the database that `connection` is in: it carries the mark, or the user
/// repeated its name (`--adopt NAME`).
///
/// # Errors
/// Not ours, with how to allow it; or the mark could not be read.
pub async fn require(
    connection: &mut Connection,
    database: &DatabaseName,
    adopt: Option<&str>,
) -> Result<(), Failure> {
    refuse_system(database)?;
    let mark = read(connection)
        .await
        .map_err(|error| error.failure(&format!("looking for writelog's mark in `{database}`")))?;
    if mark.is_some() {
        return Ok(());
    }
    allow_unmarked(database, adopt)
}

/// Refuses the server's own databases, whatever else is said.
///
/// # Errors
/// Not ours.
pub fn refuse_system(database: &DatabaseName) -> Result<(), Failure> {
    if database.is_system() {
        return Err(Failure::new(
            FailureCode::NotOurs,
            format!(
                "`{database}` is one of the server's own databases: nothing is ever changed in it"
            ),
        )
        .remedy("Name a database of its own for the experiment with -d."));
    }
    Ok(())
}

/// Whether an unmarked database may be changed: only where its name was repeated.
///
/// # Errors
/// Not ours, with how to allow it.
pub fn allow_unmarked(database: &DatabaseName, adopt: Option<&str>) -> Result<(), Failure> {
    match adopt {
        Some(name) if name == database.as_str() => Ok(()),
        Some(name) => Err(Failure::new(
            FailureCode::NotOurs,
            format!("--adopt names `{name}`, but the database is `{database}`"),
        )
        .remedy("Repeat the database's name exactly, or leave --adopt out.")),
        None => Err(Failure::new(
            FailureCode::NotOurs,
            format!(
                "the database `{database}` does not carry writelog's mark (the extended property \
                 `{}`), so nothing is changed in it",
                texts::mark::PROPERTY
            ),
        )
        .remedy(format!(
            "If it may be changed, emptied and dropped by these programs, say --adopt {database}; \
             otherwise name another one with -d."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{allow_unmarked, refuse_system};
    use records::FailureCode;

    #[test]
    fn an_unmarked_database_is_allowed_only_by_its_own_name() {
        let database = "sales".parse().unwrap();
        assert!(allow_unmarked(&database, Some("sales")).is_ok());
        for adopt in [None, Some("Sales"), Some(""), Some("sales2")] {
            let failure = allow_unmarked(&database, adopt).unwrap_err();
            assert_eq!(failure.code, FailureCode::NotOurs);
        }
        let advice = allow_unmarked(&database, None).unwrap_err().remedy.unwrap();
        assert!(advice.contains("--adopt sales"), "{advice}");
    }

    #[test]
    fn the_servers_own_databases_cannot_be_adopted() {
        let failure = refuse_system(&"MSDB".parse().unwrap()).unwrap_err();
        assert_eq!(failure.code, FailureCode::NotOurs);
    }
}
