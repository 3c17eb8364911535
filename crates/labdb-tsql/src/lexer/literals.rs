//! Texts and numbers.

use super::{Lexer, TokenKind};
use crate::errors;
use labdb_types::SqlResult;

/// The most digits of a number without an exponent.
const MOST_DIGITS: usize = 38;

impl Lexer<'_> {
    /// A text in quotation marks. A backslash at the end of a line joins the next line to it.
    pub(super) fn text(&mut self) -> SqlResult<String> {
        let text = self.delimited('\'')?;
        if text.contains("\\\n") || text.contains("\\\r\n") {
            return Ok(text.replace("\\\r\n", "").replace("\\\n", ""));
        }
        Ok(text)
    }

    /// What stands between the delimiter under the cursor and `close`; `close` twice is one.
    pub(super) fn delimited(&mut self, close: char) -> SqlResult<String> {
        let line = self.line;
        self.bump();
        let mut content = String::new();
        loop {
            content.push_str(self.take_while(|c| c != close));
            if self.bump().is_none() {
                return Err(errors::unclosed_quotation_mark(&content, line));
            }
            if self.peek() != Some(close) {
                return Ok(content);
            }
            self.bump();
            content.push(close);
        }
    }

    pub(super) fn number(&mut self) -> SqlResult<TokenKind> {
        let (start, line) = (self.position, self.line);
        if self.peek() == Some('0') && matches!(self.peek_second(), Some('x' | 'X')) {
            self.bump();
            self.bump();
            return Ok(TokenKind::Binary(self.binary()));
        }
        self.digits();
        let mut kind = TokenKind::Integer;
        if self.peek() == Some('.') {
            self.bump();
            self.digits();
            kind = TokenKind::Decimal;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            return self.exponent(start, line);
        }
        let written = self.since(start);
        let digits = written
            .trim_start_matches('0')
            .bytes()
            .filter(u8::is_ascii_digit)
            .count();
        if digits > MOST_DIGITS {
            return Err(errors::number_too_long(written, line));
        }
        Ok(kind)
    }

    fn digits(&mut self) {
        self.take_while(|c| c.is_ascii_digit());
    }

    /// The exponent's digits may be missing: `1e` is 1.
    fn exponent(&mut self, start: usize, line: u32) -> SqlResult<TokenKind> {
        let mantissa = self.since(start);
        self.bump();
        let exponent_start = self.position;
        if matches!(self.peek(), Some('+' | '-')) {
            self.bump();
        }
        self.digits();
        let exponent = self.since(exponent_start);
        let exponent = match exponent {
            "" | "+" | "-" => "0",
            written => written,
        };
        match format!("{mantissa}e{exponent}").parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(TokenKind::Float(value)),
            _ => Err(errors::float_out_of_range(self.since(start), line)),
        }
    }

    /// An odd number of hexadecimal digits gets a zero in front.
    fn binary(&mut self) -> Vec<u8> {
        let written = self.take_while(|c| c.is_ascii_hexdigit());
        let nibbles: Vec<u8> = (written.len() % 2 == 1)
            .then_some(0)
            .into_iter()
            .chain(written.chars().filter_map(nibble))
            .collect();
        nibbles
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |byte, nibble| byte << 4 | nibble))
            .collect()
    }

    /// Thousands may be set apart with commas.
    pub(super) fn money(&mut self) -> TokenKind {
        self.bump();
        self.digits();
        while self.peek() == Some(',') && self.peek_second().is_some_and(|c| c.is_ascii_digit()) {
            self.bump();
            self.digits();
        }
        if self.peek() == Some('.') {
            self.bump();
            self.digits();
        }
        TokenKind::Money
    }
}

fn nibble(digit: char) -> Option<u8> {
    digit
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}
