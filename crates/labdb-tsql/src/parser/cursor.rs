//! Looking at tokens and taking them.

use super::Parser;
use crate::errors;
use crate::lexer::{Symbol, Token, TokenKind};
use crate::reserved::is_reserved;
use labdb_types::{SqlError, SqlResult};

impl<'a> Parser<'a> {
    pub(super) fn token(&self, ahead: usize) -> &Token {
        self.tokens.get(self.position + ahead).unwrap_or(&self.end)
    }

    pub(super) fn kind(&self) -> &TokenKind {
        &self.token(0).kind
    }

    /// A token as it stands in the source.
    pub(super) fn written(&self, ahead: usize) -> &'a str {
        let token = self.token(ahead);
        self.source.get(token.start..token.end).unwrap_or("")
    }

    pub(super) fn line(&self) -> u32 {
        self.token(0).line
    }

    pub(super) fn at_end(&self) -> bool {
        *self.kind() == TokenKind::End
    }

    pub(super) fn advance(&mut self) {
        self.position += 1;
    }

    pub(super) fn skip(&mut self, tokens: usize) {
        self.position += tokens;
    }

    /// The word (undelimited) some tokens ahead; empty if something else stands there.
    pub(super) fn word(&self, ahead: usize) -> &'a str {
        match self.token(ahead).kind {
            TokenKind::Word => self.written(ahead),
            _ => "",
        }
    }

    pub(super) fn at_word(&self) -> bool {
        *self.kind() == TokenKind::Word
    }

    pub(super) fn at(&self, word: &str) -> bool {
        self.at_ahead(0, word)
    }

    pub(super) fn at_ahead(&self, ahead: usize, word: &str) -> bool {
        self.word(ahead).eq_ignore_ascii_case(word)
    }

    /// Whether these words follow one another here.
    pub(super) fn at_words(&self, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(ahead, word)| self.at_ahead(ahead, word))
    }

    pub(super) fn at_any(&self, words: &[&str]) -> bool {
        self.at_any_ahead(0, words)
    }

    pub(super) fn at_any_ahead(&self, ahead: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.at_ahead(ahead, word))
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.at(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_words(&mut self, words: &[&str]) -> bool {
        let found = self.at_words(words);
        if found {
            self.position += words.len();
        }
        found
    }

    /// Takes the one of these words that stands here and gives it as the list writes it.
    pub(super) fn eat_any<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        let found = words.iter().find(|word| self.at(word))?;
        self.advance();
        Some(found)
    }

    pub(super) fn expect(&mut self, word: &str) -> SqlResult<()> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(self.syntax_error())
        }
    }

    pub(super) fn expect_any<'w>(&mut self, words: &[&'w str]) -> SqlResult<&'w str> {
        match self.eat_any(words) {
            Some(word) => Ok(word),
            None => Err(self.syntax_error()),
        }
    }

    pub(super) fn at_symbol(&self, symbol: Symbol) -> bool {
        self.at_symbol_ahead(0, symbol)
    }

    pub(super) fn at_symbol_ahead(&self, ahead: usize, symbol: Symbol) -> bool {
        self.token(ahead).kind == TokenKind::Symbol(symbol)
    }

    pub(super) fn eat_symbol(&mut self, symbol: Symbol) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_symbol(&mut self, symbol: Symbol) -> SqlResult<()> {
        if self.eat_symbol(symbol) {
            Ok(())
        } else {
            Err(self.syntax_error())
        }
    }

    /// One or more items with commas between them.
    pub(super) fn comma_separated<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat_symbol(Symbol::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `( item, … )`.
    pub(super) fn parenthesized<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let items = self.comma_separated(item)?;
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(items)
    }

    /// The error about the token under the cursor: 156 for a reserved word, otherwise 102. At the
    /// end of the text it names the last token, as SQL Server does.
    pub(super) fn syntax_error(&self) -> SqlError {
        if self.at_end() {
            let last = self.position.min(self.tokens.len().saturating_sub(1));
            let (near, line) = match last.checked_sub(1).and_then(|at| self.tokens.get(at)) {
                Some(token) => (self.shown(token), token.line),
                None => (String::new(), self.line()),
            };
            return errors::incorrect_syntax(&near, line);
        }
        let token = self.token(0);
        let near = self.shown(token);
        if token.kind == TokenKind::Word && is_reserved(&near) {
            errors::incorrect_keyword(&near, token.line)
        } else {
            errors::incorrect_syntax(&near, token.line)
        }
    }

    /// The error about a value that ends before the cursor where a condition is wanted.
    pub(super) fn condition_error(&self) -> SqlError {
        if self.at_end() {
            let near = self.position.checked_sub(1);
            let token = near.and_then(|at| self.tokens.get(at));
            let near = token.map_or_else(String::new, |token| self.shown(token));
            return errors::not_a_condition(&near, self.line());
        }
        errors::not_a_condition(&self.shown(self.token(0)), self.line())
    }

    /// Error 195 for a SET option that there is not.
    pub(super) fn unknown_option(&self) -> SqlError {
        errors::unknown_option(&self.shown(self.token(0)), self.line())
    }

    /// The error about valid T-SQL that is not in the subset.
    pub(super) fn unsupported(&self, construct: &str) -> SqlError {
        errors::not_in_the_subset(construct, self.line())
    }

    /// A token as messages show it: without its quotation marks or brackets.
    fn shown(&self, token: &Token) -> String {
        match &token.kind {
            TokenKind::Text(text)
            | TokenKind::NationalText(text)
            | TokenKind::DelimitedName(text) => text.clone(),
            _ => self
                .source
                .get(token.start..token.end)
                .unwrap_or("")
                .to_owned(),
        }
    }
}
