//! The user's own T-SQL: files of batches, and single texts.

use crate::args::Args;
use crate::workshop::Workshop;
use records::{Failure, FailureCode};
use sqlserver::source::{self, BadGo, Batch};
use sqlserver::{Columns, Connection, SqlError, texts};
use std::path::Path;

/// How much of a batch's first line a change shows.
const SHOWN: usize = 60;

/// What is to be run, read before anything is changed.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    batches: Vec<Named>,
}

/// A batch and where it comes from.
#[derive(Debug)]
struct Named {
    /// The file; none for a text of the command line.
    file: Option<String>,
    batch: Batch,
}

impl Texts {
    /// Reads the files and texts that the flags name, in this order.
    ///
    /// # Errors
    /// Usage: a file cannot be read, or one of its lines of GO cannot be followed.
    pub(crate) fn read(args: &Args) -> Result<Self, Failure> {
        let mut batches = Vec::new();
        for path in &args.apply {
            batches.extend(of_file(path)?);
        }
        batches.extend(args.sql.iter().map(|text| Named {
            file: None,
            batch: Batch {
                line: 1,
                text: text.clone(),
            },
        }));
        Ok(Self { batches })
    }

    /// Runs them in the database, batch by batch; none begins in another database, and none may
    /// leave a transaction open. Whether there were any.
    ///
    /// # Errors
    /// A batch failed, or left the database or a transaction.
    pub(crate) async fn run(
        &self,
        workshop: &mut Workshop,
        inside: &mut Connection,
    ) -> Result<bool, Failure> {
        if self.batches.is_empty() {
            return Ok(false);
        }
        for named in &self.batches {
            inside
                .run(&named.batch.text)
                .await
                .map_err(|error| named.failure(&error))?;
            workshop.note(named.what(), None, Some(&named.shown()));
            stays(workshop, inside, named).await?;
        }
        // What they set in the session (ROWCOUNT, NOCOUNT) ends with it.
        *inside = workshop.enter().await?;
        Ok(true)
    }
}

fn of_file(path: &Path) -> Result<Vec<Named>, Failure> {
    let name = path.display().to_string();
    let batches = source::batches(&source::read(path)?).map_err(|BadGo { line }| {
        Failure::new(
            FailureCode::Usage,
            format!("{name}:{line}: this line of GO cannot be followed"),
        )
        .remedy("Write GO, or GO and how often, alone on its line.")
    })?;
    if batches.is_empty() {
        return Err(
            Failure::new(FailureCode::Usage, format!("{name} holds no statement"))
                .remedy("Write T-SQL into it, its batches separated by lines of GO."),
        );
    }
    Ok(batches
        .into_iter()
        .map(|batch| Named {
            file: Some(name.clone()),
            batch,
        })
        .collect())
}

impl Named {
    fn what(&self) -> &'static str {
        if self.file.is_some() { "apply" } else { "sql" }
    }

    /// The line of the file that a line of the batch is.
    fn place(&self, line: u32) -> String {
        match &self.file {
            Some(file) => {
                let line = self.batch.line.saturating_add(line.saturating_sub(1));
                format!("{file}:{line}")
            }
            None => format!("--sql, line {line}"),
        }
    }

    /// Where it begins, and with what.
    fn shown(&self) -> String {
        let code = source::code_only(&self.batch.text);
        let lines = code.lines().zip(self.batch.text.lines()).zip(1..);
        let first = lines
            .filter(|((code, _), _)| !code.trim().is_empty())
            .map(|((_, text), line)| (text.trim(), line))
            .next();
        let (text, line) = first.unwrap_or_default();
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        match self.file {
            Some(_) => format!("{}: {shown}", self.place(line)),
            None => shown,
        }
    }

    fn failure(&self, error: &SqlError) -> Failure {
        let place = match error {
            SqlError::Server(server) => match &server.procedure {
                Some(procedure) => {
                    format!("{}, in {procedure}, line {}", self.place(1), server.line)
                }
                None => self.place(server.line),
            },
            _ => self.place(1),
        };
        let mut failure = error.failure("the batch");
        failure.message = format!("{place}: {error}");
        failure
    }
}

/// Refuses to go on where a batch left for another database, which may not be ours, or left a
/// transaction open, whose work would be rolled back in silence.
async fn stays(workshop: &Workshop, inside: &mut Connection, named: &Named) -> Result<(), Failure> {
    let failed = |error: SqlError| error.failure("asking which database the session is in");
    let row = inside
        .row(&texts::server::session().sql)
        .await
        .map_err(failed)?
        .ok_or_else(|| failed(SqlError::Unreadable("no row came".to_owned())))?;
    let now = row.some_text("database_name").map_err(failed)?;
    if !now.eq_ignore_ascii_case(workshop.database.as_str()) {
        return Err(Failure::new(
            FailureCode::NotOurs,
            format!(
                "{}: the batch went to the database `{now}` (USE); what follows would not be \
                 written to `{}`, so nothing further was run",
                named.place(1),
                workshop.database
            ),
        )
        .remedy("Take the USE out: the database is the one that -d names."));
    }
    let row = inside
        .row(&texts::load::open_transactions().sql)
        .await
        .map_err(failed)?
        .ok_or_else(|| failed(SqlError::Unreadable("no row came".to_owned())))?;
    if row.some_int("open_transactions").map_err(failed)? > 0 {
        return Err(Failure::new(
            FailureCode::Failed,
            format!(
                "{}: the batch left a transaction open; it was rolled back, and nothing further \
                 was run",
                named.place(1)
            ),
        )
        .remedy("Write the COMMIT into the same batch."));
    }
    Ok(())
}
