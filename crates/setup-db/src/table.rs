//! The table under load.

use crate::args::TableShape;
use crate::workshop::Workshop;
use records::{Failure, FailureCode};
use sqlserver::texts::copy::{self, COLUMNS, TEXT_LENGTH};
use sqlserver::texts::journal::{self, COMMIT_COLUMN, WORKER_COLUMN};
use sqlserver::texts::table::{self as texts, KEY_COLUMN, LINE_COLUMN};
use sqlserver::{Columns, Connection, Row, SqlError, TableName};

/// A column as the catalogue has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    name: String,
    type_name: String,
    max_length: i32,
    nullable: bool,
    identity: bool,
}

/// What the table shall be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Its columns.
    pub(crate) kind: TableShape,
    /// The longest line, in characters.
    pub(crate) line_length: u16,
}

/// Makes sure that the table is there in the declared shape.
pub(crate) async fn ensure(
    workshop: &mut Workshop,
    inside: &mut Connection,
    table: &TableName,
    shape: Shape,
) -> Result<(), Failure> {
    let doing = format!("looking for the table {table} in `{}`", workshop.database);
    let failed = |error: SqlError| error.failure(&doing);
    let found = inside
        .row(&texts::exists(table).sql)
        .await
        .map_err(failed)?
        .ok_or_else(|| failed(SqlError::Unreadable("no row came".to_owned())))?;
    let is_table = found.int("table_id").map_err(failed)?.is_some();
    let is_there = found.int("object_id").map_err(failed)?.is_some();
    if !is_there {
        let create = match shape.kind {
            TableShape::Line => texts::create(table, shape.line_length),
            TableShape::Journal => journal::create(table, shape.line_length),
            TableShape::Copy => copy::create(table),
        };
        inside.run(&create.sql).await.map_err(|error| {
            error.failure(&format!(
                "creating the table {table} in `{}`",
                workshop.database
            ))
        })?;
        workshop.note("table", None, Some(table));
        return Ok(());
    }
    if !is_table {
        return Err(other_shape(table, "it is no table"));
    }
    let rows = inside
        .batch(&texts::columns(table).sql)
        .await
        .map_err(failed)?;
    let columns: Vec<Column> = rows
        .iter()
        .flatten()
        .map(column)
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    match difference(&columns, shape) {
        None => Ok(()),
        Some(difference) => Err(other_shape(table, &difference)),
    }
}

/// Removes all rows; the identity starts again.
pub(crate) async fn empty(
    workshop: &mut Workshop,
    inside: &mut Connection,
    table: &TableName,
) -> Result<(), Failure> {
    let doing = format!("emptying the table {table} in `{}`", workshop.database);
    let failed = |error: SqlError| error.failure(&doing);
    let rows = count(inside, table).await.map_err(failed)?;
    if rows > 0 {
        inside
            .run(&texts::truncate(table).sql)
            .await
            .map_err(failed)?;
        workshop.note("table_rows", Some(&rows), Some(&0));
    }
    Ok(())
}

/// The rows of a table.
pub(crate) async fn count(inside: &mut Connection, table: &TableName) -> Result<i64, SqlError> {
    match inside.row(&texts::count(table).sql).await? {
        Some(row) => row.some_big("row_count"),
        None => Ok(0),
    }
}

fn column(row: &Row) -> Result<Column, SqlError> {
    Ok(Column {
        name: row.some_text("name")?,
        type_name: row.some_text("type_name")?,
        max_length: row.some_int("max_length")?,
        nullable: row.bit("is_nullable")?.unwrap_or_default(),
        identity: row.bit("is_identity")?.unwrap_or_default(),
    })
}

/// How columns differ from a shape's; none where they do not.
fn difference(columns: &[Column], shape: Shape) -> Option<String> {
    let words = |column: &Column| {
        format!(
            "{} {}({}){}{}",
            column.name,
            column.type_name,
            column.max_length,
            if column.identity { " identity" } else { "" },
            if column.nullable { " null" } else { "" }
        )
    };
    let line = format!("{LINE_COLUMN} varchar({})", shape.line_length);
    let expected = match shape.kind {
        TableShape::Line => vec![format!("{KEY_COLUMN} int(4) identity"), line],
        TableShape::Journal => vec![
            format!("{WORKER_COLUMN} int(4)"),
            format!("{COMMIT_COLUMN} bigint(8)"),
            line,
        ],
        TableShape::Copy => {
            let [id, first, second] = COLUMNS;
            // The catalogue counts bytes, two a character.
            let text = format!("nvarchar({})", 2 * TEXT_LENGTH);
            vec![
                format!("{id} int(4)"),
                format!("{first} {text}"),
                format!("{second} {text}"),
            ]
        }
    };
    let found: Vec<String> = columns.iter().map(words).collect();
    (found != expected).then(|| {
        format!(
            "its columns are {}, not {}",
            found.join(", "),
            expected.join(", ")
        )
    })
}

fn other_shape(table: &TableName, difference: &str) -> Failure {
    Failure::new(
        FailureCode::Failed,
        format!("{table} is there already and is not the experiment's table: {difference}"),
    )
    .remedy(
        "Name another table with --table, say what it is made for (--table-shape) and how long its \
         lines are (--line-length), leave the table out with --no-table, or drop this one.",
    )
}

#[cfg(test)]
mod tests {
    use super::{Column, Shape, TableShape, difference};

    const LINE: Shape = Shape {
        kind: TableShape::Line,
        line_length: 500,
    };
    const JOURNAL: Shape = Shape {
        kind: TableShape::Journal,
        ..LINE
    };

    fn columns() -> Vec<Column> {
        vec![
            Column {
                name: "id".into(),
                type_name: "int".into(),
                max_length: 4,
                nullable: false,
                identity: true,
            },
            Column {
                name: "line".into(),
                type_name: "varchar".into(),
                max_length: 500,
                nullable: false,
                identity: false,
            },
        ]
    }

    #[test]
    fn the_experiments_own_shape_is_accepted() {
        assert_eq!(difference(&columns(), LINE), None);
    }

    #[test]
    fn one_shape_is_not_taken_for_the_other() {
        let line = columns().remove(1);
        let number = |name: &str, type_name: &str, max_length| Column {
            name: name.into(),
            type_name: type_name.into(),
            max_length,
            nullable: false,
            identity: false,
        };
        let journal = vec![
            number("worker", "int", 4),
            number("commit_number", "bigint", 8),
            line,
        ];
        assert_eq!(difference(&journal, JOURNAL), None);
        assert!(difference(&journal, LINE).is_some());
        assert!(difference(&columns(), JOURNAL).is_some());
    }

    #[test]
    fn any_other_shape_is_told_by_its_columns() {
        let changes: [fn(&mut Vec<Column>); 5] = [
            |columns| columns[0].identity = false,
            |columns| columns[1].max_length = 256,
            |columns| columns[1].nullable = true,
            |columns| columns[1].type_name = "nvarchar".into(),
            |columns| columns.truncate(1),
        ];
        for change in changes {
            let mut other = columns();
            change(&mut other);
            let text = difference(&other, LINE).unwrap();
            assert!(text.contains("id int"), "{text}");
        }
        assert!(
            difference(
                &columns(),
                Shape {
                    line_length: 256,
                    ..LINE
                }
            )
            .is_some()
        );
    }
}
