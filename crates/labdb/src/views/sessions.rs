//! Sessions, connections, requests.

use super::{
    DESC, PERFORMANCE, SECURITY, SYSNAME, Scope, SystemView, ViewContext, big, bit, datetime, int,
    nvarchar, small, text,
};
use crate::session::SessionShared;
use labdb_types::{Length, SqlResult, SqlType, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// All sessions for those who may see them, otherwise the asking one.
fn visible(view: &ViewContext<'_>) -> Vec<Arc<SessionShared>> {
    let all = view
        .instance
        .has_permission(&view.session.shared.login_name, PERFORMANCE);
    view.instance
        .sessions()
        .into_iter()
        .filter(|s| all || s.id == view.session.id())
        .collect()
}

fn sessions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = visible(view).into_iter().map(|s| {
        let elapsed = s.elapsed_ns.load(Ordering::Relaxed) / 1_000_000;
        let cpu = s.cpu_ns.load(Ordering::Relaxed) / 1_000_000;
        let request = s.request.lock().map(|(at, _)| at);
        vec![
            small(s.id),
            datetime(s.login_time),
            text(&s.host_name),
            text(&s.program_name),
            int(s.host_process_id),
            int(7),
            text(&s.client_interface),
            super::security::sid_of(view, &s.login_name),
            text(&s.login_name),
            text(if s.is_running() {
                "running"
            } else {
                "sleeping"
            }),
            int(i64::try_from(cpu).unwrap_or(0)),
            int(0),
            int(i64::try_from(cpu).unwrap_or(0)),
            int(i64::try_from(elapsed).unwrap_or(0)),
            int(0),
            request.map_or(Value::Null, datetime),
            Value::Null,
            big(0),
            big(s.writes.load(Ordering::Relaxed)),
            big(s.logical_reads.load(Ordering::Relaxed)),
            bit(true),
            int(i32::MAX),
            text("us_english"),
            text("mdy"),
            small(7),
            small(s.isolation.load(Ordering::Relaxed)),
            int(s.lock_timeout.load(Ordering::Relaxed)),
            int(0),
            Value::BigInt(s.row_count.load(Ordering::Relaxed)),
            int(s.previous_error.load(Ordering::Relaxed)),
            super::security::sid_of(view, &s.login_name),
            text(&s.login_name),
            small(s.database_id.load(Ordering::Relaxed)),
            small(s.database_id.load(Ordering::Relaxed)),
            int(s.open_transactions.load(Ordering::Relaxed)),
        ]
    });
    Ok(rows.collect())
}

fn connections(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let local = *view.instance.listening.lock();
    let rows = visible(view).into_iter().map(|s| {
        vec![
            int(s.id),
            int(s.id),
            datetime(s.login_time),
            text("TCP"),
            text("TSQL"),
            int(1_946_157_060),
            int(4),
            text(if s.encrypted { "TRUE" } else { "FALSE" }),
            text("SQL"),
            small(0),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            int(s.packet_size),
            text(&s.client_address),
            int(s.client_port),
            local.map_or(Value::Null, |a| text(a.ip().to_string())),
            local.map_or(Value::Null, |a| int(a.port())),
        ]
    });
    Ok(rows.collect())
}

