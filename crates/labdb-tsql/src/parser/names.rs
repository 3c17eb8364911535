//! Names, variables, types and the plain literals that options take.

use super::Parser;
use crate::ast::{ObjectName, TypeName};
use crate::errors;
use crate::lexer::{Symbol, TokenKind};
use crate::reserved::is_reserved;
use labdb_types::{SqlError, SqlResult};
use std::str::FromStr;

/// Server, database, schema and object.
const MOST_PARTS: usize = 4;

impl Parser<'_> {
    /// Whether a name stands some tokens ahead: a delimited one or a word that is not reserved.
    pub(super) fn at_name_ahead(&self, ahead: usize) -> bool {
        match self.token(ahead).kind {
            TokenKind::Word => !is_reserved(self.written(ahead)),
            TokenKind::DelimitedName(_) => true,
            _ => false,
        }
    }

    pub(super) fn at_name(&self) -> bool {
        self.at_name_ahead(0)
    }

    pub(super) fn name(&mut self) -> SqlResult<String> {
        if !self.at_name() {
            return Err(self.syntax_error());
        }
        Ok(self.taken_name())
    }

    /// The word or delimited name under the cursor, which the caller has looked at.
    pub(super) fn taken_name(&mut self) -> String {
        let name = match self.kind() {
            TokenKind::DelimitedName(name) => name.clone(),
            _ => self.written(0).to_owned(),
        };
        self.advance();
        name
    }

    /// A name or a text literal: file names, aliases.
    pub(super) fn name_or_text(&mut self) -> SqlResult<String> {
        if self.at_text() {
            self.text()
        } else {
            self.name()
        }
    }

    /// A name of one to four parts; all but the last may be empty.
    pub(super) fn object_name(&mut self) -> SqlResult<ObjectName> {
        let line = self.line();
        let mut parts = vec![if self.at_symbol(Symbol::Dot) {
            String::new()
        } else {
            self.name()?
        }];
        while self.eat_symbol(Symbol::Dot) {
            if self.at_symbol(Symbol::Dot) {
                parts.push(String::new());
            } else {
                parts.push(self.name()?);
            }
        }
        if parts.len() > MOST_PARTS {
            let message = format!(
                "The object name '{}' contains more than the maximum number of prefixes. The maximum is 3.",
                parts.join(".")
            );
            return Err(SqlError::new(117, message).severity(15).at_line(line));
        }
        Ok(ObjectName { parts })
    }

    pub(super) fn at_variable(&self) -> bool {
        *self.kind() == TokenKind::Variable
    }

    /// `@name`, with the `@`.
    pub(super) fn variable(&mut self) -> SqlResult<String> {
        if !self.at_variable() {
            return Err(self.syntax_error());
        }
        let name = self.written(0).to_owned();
        self.advance();
        Ok(name)
    }

    pub(super) fn at_text(&self) -> bool {
        matches!(self.kind(), TokenKind::Text(_) | TokenKind::NationalText(_))
    }

    /// A text literal's content.
    pub(super) fn text(&mut self) -> SqlResult<String> {
        let (TokenKind::Text(text) | TokenKind::NationalText(text)) = self.kind() else {
            return Err(self.syntax_error());
        };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// A whole number without a sign that fits.
    pub(super) fn integer<T: FromStr>(&mut self) -> SqlResult<T> {
        if *self.kind() != TokenKind::Integer {
            return Err(self.syntax_error());
        }
        let value = self.written(0).parse().map_err(|_| self.syntax_error())?;
        self.advance();
        Ok(value)
    }

    /// ON (true) or OFF.
    pub(super) fn switch(&mut self) -> SqlResult<bool> {
        Ok(self.expect_any(&["ON", "OFF"])? == "ON")
    }

    pub(super) fn type_name(&mut self) -> SqlResult<TypeName> {
        let name = self.type_words()?;
        let mut type_name = TypeName {
            name,
            arguments: Vec::new(),
            max: false,
        };
        if !self.eat_symbol(Symbol::LeftParenthesis) {
            return Ok(type_name);
        }
        if self.eat("MAX") {
            type_name.max = true;
        } else {
            type_name.arguments = self.comma_separated(Self::integer)?;
        }
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(type_name)
    }

    /// The ISO names of several words become the one word that they stand for.
    fn type_words(&mut self) -> SqlResult<String> {
        if self.eat_words(&["DOUBLE", "PRECISION"]) {
            return Ok("float".to_owned());
        }
        if self.at("CURSOR") {
            return Err(self.unsupported("CURSOR"));
        }
        let national = self.eat("NATIONAL");
        let Some(name) = self.object_name()?.parts.pop() else {
            return Err(self.syntax_error());
        };
        let varying = self.eat("VARYING");
        let characters = ["char", "character"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word));
        if characters && (national || varying) {
            let prefix = if national { "n" } else { "" };
            let middle = if varying { "var" } else { "" };
            return Ok(format!("{prefix}{middle}char"));
        }
        if varying && name.eq_ignore_ascii_case("binary") {
            return Ok("varbinary".to_owned());
        }
        if national && name.eq_ignore_ascii_case("text") {
            return Ok("ntext".to_owned());
        }
        if national || varying {
            return Err(errors::incorrect_syntax(&name, self.line()));
        }
        Ok(name)
    }
}
