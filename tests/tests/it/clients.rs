//! labdb against clients that others wrote, without and with TLS. Their checks are in
//! `tests/clients`, in the clients' languages; `make setup` fetches the clients.

use integration_tests::{Labdb, checkout};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const MODES: [&str; 2] = ["plain", "tls"];

/// Where `make setup` put the clients, if this one could be had; CI accepts no skip.
fn fetched(client: &str, file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("WRITELOG_JUDGES").map(PathBuf::from);
    let found = folder.filter(|folder| folder.join(file).exists());
    if found.is_none() {
        eprintln!("skipped: {client} is not there (make setup fetches it)");
    }
    found
}

fn scripts() -> PathBuf {
    checkout().join("tests/tests/clients")
}

/// What a program said, if it succeeded.
fn said(what: &str, command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|e| panic!("{what}: {e}"));
    let text = all(&output);
    assert!(output.status.success(), "{what}: {text}");
    text
}

fn all(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

fn checks_pass(what: &str, command: &mut Command, labdb: &Labdb) {
    let text = said(what, command.envs(labdb.environment_all()));
    let passed = text.lines().filter(|line| line.starts_with("ok ")).count();
    assert!(passed >= 10, "{what}: {text}");
}

fn python(driver: &str) {
    let Some(folder) = fetched(driver, "wanted") else {
        return;
    };
    let labdb = Labdb::start();
    for mode in MODES {
        let mut command = Command::new(folder.join("bin/python"));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.arg(scripts().join("dbapi.py")).args([driver, mode]);
        checks_pass(&format!("{driver}, {mode}"), &mut command, &labdb);
    }
}

#[test]
fn pymssql_works() {
    python("pymssql");
}

#[test]
fn python_tds_works() {
    python("python-tds");
}

#[test]
fn mssql_python_works() {
    python("mssql-python");
}

#[test]
fn pyodbc_works_with_microsofts_odbc_driver() {
    python("pyodbc");
}

#[test]
fn tedious_works() {
    let Some(folder) = fetched("tedious", "node_modules/tedious") else {
        return;
    };
    let labdb = Labdb::start();
    for mode in MODES {
        let mut command = Command::new("node");
        command.arg(scripts().join("tedious.js"));
        command.arg(&folder).arg(mode);
        checks_pass(&format!("tedious, {mode}"), &mut command, &labdb);
    }
}

/// `FreeTDS`'s programs, pointed at a labdb.
struct FreeTds<'a> {
    labdb: &'a Labdb,
    folder: &'a Path,
}

impl FreeTds<'_> {
    /// Writes the servers `plain`, `tls` and `old` (TDS 7.1) into the programs' configuration.
    fn configure(&self) {
        let (host, port) = self
            .labdb
            .environment("SQLCMDSERVER")
            .split_once(',')
            .expect("host,port");
        let server = |name: &str, version: &str, encryption: &str| {
            format!(
                "[{name}]\nhost = {host}\nport = {port}\ntds version = {version}\n\
                 encryption = {encryption}\nclient charset = UTF-8\n"
            )
        };
        let text = [
            server("plain", "7.4", "off"),
            server("tls", "7.4", "require"),
            server("old", "7.1", "off"),
        ];
        std::fs::write(self.folder.join("freetds.conf"), text.concat()).expect("a file");
    }

    fn command(&self, program: &str, server: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .args(["-S", server, "-U", "sa", "-P"])
            .arg(self.labdb.environment("SQLCMDPASSWORD"))
            .current_dir(self.folder)
            .env("LANG", "C.UTF-8")
            .env("LC_ALL", "C.UTF-8")
            .env("FREETDSCONF", self.folder.join("freetds.conf"));
        command
    }

    /// What `tsql` or `bsqldb` says to batches.
    fn batches(&self, program: &str, server: &str, arguments: &[&str], text: &str) -> Output {
        let input = self.folder.join("input.sql");
        std::fs::write(&input, text).expect("a file");
        let input = std::fs::File::open(&input).expect("the file");
        self.command(program, server, arguments)
            .stdin(input)
            .output()
            .expect("the program runs")
    }
}

