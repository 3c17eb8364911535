//! System procedures that show the catalog, and `sp_rename`.

use super::harness::{Lab, Session};

/// One column of the last result, as text, joined.
fn shown(s: &mut Session<'_>, call: &str, columns: &[&str]) -> String {
    let rows = s.rows(call);
    let of = |row: &tiberius::Row, column: &str| {
        let at = row.columns().iter().position(|c| c.name() == column);
        let at = at.unwrap_or_else(|| panic!("{call}: no column {column}"));
        if let Ok(text) = row.try_get::<&str, _>(at) {
            return text.unwrap_or("-").trim_end().to_owned();
        }
        if let Ok(n) = row.try_get::<i32, _>(at) {
            return n.map_or("-".to_owned(), |n| n.to_string());
        }
        if let Ok(n) = row.try_get::<i16, _>(at) {
            return n.map_or("-".to_owned(), |n| n.to_string());
        }
        if let Ok(n) = row.try_get::<bool, _>(at) {
            return n.map_or("-".to_owned(), |n| u8::from(n).to_string());
        }
        row.try_get::<u8, _>(at)
            .unwrap()
            .map_or("-".to_owned(), |n| n.to_string())
    };
    rows.iter()
        .map(|row| {
            let cells: Vec<String> = columns.iter().map(|c| of(row, c)).collect();
            cells.join(" ")
        })
        .collect::<Vec<_>>()
        .join(",")
}

fn with_table(s: &mut Session<'_>) {
    s.exec("CREATE DATABASE d");
    s.exec("USE d");
    s.exec(
        "CREATE TABLE people (id int IDENTITY(5, 2) NOT NULL, name nvarchar(40) NOT NULL, \
         born date, score decimal(9, 2) DEFAULT 1, note varchar(max), \
         CONSTRAINT pk_people PRIMARY KEY (id), CONSTRAINT uq_people UNIQUE (name DESC, id))",
    );
    s.exec("INSERT people (name) VALUES ('a'), ('b')");
}

#[test]
fn tables_keys_and_statistics_are_listed_as_odbc_asks() {
    let lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    let names = ["TABLE_QUALIFIER", "TABLE_OWNER", "TABLE_NAME", "TABLE_TYPE"];
    assert_eq!(
        shown(&mut s, "EXEC sp_tables @table_type = \"'TABLE'\"", &names),
        "d dbo people TABLE"
    );
    assert_eq!(
        shown(&mut s, "EXEC sys.sp_tables 'peop%', 'dbo', 'd'", &names),
        "d dbo people TABLE"
    );
    assert_eq!(
        shown(&mut s, "EXEC sp_tables 'peop%', @fUsePattern = 0", &names),
        ""
    );
    assert_eq!(
        shown(&mut s, "EXEC sp_tables '', '', '%'", &["TABLE_QUALIFIER"]),
        "d,master,model,msdb,tempdb"
    );
    assert_eq!(s.error("EXEC sp_tables 'x', 'dbo', 'master'"), 15250);
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_pkeys 'people', 'dbo'",
            &["TABLE_NAME", "COLUMN_NAME", "KEY_SEQ", "PK_NAME"]
        ),
        "people id 1 pk_people"
    );
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_statistics 'people'",
            &[
                "NON_UNIQUE",
                "INDEX_NAME",
                "TYPE",
                "SEQ_IN_INDEX",
                "COLUMN_NAME",
                "COLLATION",
                "CARDINALITY"
            ]
        ),
        "- - 0 - - - 2,0 pk_people 1 1 id A 2,0 uq_people 3 1 name D 2,0 uq_people 3 2 id A 2"
    );
    // From another database.
    s.exec("USE master");
    assert_eq!(
        shown(
            &mut s,
            "EXEC d.sys.sp_pkeys 'people'",
            &["TABLE_QUALIFIER", "PK_NAME"]
        ),
        "d pk_people"
    );
}

