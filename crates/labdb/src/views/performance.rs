//! `sys.dm_os_performance_counters`: the counters of the database object and of transactions.

use super::{PERFORMANCE, Scope, SystemView, ViewContext, padded};
use crate::instance::Database;
use labdb_types::{SqlResult, SqlType, Value};
use std::sync::Arc;

/// `cntr_type` of a value as it is now.
const RAW: i32 = 65_792;
/// `cntr_type` of a sum since the start; the rate is the difference over time.
const PER_SECOND: i32 = 272_696_576;

fn database_counters(database: &Database) -> Vec<(&'static str, u64, i32)> {
    let c = database.storage.counters();
    let space = database.storage.log_space();
    let data: u64 = database
        .storage
        .files()
        .iter()
        .filter(|f| f.kind == labdb_storage::FileKind::Rows)
        .map(|f| f.size / 1024)
        .sum();
    vec![
        ("Data File(s) Size (KB)", data, RAW),
        ("Log File(s) Size (KB)", space.total / 1024, RAW),
        ("Log File(s) Used Size (KB)", space.used / 1024, RAW),
        (
            "Percent Log Used",
            (space.used * 100).checked_div(space.total).unwrap_or(0),
            RAW,
        ),
        (
            "Active Transactions",
            database.storage.transactions().len() as u64,
            RAW,
        ),
        ("Transactions/sec", c.transactions, PER_SECOND),
        ("Write Transactions/sec", c.write_transactions, PER_SECOND),
        ("Log Flushes/sec", c.log_flushes, PER_SECOND),
        ("Log Bytes Flushed/sec", c.log_bytes_flushed, PER_SECOND),
        ("Log Flush Waits/sec", c.log_flush_waits, PER_SECOND),
        ("Log Flush Wait Time", c.log_flush_wait_ns / 1_000_000, RAW),
        (
            "Log Flush Write Time (ms)",
            c.log_flush_write_ns / 1_000_000,
            RAW,
        ),
        ("Log Growths", c.log_growths, RAW),
        ("Log Truncations", c.log_truncations, RAW),
    ]
}

fn counters(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    let row = |object: &str, counter: &str, instance: &str, value: u64, kind: i32| {
        vec![
            padded(object, 128),
            padded(counter, 128),
            padded(instance, 128),
            Value::BigInt(i64::try_from(value).unwrap_or(i64::MAX)),
            Value::Int(kind),
        ]
    };
    let databases: Vec<Arc<Database>> = view.instance.databases();
    let mut totals: Vec<(&'static str, u64, i32)> = Vec::new();
    let (mut pages, mut reads, mut lazy) = (0, 0, 0);
    for database in &databases {
        let name = database.name();
        for (at, (counter, value, kind)) in database_counters(database).into_iter().enumerate() {
            rows.push(row("SQLServer:Databases", counter, &name, value, kind));
            match totals.get_mut(at) {
                Some(total) => total.1 = total.1.saturating_add(value),
                None => totals.push((counter, value, kind)),
            }
        }
        let c = database.storage.counters();
        pages += c.checkpoint_pages;
        reads += c.page_reads;
        lazy += c.lazy_writes;
    }
    for (counter, value, kind) in totals {
        rows.push(row("SQLServer:Databases", counter, "_Total", value, kind));
    }
    rows.push(row(
        "SQLServer:Buffer Manager",
        "Checkpoint pages/sec",
        "",
        pages,
        PER_SECOND,
    ));
    rows.push(row(
        "SQLServer:Buffer Manager",
        "Page reads/sec",
        "",
        reads,
        PER_SECOND,
    ));
    rows.push(row(
        "SQLServer:Buffer Manager",
        "Lazy writes/sec",
        "",
        lazy,
        PER_SECOND,
    ));
    rows.push(row(
        "SQLServer:General Statistics",
        "User Connections",
        "",
        view.instance.sessions().len() as u64,
        RAW,
    ));
    Ok(rows)
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[SystemView {
    schema: "sys",
    name: "dm_os_performance_counters",
    database: "",
    scope: Scope::Server,
    right: Some(PERFORMANCE),
    parameters: &[],
    columns: &[
        ("object_name", SqlType::NChar(128)),
        ("counter_name", SqlType::NChar(128)),
        ("instance_name", SqlType::NChar(128)),
        ("cntr_value", SqlType::BigInt),
        ("cntr_type", SqlType::Int),
    ],
    rows: counters,
}];
