//! CREATE, ALTER and CREATE OR ALTER PROCEDURE. The body takes the rest of the batch.

use super::Parser;
use crate::ast::{ProcedureParameter, StatementKind};
use crate::errors;
use crate::lexer::Symbol;
use labdb_types::SqlResult;

const PROCEDURE: [&str; 2] = ["PROC", "PROCEDURE"];

/// The most parameters that a procedure has.
const MOST_PARAMETERS: usize = 2_100;

impl Parser<'_> {
    pub(super) fn at_procedure_definition(&self) -> bool {
        (self.at_any(&["CREATE", "ALTER"]) && self.at_any_ahead(1, &PROCEDURE))
            || (self.at_words(&["CREATE", "OR", "ALTER"]) && self.at_any_ahead(3, &PROCEDURE))
    }

    pub(super) fn procedure_definition(&mut self) -> SqlResult<StatementKind> {
        let create = self.eat("CREATE");
        self.eat("OR");
        let alter = self.eat("ALTER");
        self.expect_any(&PROCEDURE)?;
        let name = self.object_name()?;
        if self.at_symbol(Symbol::Semicolon) {
            return Err(self.unsupported("procedure;number"));
        }
        let parameters = self.procedure_parameters()?;
        if self.eat("WITH") {
            self.comma_separated(|parser| {
                for other in [
                    "ENCRYPTION",
                    "EXEC",
                    "EXECUTE",
                    "NATIVE_COMPILATION",
                    "SCHEMABINDING",
                ] {
                    if parser.at(other) {
                        return Err(parser.unsupported(&format!("CREATE PROCEDURE … WITH {other}")));
                    }
                }
                parser.expect("RECOMPILE")
            })?;
        }
        if self.at_words(&["FOR", "REPLICATION"]) {
            return Err(self.unsupported("FOR REPLICATION"));
        }
        self.expect("AS")?;
        if self.at("EXTERNAL") {
            return Err(self.unsupported("EXTERNAL NAME"));
        }
        let body = self.statements()?;
        if !self.at_end() {
            return Err(self.syntax_error());
        }
        Ok(StatementKind::CreateProcedure {
            name,
            parameters,
            body,
            text: self.source.to_owned(),
            create,
            alter,
        })
    }

    fn procedure_parameters(&mut self) -> SqlResult<Vec<ProcedureParameter>> {
        let line = self.line();
        let parameters = if self.at_symbol(Symbol::LeftParenthesis) {
            self.parenthesized(Self::procedure_parameter)?
        } else if self.at_variable() {
            self.comma_separated(Self::procedure_parameter)?
        } else {
            Vec::new()
        };
        if parameters.len() > MOST_PARAMETERS {
            return Err(errors::too_many_parameters(MOST_PARAMETERS, line));
        }
        Ok(parameters)
    }

    fn procedure_parameter(&mut self) -> SqlResult<ProcedureParameter> {
        let name = self.variable()?;
        self.eat("AS");
        let type_name = self.type_name()?;
        for other in ["VARYING", "NOT", "NULL"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("procedure parameter … {other}")));
            }
        }
        let default = if self.eat_symbol(Symbol::Equal) {
            Some(self.constant_or_word()?)
        } else {
            None
        };
        let output = self.eat_any(&["OUT", "OUTPUT"]).is_some();
        if self.at("READONLY") {
            return Err(self.unsupported("READONLY"));
        }
        Ok(ProcedureParameter {
            name,
            type_name,
            default,
            output,
        })
    }

    /// DROP PROCEDURE, with the cursor on PROCEDURE.
    pub(super) fn drop_procedure(&mut self) -> SqlResult<StatementKind> {
        self.expect_any(&PROCEDURE)?;
        let if_exists = self.eat_words(&["IF", "EXISTS"]);
        let names = self.comma_separated(Self::object_name)?;
        Ok(StatementKind::DropProcedure { names, if_exists })
    }
}
