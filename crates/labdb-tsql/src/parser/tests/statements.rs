//! The trees of statements.

use crate::ast::{
    AlterDatabase, AssignOp, DatabaseOption, ExecuteTarget, Expr, FileSize, InsertSource, JoinKind,
    Literal, OptionValue, QueryBody, SelectItem, SetOp, SizeUnit, Statement, StatementKind,
    TableConstraint, TableSource, Termination, TransactionName,
};
use crate::parse_batch;

fn statements(text: &str) -> Vec<Statement> {
    parse_batch(text).unwrap().statements
}

fn one(text: &str) -> StatementKind {
    let mut statements = statements(text);
    assert_eq!(statements.len(), 1, "{text}");
    statements.pop().unwrap().kind
}

fn integer(digits: &str) -> Expr {
    Expr::Literal(Literal::Integer(digits.to_owned()))
}

fn text(content: &str) -> Expr {
    Expr::Literal(Literal::Varchar(content.to_owned()))
}

#[test]
fn statements_know_their_lines() {
    let found: Vec<u32> = statements("SELECT 1\n\nPRINT 'a\nb' SET @x = 1;\nsp:\nRETURN")
        .iter()
        .map(|statement| statement.line)
        .collect();
    assert_eq!(found, [1, 3, 4, 5, 6]);
}

#[test]
fn else_belongs_to_the_nearest_if() {
    let StatementKind::If {
        then, otherwise, ..
    } = one("IF 1 = 1 IF 2 = 2 PRINT 1 ELSE PRINT 2")
    else {
        panic!("no IF");
    };
    assert!(otherwise.is_none());
    assert!(matches!(
        then.kind,
        StatementKind::If {
            otherwise: Some(_),
            ..
        }
    ));
}

#[test]
fn select_lists_hold_names_assignments_and_stars() {
    let StatementKind::Select(query) = one("SELECT a = 1, 2 AS b, 3 'c', @d += 4, e.*, *") else {
        panic!("no SELECT");
    };
    let QueryBody::Select(select) = query.body else {
        panic!("no select");
    };
    let named = |value: &str, alias: &str| SelectItem::Expr {
        value: integer(value),
        alias: Some(alias.to_owned()),
    };
    let star = crate::ast::ObjectName {
        parts: vec!["e".to_owned()],
    };
    assert_eq!(
        select.items,
        [
            named("1", "a"),
            named("2", "b"),
            named("3", "c"),
            SelectItem::Assign {
                variable: "@d".to_owned(),
                op: AssignOp::Add,
                value: integer("4"),
            },
            SelectItem::Star(Some(star)),
            SelectItem::Star(None),
        ]
    );
}

#[test]
fn intersect_binds_tighter_than_union() {
    let StatementKind::Select(query) = one("SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3") else {
        panic!("no SELECT");
    };
    let QueryBody::Set { op, all, right, .. } = query.body else {
        panic!("no set");
    };
    assert_eq!((op, all), (SetOp::Union, true));
    assert!(matches!(
        *right,
        QueryBody::Set {
            op: SetOp::Intersect,
            ..
        }
    ));
}

#[test]
fn joins_nest_to_the_right_where_on_comes_late() {
    let StatementKind::Select(query) = one("SELECT 1 FROM a LEFT JOIN b JOIN c ON 1 = 1 ON 2 = 2")
    else {
        panic!("no SELECT");
    };
    let QueryBody::Select(select) = query.body else {
        panic!("no select");
    };
    let [TableSource::Join { kind, right, .. }] = select.from.as_slice() else {
        panic!("no join");
    };
    assert_eq!(*kind, JoinKind::Left);
    assert!(matches!(
        **right,
        TableSource::Join {
            kind: JoinKind::Inner,
            ..
        }
    ));
}

