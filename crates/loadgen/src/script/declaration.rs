//! One declared variable: `@amount decimal(9, 2) = random(0.01, 500)`.

use super::generator::{Generator, Kind};
use std::fmt::Write as _;

/// A variable as the file declares it.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    /// Its name with the `@`, in lower case: names do not tell cases apart.
    pub(crate) name: String,
    /// Its type, as it is declared to the server.
    pub(crate) sql_type: String,
    /// Where its values come from.
    pub(crate) generator: Generator,
}

/// A part of a declaration.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Variable(String),
    Word(String),
    Number(String),
    Text(String),
    Symbol(char),
}

impl Token {
    fn written(&self) -> String {
        match self {
            Self::Variable(text) | Self::Word(text) | Self::Number(text) => format!("`{text}`"),
            Self::Text(text) => format!("'{text}'"),
            Self::Symbol(c) => format!("`{c}`"),
        }
    }
}

/// An argument of a function, or a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    /// As it is written, with its sign.
    Number(String),
    /// Without its quotes.
    Text(String),
}

impl Declaration {
    /// Reads what stands behind `-- loadgen:`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Tokens {
            rest: tokens(text)?.into_iter().peekable(),
        };
        let name = match tokens.rest.next() {
            Some(Token::Variable(name)) => name.to_lowercase(),
            other => return Err(expected("a variable (@name)", other.as_ref())),
        };
        let type_name = tokens.word("a type (int)")?.to_lowercase();
        let mut sizes = Vec::new();
        if tokens.eats('(') {
            loop {
                match tokens.rest.next() {
                    Some(Token::Number(size) | Token::Word(size)) => sizes.push(size),
                    other => return Err(expected("a length", other.as_ref())),
                }
                if !tokens.eats(',') {
                    break;
                }
            }
            tokens.expect(')')?;
        }
        let kind = Kind::of_type(&type_name, &sizes)?;
        tokens.expect('=')?;
        let generator = match tokens.rest.next() {
            Some(Token::Number(number)) => kind.constants(&[Constant::Number(number)])?,
            Some(Token::Text(text)) => kind.constants(&[Constant::Text(text)])?,
            Some(Token::Word(function)) => {
                tokens.expect('(')?;
                let arguments = tokens.arguments()?;
                kind.generator(&function.to_lowercase(), &arguments)?
            }
            other => return Err(expected("a value or a function", other.as_ref())),
        };
        if let Some(more) = tokens.rest.next() {
            return Err(expected("the end of the line", Some(&more)));
        }
        let mut sql_type = type_name;
        if !sizes.is_empty() {
            // Writing to a String does not fail.
            let _ = write!(sql_type, "({})", sizes.join(", ").to_lowercase());
        }
        Ok(Self {
            name,
            sql_type,
            generator,
        })
    }
}

struct Tokens {
    rest: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl Tokens {
    fn eats(&mut self, symbol: char) -> bool {
        self.rest.next_if_eq(&Token::Symbol(symbol)).is_some()
    }

    fn expect(&mut self, symbol: char) -> Result<(), String> {
        match self.rest.next() {
            Some(Token::Symbol(found)) if found == symbol => Ok(()),
            other => Err(expected(&format!("`{symbol}`"), other.as_ref())),
        }
    }

    fn word(&mut self, what: &str) -> Result<String, String> {
        match self.rest.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(expected(what, other.as_ref())),
        }
    }

    /// With the opening parenthesis behind.
    fn arguments(&mut self) -> Result<Vec<Constant>, String> {
        let mut arguments = Vec::new();
        if self.eats(')') {
            return Ok(arguments);
        }
        loop {
            arguments.push(match self.rest.next() {
                Some(Token::Number(number)) => Constant::Number(number),
                Some(Token::Text(text)) => Constant::Text(text),
                other => return Err(expected("a number or a 'text'", other.as_ref())),
            });
            if !self.eats(',') {
                self.expect(')')?;
                return Ok(arguments);
            }
        }
    }
}