#[test]
fn freetds_programs_work() {
    if Command::new("freebcp").arg("-v").output().is_err() {
        eprintln!("skipped: FreeTDS is not there (the package is freetds-bin)");
        return;
    }
    let labdb = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let freetds = FreeTds {
        labdb: &labdb,
        folder: folder.path(),
    };
    freetds.configure();
    for server in ["plain", "tls", "old"] {
        batches_and_messages(&freetds, server);
        rows_go_in_and_out(&freetds, server);
    }
    let refused = freetds
        .command("tsql", "plain", &[])
        .args(["-P", "wrong"])
        .stdin(Stdio::null())
        .output()
        .expect("tsql runs");
    assert!(!refused.status.success());
    assert!(all(&refused).contains("Msg 18456"), "{}", all(&refused));
}

fn batches_and_messages(freetds: &FreeTds<'_>, server: &str) {
    let text = "SELECT 1 AS a, N'é漢' AS t\nPRINT 'said'\nSELECT 2 AS b\ngo\n\
                SELECT\n1/0\ngo\nSELECT 3 AS still\ngo\nexit\n";
    let output = freetds.batches("tsql", server, &["-o", "q"], text);
    let (out, errors) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    let lines: Vec<&str> = out.lines().filter(|line| !line.is_empty()).collect();
    for expected in ["a\tt", "1\té漢", "b", "2", "still", "3"] {
        assert!(lines.contains(&expected), "{server}: {expected}: {out}");
    }
    for expected in ["said", "Msg 8134 (severity 16, state 1)", "Line 1:"] {
        assert!(errors.contains(expected), "{server}: {expected}: {errors}");
    }
    let output = freetds.batches(
        "bsqldb",
        server,
        &["-t", "|", "-h"],
        "SELECT CAST(-12.50 AS decimal(38,2)), CAST(NULL AS int), 'x'\ngo\n",
    );
    let out = all(&output);
    assert!(output.status.success(), "{server}: {out}");
    assert!(out.contains("-12.50|NULL|x"), "{server}: {out}");
}

/// A file in by `freebcp`, and out again: the same file.
fn rows_go_in_and_out(freetds: &FreeTds<'_>, server: &str) {
    let table = format!("master.dbo.bcp_{server}");
    let text = format!(
        "CREATE TABLE {table} (id int NOT NULL PRIMARY KEY, t nvarchar(40) NULL, \
         n decimal(20,4) NULL, f float NULL, b varbinary(10) NULL)\ngo\n"
    );
    let output = freetds.batches("bsqldb", server, &["-q"], &text);
    assert!(output.status.success(), "{server}: {}", all(&output));
    let rows: String = (1..=2500)
        .map(|id| match id % 3 {
            0 => format!("{id}\t\t\t\t\n"),
            _ => format!(
                "{id}\tZeile {id} é漢\t-{id}.2500\t{id}.5\t0A{:02X}\n",
                id % 256
            ),
        })
        .collect();
    std::fs::write(freetds.folder.join("in.txt"), &rows).expect("a file");
    let copy = |direction: &str, file: &str| {
        let arguments = [&table, direction, file, "-c"];
        let what = format!("freebcp {direction}, {server}");
        said(&what, &mut freetds.command("freebcp", server, &arguments))
    };
    let told = copy("in", "in.txt");
    assert!(told.contains("2500 rows copied"), "{server}: {told}");
    let told = copy("out", "out.txt");
    assert!(told.contains("2500 rows copied"), "{server}: {told}");
    let back = std::fs::read_to_string(freetds.folder.join("out.txt")).expect("the file");
    assert_eq!(back.to_uppercase(), rows.to_uppercase(), "{server}");
    // A row that is there already: an error, and no row of its batch is in.
    let again = freetds
        .command("freebcp", server, &[&table, "in", "in.txt", "-c"])
        .output()
        .expect("freebcp runs");
    assert!(all(&again).contains("2627"), "{server}: {}", all(&again));
    let count = format!("SELECT COUNT(*) FROM {table}\ngo\n");
    let count = freetds.batches("bsqldb", server, &["-h", "-q"], &count);
    assert!(all(&count).contains("2500"), "{server}: {}", all(&count));
}
