//! Open transactions and locks.

use super::{
    DESC, LSN, PERFORMANCE, Scope, SystemView, ViewContext, big, bit, datetime, int, lsn, nvarchar,
    text,
};
use labdb_storage::Resource;
use labdb_types::{SqlResult, SqlType, Value};

fn database_transactions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in view.instance.databases() {
        for t in database.storage.transactions() {
            let wrote = t.begin_lsn.is_some();
            rows.push(vec![
                big(t.id.0),
                int(database.id),
                if wrote {
                    datetime(t.begin_time)
                } else {
                    Value::Null
                },
                int(1),
                int(if wrote { 4 } else { 3 }),
                int(0),
                big(t.log_record_count),
                big(t.log_bytes_used),
                big(t.log_bytes_reserved),
                int(0),
                int(0),
                t.begin_lsn.map_or(Value::Null, lsn),
            ]);
        }
    }
    Ok(rows)
}

fn session_transactions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in view.instance.databases() {
        for (id, session) in database.storage_transactions.lock().iter() {
            let open = view.instance.session(*session).map_or(0, |s| {
                s.open_transactions
                    .load(std::sync::atomic::Ordering::Relaxed)
            });
            rows.push(vec![
                int(*session),
                big(*id),
                Value::Binary(id.to_be_bytes().as_slice().into()),
                int(0),
                bit(open > 0),
                bit(true),
                bit(false),
                bit(false),
                int(open),
            ]);
        }
    }
    Ok(rows)
}

fn locks(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = view.instance.locks.rows().into_iter().map(|l| {
        let (kind, database, description, entity) = match &l.resource {
            Resource::Database(d) => ("DATABASE", *d, String::new(), 0),
            Resource::Object(d, o) => ("OBJECT", *d, String::new(), i64::from(*o as i32)),
            Resource::Row(d, heap, row) => ("RID", *d, row.to_string(), i64::from(heap.0)),
            Resource::Key(d, index, hash) => {
                ("KEY", *d, format!("({hash:012x})"), i64::from(*index))
            }
            Resource::Application(d, name) => ("APPLICATION", *d, name.clone(), 0),
        };
        vec![
            text(kind),
            text(""),
            int(database),
            text(description),
            Value::BigInt(entity),
            text(l.mode.name()),
            text("LOCK"),
            text(if l.granted { "GRANT" } else { "WAIT" }),
            int(l.owner.0 as i64),
        ]
    });
    Ok(rows.collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "dm_tran_database_transactions",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("transaction_id", SqlType::BigInt),
            ("database_id", SqlType::Int),
            ("database_transaction_begin_time", SqlType::DateTime),
            ("database_transaction_type", SqlType::Int),
            ("database_transaction_state", SqlType::Int),
            ("database_transaction_status", SqlType::Int),
            ("database_transaction_log_record_count", SqlType::BigInt),
            ("database_transaction_log_bytes_used", SqlType::BigInt),
            ("database_transaction_log_bytes_reserved", SqlType::BigInt),
            ("database_transaction_log_bytes_used_system", SqlType::Int),
            (
                "database_transaction_log_bytes_reserved_system",
                SqlType::Int,
            ),
            ("database_transaction_begin_lsn", LSN),
        ],
        rows: database_transactions,
    },
    SystemView {
        schema: "sys",
        name: "dm_tran_session_transactions",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("session_id", SqlType::Int),
            ("transaction_id", SqlType::BigInt),
            (
                "transaction_descriptor",
                SqlType::VarBinary(labdb_types::Length::Limited(8)),
            ),
            ("enlist_count", SqlType::Int),
            ("is_user_transaction", SqlType::Bit),
            ("is_local", SqlType::Bit),
            ("is_enlisted", SqlType::Bit),
            ("is_bound", SqlType::Bit),
            ("open_transaction_count", SqlType::Int),
        ],
        rows: session_transactions,
    },
    SystemView {
        schema: "sys",
        name: "dm_tran_locks",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("resource_type", DESC),
            ("resource_subtype", DESC),
            ("resource_database_id", SqlType::Int),
            ("resource_description", nvarchar(256)),
            ("resource_associated_entity_id", SqlType::BigInt),
            ("request_mode", DESC),
            ("request_type", DESC),
            ("request_status", DESC),
            ("request_session_id", SqlType::Int),
        ],
        rows: locks,
    },
];
