//! Text to tokens. Quotation marks delimit names (`QUOTED_IDENTIFIER ON`).

mod literals;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use token::{Symbol, Token, TokenKind};

use crate::errors;
use labdb_types::SqlResult;

/// The longest name, in UTF-16 code units.
const LONGEST_NAME: usize = 128;

/// The most tokens of a text: each costs about 200 bytes in the tree, many times what the text has.
const MOST_TOKENS: usize = 2_000_000;

/// Splits a text into tokens; the last one is always [`TokenKind::End`].
pub(crate) fn tokenize(source: &str) -> SqlResult<Vec<Token>> {
    let mut lexer = Lexer {
        source,
        position: 0,
        line: 1,
    };
    let mut tokens = Vec::with_capacity((source.len() / 6 + 1).min(MOST_TOKENS));
    loop {
        let token = lexer.next_token()?;
        let ended = token.kind == TokenKind::End;
        if tokens.len() >= MOST_TOKENS {
            return Err(errors::too_long(token.line));
        }
        tokens.push(token);
        if ended {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    source: &'a str,
    /// In bytes, always between two characters.
    position: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.position..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    /// Takes one character and keeps count of the lines.
    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        if next == '\n' {
            self.line = self.line.saturating_add(1);
        }
        Some(next)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let start = self.position;
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        self.since(start)
    }

    fn since(&self, start: usize) -> &'a str {
        self.source.get(start..self.position).unwrap_or("")
    }

    fn next_token(&mut self) -> SqlResult<Token> {
        self.skip_blanks_and_comments()?;
        let (start, line) = (self.position, self.line);
        let kind = self.kind()?;
        Ok(Token {
            kind,
            line,
            start,
            end: self.position,
        })
    }

    fn kind(&mut self) -> SqlResult<TokenKind> {
        let Some(first) = self.peek() else {
            return Ok(TokenKind::End);
        };
        match first {
            '\'' => Ok(TokenKind::Text(self.text()?)),
            'N' | 'n' if self.peek_second() == Some('\'') => {
                self.bump();
                Ok(TokenKind::NationalText(self.text()?))
            }
            '[' => self.delimited_name(']'),
            '"' => self.delimited_name('"'),
            '@' => self.variable(),
            '0'..='9' => self.number(),
            '.' if self.peek_second().is_some_and(|c| c.is_ascii_digit()) => self.number(),
            '$' if self.peek_second().is_some_and(char::is_alphabetic) => self.word(),
            '$' | '£' | '¥' | '€' => Ok(self.money()),
            _ if starts_name(first) => self.word(),
            _ => self.symbol(first),
        }
    }

    fn skip_blanks_and_comments(&mut self) -> SqlResult<()> {
        loop {
            self.take_while(is_blank);
            let rest = self.rest();
            if rest.starts_with("--") {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                self.skip_block_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Block comments nest.
    fn skip_block_comment(&mut self) -> SqlResult<()> {
        let line = self.line;
        let mut open = 0_usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                open += 1;
            } else if rest.starts_with("*/") {
                open -= 1;
            } else if self.bump().is_some() {
                continue;
            } else {
                return Err(errors::missing_end_comment(line));
            }
            self.bump();
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn word(&mut self) -> SqlResult<TokenKind> {
        let line = self.line;
        let name = self.take_while(continues_name);
        check_length(name, line)?;
        Ok(TokenKind::Word)
    }

    fn variable(&mut self) -> SqlResult<TokenKind> {
        let line = self.line;
        let name = self.take_while(continues_name);
        check_length(name, line)?;
        if name.starts_with("@@") {
            Ok(TokenKind::GlobalVariable)
        } else {
            Ok(TokenKind::Variable)
        }
    }

    fn delimited_name(&mut self, close: char) -> SqlResult<TokenKind> {
        let line = self.line;
        let name = self.delimited(close)?;
        if name.is_empty() {
            return Err(errors::empty_name(line));
        }
        check_length(&name, line)?;
        Ok(TokenKind::DelimitedName(name))
    }

    fn symbol(&mut self, first: char) -> SqlResult<TokenKind> {
        let rest = self.rest();
        let Some((text, symbol)) = token::SYMBOLS
            .iter()
            .find(|(text, _)| rest.starts_with(text))
        else {
            return Err(errors::incorrect_syntax(&first.to_string(), self.line));
        };
        self.position += text.len();
        Ok(TokenKind::Symbol(*symbol))
    }
}

fn check_length(name: &str, line: u32) -> SqlResult<()> {
    if name.len() > LONGEST_NAME && name.encode_utf16().count() > LONGEST_NAME {
        return Err(errors::identifier_too_long(name, line));
    }
    Ok(())
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '#'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$')
}
