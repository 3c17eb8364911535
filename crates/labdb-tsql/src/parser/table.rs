//! CREATE TABLE, ALTER TABLE: columns and constraints.

use super::Parser;
use crate::ast::{
    ColumnDefinition, Expr, IdentitySpec, KeyConstraint, StatementKind, TableConstraint,
    TableDefinition,
};
use crate::lexer::Symbol;
use labdb_types::SqlResult;

/// The words that begin a constraint of a table.
const CONSTRAINT_WORDS: [&str; 7] = [
    "CONSTRAINT",
    "PRIMARY",
    "UNIQUE",
    "CHECK",
    "FOREIGN",
    "DEFAULT",
    "INDEX",
];

type Elements = (Vec<ColumnDefinition>, Vec<TableConstraint>);

impl Parser<'_> {
    /// With the cursor behind CREATE TABLE.
    pub(super) fn create_table(&mut self) -> SqlResult<StatementKind> {
        let name = self.object_name()?;
        if self.at("AS") {
            return Err(self.unsupported("CREATE TABLE … AS"));
        }
        let (columns, constraints) = self.table_elements()?;
        self.optional_filegroup()?;
        for other in ["TEXTIMAGE_ON", "FILESTREAM_ON"] {
            if self.at(other) {
                return Err(self.unsupported(other));
            }
        }
        let options = self.optional_index_options()?;
        Ok(StatementKind::CreateTable(Box::new(TableDefinition {
            name,
            columns,
            constraints,
            options,
        })))
    }

    /// `( column or constraint, … )`; a comma may stand behind the last one.
    pub(super) fn table_elements(&mut self) -> SqlResult<Elements> {
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let mut elements = (Vec::new(), Vec::new());
        loop {
            self.table_element(&mut elements)?;
            let more = self.eat_symbol(Symbol::Comma);
            if self.eat_symbol(Symbol::RightParenthesis) {
                return Ok(elements);
            }
            if !more {
                return Err(self.syntax_error());
            }
        }
    }

    fn table_element(&mut self, (columns, constraints): &mut Elements) -> SqlResult<()> {
        if self.at_words(&["PERIOD", "FOR", "SYSTEM_TIME"]) {
            return Err(self.unsupported("PERIOD FOR SYSTEM_TIME"));
        }
        if self.at_any(&CONSTRAINT_WORDS) {
            constraints.push(self.table_constraint()?);
        } else {
            columns.push(self.column_definition(constraints)?);
        }
        Ok(())
    }

    /// A column. What AST columns have no place for (a named check, a second one, a second
    /// key) goes to the table's constraints, where it means the same.
    fn column_definition(
        &mut self,
        constraints: &mut Vec<TableConstraint>,
    ) -> SqlResult<ColumnDefinition> {
        let name = self.name()?;
        if self.at("AS") {
            return Err(self.unsupported("computed column"));
        }
        let mut column = ColumnDefinition {
            name,
            type_name: self.type_name()?,
            nullable: None,
            identity: None,
            default: None,
            key: None,
            check: None,
            collation: None,
        };
        while self.column_property(&mut column, constraints)? {}
        Ok(column)
    }

    /// Reads one property and says whether there was one.
    fn column_property(
        &mut self,
        column: &mut ColumnDefinition,
        constraints: &mut Vec<TableConstraint>,
    ) -> SqlResult<bool> {
        if self.eat("COLLATE") {
            column.collation = Some(self.name()?);
        } else if self.eat("NULL") {
            column.nullable = Some(true);
        } else if self.eat_words(&["NOT", "NULL"]) {
            column.nullable = Some(false);
        } else if self.eat("IDENTITY") {
            column.identity = Some(self.identity()?);
        } else if let Some(construct) = self.other_column_property() {
            return Err(self.unsupported(construct));
        } else {
            return self.column_constraint(column, constraints);
        }
        Ok(true)
    }

    fn other_column_property(&self) -> Option<&'static str> {
        const OTHERS: [&str; 9] = [
            "ENCRYPTED",
            "FILESTREAM",
            "FOREIGN",
            "GENERATED",
            "HIDDEN",
            "MASKED",
            "REFERENCES",
            "ROWGUIDCOL",
            "SPARSE",
        ];
        OTHERS.into_iter().find(|word| self.at(word))
    }

    fn column_constraint(
        &mut self,
        column: &mut ColumnDefinition,
        constraints: &mut Vec<TableConstraint>,
    ) -> SqlResult<bool> {
        let name = self.optional_constraint_name()?;
        if self.eat("DEFAULT") {
            let value = self.value()?;
            if self.at_words(&["WITH", "VALUES"]) {
                return Err(self.unsupported("DEFAULT … WITH VALUES"));
            }
            column.default = Some((name, value));
        } else if self.at_any(&["PRIMARY", "UNIQUE"]) {
            let key = self.key(name)?;
            if column.key.is_none() {
                column.key = Some(key);
            } else {
                let columns = vec![crate::ast::IndexColumn {
                    name: column.name.clone(),
                    descending: false,
                }];
                constraints.push(TableConstraint::Key(KeyConstraint { columns, ..key }));
            }
        } else if self.eat("CHECK") {
            let condition = self.check()?;
            if name.is_none() && column.check.is_none() {
                column.check = Some(condition);
            } else {
                constraints.push(TableConstraint::Check { name, condition });
            }
        } else if let Some(construct) = self.other_column_property() {
            return Err(self.unsupported(construct));
        } else if name.is_some() {
            return Err(self.syntax_error());
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn optional_constraint_name(&mut self) -> SqlResult<Option<String>> {
        if self.eat("CONSTRAINT") {
            self.name().map(Some)
        } else {
            Ok(None)
        }
    }

    /// `(seed, increment)`, 1 and 1 where not written.
    fn identity(&mut self) -> SqlResult<IdentitySpec> {
        let mut spec = IdentitySpec {
            seed: 1,
            increment: 1,
        };
        if self.eat_symbol(Symbol::LeftParenthesis) {
            spec.seed = self.signed_integer()?;
            self.expect_symbol(Symbol::Comma)?;
            spec.increment = self.signed_integer()?;
            self.expect_symbol(Symbol::RightParenthesis)?;
        }
        if self.at_words(&["NOT", "FOR", "REPLICATION"]) {
            return Err(self.unsupported("NOT FOR REPLICATION"));
        }
        Ok(spec)
    }

    fn signed_integer(&mut self) -> SqlResult<i64> {
        let negative = self.eat_symbol(Symbol::Minus);
        if !negative {
            self.eat_symbol(Symbol::Plus);
        }
        let value: i64 = self.integer()?;
        Ok(if negative { -value } else { value })
    }

    fn check(&mut self) -> SqlResult<Expr> {
        if self.at_words(&["NOT", "FOR", "REPLICATION"]) {
            return Err(self.unsupported("NOT FOR REPLICATION"));
        }
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let condition = self.condition()?;
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(condition)
    }

    /// PRIMARY KEY or UNIQUE, with its columns where they are written.
    fn key(&mut self, name: Option<String>) -> SqlResult<KeyConstraint> {
        let primary = self.expect_any(&["PRIMARY", "UNIQUE"])? == "PRIMARY";
        if primary {
            self.expect("KEY")?;
        }
        let clustered = self
            .eat_any(&["CLUSTERED", "NONCLUSTERED"])
            .map(|word| word == "CLUSTERED");
        if self.at("HASH") {
            return Err(self.unsupported("HASH index"));
        }
        let columns = if self.at_symbol(Symbol::LeftParenthesis) {
            self.index_columns()?
        } else {
            Vec::new()
        };
        let options = self.optional_index_options()?;
        self.optional_filegroup()?;
        Ok(KeyConstraint {
            name,
            primary,
            clustered,
            columns,
            options,
        })
    }

    fn table_constraint(&mut self) -> SqlResult<TableConstraint> {
        if self.at("INDEX") {
            return self.inline_index();
        }
        let name = self.optional_constraint_name()?;
        if self.eat("CHECK") {
            let condition = self.check()?;
            return Ok(TableConstraint::Check { name, condition });
        }
        if self.eat("DEFAULT") {
            let value = self.value()?;
            self.expect("FOR")?;
            let column = self.name()?;
            if self.at_words(&["WITH", "VALUES"]) {
                return Err(self.unsupported("DEFAULT … WITH VALUES"));
            }
            return Ok(TableConstraint::Default {
                name,
                value,
                column,
            });
        }
        if self.at("FOREIGN") {
            return Err(self.unsupported("FOREIGN KEY"));
        }
        let key = self.key(name)?;
        if key.columns.is_empty() {
            return Err(self.syntax_error());
        }
        Ok(TableConstraint::Key(key))
    }

    /// With the cursor behind ALTER TABLE.
    pub(super) fn alter_table(&mut self) -> SqlResult<StatementKind> {
        let table = self.object_name()?;
        if self.eat_words(&["ALTER", "COLUMN"]) {
            let mut constraints = Vec::new();
            let column = self.column_definition(&mut constraints)?;
            let changes_more = column.default.is_some()
                || column.identity.is_some()
                || column.key.is_some()
                || column.check.is_some();
            if changes_more || !constraints.is_empty() {
                return Err(self.syntax_error());
            }
            return Ok(StatementKind::AlterColumn { table, column });
        }
        if self.at("WITH") && self.at_any_ahead(1, &["CHECK", "NOCHECK"]) {
            return Err(self.unsupported("ALTER TABLE … WITH CHECK|NOCHECK"));
        }
        if self.eat("ADD") {
            let mut elements = (Vec::new(), Vec::new());
            self.comma_separated(|parser| parser.table_element(&mut elements))?;
            let (columns, constraints) = elements;
            return Ok(StatementKind::AlterTableAdd {
                table,
                columns,
                constraints,
            });
        }
        for other in [
            "CHECK", "NOCHECK", "DISABLE", "ENABLE", "REBUILD", "SET", "SWITCH",
        ] {
            if self.at(other) {
                return Err(self.unsupported(&format!("ALTER TABLE … {other}")));
            }
        }
        self.expect("DROP")?;
        self.alter_table_drop(table)
    }

    /// COLUMN and CONSTRAINT hold for the names behind them until the other word comes.
    fn alter_table_drop(&mut self, table: crate::ast::ObjectName) -> SqlResult<StatementKind> {
        if self.at("PERIOD") {
            return Err(self.unsupported("PERIOD FOR SYSTEM_TIME"));
        }
        let (mut columns, mut constraints) = (Vec::new(), Vec::new());
        let (mut into_columns, mut any_if_exists) = (false, false);
        self.comma_separated(|parser| {
            if let Some(word) = parser.eat_any(&["COLUMN", "CONSTRAINT"]) {
                into_columns = word == "COLUMN";
                any_if_exists |= parser.eat_words(&["IF", "EXISTS"]);
            } else if parser.eat_words(&["IF", "EXISTS"]) {
                any_if_exists = true;
            }
            let name = parser.name()?;
            if into_columns {
                columns.push(name);
            } else {
                constraints.push(name);
            }
            Ok(())
        })?;
        if self.at("WITH") && self.at_symbol_ahead(1, Symbol::LeftParenthesis) {
            self.optional_index_options()?;
        }
        Ok(StatementKind::AlterTableDrop {
            table,
            columns,
            constraints,
            if_exists: any_if_exists,
        })
    }
}
