//! The stored procedures that insert in a loop on the server.

use crate::workshop::{Workshop, refuse_where_it_cannot_run};
use records::{Failure, FailureCode};
use sqlserver::texts::loops::{LoopKind, LoopProcedure, MADE_BY};
use sqlserver::{Columns, Connection, SqlError, TableName};

/// Makes sure that the table's procedures are there, each as it is written here.
pub(crate) async fn ensure(
    workshop: &mut Workshop,
    inside: &mut Connection,
    table: &TableName,
) -> Result<(), Failure> {
    for kind in LoopKind::ALL {
        let procedure = LoopProcedure::new(table, kind).map_err(|error| {
            Failure::new(FailureCode::Usage, error.to_string())
                .remedy("Name a table with a shorter name (--table).")
        })?;
        ensure_one(workshop, inside, &procedure).await?;
    }
    Ok(())
}

async fn ensure_one(
    workshop: &mut Workshop,
    inside: &mut Connection,
    procedure: &LoopProcedure,
) -> Result<(), Failure> {
    let name = procedure.name();
    let doing = format!(
        "looking for the procedure {name} in `{}`",
        workshop.database
    );
    let failed = |error: SqlError| error.failure(&doing);
    let found = inside
        .row(&procedure.look().sql)
        .await
        .map_err(failed)?
        .ok_or_else(|| failed(SqlError::Unreadable("no row came".to_owned())))?;
    let is_there = found.int("named_id").map_err(failed)?.is_some();
    let is_procedure = found.int("procedure_id").map_err(failed)?.is_some();
    let definition = found.text("definition").map_err(failed)?;
    let ours = definition
        .as_deref()
        .is_some_and(|text| text.contains(MADE_BY));
    if is_there && !(is_procedure && ours) {
        return Err(Failure::new(
            FailureCode::Failed,
            format!(
                "`{}` has a {name} that setup-db did not make",
                workshop.database
            ),
        )
        .remedy("Name another table (--table): the procedures are named after it."));
    }
    if definition.is_some_and(|text| procedure.is_as(&text)) {
        return Ok(());
    }
    let text = procedure.create();
    let doing = format!("creating the procedure {name} in `{}`", workshop.database);
    refuse_where_it_cannot_run(&text, &workshop.server, &doing)?;
    inside
        .run(&text.sql)
        .await
        .map_err(|error| error.failure(&doing))?;
    workshop.note(
        "procedure",
        is_there.then_some(name).map(|name| name as _),
        Some(name),
    );
    Ok(())
}
