//! LIKE: `%`, `_`, `[a-z]`, `[^…]` and ESCAPE.

/// Whether the text matches the pattern; case does not count.
pub fn matches(text: &str, pattern: &str, escape: Option<char>) -> bool {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let tokens = compile(pattern, escape);
    run(&text, &tokens)
}

/// The first place (from 1) where the pattern matches, as PATINDEX counts; 0 where none.
pub fn first_match(text: &str, pattern: &str) -> usize {
    let chars: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let tokens = compile(pattern, None);
    let (anchored, body) = match tokens.split_first() {
        Some((Token::Any, rest)) => (false, rest),
        _ => (true, tokens.as_slice()),
    };
    let last = if anchored { 0 } else { chars.len() };
    (0..=last)
        .find(|start| chars.get(*start..).is_some_and(|tail| run(tail, body)))
        .map_or(0, |at| at + 1)
}

#[derive(Debug)]
enum Token {
    Any,
    One,
    Char(char),
    Set {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
}

fn compile(pattern: &str, escape: Option<char>) -> Vec<Token> {
    let chars: Vec<char> = pattern.chars().flat_map(char::to_lowercase).collect();
    let escape = escape.and_then(|c| c.to_lowercase().next());
    let mut tokens = Vec::new();
    let mut i = 0;
    while let Some(c) = chars.get(i).copied() {
        i += 1;
        if Some(c) == escape {
            if let Some(next) = chars.get(i) {
                tokens.push(Token::Char(*next));
                i += 1;
            }
            continue;
        }
        match c {
            '%' => {
                if !matches!(tokens.last(), Some(Token::Any)) {
                    tokens.push(Token::Any);
                }
            }
            '_' => tokens.push(Token::One),
            '[' => match set(&chars, i) {
                Some((token, next)) => {
                    tokens.push(token);
                    i = next;
                }
                None => tokens.push(Token::Char('[')),
            },
            other => tokens.push(Token::Char(other)),
        }
    }
    tokens
}

fn set(chars: &[char], start: usize) -> Option<(Token, usize)> {
    let negated = chars.get(start) == Some(&'^');
    let first = if negated { start + 1 } else { start };
    let close = (first..chars.len()).find(|i| chars.get(*i) == Some(&']') && *i > first)?;
    let inner = chars.get(first..close)?;
    let mut ranges = Vec::new();
    let mut i = 0;
    while let Some(low) = inner.get(i).copied() {
        if inner.get(i + 1) == Some(&'-')
            && let Some(high) = inner.get(i + 2).copied()
        {
            ranges.push((low, high));
            i += 3;
            continue;
        }
        ranges.push((low, low));
        i += 1;
    }
    Some((Token::Set { ranges, negated }, close + 1))
}

fn accepts(token: &Token, c: char) -> bool {
    match token {
        Token::Any => false,
        Token::One => true,
        Token::Char(wanted) => *wanted == c,
        Token::Set { ranges, negated } => {
            ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
        }
    }
}

/// Greedy matching with one point to come back to: linear memory, no deep recursion.
fn run(text: &[char], tokens: &[Token]) -> bool {
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() || p < tokens.len() {
        let token = tokens.get(p);
        if matches!(token, Some(Token::Any)) {
            back = Some((p, t));
            p += 1;
            continue;
        }
        let fits = token
            .zip(text.get(t))
            .is_some_and(|(token, c)| accepts(token, *c));
        if fits {
            t += 1;
            p += 1;
            continue;
        }
        // Blanks at the end of the text are no difference for char columns.
        if p == tokens.len()
            && text
                .get(t..)
                .is_some_and(|rest| rest.iter().all(|c| *c == ' '))
        {
            return true;
        }
        match back {
            Some((any, from)) if from < text.len() => {
                back = Some((any, from + 1));
                t = from + 1;
                p = any + 1;
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_documented() {
        assert!(matches("SQLServer:Databases", "%:databases%", None));
        assert!(matches("abc", "a_c", None));
        assert!(!matches("abbc", "a_c", None));
        assert!(matches("b5", "[a-c][^a-z]", None));
        assert!(matches("50%", "50!%", Some('!')));
        assert!(!matches("505", "50!%", Some('!')));
        assert!(matches("a]", "a]", None));
        assert!(matches("[x", "[[]x", None));
    }

    #[test]
    fn patindex_finds_the_first_place() {
        assert_eq!(first_match("interesting data", "%ter%"), 3);
        assert_eq!(first_match("abc", "%z%"), 0);
        assert_eq!(first_match("abc123", "%[0-9]%"), 4);
    }
}
