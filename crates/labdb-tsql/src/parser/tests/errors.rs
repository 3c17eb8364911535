//! The texts and lines of errors, and the limits on nesting.

use crate::{MAX_HEIGHT, parse_batch};

fn error(text: &str) -> (i32, u32, String) {
    let error = parse_batch(text).unwrap_err();
    (error.number, error.line, error.message)
}

#[test]
fn a_syntax_error_names_the_token_and_its_line() {
    for (text, number, line, message) in [
        ("SELECT 1\nFROM", 102, 2, "Incorrect syntax near 'FROM'."),
        ("SELECT 1 +", 102, 1, "Incorrect syntax near '+'."),
        ("SELECT\n\n(1))", 102, 3, "Incorrect syntax near ')'."),
        (
            "SELECT 1\nFROM WHERE",
            156,
            2,
            "Incorrect syntax near the keyword 'WHERE'.",
        ),
        ("PRINT 1 [x y] z", 102, 1, "Incorrect syntax near 'x y'."),
        ("PRINT 'a' 'b'", 102, 1, "Incorrect syntax near 'b'."),
        (
            "SELECT 1\nELSE",
            156,
            2,
            "Incorrect syntax near the keyword 'ELSE'.",
        ),
        (
            "SELECT 1 WHERE a\nORDER BY 1",
            4145,
            2,
            "An expression of non-boolean type specified in a context where a condition is expected, near 'ORDER'.",
        ),
        (
            "SELECT 1 INTERSECT ALL SELECT 2",
            324,
            1,
            "The 'ALL' version of the INTERSECT operator is not supported.",
        ),
        (
            "SELECT 1;\nCREATE PROC p AS SELECT 1",
            111,
            2,
            "'CREATE/ALTER PROCEDURE' must be the first statement in a query batch.",
        ),
        (
            "SELECT *\nFROM a.b.c.d.e",
            117,
            2,
            "The object name 'a.b.c.d.e' contains more than the maximum number of prefixes. The maximum is 3.",
        ),
    ] {
        assert_eq!(error(text), (number, line, message.to_owned()), "{text}");
    }
    assert_eq!(parse_batch("SELECT 1 +").unwrap_err().severity, 15);
}

#[test]
fn with_needs_a_semicolon_before_it_unless_it_is_first() {
    let with = "WITH a AS (SELECT 1 AS x) SELECT x FROM a";
    assert_eq!(error(&format!("SELECT 1\n{with}")).0, 319);
    assert_eq!(error(&format!("SELECT 1\n{with}")).1, 2);
    for before in ["", "SELECT 1;", "IF 1 = 1 ", "BEGIN SELECT 1; END; "] {
        assert!(parse_batch(&format!("{before}{with}")).is_ok(), "{before}");
    }
}

#[test]
fn what_is_outside_the_subset_is_named() {
    for (text, name) in [
        (
            "MERGE t USING u ON 1 = 1 WHEN MATCHED THEN DELETE;",
            "'MERGE'",
        ),
        ("CREATE OR ALTER VIEW v AS SELECT 1", "'CREATE VIEW'"),
        ("SELECT 1 FOR XML AUTO", "'FOR XML'"),
        ("SELECT a AT TIME ZONE 'UTC'", "'AT TIME ZONE'"),
        ("SELECT * FROM t FOR SYSTEM_TIME ALL", "'FOR SYSTEM_TIME'"),
        ("DECLARE c CURSOR KEYSET FOR SELECT 1", "'KEYSET CURSOR'"),
        ("SELECT 1;\nDISABLE TRIGGER t ON u", "'DISABLE TRIGGER'"),
        ("SELECT {d '2026-01-01'}", "'{ ODBC escape }'"),
    ] {
        let (number, _, message) = error(text);
        assert_eq!(number, 40510, "{text}: {message}");
        assert!(message.contains(name), "{text}: {message}");
    }
}

#[test]
fn what_microsoft_documents_and_its_parser_lets_pass_is_refused() {
    assert_eq!(error("BACKUP DATABASE a").0, 102);
}

