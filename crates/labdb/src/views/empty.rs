//! Views of features that labdb does not have: they have no rows.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, nvarchar};
use labdb_types::{SqlResult, SqlType, Value};

fn none(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(Vec::new())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "dm_hadr_database_replica_states",
        database: "",
        scope: Scope::Server,
        server_state: true,
        parameters: &[],
        columns: &[("database_id", SqlType::Int), ("group_id", SqlType::UniqueIdentifier), ("replica_id", SqlType::UniqueIdentifier), ("group_database_id", SqlType::UniqueIdentifier), ("is_local", SqlType::Bit), ("is_primary_replica", SqlType::Bit), ("synchronization_state", SqlType::TinyInt), ("synchronization_state_desc", DESC)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "dm_hadr_availability_replica_states",
        database: "",
        scope: Scope::Server,
        server_state: true,
        parameters: &[],
        columns: &[("replica_id", SqlType::UniqueIdentifier), ("group_id", SqlType::UniqueIdentifier), ("is_local", SqlType::Bit), ("role", SqlType::TinyInt), ("role_desc", DESC)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "availability_groups",
        database: "",
        scope: Scope::Server,
        server_state: false,
        parameters: &[],
        columns: &[("group_id", SqlType::UniqueIdentifier), ("name", SYSNAME), ("resource_id", nvarchar(40))],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "availability_replicas",
        database: "",
        scope: Scope::Server,
        server_state: false,
        parameters: &[],
        columns: &[("replica_id", SqlType::UniqueIdentifier), ("group_id", SqlType::UniqueIdentifier), ("replica_server_name", nvarchar(256)), ("availability_mode", SqlType::TinyInt), ("availability_mode_desc", DESC)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "change_tracking_databases",
        database: "",
        scope: Scope::Server,
        server_state: false,
        parameters: &[],
        columns: &[("database_id", SqlType::Int), ("is_auto_cleanup_on", SqlType::TinyInt), ("retention_period", SqlType::Int)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "change_tracking_tables",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[("object_id", SqlType::Int), ("is_track_columns_updated_on", SqlType::Bit)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "foreign_keys",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[("name", SYSNAME), ("object_id", SqlType::Int), ("schema_id", SqlType::Int), ("parent_object_id", SqlType::Int), ("referenced_object_id", SqlType::Int), ("is_disabled", SqlType::Bit)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "triggers",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[("name", SYSNAME), ("object_id", SqlType::Int), ("parent_id", SqlType::Int), ("is_disabled", SqlType::Bit)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "views",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[("name", SYSNAME), ("object_id", SqlType::Int), ("schema_id", SqlType::Int), ("create_date", SqlType::DateTime)],
        rows: none,
    },
    SystemView {
        schema: "sys",
        name: "synonyms",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[("name", SYSNAME), ("object_id", SqlType::Int), ("schema_id", SqlType::Int), ("base_object_name", nvarchar(1035))],
        rows: none,
    },
];
