//! The machine, the service, configuration.

use super::{
    DESC, PERFORMANCE, SECURITY, Scope, SystemView, ViewContext, big, bit, int, nvarchar, text,
};
use crate::eval::calendar;
use labdb_types::{SqlResult, SqlType, Value};

/// kilobytes of a line of /proc/meminfo.
fn memory_kb(name: &str) -> u64 {
    std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|t| {
            t.lines()
                .find(|l| l.starts_with(name))?
                .split_whitespace()
                .nth(1)?
                .parse()
                .ok()
        })
        .unwrap_or(0)
}

fn cpus() -> i64 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as i64)
}

fn sys_info(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let started = calendar::datetime_from_system(view.instance.started);
    let since = view
        .instance
        .started
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_millis() as u64);
    Ok(vec![vec![
        big(super::files::machine_ms()),
        big(super::files::machine_ms()),
        int(cpus()),
        int(1),
        big(memory_kb("MemTotal")),
        big(memory_kb("MemTotal")),
        int(cpus()),
        int(cpus()),
        big(memory_kb("MemTotal")),
        started,
        big(since),
        int(0),
        text("NONE"),
        int(0),
        text("OFF"),
        int(1),
        text("CONVENTIONAL"),
        int(1),
        int(cpus()),
        int(1),
        int(0),
        text("NONE"),
    ]])
}

fn host_info(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        release
            .lines()
            .find_map(|l| l.strip_prefix(name)?.strip_prefix('='))
            .map_or(String::new(), |v| v.trim_matches('"').to_owned())
    };
    let platform = if cfg!(windows) { "Windows" } else { "Linux" };
    Ok(vec![vec![
        text(platform),
        text(field("NAME")),
        text(field("VERSION_ID")),
        text(""),
        Value::Null,
        int(0),
    ]])
}

fn services(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let offset = calendar::now_local().offset_minutes;
    let started = jiff::Timestamp::try_from(view.instance.started)
        .ok()
        .and_then(|t| {
            calendar::value_from_moment(
                calendar::from_timestamp(t, i32::from(offset) * 60),
                SqlType::DateTimeOffset(7),
            )
        });
    let ifi = if view.instance.options.storage.instant_file_initialization {
        "Y"
    } else {
        "N"
    };
    let file = std::env::current_exe()
        .map(|p| p.display().to_string())
        .unwrap_or_default();
    let account = std::env::var("USER")
        .or_else(|_| std::env::var("LOGNAME"))
        .unwrap_or_default();
    Ok(vec![vec![
        text("SQL Server (LABDB; labdb, not SQL Server)"),
        int(3),
        text("Manual"),
        int(4),
        text("Running"),
        int(i64::from(std::process::id())),
        started.unwrap_or(Value::Null),
        text(account),
        text(file),
        text("N"),
        Value::Null,
        text(ifi),
    ]])
}

fn configurations(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let variant = |n: i64| Value::Variant(Box::new((SqlType::Int, int(n))));
    let row = |id: i64, name: &str, value: i64, description: &str| {
        vec![
            int(id),
            text(name),
            variant(value),
            variant(0),
            variant(i64::from(i32::MAX)),
            variant(value),
            text(description),
            bit(true),
            bit(false),
        ]
    };
    let memory = i64::try_from(view.instance.options.storage.buffer_pool_bytes >> 20).unwrap_or(0);
    Ok(vec![
        row(
            103,
            "user connections",
            view.instance.options.max_connections as i64,
            "Number of user connections allowed",
        ),
        row(
            1544,
            "max server memory (MB)",
            memory,
            "Size of the buffer pool of each database in MB",
        ),
        row(
            1579,
            "backup compression default",
            0,
            "Backups are not compressed by default",
        ),
        row(
            1539,
            "max degree of parallelism",
            1,
            "Statements run on one thread",
        ),
    ])
}

