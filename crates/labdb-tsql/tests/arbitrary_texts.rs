//! Whatever the text, parsing it ends: with a tree or an error, without a panic, in time that
//! grows with its length alone.

use labdb_tsql::{parse_batch, parse_expression, print_expression};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const WORDS: &[&str] = &[
    "SELECT", "FROM", "WHERE", "GROUP", "BY", "ORDER", "UNION", "ALL", "JOIN", "LEFT", "ON", "AS",
    "CASE", "WHEN", "THEN", "ELSE", "END", "IF", "WHILE", "BEGIN", "TRY", "CATCH", "TRAN",
    "COMMIT", "WITH", "INSERT", "INTO", "VALUES", "UPDATE", "SET", "DELETE", "CREATE", "ALTER",
    "DROP", "TABLE", "DATABASE", "PROC", "INDEX", "EXEC", "DECLARE", "NOT", "NULL", "AND", "OR",
    "IN", "LIKE", "BETWEEN", "EXISTS", "ANY", "CAST", "CONVERT", "OVER", "TOP", "OUTPUT", "BACKUP",
    "RESTORE", "TO", "DISK", "FOR", "DBCC", "OPTION", "a", "[b c]", "@v", "@@x", "#t", "1", "1.5",
    "1e3", "0xAB", "'text'", "N'x'", "$2", "(", ")", "(", ")", ",", ";", ".", "=", "<", ">", "+",
    "-", "*", "/", "~", "::", ":", "+=", "{", "}", "\n", "--x\n", "/*x*/",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_characters_parse_or_are_refused(text in any::<String>()) {
        if let Err(error) = parse_batch(&text) {
            prop_assert!(error.line >= 1);
        }
    }

    #[test]
    fn any_bytes_parse_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_batch(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words_in_any_order_parse_or_are_refused(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)
    ) {
        let _ = parse_batch(&words.join(" "));
    }

    #[test]
    fn an_expression_that_parses_prints_to_one_that_prints_the_same(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 1..9)
    ) {
        let printed = parse_expression(&words.join(" ")).and_then(|tree| print_expression(&tree));
        if let Ok(printed) = printed {
            let again = parse_expression(&printed).and_then(|tree| print_expression(&tree));
            prop_assert_eq!(again, Ok(printed));
        }
    }
}

/// A megabyte of what could make a careless parser try again and again. All of it takes
/// about a second; exponential or quadratic work would not end in a minute.
#[test]
fn a_megabyte_of_anything_takes_linear_time() {
    let started = Instant::now();
    for unit in [
        "(",
        "((SELECT 1)",
        "SELECT (",
        "[a].",
        "a.",
        "@a=",
        "IF 1=1 ",
        "IF 1=1 SELECT 1;",
        "IF 1=1 SELECT 1 ELSE ",
        ";",
        "(a JOIN ",
        "SELECT * FROM (",
        "SELECT * FROM ((((",
        "/*",
        "'",
        "''",
        "--",
        "1,",
        "1+",
        "NOT ",
        "CASE ",
        "SELECT 1 ",
        "WITH a AS (",
        "\\\n",
        "é",
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        let _ = parse_batch(&text);
        let _ = parse_batch(&format!("SELECT {text}"));
    }
    assert!(
        started.elapsed() < Duration::from_mins(1),
        "{:?}",
        started.elapsed()
    );
}