fn requests(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let now = labdb_storage::clock::now();
    let rows = visible(view).into_iter().filter_map(|s| {
        let (at, command) = (*s.request.lock()).filter(|_| s.is_running())?;
        let elapsed = now.duration_since(at).map_or(0, |d| d.as_millis() as i64);
        Some(vec![
            small(s.id),
            int(0),
            datetime(at),
            text("running"),
            text(command),
            Value::Null,
            small(s.database_id.load(Ordering::Relaxed)),
            int(1),
            small(0),
            Value::Null,
            int(0),
            text(""),
            text(""),
            int(s.open_transactions.load(Ordering::Relaxed)),
            Value::Real(0.0),
            int(0),
            int(elapsed),
            big(0),
            big(s.writes.load(Ordering::Relaxed)),
            big(s.logical_reads.load(Ordering::Relaxed)),
            int(s.lock_timeout.load(Ordering::Relaxed)),
            small(s.isolation.load(Ordering::Relaxed)),
            Value::BigInt(s.row_count.load(Ordering::Relaxed)),
        ])
    });
    Ok(rows.collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "dm_exec_sessions",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("session_id", SqlType::SmallInt),
            ("login_time", SqlType::DateTime),
            ("host_name", SYSNAME),
            ("program_name", SYSNAME),
            ("host_process_id", SqlType::Int),
            ("client_version", SqlType::Int),
            ("client_interface_name", nvarchar(32)),
            ("security_id", SqlType::VarBinary(Length::Limited(85))),
            ("login_name", SYSNAME),
            ("status", nvarchar(30)),
            ("cpu_time", SqlType::Int),
            ("memory_usage", SqlType::Int),
            ("total_scheduled_time", SqlType::Int),
            ("total_elapsed_time", SqlType::Int),
            ("endpoint_id", SqlType::Int),
            ("last_request_start_time", SqlType::DateTime),
            ("last_request_end_time", SqlType::DateTime),
            ("reads", SqlType::BigInt),
            ("writes", SqlType::BigInt),
            ("logical_reads", SqlType::BigInt),
            ("is_user_process", SqlType::Bit),
            ("text_size", SqlType::Int),
            ("language", SYSNAME),
            ("date_format", nvarchar(3)),
            ("date_first", SqlType::SmallInt),
            ("transaction_isolation_level", SqlType::SmallInt),
            ("lock_timeout", SqlType::Int),
            ("deadlock_priority", SqlType::Int),
            ("row_count", SqlType::BigInt),
            ("prev_error", SqlType::Int),
            (
                "original_security_id",
                SqlType::VarBinary(Length::Limited(85)),
            ),
            ("original_login_name", SYSNAME),
            ("database_id", SqlType::SmallInt),
            ("authenticating_database_id", SqlType::SmallInt),
            ("open_transaction_count", SqlType::Int),
        ],
        rows: sessions,
    },
    SystemView {
        schema: "sys",
        name: "dm_exec_connections",
        database: "",
        scope: Scope::Server,
        right: Some(SECURITY),
        parameters: &[],
        columns: &[
            ("session_id", SqlType::Int),
            ("most_recent_session_id", SqlType::Int),
            ("connect_time", SqlType::DateTime),
            ("net_transport", nvarchar(40)),
            ("protocol_type", nvarchar(40)),
            ("protocol_version", SqlType::Int),
            ("endpoint_id", SqlType::Int),
            ("encrypt_option", nvarchar(40)),
            ("auth_scheme", nvarchar(40)),
            ("node_affinity", SqlType::SmallInt),
            ("num_reads", SqlType::Int),
            ("num_writes", SqlType::Int),
            ("last_read", SqlType::DateTime),
            ("last_write", SqlType::DateTime),
            ("net_packet_size", SqlType::Int),
            ("client_net_address", SqlType::VarChar(Length::Limited(48))),
            ("client_tcp_port", SqlType::Int),
            ("local_net_address", SqlType::VarChar(Length::Limited(48))),
            ("local_tcp_port", SqlType::Int),
        ],
        rows: connections,
    },
    SystemView {
        schema: "sys",
        name: "dm_exec_requests",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("session_id", SqlType::SmallInt),
            ("request_id", SqlType::Int),
            ("start_time", SqlType::DateTime),
            ("status", nvarchar(30)),
            ("command", nvarchar(32)),
            ("sql_handle", SqlType::VarBinary(Length::Limited(64))),
            ("database_id", SqlType::SmallInt),
            ("user_id", SqlType::Int),
            ("blocking_session_id", SqlType::SmallInt),
            ("wait_type", DESC),
            ("wait_time", SqlType::Int),
            ("last_wait_type", DESC),
            ("wait_resource", nvarchar(256)),
            ("open_transaction_count", SqlType::Int),
            ("percent_complete", SqlType::Real),
            ("cpu_time", SqlType::Int),
            ("total_elapsed_time", SqlType::Int),
            ("reads", SqlType::BigInt),
            ("writes", SqlType::BigInt),
            ("logical_reads", SqlType::BigInt),
            ("lock_timeout", SqlType::Int),
            ("transaction_isolation_level", SqlType::SmallInt),
            ("row_count", SqlType::BigInt),
        ],
        rows: requests,
    },
];
