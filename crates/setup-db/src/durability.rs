//! Delayed durability: setting it, remembering what it was, and which databases have it.

use crate::workshop::Workshop;
use clap::ValueEnum;
use records::{DatabaseDurability, Failure, FailureCode};
use sqlserver::texts::database::{DelayedDurability, set_delayed_durability};
use sqlserver::texts::durability as texts;
use sqlserver::{Columns, Connection, SqlError};

/// Delayed durability, as a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// Never delayed
    Disabled,
    /// Where the commit asks for it
    Allowed,
    /// Always delayed
    Forced,
    /// As it was before setup-db first changed it; nothing where it never did
    Before,
}

impl Durability {
    fn setting(self) -> Option<DelayedDurability> {
        match self {
            Self::Disabled => Some(DelayedDurability::Disabled),
            Self::Allowed => Some(DelayedDurability::Allowed),
            Self::Forced => Some(DelayedDurability::Forced),
            Self::Before => None,
        }
    }
}

/// Makes the setting what is wanted; `is` is what it is. What it was before the first change is
/// kept in the database itself, so that it can be put back also after this machine was lost.
pub(crate) async fn ensure(
    workshop: &mut Workshop,
    inside: &mut Connection,
    is: Option<&str>,
    wanted: Durability,
) -> Result<(), Failure> {
    let Some(setting) = wanted.setting() else {
        return put_back(workshop, inside, is).await;
    };
    if is == Some(setting.keyword()) {
        return Ok(());
    }
    if let Some(is) = is
        && remembered(workshop, inside).await?.is_none()
    {
        let doing = format!(
            "keeping in `{}` what its delayed durability was",
            workshop.database
        );
        inside
            .run(&texts::remember(is).sql)
            .await
            .map_err(|error| error.failure(&doing))?;
        workshop.note("delayed_durability_before", None, Some(&is));
    }
    set(workshop, is, setting).await
}

async fn set(
    workshop: &mut Workshop,
    is: Option<&str>,
    setting: DelayedDurability,
) -> Result<(), Failure> {
    let doing = format!(
        "setting the delayed durability of `{}` to {}",
        workshop.database,
        setting.keyword()
    );
    let text = set_delayed_durability(&workshop.database, setting);
    workshop.run(&text, &doing).await?;
    workshop.note(
        "delayed_durability",
        Some(&is.unwrap_or("none")),
        Some(&setting.keyword()),
    );
    Ok(())
}

/// Puts back what was remembered, and forgets it only then.
async fn put_back(
    workshop: &mut Workshop,
    inside: &mut Connection,
    is: Option<&str>,
) -> Result<(), Failure> {
    let Some(before) = remembered(workshop, inside).await? else {
        return Ok(());
    };
    let known = [
        DelayedDurability::Disabled,
        DelayedDurability::Allowed,
        DelayedDurability::Forced,
    ];
    let setting = known
        .into_iter()
        .find(|setting| setting.keyword() == before)
        .ok_or_else(|| {
            Failure::new(
                FailureCode::Failed,
                format!(
                    "`{}` remembers `{before}` as its delayed durability, which is no setting",
                    workshop.database
                ),
            )
            .remedy("Say what it shall be: --delayed-durability disabled, allowed or forced.")
        })?;
    if is != Some(setting.keyword()) {
        set(workshop, is, setting).await?;
    }
    let doing = format!(
        "forgetting in `{}` what its delayed durability was",
        workshop.database
    );
    inside
        .run(&texts::forget().sql)
        .await
        .map_err(|error| error.failure(&doing))?;
    workshop.note("delayed_durability_before", Some(&before), None);
    Ok(())
}

async fn remembered(
    workshop: &Workshop,
    inside: &mut Connection,
) -> Result<Option<String>, Failure> {
    let failed = |error: SqlError| {
        error.failure(&format!(
            "reading what the delayed durability of `{}` was before",
            workshop.database
        ))
    };
    match inside.row(&texts::remembered().sql).await.map_err(failed)? {
        None => Ok(None),
        Some(row) => row.text("durability_before").map_err(failed),
    }
}

/// The databases whose setting is not DISABLED, of those that the login may see.
pub(crate) async fn not_disabled(
    workshop: &mut Workshop,
) -> Result<Vec<DatabaseDurability>, Failure> {
    let failed =
        |error: SqlError| error.failure("listing the databases that have delayed durability");
    let results = workshop
        .master
        .batch(&texts::not_disabled().sql)
        .await
        .map_err(failed)?;
    results
        .iter()
        .flatten()
        .map(|row| {
            Ok(DatabaseDurability {
                database: row.some_text("name")?,
                delayed_durability: row.some_text("delayed_durability")?,
            })
        })
        .collect::<Result<_, SqlError>>()
        .map_err(failed)
}

/// The same in a line, for people.
pub(crate) fn in_words(databases: &[DatabaseDurability]) -> String {
    if databases.is_empty() {
        return "delayed durability is DISABLED in every database that this login can see"
            .to_owned();
    }
    let named: Vec<String> = databases
        .iter()
        .map(|entry| format!("{} ({})", entry.database, entry.delayed_durability))
        .collect();
    format!(
        "delayed durability is not DISABLED in: {}",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::{DelayedDurability, Durability, in_words};
    use clap::ValueEnum;
    use records::DatabaseDurability;

    #[test]
    fn every_setting_is_a_flag_and_one_more_puts_it_back() {
        let keywords: Vec<Option<&str>> = Durability::value_variants()
            .iter()
            .map(|flag| flag.setting().map(DelayedDurability::keyword))
            .collect();
        assert_eq!(
            keywords,
            [Some("DISABLED"), Some("ALLOWED"), Some("FORCED"), None]
        );
    }

    #[test]
    fn the_list_names_each_database_with_its_setting() {
        let database = |name: &str, setting: &str| DatabaseDurability {
            database: name.into(),
            delayed_durability: setting.into(),
        };
        let text = in_words(&[database("a", "ALLOWED"), database("b", "FORCED")]);
        assert!(text.ends_with("a (ALLOWED), b (FORCED)"), "{text}");
        assert!(in_words(&[]).contains("every database"));
    }
}
