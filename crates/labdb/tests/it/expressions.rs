//! Expressions: values from Microsoft's documentation, or worked out by hand.

use super::harness::Lab;

#[test]
fn expressions_have_the_documented_values() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let cases = [
        // Integer division, precedence, decimal scale.
        ("7 / 2", "3"),
        ("7 % 3", "1"),
        ("2 + 3 * 4", "14"),
        ("1.0 / 3", "0.333333"),
        ("CAST(10 AS decimal(5,2)) / 3", "3.333333"),
        ("1.5 + 2.25", "3.75"),
        ("10 - -3", "13"),
        ("5 & 3 | 8", "9"),
        ("~5", "-6"),
        ("'1' + 2", "3"),
        ("'a' + 'b' + N'c'", "abc"),
        ("NULL + 1", "NULL"),
        // Strings.
        ("LEN('abc  ')", "3"),
        ("DATALENGTH(N'abc')", "6"),
        ("LEFT('abcdef', 2) + RIGHT('abcdef', 2)", "abef"),
        ("SUBSTRING('abcdef', 2, 3)", "bcd"),
        ("REPLACE('abcabc', 'B', 'x')", "axcaxc"),
        ("REPLICATE('ab', 3)", "ababab"),
        ("CHARINDEX('C', 'abc')", "3"),
        ("UPPER('aé') + LOWER('B')", "AÉb"),
        ("LTRIM('  a') + RTRIM('b  ') + TRIM('  c ')", "abc"),
        ("CONCAT('a', NULL, 1)", "a1"),
        ("CONCAT_WS('-', 'a', NULL, 'b')", "a-b"),
        ("STR(123.45, 6, 1)", " 123.5"),
        ("QUOTENAME('a]b')", "[a]]b]"),
        ("STUFF('abcdef', 2, 3, 'ijklmn')", "aijklmnef"),
        ("REVERSE('abc')", "cba"),
        ("PATINDEX('%ensure%', 'please ensure the door')", "8"),
        ("ASCII('A')", "65"),
        ("CHAR(65)", "A"),
        // NULL and choice.
        ("ISNULL(NULL, 'x')", "x"),
        ("COALESCE(NULL, NULL, 3)", "3"),
        ("NULLIF(1, 1)", "NULL"),
        ("IIF(1 > 2, 'y', 'n')", "n"),
        ("CHOOSE(2, 'a', 'b')", "b"),
        ("CASE WHEN NULL = NULL THEN 1 ELSE 2 END", "2"),
        ("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END", "b"),
        // Numbers.
        ("ABS(-1.5)", "1.5"),
        ("CEILING(123.45)", "124"),
        ("CEILING(-123.45)", "-123"),
        ("FLOOR(-123.45)", "-124"),
        ("ROUND(123.9994, 3)", "123.9990"),
        ("ROUND(150.75, 0, 1)", "150.00"),
        ("ROUND(748, -2)", "700"),
        ("POWER(2, 10)", "1024"),
        ("SQRT(16)", "4"),
        ("SIGN(-3)", "-1"),
        // Dates.
        (
            "CONVERT(varchar(30), DATEADD(month, 1, CAST('2006-08-30' AS datetime)), 120)",
            "2006-09-30 00:00:00",
        ),
        (
            "CONVERT(varchar(30), DATEADD(month, 1, CAST('2006-08-31' AS datetime)), 120)",
            "2006-09-30 00:00:00",
        ),
        (
            "DATEDIFF(year, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000')",
            "1",
        ),
        (
            "DATEDIFF(ms, '2020-01-01 00:00:00.000', '2020-01-01 00:00:01.500')",
            "1500",
        ),
        ("DATEPART(iso_week, '2010-01-03')", "53"),
        ("DATENAME(month, '2007-10-30')", "October"),
        ("DATENAME(weekday, '2007-10-30')", "Tuesday"),
        ("DATEPART(weekday, '2007-10-30')", "3"),
        ("EOMONTH('2024-02-10')", "2024-02-29"),
        ("YEAR('2024-02-10') * 100 + MONTH('2024-02-10')", "202402"),
        (
            "CONVERT(varchar(8), CAST('2024-03-05' AS date), 112)",
            "20240305",
        ),
        (
            "CONVERT(nvarchar(33), CAST('2024-03-05 01:02:03.1234567' AS datetime2(7)), 126)",
            "2024-03-05T01:02:03.1234567",
        ),
        (
            "CAST('2024-03-05 01:02:03.999' AS smalldatetime)",
            "Mar  5 2024  1:02AM",
        ),
        // Conversions.
        ("CAST(1.999 AS int)", "1"),
        ("CAST(-1.999 AS decimal(5,2))", "-2.00"),
        ("CAST(0x41 AS varchar(5))", "A"),
        ("CONVERT(varchar(10), 0x1AF, 1)", "0x01AF"),
        ("CAST(CAST(1 AS bit) AS varchar(1))", "1"),
        ("TRY_CAST('abc' AS int)", "NULL"),
        ("CAST(1e10 AS varchar(20))", "1e+010"),
        ("CAST($12.5 AS varchar(20))", "12.50"),
        ("CAST(2147483647 AS bigint) + 1", "2147483648"),
    ];
    for (expression, expected) in cases {
        assert_eq!(s.text(expression), expected, "{expression}");
    }
}

