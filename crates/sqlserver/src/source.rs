//! Files of T-SQL: read as Windows and other systems write them, and looked through without
//! parsing, far enough to tell code from comments and quoted text.

use records::{Failure, FailureCode};
use std::path::Path;

/// Reads a file of T-SQL: UTF-8 with or without a BOM, or UTF-16 with one, as SQL Server
/// Management Studio saves "Unicode".
///
/// # Errors
/// Usage: the file cannot be read or is neither.
pub fn read(path: &Path) -> Result<String, Failure> {
    let refused = |why: String| {
        Failure::new(FailureCode::Usage, format!("{}: {why}", path.display()))
            .remedy("Name a file of T-SQL, in UTF-8 or in UTF-16 with a byte order mark.")
    };
    let bytes = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
    decode(&bytes).ok_or_else(|| refused("it is no text in UTF-8 or UTF-16".to_owned()))
}

fn decode(bytes: &[u8]) -> Option<String> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, odd) = rest.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        odd.is_empty().then(|| String::from_utf16(&units).ok())?
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        _ => String::from_utf8(bytes.to_vec()).ok(),
    }
}

/// The text with every comment, quoted text and quoted name made blank, line by line as before.
#[must_use]
pub fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut within = Within::Code;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        // Two characters that belong together are both blank.
        let mut pair = false;
        let mut code = false;
        within = match (within, c) {
            (Within::Code, '-') if next == Some('-') => Within::Line,
            (Within::Code, '/') if next == Some('*') => {
                pair = true;
                Within::Block(1)
            }
            (Within::Code, '\'' | '"') => Within::Quoted(c),
            (Within::Code, '[') => Within::Quoted(']'),
            (Within::Code, _) => {
                code = true;
                Within::Code
            }
            (Within::Line, '\n') => Within::Code,
            (Within::Line, _) => Within::Line,
            (Within::Block(depth), '/') if next == Some('*') => {
                pair = true;
                Within::Block(depth + 1)
            }
            (Within::Block(depth), '*') if next == Some('/') => {
                pair = true;
                if depth == 1 {
                    Within::Code
                } else {
                    Within::Block(depth - 1)
                }
            }
            (Within::Block(depth), _) => Within::Block(depth),
            (Within::Quoted(end), c) if c == end && next == Some(end) => {
                pair = true;
                Within::Quoted(end)
            }
            (Within::Quoted(end), c) if c == end => Within::Code,
            (Within::Quoted(end), _) => Within::Quoted(end),
        };
        out.push(if code || c == '\n' { c } else { ' ' });
        if pair {
            rest.next();
            out.push(' ');
        }
    }
    out
}

#[derive(Clone, Copy)]
enum Within {
    Code,
    Line,
    /// Comments nest in T-SQL.
    Block(u32),
    Quoted(char),
}

/// The variables that a text names (`@amount`), each once, in lower case, without those of two `@`.
#[must_use]
pub fn variables(text: &str) -> Vec<String> {
    let code = code_only(text);
    let mut found: Vec<String> = Vec::new();
    let mut rest = code.as_str();
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let at = c == '@' && !is_name(before);
        let end = rest
            .find(|c| !is_name(c))
            .unwrap_or(rest.len())
            .max(c.len_utf8());
        let (word, after) = rest.split_at(end);
        if at && word.len() > 1 && !word.starts_with("@@") {
            let name = word.to_lowercase();
            if !found.contains(&name) {
                found.push(name);
            }
        }
        before = word.chars().next_back().unwrap_or(' ');
        rest = after;
    }
    found
}

/// Whether a name may hold the character.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '@' | '_' | '#' | '$')
}

/// One batch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The line of the file that its text begins with, from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// A `GO` that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGo {
    /// Its line, from 1.
    pub line: u32,
}

/// Splits a file at its lines of `GO`, as sqlcmd does; `GO 5` gives the batch before it five times.
/// Batches without any code are left out.
///
/// # Errors
/// A line that begins with GO and is neither of the two.
pub fn batches(text: &str) -> Result<Vec<Batch>, BadGo> {
    const MOST_REPEATS: u32 = 1_000_000;
    let code = code_only(text);
    let mut found = Vec::new();
    let mut batch = Batch {
        line: 1,
        text: String::new(),
    };
    let mut holds_code = false;
    for ((line, written), number) in code.lines().zip(text.lines()).zip(1_u32..) {
        let mut words = line.split_whitespace();
        if words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("GO"))
        {
            let repeats = match (words.next(), words.next()) {
                (None, _) => Some(1),
                (Some(count), None) => count.parse().ok().filter(|count| *count <= MOST_REPEATS),
                _ => None,
            };
            let repeats = repeats.ok_or(BadGo { line: number })?;
            if holds_code {
                found.extend((0..repeats).map(|_| batch.clone()));
            }
            batch = Batch {
                line: number + 1,
                text: String::new(),
            };
            holds_code = false;
        } else {
            holds_code |= !line.trim().is_empty();
            batch.text.push_str(written);
            batch.text.push('\n');
        }
    }
    if holds_code {
        found.push(batch);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{BadGo, Batch, batches, code_only, decode, variables};

    #[test]
    fn comments_and_quoted_text_are_no_code_and_lines_stay() {
        let text = "a 'b''c' [d]]e] \"f\"\n-- g 'h\ni /* j /* k */ l\n*/ m";
        let blank = |count| " ".repeat(count);
        assert_eq!(
            code_only(text),
            format!("a{}\n{}\ni{}\n   m", blank(18), blank(7), blank(15))
        );
        assert_eq!(code_only("5-3/2"), "5-3/2");
    }

    #[test]
    fn variables_are_named_once_and_only_where_they_are_code() {
        let text = "SELECT @b, @A_1, @a_1, '@c', [@d], @@ROWCOUNT, x@e -- @f\n, @_g;";
        assert_eq!(variables(text), ["@b", "@a_1", "@_g"]);
    }

    #[test]
    fn a_file_is_split_at_its_lines_of_go_and_keeps_its_lines() {
        let text = "one\nGO\n\n-- only a comment\ngo\ntwo 'GO\nGO\n'\n  Go 2 -- twice\nthree\n";
        let batch = |line, text: &str| Batch {
            line,
            text: text.to_owned(),
        };
        let two = batch(6, "two 'GO\nGO\n'\n");
        assert_eq!(
            batches(text).unwrap(),
            [batch(1, "one\n"), two.clone(), two, batch(10, "three\n")]
        );
        assert_eq!(batches("a\nGO away\n"), Err(BadGo { line: 2 }));
        assert_eq!(batches(" \n").unwrap(), []);
    }

    #[test]
    fn files_are_read_as_windows_writes_them() {
        let wide = |order: fn(u16) -> [u8; 2], mark: [u8; 2]| {
            let mut bytes = mark.to_vec();
            bytes.extend("Grüße €".encode_utf16().flat_map(order));
            bytes
        };
        let expected = Some("Grüße €".to_owned());
        assert_eq!(decode("Grüße €".as_bytes()), expected);
        assert_eq!(decode("\u{FEFF}Grüße €".as_bytes()), expected);
        assert_eq!(decode(&wide(u16::to_le_bytes, [0xFF, 0xFE])), expected);
        assert_eq!(decode(&wide(u16::to_be_bytes, [0xFE, 0xFF])), expected);
        assert_eq!(decode(b"Gr\xFC\xDFe"), None);
        assert_eq!(decode(&[0xFF, 0xFE, 0x41]), None);
    }
}