#[test]
fn an_insert_tells_columns_from_a_query_in_parentheses() {
    let StatementKind::Insert(insert) = one("INSERT INTO t (snapshot, nolock) VALUES (1, DEFAULT)")
    else {
        panic!("no INSERT");
    };
    assert_eq!(insert.columns, ["snapshot", "nolock"]);
    assert_eq!(
        insert.source,
        InsertSource::Values(vec![vec![integer("1"), Expr::Default]])
    );
    let StatementKind::Insert(insert) = one("INSERT INTO t (SELECT 1)") else {
        panic!("no INSERT");
    };
    assert!(insert.columns.is_empty());
    assert!(matches!(insert.source, InsertSource::Query(_)));
}

#[test]
fn an_update_may_set_a_variable_and_a_column_at_once() {
    let StatementKind::Update(update) = one("UPDATE t SET @v = t.a += 1, @w = b") else {
        panic!("no UPDATE");
    };
    let [first, second] = update.assignments.as_slice() else {
        panic!("two assignments");
    };
    assert_eq!(
        (first.target.as_str(), first.column.as_deref(), first.op),
        ("@v", Some("a"), AssignOp::Add)
    );
    assert_eq!(
        (second.target.as_str(), second.column.as_deref()),
        ("@w", None)
    );
}

#[test]
fn execute_takes_names_outputs_and_bare_words() {
    let StatementKind::Execute(execute) = one("EXEC @r = dbo.p word, @a = -1, @b = @c OUTPUT")
    else {
        panic!("no EXEC");
    };
    assert_eq!(execute.return_variable.as_deref(), Some("@r"));
    assert!(matches!(&execute.target, ExecuteTarget::Procedure(name) if name.object() == "p"));
    assert_eq!(execute.arguments[0].value, text("word"));
    assert_eq!(execute.arguments[1].name.as_deref(), Some("@a"));
    assert!(!execute.arguments[1].output && execute.arguments[2].output);
}

#[test]
fn only_the_first_statement_may_be_a_bare_call() {
    let StatementKind::Execute(execute) = one("sp_who 'active'") else {
        panic!("no call");
    };
    assert_eq!(execute.arguments[0].value, text("active"));
    assert!(parse_batch("SELECT 1; sp_who").is_err());
    assert!(matches!(one("THROW"), StatementKind::Throw(None)));
}

#[test]
fn set_options_keep_their_names_and_values() {
    let names = |text: &str| match one(text) {
        StatementKind::SetOption { names, value, .. } => (names.join(", "), value),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        names("SET xact_abort, NOCOUNT ON"),
        ("XACT_ABORT, NOCOUNT".to_owned(), OptionValue::Switch(true))
    );
    assert_eq!(
        names("SET STATISTICS IO, TIME OFF"),
        (
            "STATISTICS IO, STATISTICS TIME".to_owned(),
            OptionValue::Switch(false)
        )
    );
    assert_eq!(
        names("SET TRAN ISOLATION LEVEL read uncommitted"),
        (
            "TRANSACTION ISOLATION LEVEL".to_owned(),
            OptionValue::Words("READ UNCOMMITTED".to_owned())
        )
    );
    assert_eq!(
        names("SET TEXTSIZE 4096"),
        ("TEXTSIZE".to_owned(), OptionValue::Expr(integer("4096")))
    );
}

#[test]
fn a_commit_keeps_its_name_and_durability() {
    assert_eq!(
        one("COMMIT TRAN t WITH (DELAYED_DURABILITY = ON)"),
        StatementKind::Commit {
            name: Some(TransactionName::Name("t".to_owned())),
            delayed_durability: Some(true),
        }
    );
    assert_eq!(
        one("ROLLBACK TRANSACTION @s"),
        StatementKind::Rollback {
            name: Some(TransactionName::Variable("@s".to_owned())),
        }
    );
}