#[test]
fn results_have_the_types_that_a_strict_driver_reads() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let kinds = s.rows(
        "SELECT SQL_VARIANT_PROPERTY(1 + 1, 'BaseType'), SQL_VARIANT_PROPERTY(CAST(1 AS tinyint) \
         + CAST(1 AS smallint), 'BaseType'), SQL_VARIANT_PROPERTY(1 + 1.5, 'BaseType'), \
         SQL_VARIANT_PROPERTY(GETDATE(), 'BaseType'), SQL_VARIANT_PROPERTY(SYSDATETIME(), \
         'BaseType')",
    );
    let row = &kinds[0];
    let names: Vec<&str> = (0..5)
        .map(|at| row.try_get::<&str, _>(at).unwrap().unwrap())
        .collect();
    assert_eq!(
        names,
        ["int", "smallint", "numeric", "datetime", "datetime2"]
    );
    let rows = s.rows(
        "SELECT COUNT(*), COUNT_BIG(*), SUM(1), AVG(1.0), DB_ID(), CAST(1 AS tinyint), CAST(0.5 \
         AS real) FROM sys.types",
    );
    let row = &rows[0];
    assert!(row.try_get::<i32, _>(0).unwrap().unwrap() > 20);
    assert!(row.try_get::<i64, _>(1).unwrap().unwrap() > 20);
    assert!(row.try_get::<i32, _>(2).unwrap().unwrap() > 20);
    assert_eq!(
        row.try_get::<tiberius::numeric::Numeric, _>(3)
            .unwrap()
            .unwrap()
            .to_string(),
        "1.000000"
    );
    assert_eq!(row.try_get::<i16, _>(4).unwrap(), Some(1));
    assert_eq!(row.try_get::<u8, _>(5).unwrap(), Some(1));
    assert_eq!(row.try_get::<f32, _>(6).unwrap(), Some(0.5));
}

#[test]
fn comparisons_ignore_case_and_blanks_at_the_end_and_null_is_unknown() {
    let lab = Lab::start();
    let mut s = lab.connect();
    for (condition, expected) in [
        ("'abc ' = 'ABC'", 1),
        ("' abc' = 'abc'", 0),
        ("NULL IS NULL", 1),
        ("NOT (NULL = 1)", 0),
        ("1 IN (1, NULL)", 1),
        ("2 NOT IN (1, NULL)", 0),
        ("'b' BETWEEN 'A' AND 'C'", 1),
        ("'SQLServer:Databases' LIKE '%:databases%'", 1),
        ("'50%' LIKE '50!%' ESCAPE '!'", 1),
        ("EXISTS (SELECT 1 WHERE 1 = 0)", 0),
        ("3 > ALL (SELECT v FROM (VALUES (1), (2)) AS t (v))", 1),
        ("1 = ANY (SELECT v FROM (VALUES (1), (2)) AS t (v))", 1),
    ] {
        assert_eq!(
            s.int(&format!("SELECT CASE WHEN {condition} THEN 1 ELSE 0 END")),
            expected,
            "{condition}"
        );
    }
}