#[test]
fn columns_are_listed_with_the_documented_types() {
    let lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    let columns = [
        "COLUMN_NAME",
        "DATA_TYPE",
        "TYPE_NAME",
        "PRECISION",
        "LENGTH",
        "SCALE",
        "RADIX",
        "NULLABLE",
        "COLUMN_DEF",
        "SQL_DATA_TYPE",
        "SQL_DATETIME_SUB",
        "CHAR_OCTET_LENGTH",
        "ORDINAL_POSITION",
        "IS_NULLABLE",
        "SS_DATA_TYPE",
    ];
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_columns_100 N'people', N'dbo', N'd', NULL, @ODBCVer = 3",
            &columns
        ),
        "id 4 int identity 10 4 0 10 0 - 4 - - 1 NO 56,\
         name -9 nvarchar 40 80 - - 0 - -9 - 80 2 NO 39,\
         born 91 date 10 6 - - 1 - 9 1 - 3 YES 0,\
         score 3 decimal 9 11 2 10 1 ((1)) 3 - - 4 YES 106,\
         note 12 varchar 0 0 - - 1 - 12 - 0 5 YES 39"
    );
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_columns 'people', @column_name = 'n%'",
            &["COLUMN_NAME", "DATA_TYPE", "PRECISION"]
        ),
        "name -9 40,note -1 2147483647"
    );
    assert_eq!(s.rows("EXEC sp_columns_100 'people'")[0].len(), 29);
    assert_eq!(s.rows("EXEC sp_columns 'people'")[0].len(), 19);
}

#[test]
fn a_first_result_set_is_described_without_running() {
    let lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    let columns = [
        "column_ordinal",
        "name",
        "is_nullable",
        "system_type_id",
        "system_type_name",
        "max_length",
        "is_identity_column",
        "tds_type_id",
        "tds_length",
    ];
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_describe_first_result_set N'DELETE people; SELECT id, name, born, @p AS p FROM people', N'@p float'",
            &columns
        ),
        "1 id 0 56 int 4 1 56 4,2 name 0 231 nvarchar(40) 80 0 231 80,3 born 1 40 date 3 0 40 3,\
         4 p 1 62 float 8 0 109 8"
    );
    assert_eq!(s.int("SELECT COUNT(*) FROM people"), 2);
    assert_eq!(
        s.rows("EXEC sp_describe_first_result_set N'DELETE people'")
            .len(),
        0
    );
    assert_eq!(
        s.error("EXEC sp_describe_first_result_set N'SELECT nope FROM people'"),
        207
    );
    assert_eq!(
        s.error("EXEC sp_describe_first_result_set N'SELECT 1 FROM missing'"),
        208
    );
    assert_eq!(
        s.rows("EXEC sp_describe_first_result_set N'SELECT 1 AS a'")[0].len(),
        39
    );
}