#[test]
fn database_options_and_files_are_kept_as_written() {
    let StatementKind::AlterDatabase(change) = one(
        "ALTER DATABASE a SET RECOVERY SIMPLE, TARGET_RECOVERY_TIME = 60 SECONDS WITH ROLLBACK IMMEDIATE",
    ) else {
        panic!("no ALTER DATABASE");
    };
    let option = |name: &str, words: &[&str]| DatabaseOption {
        name: name.to_owned(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
    };
    assert_eq!(
        *change,
        AlterDatabase::Set {
            database: Some("a".to_owned()),
            options: vec![
                option("RECOVERY", &["SIMPLE"]),
                option("TARGET_RECOVERY_TIME", &["60", "SECONDS"]),
            ],
            termination: Some(Termination::RollbackImmediate),
        }
    );
    let StatementKind::CreateDatabase(create) = one(
        "CREATE DATABASE a ON (NAME = a, FILENAME = 'a.mdf', SIZE = 8, FILEGROWTH = 10%) LOG ON (NAME = l, FILENAME = 'l', MAXSIZE = 2 GB)",
    ) else {
        panic!("no CREATE DATABASE");
    };
    assert_eq!(
        create.data_files[0].size,
        Some(FileSize::Size(8, SizeUnit::Mb))
    );
    assert_eq!(create.data_files[0].growth, Some(FileSize::Percent(10)));
    assert_eq!(
        create.log_files[0].max_size,
        Some(FileSize::Size(2, SizeUnit::Gb))
    );
}

#[test]
fn backup_and_restore_keep_devices_and_options() {
    let StatementKind::Backup(backup) =
        one("BACKUP LOG @db TO DISK = @p, d WITH NAME = N'x', STATS = 5, INIT")
    else {
        panic!("no BACKUP");
    };
    assert_eq!(backup.database, Expr::Variable("@db".to_owned()));
    let kinds: Vec<&str> = backup
        .devices
        .iter()
        .map(|device| device.kind.as_str())
        .collect();
    assert_eq!(kinds, ["DISK", ""]);
    let names: Vec<(&str, usize)> = backup
        .options
        .iter()
        .map(|option| (option.name.as_str(), option.values.len()))
        .collect();
    assert_eq!(names, [("NAME", 1), ("STATS", 1), ("INIT", 0)]);
    let StatementKind::Restore(restore) =
        one("RESTORE DATABASE a FROM DISK = 'x' WITH MOVE 'a' TO 'b', REPLACE")
    else {
        panic!("no RESTORE");
    };
    assert_eq!(restore.options[0].values, [text("a"), text("b")]);
}

#[test]
fn a_table_keeps_its_keys_defaults_and_named_checks() {
    let StatementKind::CreateTable(table) = one(
        "CREATE TABLE t (id int IDENTITY(5, -2) NOT NULL PRIMARY KEY UNIQUE, a int CONSTRAINT ck CHECK (a > 0) CONSTRAINT df DEFAULT 1 NULL)",
    ) else {
        panic!("no CREATE TABLE");
    };
    let [id, a] = table.columns.as_slice() else {
        panic!("two columns");
    };
    let identity = id.identity.unwrap();
    assert_eq!((identity.seed, identity.increment), (5, -2));
    assert_eq!((id.nullable, a.nullable), (Some(false), Some(true)));
    assert!(id.key.as_ref().unwrap().primary);
    assert_eq!(a.default, Some((Some("df".to_owned()), integer("1"))));
    assert!(matches!(
        table.constraints.as_slice(),
        [TableConstraint::Key(unique), TableConstraint::Check { name: Some(ck), .. }]
            if !unique.primary && unique.columns[0].name == "id" && ck == "ck"
    ));
}

#[test]
fn a_procedure_takes_the_rest_of_the_batch_and_keeps_its_text() {
    let source = "CREATE OR ALTER PROC p @a int = 1 OUT AS\nSELECT 1\nSELECT 2";
    let StatementKind::CreateProcedure {
        parameters,
        body,
        text,
        create,
        alter,
        ..
    } = one(source)
    else {
        panic!("no procedure");
    };
    assert!(create && alter && parameters[0].output);
    assert_eq!(parameters[0].default, Some(integer("1")));
    assert_eq!((body[0].line, body[1].line), (2, 3));
    assert_eq!(text, source);
}

#[test]
fn dbcc_keeps_its_arguments_and_options() {
    assert_eq!(
        one("DBCC SQLPERF (LOGSPACE) WITH no_infomsgs"),
        StatementKind::Dbcc {
            command: "SQLPERF".to_owned(),
            arguments: vec![text("LOGSPACE")],
            options: vec!["NO_INFOMSGS".to_owned()],
        }
    );
}
