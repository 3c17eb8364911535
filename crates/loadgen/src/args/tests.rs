//! The command line as text, and what comes of it.

use super::{Args, duration};
use crate::workload::Extent;
use clap::{CommandFactory, Parser};
use std::time::Duration;

fn args(text: &str) -> Args {
    Args::try_parse_from(text.split(' ')).unwrap()
}

#[test]
fn the_command_line_has_no_contradiction_in_itself() {
    Args::command().debug_assert();
}

fn extent(text: &str) -> Result<Extent, records::Failure> {
    args(text).workload(None, None).map(|(_, extent)| extent)
}

#[test]
fn rows_divide_into_transactions_or_are_refused_with_the_next_number_that_does() {
    assert_eq!(extent("loadgen"), Ok(Extent::Transactions(10_000)));
    assert_eq!(
        extent("loadgen --rows 60 --rows-per-transaction 20"),
        Ok(Extent::Transactions(3))
    );
    assert_eq!(
        extent("loadgen --rows-per-transaction 3000"),
        Ok(Extent::Transactions(4))
    );
    let refused = extent("loadgen --rows 50 --rows-per-transaction 20").unwrap_err();
    assert!(refused.to_string().contains("--rows 60"), "{refused}");
}

#[test]
fn a_run_is_by_rows_or_by_time_and_not_by_both() {
    assert_eq!(
        extent("loadgen --duration 2500ms"),
        Ok(Extent::Duration(Duration::from_millis(2_500)))
    );
    for wrong in [
        "loadgen --duration 1s --rows 5",
        "loadgen --single-statement --duration 1s",
        "loadgen --single-statement --rows-per-transaction 2",
        "loadgen --loop full --duration 1s",
        "loadgen --loop full --rows-per-transaction 2",
        "loadgen --loop full --durability full",
        "loadgen --single-statement --durability delayed",
    ] {
        assert!(Args::try_parse_from(wrong.split(' ')).is_err(), "{wrong}");
    }
}

#[test]
fn a_single_statement_is_one_transaction_of_all_rows() {
    let (workload, extent) = args("loadgen --single-statement --rows 70")
        .workload(None, None)
        .unwrap();
    assert_eq!(extent, Extent::Transactions(1));
    assert_eq!(workload.rows_per_transaction(), Some(70));
    assert_eq!(workload.statement().matches("INSERT").count(), 1);
}

#[test]
fn a_loop_on_the_server_is_one_request_of_all_rows() {
    for (flags, transactions, rows_each, name) in [
        ("--loop full", 70, 1, "[dbo].[writes_loop_full]"),
        ("--loop delayed", 70, 1, "[dbo].[writes_loop_delayed]"),
        ("--loop batched", 1, 70, "[dbo].[writes_loop_batched]"),
    ] {
        let (workload, extent) = args(&format!("loadgen --rows 70 {flags}"))
            .workload(None, None)
            .unwrap();
        assert_eq!(extent, Extent::Transactions(transactions), "{flags}");
        let each = u64::from(workload.transactions_per_request());
        assert_eq!(each, transactions, "{flags}");
        assert_eq!(workload.rows_per_transaction(), Some(rows_each), "{flags}");
        assert_eq!(workload.statement(), format!("EXEC {name} @turns = 70;"));
    }
    assert!(extent("loadgen --loop full --rows 3000000000").is_err());
}

#[test]
fn a_commit_says_what_it_asks_for_only_where_it_was_told_to() {
    let statement = |flags: &str| args(flags).workload(None, None).unwrap().0.statement();
    assert!(!statement("loadgen").contains("COMMIT"));
    for rows in ["1", "5"] {
        let with = |durability: &str| {
            statement(&format!(
                "loadgen --rows 5 --rows-per-transaction {rows} --durability {durability}"
            ))
        };
        assert!(with("full").contains("(DELAYED_DURABILITY = OFF)"));
        assert!(with("delayed").contains("(DELAYED_DURABILITY = ON)"));
    }
}

#[test]
fn a_copy_is_one_transaction_of_one_worker_from_the_source_that_is_named() {
    let copy = |text: &str, source| args(text).workload(Some("lab.heap"), source);
    let (workload, extent) = copy("loadgen --copy --maxdop 1", Some("lab.heap_source")).unwrap();
    assert_eq!(extent, Extent::Transactions(1));
    let workload = workload.of_source_rows(73_728);
    assert_eq!(workload.rows_per_transaction(), Some(73_728));
    assert_eq!(
        workload.statement(),
        "INSERT INTO [lab].[heap] WITH (TABLOCK) (id, first_text, second_text) \
         SELECT id, first_text, second_text FROM [lab].[heap_source] OPTION (MAXDOP 1); \
         IF ROWCOUNT_BIG() <> 73728 THROW 50001, N'the copy has not as many rows as its source \
         had', 1; \
         CHECKPOINT;"
    );
    assert!(copy("loadgen --copy", None).is_err());
    assert!(copy("loadgen --copy --source lab.heap", None).is_err());
    assert!(copy("loadgen --copy --workers 2", Some("s")).is_err());
    assert!(copy("loadgen --copy --source s", None).is_ok());
    for wrong in [
        "loadgen --copy --rows 5",
        "loadgen --copy --duration 1s",
        "loadgen --source s",
        "loadgen --maxdop 1",
    ] {
        assert!(Args::try_parse_from(wrong.split(' ')).is_err(), "{wrong}");
    }
}

#[test]
fn transactions_are_counted_instead_of_rows() {
    let (workload, extent) = args("loadgen --transactions 30 --rows-per-transaction 7")
        .workload(None, None)
        .unwrap();
    assert_eq!(extent, Extent::Transactions(30));
    assert_eq!(workload.rows_per_transaction(), Some(7));
    for wrong in [
        "loadgen --transactions 3 --rows 5",
        "loadgen --transactions 3 --duration 5s",
        "loadgen --script a.sql --rows 5",
        "loadgen --seed 5",
    ] {
        assert!(Args::try_parse_from(wrong.split(' ')).is_err(), "{wrong}");
    }
}

#[test]
fn times_need_a_unit_and_are_longer_than_nothing() {
    assert_eq!(duration("1h 30m"), Ok(Duration::from_mins(90)));
    for wrong in ["", "30", "-5s", "0s", "soon"] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_flag_names_the_table_before_upstream_does() {
    let table = |text: &str, upstream| {
        let (workload, _) = args(text).workload(upstream, None).unwrap();
        workload.table().unwrap().to_string()
    };
    assert_eq!(table("loadgen --table a", Some("lab.b")), "dbo.a");
    assert_eq!(table("loadgen", Some("lab.b")), "lab.b");
    assert_eq!(table("loadgen", None), "dbo.writes");
    assert!(args("loadgen --table a.b.c").workload(None, None).is_err());
}
