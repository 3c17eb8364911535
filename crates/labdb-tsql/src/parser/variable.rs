//! DECLARE, and SET of a variable.

use super::Parser;
use crate::ast::{Assignment, StatementKind, VariableDeclaration};
use crate::lexer::Symbol;
use labdb_types::SqlResult;

impl Parser<'_> {
    pub(super) fn declare(&mut self) -> SqlResult<StatementKind> {
        self.expect("DECLARE")?;
        if self.at_name() && (1..6).any(|ahead| self.at_ahead(ahead, "CURSOR")) {
            return self.declare_cursor();
        }
        let table =
            self.at_ahead(1, "TABLE") || (self.at_ahead(1, "AS") && self.at_ahead(2, "TABLE"));
        if !(self.at_variable() && table) {
            return self
                .comma_separated(Self::variable_declaration)
                .map(StatementKind::Declare);
        }
        let name = self.variable()?;
        self.eat("AS");
        self.expect("TABLE")?;
        let (columns, constraints) = self.table_elements()?;
        Ok(StatementKind::DeclareTable {
            name,
            columns,
            constraints,
        })
    }

    fn variable_declaration(&mut self) -> SqlResult<VariableDeclaration> {
        let name = self.variable()?;
        self.eat("AS");
        let type_name = self.type_name()?;
        let value = if self.eat_symbol(Symbol::Equal) {
            Some(self.value()?)
        } else {
            None
        };
        Ok(VariableDeclaration {
            name,
            type_name,
            value,
        })
    }

    /// `SET @v = e`, with the cursor on the variable.
    pub(super) fn set_variable(&mut self) -> SqlResult<StatementKind> {
        let target = self.variable()?;
        if self.at_symbol(Symbol::Dot) || self.at_symbol(Symbol::DoubleColon) {
            return Err(self.unsupported("method call"));
        }
        let op = self.assignment_operator()?;
        if self.at("CURSOR") {
            return Err(self.unsupported("CURSOR"));
        }
        let value = self.value()?;
        Ok(StatementKind::SetVariable(Assignment {
            target,
            column: None,
            op,
            value,
        }))
    }
}
