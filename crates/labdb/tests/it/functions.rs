//! Functions whose values are known from elsewhere: .NET's format strings, FIPS 180's examples.

use super::harness::Lab;

#[test]
fn format_follows_net_s_format_strings() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let at = "CAST('2024-03-05T14:07:09.123' AS datetime2(3))";
    for (value, pattern, wanted) in [
        ("1234567.891", "N2", "1,234,567.89"),
        ("1234567", "N0", "1,234,567"),
        ("-1234.5", "C", "($1,234.50)"),
        ("0.256", "P1", "25.6 %"),
        ("42", "D6", "000042"),
        ("255", "X", "FF"),
        ("-1", "X", "FFFFFFFF"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("0.5", "#,##0.##", "0.5"),
        ("0.5", "#.##", ".5"),
        ("123456789", "###-##-####", "123-45-6789"),
        ("7", "000", "007"),
        ("0.1234", "0.0%", "12.3%"),
        ("-5", "0;(0);zero", "(5)"),
        ("0", "0;(0);zero", "zero"),
        ("999.995", "F2", "1000.00"),
        ("CAST(12345.678 AS float)", "E2", "1.23E+004"),
        ("CAST(0.00012 AS float)", "E1", "1.2E-004"),
        ("1.5", "Q", "NULL"),
        (at, "yyyy-MM-dd HH:mm:ss.fff", "2024-03-05 14:07:09.123"),
        (at, "d", "3/5/2024"),
        (at, "D", "Tuesday, March 5, 2024"),
        (at, "g", "3/5/2024 2:07 PM"),
        (at, "s", "2024-03-05T14:07:09"),
        (at, "ddd dd MMM yy h:m t", "Tue 05 Mar 24 2:7 P"),
        (at, "yyyyMMdd'T'HHmmss", "20240305T140709"),
        ("CAST('14:07:09' AS time)", r"hh\:mm", "14:07"),
        ("CAST('14:07:09' AS time)", "hh:mm", "NULL"),
    ] {
        let pattern = pattern.replace('\'', "''");
        assert_eq!(
            s.text(&format!("FORMAT({value}, '{pattern}')")),
            wanted,
            "{value} {pattern}"
        );
    }
    assert_eq!(s.error("SELECT FORMAT(1, 'N', 'de-DE')"), 40510);
    assert_eq!(s.error("SELECT FORMAT('x', 'N')"), 8116);
}

#[test]
fn hashes_are_those_of_the_standard_s_examples() {
    let lab = Lab::start();
    let mut s = lab.connect();
    for (algorithm, wanted) in [
        ("SHA1", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
        (
            "SHA2_256",
            "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        ),
    ] {
        assert_eq!(
            s.text(&format!(
                "CONVERT(varchar(200), HASHBYTES('{algorithm}', 'abc'), 2)"
            )),
            wanted
        );
    }
    assert_eq!(s.text("HASHBYTES('NONE', 'abc')"), "NULL");
    assert_eq!(s.text("DATALENGTH(CRYPT_GEN_RANDOM(16))"), "16");
    assert_eq!(
        s.text("IIF(CRYPT_GEN_RANDOM(16) = CRYPT_GEN_RANDOM(16), 1, 0)"),
        "0"
    );
}

#[test]
fn extremes_and_truncated_dates_have_the_documented_values() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let at = "CAST('2024-05-08T07:08:09.1234567' AS datetime2)";
    for (expression, wanted) in [
        ("GREATEST(1, 2.5, NULL)", "2.5".to_owned()),
        ("LEAST('b', 'a', 'c')", "a".to_owned()),
        ("LEAST(CAST(NULL AS int), NULL)", "NULL".to_owned()),
        ("POWER(2.0, 3)", "8.0".to_owned()),
    ] {
        assert_eq!(s.text(expression), wanted, "{expression}");
    }
    for (part, wanted) in [
        ("year", "2024-01-01 00:00:00.0000000"),
        ("quarter", "2024-04-01 00:00:00.0000000"),
        ("month", "2024-05-01 00:00:00.0000000"),
        ("week", "2024-05-05 00:00:00.0000000"),
        ("iso_week", "2024-05-06 00:00:00.0000000"),
        ("day", "2024-05-08 00:00:00.0000000"),
        ("hour", "2024-05-08 07:00:00.0000000"),
        ("millisecond", "2024-05-08 07:08:09.1230000"),
    ] {
        assert_eq!(
            s.text(&format!("DATETRUNC({part}, {at})")),
            wanted,
            "{part}"
        );
    }
    assert_eq!(s.error(&format!("SELECT DATETRUNC(weekday, {at})")), 9810);
}

#[test]
fn the_length_of_a_column_is_in_bytes_and_null_where_there_is_none() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.sized (a varchar(256), b nvarchar(10), c int, d varchar(max))");
    for (column, bytes) in [("a", "256"), ("b", "20"), ("c", "4"), ("d", "-1")] {
        let call = format!("COL_LENGTH(N'dbo.sized', N'{column}')");
        assert_eq!(s.text(&format!("CONCAT({call}, '')")), bytes, "{column}");
    }
    for call in ["COL_LENGTH('dbo.sized', 'e')", "COL_LENGTH('none', 'a')"] {
        assert_eq!(
            s.text(&format!("ISNULL(CONCAT('', {call}), 'x')")),
            "",
            "{call}"
        );
    }
}

#[test]
fn a_null_that_was_cast_has_the_type_of_the_cast() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "SELECT ISNULL(CAST(NULL AS varchar(2)), 'abcdef') AS a, CASE WHEN 1 = 0 THEN 1 ELSE \
         CAST(NULL AS bigint) END AS b INTO dbo.typed",
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(t.name, c.max_length) FROM sys.columns c JOIN sys.types t ON \
             t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('dbo.typed') ORDER BY \
             c.column_id"
        ),
        "varchar2,bigint8"
    );
    assert_eq!(s.column("SELECT a FROM dbo.typed"), "ab");
}
