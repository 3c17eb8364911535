//! The prepared rows of a load that copies: a table beside the one under load.

use crate::args::TableShape;
use crate::table::{self, Shape};
use crate::workshop::Workshop;
use records::stage::Interrupts;
use records::{Failure, FailureCode};
use sqlserver::texts::{copy, database, table as table_texts};
use sqlserver::{Connection, SqlError, TableName};

/// Rows of one statement, so that the log of a statement stays small (about 20 MB) and the log can
/// be reused after each.
const CHUNK: u32 = 20_000;

/// The name of the source of a heap: `dbo.write_speed_source`.
///
/// # Errors
/// Usage: the name would be too long.
pub(crate) fn name_beside(heap: &TableName) -> Result<TableName, Failure> {
    let bracketed = |name: &str| format!("[{}]", name.replace(']', "]]"));
    let name = format!(
        "{}.{}",
        bracketed(heap.schema()),
        bracketed(&format!("{}_source", heap.table()))
    );
    name.parse().map_err(|error: sqlserver::NameError| {
        Failure::new(
            FailureCode::Usage,
            format!("the table beside {heap} cannot be named: {error}"),
        )
        .remedy("Give --table a shorter name.")
    })
}

/// Makes sure that the source of the heap has exactly `rows` rows.
pub(crate) async fn ensure(
    workshop: &mut Workshop,
    inside: &mut Connection,
    heap: &TableName,
    rows: u32,
    interrupts: &Interrupts,
) -> Result<(), Failure> {
    let source = name_beside(heap)?;
    let shape = Shape {
        kind: TableShape::Copy,
        line_length: 0,
    };
    table::ensure(workshop, inside, &source, shape).await?;
    let doing = format!("filling the table {source} in `{}`", workshop.database);
    let failed = |error: SqlError| error.failure(&doing);
    let found = table::count(inside, &source).await.map_err(failed)?;
    let mut there = match u32::try_from(found) {
        Ok(there) if there <= rows => there,
        _ => {
            let text = table_texts::truncate(&source);
            inside.run(&text.sql).await.map_err(failed)?;
            0
        }
    };
    while there < rows {
        if interrupts.requested() {
            workshop.note("source_rows", Some(&found), Some(&there));
            return Err(Failure::new(
                FailureCode::Interrupted,
                format!("interrupted with {there} of {rows} rows in {source}"),
            )
            .remedy("Run it again: it goes on where it stopped."));
        }
        let chunk = CHUNK.min(rows - there);
        inside
            .run(&copy::fill(&source, there, chunk).sql)
            .await
            .map_err(failed)?;
        // Under SIMPLE this frees the chunk's log.
        inside
            .run(&database::checkpoint().sql)
            .await
            .map_err(failed)?;
        there += chunk;
    }
    if found != i64::from(rows) {
        workshop.note("source_rows", Some(&found), Some(&rows));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::name_beside;

    #[test]
    fn the_source_stands_beside_its_heap_whatever_it_is_called() {
        for (heap, source) in [
            ("dbo.write_speed", "dbo.write_speed_source"),
            ("[it's].[a ]]heap[]", "[it's].[a ]]heap[_source]"),
        ] {
            let beside = name_beside(&heap.parse().unwrap()).unwrap();
            let expected: sqlserver::TableName = source.parse().unwrap();
            assert_eq!(beside, expected);
        }
        let long = format!("dbo.{}", "n".repeat(125));
        assert!(name_beside(&long.parse().unwrap()).is_err());
    }
}
