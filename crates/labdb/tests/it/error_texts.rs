//! Errors have SQL Server's number, severity, state, line, procedure and text.

use super::harness::Lab;

const ERRORS: &str = include_str!("fixtures/errors.txt");

#[test]
fn errors_have_the_number_severity_state_line_and_text_of_sql_server() {
    let lab = Lab::start();
    let mut s = lab.connect();
    for batch in [
        "CREATE DATABASE lab",
        "USE lab",
        "CREATE TABLE dbo.t (a int NOT NULL CONSTRAINT PK_t PRIMARY KEY, b varchar(5) NOT NULL, \
         c tinyint NULL, CONSTRAINT CK_c CHECK (c < 100)); CREATE UNIQUE INDEX UX_b ON dbo.t (b)",
        "INSERT dbo.t VALUES (1, 'x', 1)",
        "CREATE TABLE dbo.two (a int, b int, CONSTRAINT CK_two CHECK (a < b))",
        "CREATE TABLE dbo.i (id int IDENTITY, n int)",
        "CREATE PROCEDURE dbo.pp @a int, @b int = 2 AS RETURN @a + @b",
        "CREATE PROCEDURE dbo.fails AS\nBEGIN\n  DECLARE @zero int = 0;\n  SELECT 1 / @zero\nEND",
        "CREATE PROCEDURE dbo.calls AS\n\nEXEC dbo.fails",
        "CREATE PROCEDURE dbo.begins AS BEGIN TRAN",
    ] {
        s.exec(batch);
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in ERRORS.lines().filter(|l| !l.starts_with('#')) {
        let (batch, wanted) = case.split_once(" => ").unwrap();
        let shown = match s.try_all(&batch.replace('~', "\n")) {
            Ok(_) => "no error".to_owned(),
            Err(tiberius::error::Error::Server(e)) => {
                let procedure = match e.procedure() {
                    "" => String::new(),
                    name => format!(" {name}"),
                };
                format!(
                    "{} {} {} {}{procedure}: {}",
                    e.code(),
                    e.class(),
                    e.state(),
                    e.line(),
                    e.message()
                )
            }
            Err(e) => e.to_string(),
        };
        if shown != wanted {
            wrong.push(format!("{batch}\n  wanted {wanted}\n  got    {shown}"));
        }
        s.exec("IF @@TRANCOUNT > 0 ROLLBACK");
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50);
}
