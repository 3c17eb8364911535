//! INSERT, UPDATE, DELETE, TRUNCATE TABLE. OPTION behind them is read and not kept: it says how
//! to find the rows, not which.

use super::Parser;
use crate::ast::{
    AssignOp, Assignment, CommonTable, Delete, Insert, InsertSource, OutputClause, StatementKind,
    Update,
};
use crate::errors;
use crate::lexer::Symbol;
use labdb_types::SqlResult;

/// The most rows that INSERT … VALUES takes; a derived table of VALUES has no such limit.
const MOST_ROWS: usize = 1_000;

impl Parser<'_> {
    /// A statement that may have a WITH before it.
    pub(super) fn data_statement(&mut self) -> SqlResult<StatementKind> {
        let with = self.common_tables()?;
        if self.at("INSERT") && self.at_ahead(1, "BULK") && with.is_empty() {
            let bulk = self.insert_bulk()?;
            return Ok(StatementKind::InsertBulk(Box::new(bulk)));
        }
        if self.at("INSERT") {
            let insert = self.insert(with)?;
            return Ok(StatementKind::Insert(Box::new(insert)));
        }
        if self.at("UPDATE") && !self.at_ahead(1, "STATISTICS") {
            let update = self.update(with)?;
            return Ok(StatementKind::Update(Box::new(update)));
        }
        if self.at("DELETE") {
            let delete = self.delete(with)?;
            return Ok(StatementKind::Delete(Box::new(delete)));
        }
        if self.at("UPDATE") && with.is_empty() {
            return self.update_statistics();
        }
        if self.at("MERGE") {
            return Err(self.unsupported("MERGE"));
        }
        if self.at("SELECT") || self.at_symbol(Symbol::LeftParenthesis) {
            return self.query_statement(with).map(StatementKind::Select);
        }
        Err(self.syntax_error())
    }

    fn insert(&mut self, with: Vec<CommonTable>) -> SqlResult<Insert> {
        self.expect("INSERT")?;
        let top = self.top(false)?;
        self.eat("INTO");
        let target = self.target()?;
        let query_follows = self.at_symbol(Symbol::LeftParenthesis)
            && (self.at_ahead(1, "SELECT") || self.at_symbol_ahead(1, Symbol::LeftParenthesis));
        let columns = if query_follows {
            Vec::new()
        } else {
            self.optional_insert_columns()?
        };
        let output = self.output()?;
        let source = self.insert_source()?;
        self.query_options()?;
        Ok(Insert {
            target,
            columns,
            output,
            source,
            top,
            with,
        })
    }

    /// Columns may be qualified; only their own names count.
    fn optional_insert_columns(&mut self) -> SqlResult<Vec<String>> {
        if !self.at_symbol(Symbol::LeftParenthesis) {
            return Ok(Vec::new());
        }
        self.parenthesized(|parser| Ok(parser.object_name()?.object().to_owned()))
    }

    fn insert_source(&mut self) -> SqlResult<InsertSource> {
        if self.at("VALUES") {
            let line = self.line();
            let rows = self.row_values()?;
            if rows.len() > MOST_ROWS {
                return Err(errors::too_many_rows(MOST_ROWS, line));
            }
            return Ok(InsertSource::Values(rows));
        }
        if self.eat_words(&["DEFAULT", "VALUES"]) {
            return Ok(InsertSource::DefaultValues);
        }
        if self.at_any(&["EXEC", "EXECUTE"]) {
            let execute = self.execute()?;
            return Ok(InsertSource::Execute(Box::new(execute)));
        }
        if self.at("SELECT") || self.at_symbol(Symbol::LeftParenthesis) {
            let query = self.query()?;
            return Ok(InsertSource::Query(Box::new(query)));
        }
        Err(self.syntax_error())
    }

    fn update(&mut self, with: Vec<CommonTable>) -> SqlResult<Update> {
        self.expect("UPDATE")?;
        let top = self.top(false)?;
        let target = self.target()?;
        self.expect("SET")?;
        let assignments = self.comma_separated(Self::assignment)?;
        let output = self.output()?;
        let from = self.optional_from()?;
        let filter = self.optional_where()?;
        self.query_options()?;
        Ok(Update {
            top,
            target,
            assignments,
            output,
            from,
            filter,
            with,
        })
    }

    /// `column = e`, `@v = e`, `@v = column = e`, each with the compound operators.
    fn assignment(&mut self) -> SqlResult<Assignment> {
        if !self.at_variable() {
            let target = self.object_name()?.object().to_owned();
            if self.at_symbol(Symbol::LeftParenthesis) {
                return Err(self.unsupported("method call"));
            }
            let op = self.assignment_operator()?;
            let value = self.value_or_default()?;
            return Ok(Assignment {
                target,
                column: None,
                op,
                value,
            });
        }
        let target = self.variable()?;
        let mut op = self.assignment_operator()?;
        let mut column = None;
        if op == AssignOp::Set && self.at_name() {
            let mut ahead = 1;
            while self.at_symbol_ahead(ahead, Symbol::Dot) && self.at_name_ahead(ahead + 1) {
                ahead += 2;
            }
            if self.assignment_operator_ahead(ahead).is_some() {
                column = Some(self.object_name()?.object().to_owned());
                op = self.assignment_operator()?;
            }
        }
        let value = self.value()?;
        Ok(Assignment {
            target,
            column,
            op,
            value,
        })
    }

    fn delete(&mut self, with: Vec<CommonTable>) -> SqlResult<Delete> {
        self.expect("DELETE")?;
        let top = self.top(false)?;
        self.eat("FROM");
        let target = self.target()?;
        let output = self.output()?;
        let from = self.optional_from()?;
        let filter = self.optional_where()?;
        self.query_options()?;
        Ok(Delete {
            top,
            target,
            output,
            from,
            filter,
            with,
        })
    }

    /// `OUTPUT item, … [INTO target (columns)]`.
    fn output(&mut self) -> SqlResult<Option<OutputClause>> {
        if !self.eat("OUTPUT") {
            return Ok(None);
        }
        let items = self.comma_separated(Self::select_item)?;
        let mut output = OutputClause {
            items,
            into: None,
            into_columns: Vec::new(),
        };
        if self.eat("INTO") {
            output.into = Some(self.target()?);
            output.into_columns = self.optional_columns()?;
            if self.at("OUTPUT") {
                return Err(self.unsupported("OUTPUT after OUTPUT INTO"));
            }
        }
        Ok(Some(output))
    }

    pub(super) fn truncate(&mut self) -> SqlResult<StatementKind> {
        self.expect("TRUNCATE")?;
        self.expect("TABLE")?;
        let table = self.object_name()?;
        if self.at("WITH") && self.at_ahead(2, "PARTITIONS") {
            return Err(self.unsupported("TRUNCATE TABLE … WITH (PARTITIONS)"));
        }
        Ok(StatementKind::Truncate(table))
    }
}