#[test]
fn help_shows_databases_tables_space_sessions_and_options() {
    let lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    let sets = s.all("EXEC sp_help 'people'");
    assert_eq!(sets.len(), 7);
    let name =
        |row: &tiberius::Row, at: usize| row.get::<&str, _>(at).unwrap().trim_end().to_owned();
    assert_eq!(name(&sets[0][0], 2), "user table");
    let columns: Vec<_> = sets[1]
        .iter()
        .map(|r| format!("{} {} {}", name(r, 0), name(r, 1), name(r, 6)))
        .collect();
    assert_eq!(
        columns,
        [
            "id int no",
            "name nvarchar no",
            "born date yes",
            "score decimal yes",
            "note varchar yes"
        ]
    );
    assert_eq!(name(&sets[2][0], 0), "id");
    let indexes: Vec<_> = sets[5]
        .iter()
        .map(|r| format!("{}: {}: {}", name(r, 0), name(r, 1), name(r, 2)))
        .collect();
    assert_eq!(
        indexes,
        [
            "pk_people: clustered, unique, primary key located on PRIMARY: id",
            "uq_people: nonclustered, unique, unique key located on PRIMARY: name(-), id"
        ]
    );
    let constraints: Vec<_> = sets[6]
        .iter()
        .map(|r| format!("{} {}", name(r, 0), name(r, 6)))
        .collect();
    assert_eq!(
        constraints,
        ["DEFAULT ((1))", "PRIMARY KEY id", "UNIQUE name, id"]
    );
    assert_eq!(s.error("EXEC sp_help 'missing'"), 15009);
    assert!(s.rows("EXEC sp_help").len() > 80);

    assert_eq!(
        shown(&mut s, "EXEC sp_spaceused 'people'", &["name", "rows"]),
        "people 2"
    );
    let size = shown(&mut s, "EXEC sp_spaceused 'people'", &["reserved"]);
    let pages = s.int("SELECT CAST(SUM(reserved_page_count) AS int) FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('people')");
    assert_eq!(size, format!("{} KB", pages * 8));
    let database = &s.all("EXEC sp_spaceused")[0][0];
    assert_eq!(name(database, 0), "d");
    let mb =
        s.text("CAST((SELECT SUM(size) FROM sys.database_files) * 8 / 1024.0 AS decimal(15, 2))");
    assert_eq!(name(database, 1), format!("{mb} MB"));
    assert_eq!(s.error("EXEC sp_spaceused 'missing'"), 15009);

    assert_eq!(
        shown(&mut s, "EXEC sp_helpdb", &["name"]),
        "d,master,model,msdb,tempdb"
    );
    let sets = s.all("EXEC sp_helpdb 'd'");
    assert_eq!(sets.len(), 2);
    assert_eq!(name(&sets[1][1], 7), "log only");
    assert_eq!(s.error("EXEC sp_helpdb 'missing'"), 15010);

    let own = s.text("@@SPID");
    assert_eq!(
        shown(
            &mut s,
            &format!("EXEC sp_who '{own}'"),
            &["spid", "loginame", "dbname"]
        ),
        format!("{own} sa d")
    );
    assert_eq!(
        shown(
            &mut s,
            &format!("EXEC sp_who2 {own}"),
            &["SPID", "Login", "BlkBy", "DBName", "ProgramName"]
        ),
        format!("{own} sa   . d labdb tests")
    );
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_configure 'max degree of parallelism'",
            &["name", "run_value"]
        ),
        "max degree of parallelism 1"
    );
    assert_eq!(s.error("EXEC sp_configure 'nothing like it'"), 15123);
    assert_eq!(s.error("EXEC sp_configure 'user connections', 5"), 40510);
    // Only the system's procedures raise its messages by number.
    assert_eq!(s.error("RAISERROR (15009, 16, 1, 'a', 'b')"), 18054);
}

#[test]
fn helpfile_lists_the_files_of_the_database_one_is_in() {
    let lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    let log = s.text("FILE_NAME(2)");
    let pages = s.int("SELECT size FROM sys.database_files WHERE file_id = 2");
    let files = shown(&mut s, "EXEC sp_helpfile", &["name", "size", "usage"]);
    let expected = format!(",{log} {} KB log only", pages * 8);
    assert!(files.ends_with(&expected), "{files}");
    let one = shown(&mut s, &format!("EXEC sp_helpfile '{log}'"), &["fileid"]);
    assert_eq!(one, "2");
    assert_eq!(s.error("EXEC sp_helpfile 'missing'"), 15325);
}

#[test]
fn tables_columns_and_procedures_are_renamed_for_good() {
    let mut lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    s.exec("CREATE TABLE other (a int CHECK (a > 0), b int)");
    s.exec("CREATE PROCEDURE one AS SELECT 1");
    s.exec(
        "EXEC sp_rename 'people', 'persons'; EXEC sp_rename 'dbo.persons.name', 'called', 'COLUMN'",
    );
    assert_eq!(s.column("SELECT called FROM persons ORDER BY id"), "a,b");
    assert_eq!(s.error("SELECT * FROM people"), 208);
    assert_eq!(s.error("SELECT name FROM persons"), 207);
    s.exec("EXEC sp_rename 'one', 'uno'");
    assert_eq!(s.int("EXEC uno"), 1);
    s.exec("BEGIN TRAN; EXEC sp_rename 'persons', 'lost'; ROLLBACK");
    assert_eq!(s.error("EXEC sp_rename 'persons', 'other'"), 15335);
    assert_eq!(
        s.error("EXEC sp_rename 'persons.called', 'id', 'COLUMN'"),
        15335
    );
    assert_eq!(s.error("EXEC sp_rename 'missing', 'x'"), 15225);
    assert_eq!(
        s.error("EXEC sp_rename 'persons.name', 'x', 'COLUMN'"),
        15225
    );
    assert_eq!(s.error("EXEC sp_rename 'other.a', 'x', 'COLUMN'"), 15336);
    s.exec("EXEC sp_rename 'persons.pk_people', 'pk_persons', 'INDEX'");
    assert_eq!(
        s.column("SELECT name FROM sys.key_constraints ORDER BY name"),
        "pk_persons,uq_people"
    );
    assert_eq!(
        s.error("EXEC sp_rename 'persons.uq_people', 'pk_persons', 'INDEX'"),
        15335
    );
    assert_eq!(
        s.error("EXEC sp_rename 'persons', 'x', 'STATISTICS'"),
        40510
    );
    s.exec("INSERT persons (called) VALUES ('c')");
    drop(s);
    lab.restart();
    let mut s = lab.connect();
    s.exec("USE d");
    assert_eq!(
        s.column("SELECT called FROM persons ORDER BY called DESC"),
        "c,b,a"
    );
    assert_eq!(s.int("EXEC uno"), 1);
    assert_eq!(s.text("OBJECT_ID('people')"), "NULL");
}