fn volume(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in view.databases() {
        for file in database.storage.files() {
            if view
                .number(1)
                .is_some_and(|id| id != i64::from(file.file_id))
            {
                continue;
            }
            let Ok(stat) = rustix::fs::statvfs(&file.path) else {
                continue;
            };
            let free = stat.f_bavail * stat.f_frsize;
            rows.push(vec![
                int(database.id),
                int(file.file_id),
                text("/"),
                big(stat.f_blocks * stat.f_frsize),
                big(view
                    .instance
                    .options
                    .files
                    .room()
                    .map_or(free, |room| room.min(free))),
            ]);
        }
    }
    Ok(rows)
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "dm_os_sys_info",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("cpu_ticks", SqlType::BigInt),
            ("ms_ticks", SqlType::BigInt),
            ("cpu_count", SqlType::Int),
            ("hyperthread_ratio", SqlType::Int),
            ("physical_memory_kb", SqlType::BigInt),
            ("virtual_memory_kb", SqlType::BigInt),
            ("scheduler_count", SqlType::Int),
            ("max_workers_count", SqlType::Int),
            ("committed_target_kb", SqlType::BigInt),
            ("sqlserver_start_time", SqlType::DateTime),
            ("sqlserver_start_time_ms_ticks", SqlType::BigInt),
            ("virtual_machine_type", SqlType::Int),
            ("virtual_machine_type_desc", DESC),
            ("softnuma_configuration", SqlType::Int),
            ("softnuma_configuration_desc", DESC),
            ("sql_memory_model", SqlType::Int),
            ("sql_memory_model_desc", nvarchar(120)),
            ("socket_count", SqlType::Int),
            ("cores_per_socket", SqlType::Int),
            ("numa_node_count", SqlType::Int),
            ("container_type", SqlType::Int),
            ("container_type_desc", DESC),
        ],
        rows: sys_info,
    },
    SystemView {
        schema: "sys",
        name: "dm_os_host_info",
        database: "",
        scope: Scope::Server,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("host_platform", nvarchar(256)),
            ("host_distribution", nvarchar(256)),
            ("host_release", nvarchar(256)),
            ("host_service_pack_level", nvarchar(256)),
            ("host_sku", SqlType::Int),
            ("os_language_version", SqlType::Int),
        ],
        rows: host_info,
    },
    SystemView {
        schema: "sys",
        name: "dm_server_services",
        database: "",
        scope: Scope::Server,
        right: Some(SECURITY),
        parameters: &[],
        columns: &[
            ("servicename", nvarchar(256)),
            ("startup_type", SqlType::Int),
            ("startup_type_desc", nvarchar(256)),
            ("status", SqlType::Int),
            ("status_desc", nvarchar(256)),
            ("process_id", SqlType::Int),
            ("last_startup_time", SqlType::DateTimeOffset(7)),
            ("service_account", nvarchar(256)),
            ("filename", nvarchar(256)),
            ("is_clustered", nvarchar(1)),
            ("cluster_nodename", nvarchar(256)),
            ("instant_file_initialization_enabled", nvarchar(1)),
        ],
        rows: services,
    },
    SystemView {
        schema: "sys",
        name: "configurations",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("configuration_id", SqlType::Int),
            ("name", nvarchar(35)),
            ("value", SqlType::SqlVariant),
            ("minimum", SqlType::SqlVariant),
            ("maximum", SqlType::SqlVariant),
            ("value_in_use", SqlType::SqlVariant),
            ("description", nvarchar(255)),
            ("is_dynamic", SqlType::Bit),
            ("is_advanced", SqlType::Bit),
        ],
        rows: configurations,
    },
    SystemView {
        schema: "sys",
        name: "dm_os_volume_stats",
        database: "",
        scope: Scope::Function,
        right: Some(PERFORMANCE),
        parameters: &[SqlType::Int, SqlType::Int],
        columns: &[
            ("database_id", SqlType::Int),
            ("file_id", SqlType::Int),
            ("volume_mount_point", nvarchar(512)),
            ("total_bytes", SqlType::BigInt),
            ("available_bytes", SqlType::BigInt),
        ],
        rows: volume,
    },
];
