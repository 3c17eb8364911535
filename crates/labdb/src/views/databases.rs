//! `sys.databases`, `sys.database_recovery_status`.

use super::{DESC, LSN, SYSNAME, Scope, SystemView, ViewContext, bit, guid, int, lsn, text};
use crate::functions::COLLATION;
use crate::instance::{DatabaseRecord, UserAccess};
use crate::session::Session;
use labdb_types::{SqlResult, SqlType, Value};
use std::sync::atomic::Ordering;

/// The row of a database that is being restored: what is known without opening it.
fn restoring_row(view: &ViewContext<'_>, record: &DatabaseRecord, model: u8) -> Vec<Value> {
    let model_name = match model {
        1 => "FULL",
        2 => "BULK_LOGGED",
        _ => "SIMPLE",
    };
    let (days, ticks) = record.created;
    let columns = ALL.first().map_or(&[][..], |v| v.columns);
    let mut row: Vec<Value> = columns
        .iter()
        .map(|(_, sql_type)| match sql_type {
            SqlType::Bit => bit(false),
            SqlType::TinyInt => Value::TinyInt(0),
            SqlType::Int => int(0),
            _ => Value::Null,
        })
        .collect();
    for (name, value) in [
        ("name", text(&record.name)),
        ("database_id", int(record.id)),
        ("source_database_id", Value::Null),
        ("owner_sid", owner(view.session, record.id)),
        ("create_date", Value::DateTime { days, ticks }),
        ("compatibility_level", Value::TinyInt(160)),
        ("collation_name", Value::Null),
        ("user_access_desc", text("MULTI_USER")),
        ("state", Value::TinyInt(1)),
        ("state_desc", text("RESTORING")),
        ("snapshot_isolation_state_desc", text("OFF")),
        ("recovery_model", Value::TinyInt(model)),
        ("recovery_model_desc", text(model_name)),
        ("page_verify_option", Value::TinyInt(2)),
        ("page_verify_option_desc", text("CHECKSUM")),
        ("log_reuse_wait_desc", text("NOTHING")),
        ("delayed_durability_desc", text("DISABLED")),
    ] {
        let place = columns.iter().position(|(n, _)| *n == name);
        if let Some(cell) = place.and_then(|at| row.get_mut(at)) {
            *cell = value;
        }
    }
    row
}

fn databases(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = view.instance.databases().into_iter().map(|d| {
        let settings = d.settings.read().clone();
        let switch = |name: &str| bit(settings.switches.iter().any(|s| s == name));
        let (access, access_desc) = match d.user_access() {
            UserAccess::Multi => (0, "MULTI_USER"),
            UserAccess::Single => (1, "SINGLE_USER"),
            UserAccess::Restricted => (2, "RESTRICTED_USER"),
        };
        let model = d.storage.recovery_model();
        let wait = d.storage.log_reuse_wait();
        let delayed = d.delayed_durability();
        vec![
            text(d.name()),
            int(d.id),
            Value::Null,
            owner(view.session, d.id),
            d.created(),
            Value::TinyInt(settings.compatibility_level),
            text(COLLATION),
            Value::TinyInt(access),
            text(access_desc),
            bit(d.read_only.load(Ordering::Relaxed)),
            switch("AUTO_CLOSE"),
            switch("AUTO_SHRINK"),
            Value::TinyInt(0),
            text("ONLINE"),
            bit(false),
            bit(false),
            bit(false),
            Value::TinyInt(0),
            text("OFF"),
            bit(false),
            Value::TinyInt(model.number()),
            text(model.description()),
            Value::TinyInt(2),
            text(&settings.page_verify),
            switch("AUTO_CREATE_STATISTICS"),
            switch("AUTO_UPDATE_STATISTICS"),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
            Value::TinyInt(wait.number()),
            text(wait.description()),
            Value::Null,
            Value::Null,
            int(settings.target_recovery_time),
            int(delayed as u8),
            text(match delayed {
                crate::instance::DelayedDurability::Disabled => "DISABLED",
                crate::instance::DelayedDurability::Allowed => "ALLOWED",
                crate::instance::DelayedDurability::Forced => "FORCED",
            }),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
        ]
    });
    let mut rows: Vec<Vec<Value>> = rows.collect();
    for record in view.instance.restoring_databases() {
        let model = record.restoring.as_ref().map_or(1, |r| r.recovery_model);
        rows.push(restoring_row(view, &record, model));
    }
    Ok(rows)
}

