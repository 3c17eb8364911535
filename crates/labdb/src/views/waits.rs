//! Waits of sessions and of the instance.

use super::{DESC, PERFORMANCE, Scope, SystemView, ViewContext, big, ms, small, text};
use labdb_types::{SqlResult, SqlType, Value};

fn session_waits(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for session in view.instance.sessions() {
        for (name, counter) in session.wait_rows() {
            rows.push(vec![
                small(session.id),
                text(name),
                big(counter.tasks),
                ms(counter.time_ns),
                ms(counter.max_ns),
                big(0),
            ]);
        }
    }
    Ok(rows)
}

/// The wait types that labdb can count; they are shown with zeroes before they happen.
const KNOWN: &[&str] = &[
    "LCK_M_IS",
    "LCK_M_IX",
    "LCK_M_S",
    "LCK_M_SCH_M",
    "LCK_M_SCH_S",
    "LCK_M_SIX",
    "LCK_M_U",
    "LCK_M_X",
    "LOGBUFFER",
    "PAGEIOLATCH_SH",
    "PAGELATCH_EX",
    "PAGELATCH_SH",
    "PREEMPTIVE_OS_WRITEFILEGATHER",
    "WAITFOR",
    "WRITELOG",
];

fn os_waits(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut totals = view.instance.wait_totals();
    for name in KNOWN {
        totals.entry(name).or_default();
    }
    Ok(totals
        .into_iter()
        .map(|(name, counter)| {
            vec![
                text(name),
                big(counter.tasks),
                ms(counter.time_ns),
                ms(counter.max_ns),
                big(0),
            ]
        })
        .collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "dm_exec_session_wait_stats",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("session_id", SqlType::SmallInt),
            ("wait_type", DESC),
            ("waiting_tasks_count", SqlType::BigInt),
            ("wait_time_ms", SqlType::BigInt),
            ("max_wait_time_ms", SqlType::BigInt),
            ("signal_wait_time_ms", SqlType::BigInt),
        ],
        rows: session_waits,
    },
    SystemView {
        schema: "sys",
        name: "dm_os_wait_stats",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("wait_type", DESC),
            ("waiting_tasks_count", SqlType::BigInt),
            ("wait_time_ms", SqlType::BigInt),
            ("max_wait_time_ms", SqlType::BigInt),
            ("signal_wait_time_ms", SqlType::BigInt),
        ],
        rows: os_waits,
    },
];
