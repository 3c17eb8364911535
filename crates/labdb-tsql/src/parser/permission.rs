//! GRANT, REVOKE and DENY.

use super::Parser;
use crate::ast::{Permission, PermissionVerb, Securable, StatementKind};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

impl Parser<'_> {
    pub(super) fn permission(&mut self) -> SqlResult<StatementKind> {
        let verb = match self.expect_any(&["GRANT", "REVOKE", "DENY"])? {
            "GRANT" => PermissionVerb::Grant,
            "REVOKE" => PermissionVerb::Revoke,
            _ => PermissionVerb::Deny,
        };
        let mut options = Vec::new();
        if self.eat_words(&["GRANT", "OPTION", "FOR"]) {
            options.push("GRANT OPTION FOR");
        }
        let named = self.comma_separated(Self::permission_name)?;
        let mut columns = named.iter().any(|(_, columns)| *columns);
        let permissions = named.into_iter().map(|(name, _)| name).collect();
        let securable = if self.eat("ON") {
            let (securable, with_columns) = self.securable()?;
            columns |= with_columns;
            Some(securable)
        } else {
            None
        };
        if columns {
            options.push("(columns)");
        }
        match verb {
            PermissionVerb::Revoke => self.expect_any(&["TO", "FROM"])?,
            _ => self.expect_any(&["TO"])?,
        };
        let principals = self.comma_separated(Self::principal)?;
        // What was granted on stays: there is no right to grant on, so there is nothing to cascade.
        self.eat("CASCADE");
        if self.eat("WITH") {
            self.expect("GRANT")?;
            self.expect("OPTION")?;
            options.push("WITH GRANT OPTION");
        }
        if self.eat("AS") {
            self.principal()?;
            options.push("AS");
        }
        Ok(StatementKind::Permission(Box::new(Permission {
            verb,
            permissions,
            securable,
            principals,
            options,
        })))
    }

    /// `VIEW SERVER STATE`, `SELECT (columns)`; whether there are columns.
    fn permission_name(&mut self) -> SqlResult<(String, bool)> {
        const OTHERS: [&str; 6] = ["ON", "TO", "FROM", "GRANT", "REVOKE", "DENY"];
        if !self.at_word() || self.at_any(&OTHERS) {
            return Err(self.syntax_error());
        }
        let mut words = Vec::new();
        while self.at_word() && !self.at_any(&OTHERS) {
            words.push(self.word(0).to_uppercase());
            self.advance();
        }
        let columns = !self.optional_columns()?.is_empty();
        Ok((words.join(" "), columns))
    }

    /// `class::name (columns)`; whether there are columns.
    fn securable(&mut self) -> SqlResult<(Securable, bool)> {
        let mut class = Vec::new();
        let mut has_class = false;
        while self.at_word() && !self.at_any(&["TO", "FROM"]) {
            let class_ends = self.at_symbol_ahead(1, Symbol::DoubleColon);
            if !class_ends && self.token(1).kind != TokenKind::Word {
                break;
            }
            if !class_ends && self.at_any_ahead(1, &["TO", "FROM"]) {
                break;
            }
            class.push(self.word(0).to_uppercase());
            self.advance();
            if self.eat_symbol(Symbol::DoubleColon) {
                has_class = true;
                break;
            }
        }
        if !has_class && !class.is_empty() {
            return Err(self.syntax_error());
        }
        let name = self.object_name()?;
        let columns = !self.optional_columns()?.is_empty();
        let class = has_class.then(|| class.join(" "));
        Ok((Securable { class, name }, columns))
    }

    fn principal(&mut self) -> SqlResult<String> {
        for word in ["public", "null"] {
            if self.eat(word) {
                return Ok(word.to_owned());
            }
        }
        self.name()
    }
}