/// The sid of the login that owns a database.
fn owner(session: &Session, database_id: i32) -> Value {
    let id = session.instance.database_owner(database_id);
    let state = session.instance.state.lock();
    state
        .logins
        .iter()
        .find(|l| l.principal_id == id)
        .map_or(Value::Null, |l| {
            Value::Binary(super::security::sid(l).into())
        })
}

fn recovery_status(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = view.instance.databases().into_iter().map(|d| {
        let s = d.storage.recovery_status();
        vec![
            int(d.id),
            guid(s.database_guid),
            guid(s.family_guid),
            s.last_log_backup_lsn.map_or(Value::Null, lsn),
            guid(s.recovery_fork_guid),
            Value::Null,
            Value::Null,
        ]
    });
    Ok(rows.collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "databases",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("database_id", SqlType::Int),
            ("source_database_id", SqlType::Int),
            (
                "owner_sid",
                SqlType::VarBinary(labdb_types::Length::Limited(85)),
            ),
            ("create_date", SqlType::DateTime),
            ("compatibility_level", SqlType::TinyInt),
            ("collation_name", SYSNAME),
            ("user_access", SqlType::TinyInt),
            ("user_access_desc", DESC),
            ("is_read_only", SqlType::Bit),
            ("is_auto_close_on", SqlType::Bit),
            ("is_auto_shrink_on", SqlType::Bit),
            ("state", SqlType::TinyInt),
            ("state_desc", DESC),
            ("is_in_standby", SqlType::Bit),
            ("is_cleanly_shutdown", SqlType::Bit),
            ("is_supplemental_logging_enabled", SqlType::Bit),
            ("snapshot_isolation_state", SqlType::TinyInt),
            ("snapshot_isolation_state_desc", DESC),
            ("is_read_committed_snapshot_on", SqlType::Bit),
            ("recovery_model", SqlType::TinyInt),
            ("recovery_model_desc", DESC),
            ("page_verify_option", SqlType::TinyInt),
            ("page_verify_option_desc", DESC),
            ("is_auto_create_stats_on", SqlType::Bit),
            ("is_auto_update_stats_on", SqlType::Bit),
            ("is_cdc_enabled", SqlType::Bit),
            ("is_published", SqlType::Bit),
            ("is_subscribed", SqlType::Bit),
            ("is_merge_published", SqlType::Bit),
            ("is_distributor", SqlType::Bit),
            ("is_broker_enabled", SqlType::Bit),
            ("is_encrypted", SqlType::Bit),
            ("is_trustworthy_on", SqlType::Bit),
            ("log_reuse_wait", SqlType::TinyInt),
            ("log_reuse_wait_desc", DESC),
            ("replica_id", SqlType::UniqueIdentifier),
            ("group_database_id", SqlType::UniqueIdentifier),
            ("target_recovery_time_in_seconds", SqlType::Int),
            ("delayed_durability", SqlType::Int),
            ("delayed_durability_desc", DESC),
            ("is_memory_optimized_enabled", SqlType::Bit),
            ("is_accelerated_database_recovery_on", SqlType::Bit),
            ("is_ledger_on", SqlType::Bit),
            ("is_query_store_on", SqlType::Bit),
        ],
        rows: databases,
    },
    SystemView {
        schema: "sys",
        name: "database_recovery_status",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("database_id", SqlType::Int),
            ("database_guid", SqlType::UniqueIdentifier),
            ("family_guid", SqlType::UniqueIdentifier),
            ("last_log_backup_lsn", LSN),
            ("recovery_fork_guid", SqlType::UniqueIdentifier),
            ("first_recovery_fork_guid", SqlType::UniqueIdentifier),
            ("fork_point_lsn", LSN),
        ],
        rows: recovery_status,
    },
];
