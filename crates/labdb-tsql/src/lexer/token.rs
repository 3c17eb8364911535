//! What a token is.

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The line it begins on, from 1.
    pub(crate) line: u32,
    /// Its first byte in the source.
    pub(crate) start: usize,
    /// The byte after its last one.
    pub(crate) end: usize,
}

/// Words, variables and numbers are read from the source where they are needed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A regular name or a keyword.
    Word,
    /// `[name]` or `"name"`, without its delimiters.
    DelimitedName(String),
    /// `@name`.
    Variable,
    /// `@@name`.
    GlobalVariable,
    /// `'…'`, without its quotation marks.
    Text(String),
    /// `N'…'`.
    NationalText(String),
    /// Digits alone.
    Integer,
    /// Digits with a point.
    Decimal,
    /// A number with an exponent.
    Float(f64),
    /// A number after a currency sign.
    Money,
    /// `0x…`.
    Binary(Vec<u8>),
    Symbol(Symbol),
    /// The end of the text.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    LeftParenthesis,
    RightParenthesis,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Dot,
    Colon,
    DoubleColon,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Ampersand,
    Bar,
    Caret,
    Tilde,
    Exclamation,
    PlusEqual,
    MinusEqual,
    StarEqual,
    SlashEqual,
    PercentEqual,
    AmpersandEqual,
    BarEqual,
    CaretEqual,
}

/// Longer ones first.
pub(super) const SYMBOLS: &[(&str, Symbol)] = &[
    ("<>", Symbol::NotEqual),
    ("!=", Symbol::NotEqual),
    ("<=", Symbol::LessOrEqual),
    ("!>", Symbol::LessOrEqual),
    (">=", Symbol::GreaterOrEqual),
    ("!<", Symbol::GreaterOrEqual),
    ("::", Symbol::DoubleColon),
    ("+=", Symbol::PlusEqual),
    ("-=", Symbol::MinusEqual),
    ("*=", Symbol::StarEqual),
    ("/=", Symbol::SlashEqual),
    ("%=", Symbol::PercentEqual),
    ("&=", Symbol::AmpersandEqual),
    ("|=", Symbol::BarEqual),
    ("^=", Symbol::CaretEqual),
    ("(", Symbol::LeftParenthesis),
    (")", Symbol::RightParenthesis),
    ("{", Symbol::LeftBrace),
    ("}", Symbol::RightBrace),
    (",", Symbol::Comma),
    (";", Symbol::Semicolon),
    (".", Symbol::Dot),
    (":", Symbol::Colon),
    ("=", Symbol::Equal),
    ("<", Symbol::Less),
    (">", Symbol::Greater),
    ("+", Symbol::Plus),
    ("-", Symbol::Minus),
    ("*", Symbol::Star),
    ("/", Symbol::Slash),
    ("%", Symbol::Percent),
    ("&", Symbol::Ampersand),
    ("|", Symbol::Bar),
    ("^", Symbol::Caret),
    ("~", Symbol::Tilde),
    ("!", Symbol::Exclamation),
];