/// Each recursion of the grammar, far deeper than any stack.
#[test]
fn deep_nesting_of_every_kind_is_error_191() {
    let deep = 100_000;
    for (open, close) in [
        ("SELECT ", "("),
        ("SELECT ", "- "),
        ("SELECT ", "~"),
        ("SELECT ", "1+("),
        ("SELECT ", "f("),
        ("SELECT ", "CASE WHEN 1=1 THEN "),
        ("SELECT ", "CAST("),
        ("SELECT ", "(SELECT "),
        ("SELECT ", "1+"),
        ("SELECT ", "1*"),
        ("SELECT ", "1*~"),
        ("SELECT 1 WHERE ", "NOT "),
        ("SELECT 1 WHERE ", "("),
        ("SELECT 1 WHERE ", "1=1 AND ("),
        ("SELECT 1 WHERE ", "1=1 OR "),
        ("SELECT 1 WHERE ", "1 IN (SELECT 1 WHERE "),
        ("SELECT 1 WHERE EXISTS ", "("),
        ("SELECT 1 WHERE ", "1 IN ((SELECT 1 WHERE "),
        ("SELECT 1 WHERE 1 IN ", "("),
        ("SELECT * FROM ", "("),
        ("SELECT * FROM ", "(SELECT * FROM "),
        ("SELECT * FROM ", "a JOIN "),
        ("SELECT * FROM ", "a CROSS JOIN "),
        ("SELECT * FROM ", "(a JOIN "),
        ("SELECT * FROM ", "f("),
        ("", "("),
        ("", "SELECT 1 UNION "),
        ("", "SELECT 1 EXCEPT ("),
        ("", "SELECT 1 INTERSECT SELECT 1 UNION "),
        ("", "IF 1=1 "),
        ("", "IF 1=1 SELECT 1 ELSE "),
        ("", "WHILE 1=1 "),
        ("", "BEGIN "),
        ("", "BEGIN TRY "),
        ("WITH a AS ", "("),
        ("SELECT ", "SUM(1) OVER (ORDER BY "),
        ("INSERT INTO t VALUES (", "("),
    ] {
        let text = format!("{open}{}", close.repeat(deep));
        let (number, _, message) = error(&text);
        assert_eq!(number, 191, "{open}{close}…: {message}");
    }
}

#[test]
fn a_chain_of_operators_is_as_high_as_it_is_long() {
    let chain = |terms: usize| format!("SELECT {}", vec!["1"; terms].join("+"));
    assert!(parse_batch(&chain(MAX_HEIGHT - 20)).is_ok());
    assert_eq!(error(&chain(MAX_HEIGHT + 1)).0, 191);
}

/// Heights add up across nesting: chains inside chains must not slip through.
#[test]
fn chains_inside_parentheses_count_together() {
    let mut text = String::from("1");
    for _ in 0..20 {
        text = format!("({text}{})", "+1".repeat(MAX_HEIGHT / 10));
    }
    assert_eq!(error(&format!("SELECT {text}")).0, 191);
}

/// Width is no depth.
#[test]
fn long_lists_are_fine() {
    // 1,000 rows are SQL Server's own limit.
    let rows = |count| vec!["(1, -2, 'x' + 'y')"; count].join(", ");
    let insert = |count| format!("INSERT INTO t VALUES {}", rows(count));
    assert!(parse_batch(&insert(1_000)).is_ok());
    assert_eq!(error(&insert(1_001)).0, 10738);
    let items = |count| vec!["1"; count].join(", ");
    let select = |columns| format!("SELECT {} WHERE 1 IN ({})", items(columns), items(50_000));
    assert!(parse_batch(&select(4_096)).is_ok());
    let ifs = "IF @a = 1 PRINT 'x' ELSE BEGIN SET @a = 2 END\n".repeat(20_000);
    assert_eq!(parse_batch(&ifs).unwrap().statements.len(), 20_000);
}

/// The deepest tree that parses needs no more than half of a thread's usual 2 MB.
#[test]
fn the_deepest_texts_that_parse_need_little_stack() {
    let deepest = |unit: &str, middle: &str, close: &str| {
        let fits = |depth: usize| {
            format!(
                "SELECT 1 WHERE {}{middle}{}",
                unit.repeat(depth),
                close.repeat(depth)
            )
        };
        let depth = (1..=201)
            .rev()
            .find(|depth| parse_batch(&fits(*depth)).is_ok());
        fits(depth.expect("some depth parses"))
    };
    let texts = [
        deepest("(", "1=1", ")"),
        deepest("NOT 1=1 AND (", "1=1", ")"),
        deepest("1 = CASE WHEN ", "1=1", " THEN 1 END"),
        deepest("EXISTS (SELECT 1 WHERE ", "1=1", ")"),
        deepest("EXISTS (SELECT 1 FROM a JOIN b ON ", "1=1", ")"),
        deepest(
            "1 IN (SELECT f(1) FROM (SELECT 1 AS x WHERE ",
            "1=1",
            ") AS t)",
        ),
    ];
    let calls = format!("SELECT {}1{}", "f(".repeat(195), ")".repeat(195));
    assert!(parse_batch(&calls).is_ok());
    std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(move || {
            for text in texts.into_iter().chain([calls]) {
                assert!(parse_batch(&text).is_ok());
            }
        })
        .unwrap()
        .join()
        .unwrap();
}
