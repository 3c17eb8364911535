//! Copying a prepared table into a heap on the server: one pass of the write-speed experiment.
//!
//! Both tables have the shape of the published experiment: an `int` and two strings of 198
//! characters, of which 9 rows fit into a page of 8 KB.

use super::{Text, sample};
use crate::names::TableName;

/// The heap where none is named.
pub const DEFAULT_HEAP: &str = "dbo.write_speed";

/// The columns of both tables.
pub const COLUMNS: [&str; 3] = ["id", "first_text", "second_text"];

/// Characters of each string.
pub const TEXT_LENGTH: u32 = 198;

/// Creates a table of that shape, without an index.
#[must_use]
pub fn create(table: &TableName) -> Text {
    let [id, first, second] = COLUMNS;
    Text::new(
        "copy::create",
        format!(
            "CREATE TABLE {} ({id} int NOT NULL, {first} nvarchar({TEXT_LENGTH}) NOT NULL, \
             {second} nvarchar({TEXT_LENGTH}) NOT NULL);",
            table.quoted()
        ),
    )
}

/// Adds `rows` rows behind the first `there`, worked out on the server. Their letters are Cyrillic
/// ones, which take two bytes in UTF-16 and in UTF-8 alike: a row has one size however a server
/// stores text.
#[must_use]
pub fn fill(source: &TableName, there: u32, rows: u32) -> Text {
    const TEN: &str = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
    let digits = rows
        .saturating_sub(1)
        .checked_ilog10()
        .map_or(1, |log| log + 1);
    let numbers: Vec<String> = (0..digits)
        .map(|at| format!("{TEN} AS d{at} (n)"))
        .collect();
    Text::new(
        "copy::fill",
        format!(
            "INSERT INTO {} WITH (TABLOCK) ({}) \
             SELECT TOP ({rows}) {there} + CAST(ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS int), \
             REPLICATE(NCHAR(1076), {TEXT_LENGTH}), REPLICATE(NCHAR(1103), {TEXT_LENGTH}) FROM {};",
            source.quoted(),
            COLUMNS.join(", "),
            numbers.join(" CROSS JOIN ")
        ),
    )
}

/// One pass: every row of the source into the heap in one statement and under a table lock, then a
/// CHECKPOINT, which is a statement of its own, so that the rows are in the data file and not only
/// in memory when the answer comes. Error 50001 where the source does not have exactly `rows` rows.
#[must_use]
pub fn pass(table: &TableName, source: &TableName, rows: u32, maxdop: Option<u32>) -> Text {
    let columns = COLUMNS.join(", ");
    let option = maxdop.map_or_else(String::new, |n| format!(" OPTION (MAXDOP {n})"));
    Text::new(
        "copy::pass",
        format!(
            "INSERT INTO {} WITH (TABLOCK) ({columns}) SELECT {columns} FROM {}{option}; \
             IF ROWCOUNT_BIG() <> {rows} THROW 50001, N'the copy has not as many rows as its source \
             had', 1; \
             CHECKPOINT;",
            table.quoted(),
            source.quoted()
        ),
    )
}

pub(super) fn samples() -> Vec<Text> {
    let mut texts = Vec::new();
    for table in sample::tables() {
        texts.extend([
            create(&table),
            fill(&table, 20_000, 20_000),
            pass(&table, &table, 1_179_620, None),
            pass(&table, &table, 1_179_620, Some(1)),
        ]);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::{TEXT_LENGTH, fill};

    #[test]
    fn nine_rows_fill_a_page_and_the_published_rows_are_one_gb() {
        // SQL Server's record: 4 bytes of header, the int, 2 + 1 bytes of column count and NULL
        // bits, 2 + 2 * 2 bytes of offsets, the strings of two bytes a character; 2 bytes of slot.
        let row = 4 + 4 + 3 + 6 + 2 * 2 * TEXT_LENGTH + 2;
        let rows_a_page = 8096 / row;
        assert_eq!(rows_a_page, 9);
        let pages = 1_179_620_u32.div_ceil(rows_a_page);
        assert_eq!(pages.div_ceil(128), 1024, "MB");
    }

    #[test]
    fn a_chunk_has_enough_numbers_for_its_rows() {
        let source = "s".parse().unwrap();
        for (rows, tens) in [(1, 1), (10, 1), (11, 2), (20_000, 5), (100_001, 6)] {
            let sql = fill(&source, 7, rows).sql;
            assert_eq!(sql.matches("VALUES").count(), tens, "{rows}");
            assert!(sql.contains(&format!("TOP ({rows}) 7 + ")), "{sql}");
        }
    }
}
