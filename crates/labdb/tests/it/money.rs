//! `money` and `smallmoney`: their ranges, what arithmetic makes of them, and what is kept.

use super::harness::Lab;

#[test]
fn the_small_one_has_four_bytes_and_its_own_range() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let cases = [
        ("DATALENGTH(CAST(1 AS smallmoney))", "4"),
        ("DATALENGTH(CAST(1 AS money))", "8"),
        ("CAST('214748.3647' AS smallmoney)", "214748.3647"),
        ("CAST(-214748.3648 AS smallmoney)", "-214748.3648"),
    ];
    for (expression, expected) in cases {
        let text = format!("CAST(CAST({expression} AS decimal(19,4)) AS varchar(30))");
        let got = s.text(&text);
        let got = got.trim_end_matches(".0000");
        assert_eq!(got, expected, "{expression}");
    }
    // 2^31 ten-thousandths and one less are the ends of the range.
    for outside in [
        "CAST(214748.3648 AS smallmoney)",
        "CAST('-214748.3649' AS smallmoney)",
        "CAST(CAST(214748.3648 AS money) AS smallmoney)",
        "CAST(214748 AS smallmoney) + CAST(1 AS smallmoney)",
        "-CAST(-214748.3648 AS smallmoney)",
        "CAST(214749 AS smallmoney)",
    ] {
        assert_eq!(s.error(&format!("SELECT {outside}")), 8115, "{outside}");
    }
}

#[test]
fn arithmetic_takes_the_type_of_higher_precedence_and_a_sum_is_money() {
    let lab = Lab::start();
    let mut s = lab.connect();
    for (expression, base) in [
        (
            "CAST(1 AS smallmoney) + CAST(1 AS smallmoney)",
            "smallmoney",
        ),
        ("CAST(1 AS smallmoney) * 2", "smallmoney"),
        ("CAST(1 AS smallmoney) + CAST(1 AS bigint)", "smallmoney"),
        ("CAST(1 AS smallmoney) + CAST(1 AS money)", "money"),
        ("CAST(1 AS smallmoney) + 1.5", "numeric"),
        ("CAST(1 AS smallmoney) + 1e0", "float"),
        (
            "(SELECT SUM(v) FROM (VALUES (CAST(1 AS smallmoney))) t(v))",
            "money",
        ),
        (
            "(SELECT MAX(v) FROM (VALUES (CAST(1 AS smallmoney))) t(v))",
            "smallmoney",
        ),
    ] {
        let property =
            format!("CAST(SQL_VARIANT_PROPERTY({expression}, 'BaseType') AS nvarchar(30))");
        assert_eq!(s.text(&property), base, "{expression}");
    }
}

#[test]
fn a_column_keeps_its_type_over_a_restart() {
    let mut lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d");
    s.exec(
        "CREATE TABLE d.dbo.t (id int PRIMARY KEY, v smallmoney NULL);
         INSERT d.dbo.t VALUES (1, 12.5), (2, NULL), (3, -214748.3648)",
    );
    assert_eq!(s.error("INSERT d.dbo.t VALUES (4, 214748.3648)"), 8115);
    drop(s);
    lab.restart();
    let mut s = lab.connect();
    assert_eq!(
        s.text(
            "(SELECT CONCAT(y.name, ' ', c.max_length, ' ', c.precision, ' ', c.scale)
              FROM d.sys.columns c JOIN d.sys.types y ON y.user_type_id = c.user_type_id
              WHERE c.name = 'v')"
        ),
        "smallmoney 4 10 4"
    );
    assert_eq!(
        s.text("(SELECT STRING_AGG(CONCAT(id, '=', v), ' ') FROM d.dbo.t)"),
        "1=12.50 2= 3=-214748.36"
    );
}

#[test]
fn a_column_that_would_number_its_changes_is_refused() {
    let lab = Lab::start();
    let mut s = lab.connect();
    for name in ["rowversion", "timestamp"] {
        assert_eq!(s.error(&format!("CREATE TABLE #t (v {name})")), 40510);
    }
}
