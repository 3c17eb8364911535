//! Stored procedures that insert in a loop on the server, so that no round trip stands between two
//! commits. `setup-db --loops` creates them; a load runs one.

use super::durability::CommitDurability;
use super::table::LINE_COLUMN;
use super::{Text, sample};
use crate::names::{NameError, TableName};

/// What stands in each of them, so that no procedure of somebody else's is ever replaced.
pub const MADE_BY: &str = "/* made by writelog's setup-db */";

/// How a loop commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// Each row is a transaction, and each commit asks to be fully durable.
    Full,
    /// Each row is a transaction, and each commit asks to be delayed.
    Delayed,
    /// All rows are one transaction, fully durable.
    Batched,
}

impl LoopKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::Delayed, Self::Batched];

    fn suffix(self) -> &'static str {
        match self {
            Self::Full => "_loop_full",
            Self::Delayed => "_loop_delayed",
            Self::Batched => "_loop_batched",
        }
    }
}

/// The procedure of one kind that inserts into one table: in the table's schema, named after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopProcedure {
    kind: LoopKind,
    table: TableName,
    name: TableName,
}

impl LoopProcedure {
    /// The procedure for a table.
    ///
    /// # Errors
    /// The table's name is so long that the procedure's would pass 128 characters.
    pub fn new(table: &TableName, kind: LoopKind) -> Result<Self, NameError> {
        Ok(Self {
            kind,
            table: table.clone(),
            name: table.with_suffix(kind.suffix())?,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &TableName {
        &self.name
    }

    /// Its definition after the name. Each row holds the turn of the loop.
    fn body(&self) -> String {
        let insert = format!(
            "INSERT INTO {} ({LINE_COLUMN}) VALUES (CAST(@turn AS varchar(11)));",
            self.table.quoted()
        );
        let next = "SET @turn = @turn + 1;";
        let turns = "WHILE @turn <= @turns";
        let begin = "BEGIN TRANSACTION;";
        let all = match self.kind {
            LoopKind::Full | LoopKind::Delayed => {
                let commit = match self.kind {
                    LoopKind::Delayed => CommitDurability::Delayed,
                    LoopKind::Full | LoopKind::Batched => CommitDurability::Full,
                }
                .commit();
                format!("{turns} BEGIN {begin} {insert} {commit} {next} END;")
            }
            LoopKind::Batched => format!(
                "{begin} {turns} BEGIN {insert} {next} END; {}",
                CommitDurability::Full.commit()
            ),
        };
        format!(
            "@turns int AS BEGIN {MADE_BY} SET NOCOUNT ON; SET XACT_ABORT ON; \
             DECLARE @turn int = 1; {all} END;"
        )
    }

    /// Creates it, or replaces the one that is there. From SQL Server 2016 SP1 on.
    #[must_use]
    pub fn create(&self) -> Text {
        Text::new(
            "loops::create",
            format!(
                "CREATE OR ALTER PROCEDURE {} {}",
                self.name.quoted(),
                self.body()
            ),
        )
    }

    /// One row: what has the name, whether that is a procedure, and its text.
    #[must_use]
    pub fn look(&self) -> Text {
        let name = self.name.literal();
        Text::new(
            "loops::look",
            format!(
                "SELECT CAST(OBJECT_ID({name}) AS int) AS named_id, \
                 CAST(OBJECT_ID({name}, N'P') AS int) AS procedure_id, \
                 CAST(OBJECT_DEFINITION(OBJECT_ID({name})) AS nvarchar(max)) AS definition;"
            ),
        )
    }

    /// Whether a definition that the server keeps is this procedure's. What stands before the
    /// parameters is not compared: servers keep `CREATE OR ALTER` in different ways.
    #[must_use]
    pub fn is_as(&self, definition: &str) -> bool {
        definition.trim_end().ends_with(&self.body())
    }

    /// Runs it.
    #[must_use]
    pub fn run(&self, turns: u32) -> Text {
        Text::new(
            "loops::run",
            format!("EXEC {} @turns = {turns};", self.name.quoted()),
        )
    }
}

pub(super) fn samples() -> Vec<Text> {
    sample::tables()
        .iter()
        .flat_map(|table| LoopKind::ALL.map(|kind| LoopProcedure::new(table, kind)))
        .flatten()
        .flat_map(|procedure| [procedure.create(), procedure.look(), procedure.run(50_000)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{LoopKind, LoopProcedure};

    fn procedure(table: &str, kind: LoopKind) -> LoopProcedure {
        LoopProcedure::new(&table.parse().unwrap(), kind).unwrap()
    }

    #[test]
    fn a_batch_has_its_transaction_around_the_loop_and_the_others_inside() {
        for (kind, inside, option) in [
            (LoopKind::Full, true, "OFF"),
            (LoopKind::Delayed, true, "ON"),
            (LoopKind::Batched, false, "OFF"),
        ] {
            let sql = procedure("a.b", kind).create().sql;
            let place = |word: &str| sql.find(word).unwrap();
            assert_eq!(place("WHILE") < place("BEGIN TRANSACTION"), inside, "{sql}");
            assert!(
                sql.contains(&format!("DELAYED_DURABILITY = {option})")),
                "{sql}"
            );
            assert_eq!(sql.matches("COMMIT").count(), 1, "{sql}");
        }
    }

    #[test]
    fn a_definition_is_known_again_whatever_its_server_made_of_its_first_words() {
        let ours = procedure("a.b", LoopKind::Full);
        let sql = ours.create().sql;
        assert!(ours.is_as(&sql));
        assert!(ours.is_as(&sql.replace("CREATE OR ALTER", "CREATE  ")));
        for other in [
            procedure("a.c", LoopKind::Full),
            procedure("a.b", LoopKind::Delayed),
            procedure("a.b", LoopKind::Batched),
        ] {
            assert!(!ours.is_as(&other.create().sql));
        }
    }

    #[test]
    fn a_name_that_leaves_no_room_is_refused_and_not_cut() {
        let long = "t".repeat(120).parse().unwrap();
        assert!(LoopProcedure::new(&long, LoopKind::Full).is_err());
    }
}