#[test]
fn everybody_may_ask_for_what_concerns_everybody() {
    let lab = Lab::start();
    let mut s = lab.connect();
    with_table(&mut s);
    s.exec("CREATE LOGIN reader WITH PASSWORD = 'Reader-12-34', CHECK_POLICY = OFF");
    s.exec("CREATE USER reader FOR LOGIN reader");
    s.exec("CREATE PROCEDURE mine AS RETURN");
    let client = lab.connect_as("reader", "Reader-12-34", "d").unwrap();
    let mut reader = lab.session(client);
    assert_eq!(
        shown(&mut reader, "EXEC sp_spaceused 'people'", &["name", "rows"]),
        "people 2"
    );
    assert_eq!(
        shown(
            &mut reader,
            "EXEC sp_statistics 'people', @is_unique = 'Y'",
            &["TYPE"]
        ),
        "0,1,3,3"
    );
    // Of sessions it sees its own, of the views beneath nothing more than before.
    assert_eq!(shown(&mut reader, "EXEC sp_who", &["loginame"]), "reader");
    assert_eq!(shown(&mut reader, "EXEC sp_who2", &["Login"]), "reader");
    assert_eq!(reader.error("SELECT * FROM sys.dm_db_partition_stats"), 300);
    assert_eq!(
        reader.error("EXEC sp_executesql N'SELECT * FROM sys.dm_db_partition_stats'"),
        300
    );
    assert_eq!(reader.error("EXEC sp_rename 'people', 'stolen'"), 15247);
    assert!(s.rows("EXEC sp_who").len() >= 2);
    assert_eq!(
        shown(
            &mut s,
            "EXEC sp_stored_procedures 'mi%'",
            &["PROCEDURE_OWNER", "PROCEDURE_NAME", "PROCEDURE_TYPE"]
        ),
        "dbo mine;1 2"
    );
    assert_eq!(s.rows("EXEC sp_fkeys @fktable_name = 'people'").len(), 0);
}

#[test]
fn help_names_the_login_that_owns_a_database_and_the_user_that_owns_a_schema() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE LOGIN maker WITH PASSWORD = N'a first word', CHECK_POLICY = OFF");
    s.exec("GRANT CREATE ANY DATABASE TO maker");
    let client = lab.connect_as("maker", "a first word", "master").unwrap();
    lab.session(client).exec("CREATE DATABASE theirs");
    s.exec("USE theirs");
    s.exec("CREATE TABLE t (i int)");
    // Each is in the first set of several.
    let mut owner = |call: &str, column: &str| {
        let sets = s.all(call);
        sets[0][0].get::<&str, _>(column).unwrap().to_owned()
    };
    assert_eq!(owner("EXEC sp_helpdb 'theirs'", "owner"), "maker");
    assert_eq!(owner("EXEC sp_helpdb 'master'", "owner"), "sa");
    assert_eq!(owner("EXEC sp_help 't'", "Owner"), "dbo");
    assert_eq!(owner("EXEC sp_help 'sys.objects'", "Owner"), "sys");
    assert_eq!(s.text("SUSER_SNAME(NULL)"), "NULL");
}