fn expected(what: &str, found: Option<&Token>) -> String {
    let found = found.map_or_else(|| "the end of the line".to_owned(), Token::written);
    format!("expected {what}, found {found}")
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let until = |not: fn(char) -> bool| {
            let body = rest.get(c.len_utf8()..).unwrap_or_default();
            c.len_utf8() + body.find(not).unwrap_or(body.len())
        };
        let name = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '@'));
        let number = |c: char| !(c.is_ascii_digit() || c == '.');
        let (length, token) = match c {
            '@' => {
                let end = until(name);
                (
                    end,
                    Token::Variable(rest.get(..end).unwrap_or_default().to_owned()),
                )
            }
            'a'..='z' | 'A'..='Z' => {
                let end = until(name);
                (
                    end,
                    Token::Word(rest.get(..end).unwrap_or_default().to_owned()),
                )
            }
            '0'..='9' | '-' | '.' | '+' => {
                let end = until(number);
                (
                    end,
                    Token::Number(rest.get(..end).unwrap_or_default().to_owned()),
                )
            }
            '\'' => quoted(rest)?,
            '(' | ')' | ',' | '=' => (1, Token::Symbol(c)),
            other => return Err(format!("`{other}` does not belong into a declaration")),
        };
        found.push(token);
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(found)
}

/// A text in quotes, two of which stand for one, and how long it is as written.
fn quoted(rest: &str) -> Result<(usize, Token), String> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = letters.next() {
        if c != '\'' {
            text.push(c);
        } else if letters.next_if(|(_, next)| *next == '\'').is_some() {
            text.push('\'');
        } else {
            return Ok((at + 1, Token::Text(text)));
        }
    }
    Err("a text has no closing quote".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Declaration;

    #[test]
    fn a_declaration_names_its_variable_and_its_type() {
        for (text, name, sql_type) in [
            ("@A int = random(1, 1000)", "@a", "int"),
            (
                " @b  DECIMAL( 9,2 )=random(-1.5, 20)",
                "@b",
                "decimal(9, 2)",
            ),
            (
                "@c nvarchar(MAX) = random_text(5, 9)",
                "@c",
                "nvarchar(max)",
            ),
            ("@d varchar(30) = 'O''Brien (1, 2)'", "@d", "varchar(30)"),
            (
                "@e uniqueidentifier = random_guid()",
                "@e",
                "uniqueidentifier",
            ),
            ("@f float = normal(0, 10, 5, 2.5)", "@f", "float"),
            ("@g bigint = zipf(1, 5000000000, 1.1)", "@g", "bigint"),
            ("@h tinyint = choice(1, 2, 4)", "@h", "tinyint"),
        ] {
            let declared = Declaration::parse(text).unwrap();
            assert_eq!(
                (declared.name.as_str(), declared.sql_type.as_str()),
                (name, sql_type)
            );
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        for (text, said) in [
            ("", "a variable"),
            ("amount int = 5", "a variable"),
            ("@a = 5", "a type"),
            ("@a int random(1, 2)", "`=`"),
            ("@a int = random(1, 2", "`)`"),
            ("@a int = random 1", "`(`"),
            ("@a int = 5; DROP TABLE t", "`;`"),
            ("@a int = 5 6", "end of the line"),
            ("@a varchar(9) = 'open", "closing quote"),
            ("@a date = 5", "date"),
            ("@a varchar = 'x'", "length"),
            ("@a int(4) = 5", "int"),
            ("@a tinyint = random(1, 256)", "256"),
            ("@a int = random(5, 4)", "5"),
            ("@a int = random(1.5, 4)", "1.5"),
            ("@a int = random(1)", "random(low, high)"),
            ("@a int = dice(6)", "dice"),
            ("@a int = 'five'", "number"),
            ("@a varchar(4) = 'five!'", "5 characters"),
            ("@a varchar(4) = random_text(5)", "5 characters"),
            ("@a varchar(4) = random(1, 5)", "random"),
            ("@a decimal(3, 2) = 10", "10"),
            ("@a decimal(39, 2) = 10", "decimal"),
            ("@a int = normal(0, 10, 11, 1)", "mean"),
            ("@a int = normal(0, 10, 5, 0)", "deviation"),
            ("@a int = zipf(1, 10, -1)", "exponent"),
            ("@a int = choice()", "choice"),
        ] {
            let error = Declaration::parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
