//! What the properties found, each at its smallest, so that it is met in every run.

use crate::engine::{Engine, run};
use labdb::session::Session;
use labdb_types::Value;

fn numbers(session: &Session, text: &str) -> Vec<i32> {
    let answer = run(session, text);
    assert!(answer.errors.is_empty(), "{text}\n{:?}", answer.errors);
    let number = |row: &Vec<Value>| match row[0] {
        Value::Int(n) => n,
        ref other => panic!("{text}\n{other:?}"),
    };
    answer.rows.iter().map(number).collect()
}

fn error(session: &Session, text: &str) -> i32 {
    run(session, text).errors.first().map_or(0, |e| e.number)
}

#[test]
fn first_rows_of_one_part_end_that_part_and_not_what_follows() {
    let engine = Engine::start();
    let session = engine.session("tempdb");
    let rows = "(VALUES (1), (2), (3)) AS t (v)";
    let part = format!("SELECT v FROM {rows} ORDER BY v OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY");
    let text = format!("SELECT v FROM ({part}) AS f UNION ALL SELECT v FROM {rows} ORDER BY 1");
    assert_eq!(numbers(&session, &text), [1, 2, 2, 3]);
}

#[test]
fn a_subquery_sees_the_keys_of_the_groups_around_it_and_nothing_else_of_them() {
    let engine = Engine::start();
    let session = engine.session("tempdb");
    let groups = "(VALUES (7, 1), (8, 1), (9, 2)) AS g (x, k)";
    let text = |column: &str| {
        format!(
            "SELECT (SELECT COUNT(*) FROM (VALUES (1), (1), (2)) AS t (v) WHERE v = g.{column}) \
             FROM {groups} GROUP BY k ORDER BY 1"
        )
    };
    assert_eq!(numbers(&session, &text("k")), [1, 2]);
    assert_eq!(error(&session, &text("x")), 8120);
}

#[test]
fn first_and_last_value_keep_to_the_frame() {
    let engine = Engine::start();
    let session = engine.session("tempdb");
    let frame = "OVER (ORDER BY v ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)";
    for (function, expected) in [("FIRST_VALUE", [1, 1, 2]), ("LAST_VALUE", [2, 3, 3])] {
        let text =
            format!("SELECT {function}(v) {frame} FROM (VALUES (1), (2), (3)) AS t (v) ORDER BY v");
        assert_eq!(numbers(&session, &text), expected);
    }
}

#[test]
fn a_date_has_no_hours_and_a_time_no_days() {
    let engine = Engine::start();
    let session = engine.session("tempdb");
    for text in [
        "SELECT DATEADD(hour, 1, CAST('2024-01-01' AS date))",
        "SELECT DATEPART(hour, CAST('2024-01-01' AS date))",
        "SELECT DATENAME(second, CAST('2024-01-01' AS date))",
        "SELECT DATEADD(day, 1, CAST('12:00' AS time))",
        "SELECT DATEADD(microsecond, 1, CAST('2024-01-01' AS datetime))",
    ] {
        assert_eq!(error(&session, text), 9810, "{text}");
    }
    let beyond = "SELECT DATEADD(day, 2147483648, CAST('2024-01-01' AS date))";
    assert_eq!(error(&session, beyond), 8115);
}

#[test]
fn only_a_bare_null_is_without_a_type() {
    let engine = Engine::start();
    let session = engine.session("tempdb");
    let length = |text: &str| run(&session, text).columns[0].sql_type;
    assert_eq!(
        length("SELECT CAST(NULL AS varchar(3)) + 'ab'"),
        length("SELECT CAST('' AS varchar(5))")
    );
    assert_eq!(
        error(&session, "SELECT CASE WHEN 1 = 1 THEN NULL END"),
        8133
    );
    assert_eq!(
        error(
            &session,
            "SELECT CASE WHEN 1 = 1 THEN CAST(NULL AS int) END"
        ),
        0
    );
    // A sum is an int, of ten digits; only 2 as it is written has one.
    assert_eq!(
        length("SELECT CAST(1 AS decimal(1,0)) + (1 + 1)"),
        length("SELECT CAST(1 AS decimal(11,0))")
    );
    assert_eq!(
        length("SELECT CAST(1 AS decimal(1,0)) + 2"),
        length("SELECT CAST(1 AS decimal(2,0))")
    );
}
