use super::{Symbol, Token, TokenKind, tokenize};

fn kinds(source: &str) -> Vec<TokenKind> {
    let mut tokens = tokenize(source).unwrap();
    assert_eq!(tokens.pop().map(|token| token.kind), Some(TokenKind::End));
    tokens.into_iter().map(|token| token.kind).collect()
}

fn texts(source: &str) -> Vec<&str> {
    let written = |token: Token| &source[token.start..token.end];
    let mut tokens: Vec<&str> = tokenize(source).unwrap().into_iter().map(written).collect();
    tokens.pop();
    tokens
}

fn error(source: &str) -> (i32, u32, String) {
    let error = tokenize(source).unwrap_err();
    (error.number, error.line, error.message)
}

#[test]
fn names_variables_and_temporary_tables_are_told_apart() {
    assert_eq!(
        texts("a_1 @v @@ROWCOUNT #t ##g $action"),
        ["a_1", "@v", "@@ROWCOUNT", "#t", "##g", "$action"]
    );
    assert_eq!(
        kinds("a @v @@r #t [a ]] b] \"c\"\"d\""),
        [
            TokenKind::Word,
            TokenKind::Variable,
            TokenKind::GlobalVariable,
            TokenKind::Word,
            TokenKind::DelimitedName("a ] b".into()),
            TokenKind::DelimitedName("c\"d".into()),
        ]
    );
}

#[test]
fn a_doubled_quotation_mark_in_a_text_is_one() {
    assert_eq!(
        kinds("'it''s' N'' ''"),
        [
            TokenKind::Text("it's".into()),
            TokenKind::NationalText(String::new()),
            TokenKind::Text(String::new()),
        ]
    );
}

#[test]
fn a_backslash_at_the_end_of_a_line_joins_the_lines_of_a_text() {
    assert_eq!(
        kinds("'ab\\\ncd\\\r\ne'"),
        [TokenKind::Text("abcde".into())]
    );
}

#[test]
fn numbers_take_the_kind_that_their_writing_says() {
    assert_eq!(
        kinds("1 1.5 1. .5 1e3 1.5E-1 2e $1.50 $ $1,000"),
        [
            TokenKind::Integer,
            TokenKind::Decimal,
            TokenKind::Decimal,
            TokenKind::Decimal,
            TokenKind::Float(1000.0),
            TokenKind::Float(0.15),
            TokenKind::Float(2.0),
            TokenKind::Money,
            TokenKind::Money,
            TokenKind::Money,
        ]
    );
    assert_eq!(texts("12abc"), ["12", "abc"]);
    assert_eq!(texts("t.1"), ["t", ".1"]);
}

#[test]
fn a_binary_literal_of_odd_length_gets_a_zero_in_front() {
    assert_eq!(
        kinds("0xABC 0X 0x00fF"),
        [
            TokenKind::Binary(vec![0x0A, 0xBC]),
            TokenKind::Binary(vec![]),
            TokenKind::Binary(vec![0x00, 0xFF]),
        ]
    );
}

#[test]
fn comments_are_skipped_and_block_comments_nest() {
    assert_eq!(texts("a -- b\nc /* d /* e */ f */ g --"), ["a", "c", "g"]);
}

#[test]
fn the_longest_operator_wins() {
    assert_eq!(
        kinds("<>!=<=!>>=!<::+=^=!"),
        [
            Symbol::NotEqual,
            Symbol::NotEqual,
            Symbol::LessOrEqual,
            Symbol::LessOrEqual,
            Symbol::GreaterOrEqual,
            Symbol::GreaterOrEqual,
            Symbol::DoubleColon,
            Symbol::PlusEqual,
            Symbol::CaretEqual,
            Symbol::Exclamation,
        ]
        .map(TokenKind::Symbol)
    );
}

#[test]
fn every_token_knows_the_line_it_begins_on() {
    let lines: Vec<u32> = tokenize("a\r\nb /*\n*/ 'c\nd' e")
        .unwrap()
        .iter()
        .map(|token| token.line)
        .collect();
    assert_eq!(lines, [1, 2, 3, 4, 4]);
}

#[test]
fn what_is_not_closed_is_reported_where_it_began() {
    assert_eq!(
        error("a\n'b''c\nd"),
        (
            105,
            2,
            "Unclosed quotation mark after the character string 'b'c\nd'.".into()
        )
    );
    assert_eq!(error("[x").0, 105);
    assert_eq!(error("\"x").0, 105);
    assert_eq!(
        error("a\n/* /* */"),
        (113, 2, "Missing end comment mark '*/'.".into())
    );
}

#[test]
fn names_and_numbers_have_limits() {
    let longest = "a".repeat(128);
    assert!(tokenize(&longest).is_ok());
    assert_eq!(error(&format!("{longest}a")).0, 103);
    assert_eq!(error(&format!("[{longest}a]")).0, 103);
    assert_eq!(error("[]").0, 1038);
    assert!(tokenize(&"9".repeat(38)).is_ok());
    assert_eq!(error(&"9".repeat(39)).0, 1007);
    assert_eq!(error("1e999").0, 168);
}

#[test]
fn a_character_outside_the_language_is_a_syntax_error() {
    assert_eq!(
        error("a\n ?"),
        (102, 2, "Incorrect syntax near '?'.".into())
    );
}
