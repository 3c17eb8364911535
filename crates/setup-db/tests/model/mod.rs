//! A model of the server that setup-db needs: one database with its states, which changes as it is
//! told to, except where a test wants it to fail. What it was sent is kept.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::struct_excessive_bools,
    reason = "a part of the tests"
)]

#[path = "../../../sqlserver/tests/double/mod.rs"]
mod double;

use double::{Door, Double, Part, big_column, int_column, text_column};
use labdb_types::{Column, SqlType, Value};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// What the server is and has.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) engine_edition: i32,
    pub(crate) exists: bool,
    pub(crate) marked: bool,
    pub(crate) recovery: String,
    pub(crate) armed: bool,
    /// Whether a full backup arms the database.
    pub(crate) backup_arms: bool,
    pub(crate) data_pages: i64,
    pub(crate) log_pages: i64,
    pub(crate) history_rows: i64,
    /// What the database remembers as its delayed durability before; it is DISABLED now.
    pub(crate) durability_before: Option<&'static str>,
    /// A batch that holds this text fails with this error.
    pub(crate) fail: Option<(&'static str, Part)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            engine_edition: 3,
            exists: true,
            marked: true,
            recovery: "FULL".to_owned(),
            armed: true,
            backup_arms: true,
            data_pages: 32_768,
            log_pages: 65_536,
            history_rows: 0,
            durability_before: None,
            fail: None,
        }
    }
}

/// The server, until the test's process ends.
pub(crate) struct Model {
    double: Double,
}

impl Model {
    pub(crate) fn start(state: State) -> Self {
        let state = Arc::new(Mutex::new(state));
        Self {
            double: Double::start(Door::Plain, move |batch| {
                let mut state = state.lock().unwrap();
                if let Some((word, error)) = &state.fail
                    && batch.contains(word)
                {
                    return vec![error.clone()];
                }
                batch
                    .lines()
                    .filter_map(|line| answer(line, &mut state))
                    .collect()
            }),
        }
    }

    /// Runs setup-db on the database `lab`.
    pub(crate) fn setup(&self, flags: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_setup-db"))
            .args([
                "-S",
                &self.double.server(),
                "-U",
                "sa",
                "-d",
                "lab",
                "-N",
                "disable",
            ])
            .args(flags)
            .env("SQLCMDPASSWORD", "x")
            .env_remove("WRITELOG_CONNECTION_STRING")
            .output()
            .unwrap()
    }

    /// The batches that change something, in order.
    pub(crate) fn changes(&self) -> Vec<String> {
        let seen = self.double.seen.lock().unwrap();
        let reads = |batch: &&String| batch.lines().all(|line| line.starts_with("SELECT"));
        seen.batches
            .iter()
            .filter(|batch| !reads(batch))
            .cloned()
            .collect()
    }
}

/// An error of the server.
pub(crate) fn error(number: i32, text: &'static str) -> Part {
    Part::Error(number, 16, text)
}

fn answer(text: &str, state: &mut State) -> Option<Part> {
    if !text.starts_with("SELECT") {
        change(text, state);
        return None;
    }
    Some(if text.contains("@@VERSION") {
        one(vec![
            (
                text_column("banner"),
                Value::text("Microsoft SQL Server 2022 on Linux"),
            ),
            (text_column("product_version"), Value::text("16.0.1.1")),
            (text_column("edition"), Value::text("Test")),
            (
                int_column("engine_edition"),
                Value::Int(state.engine_edition),
            ),
            (text_column("injected_faults"), Value::Null),
        ])
    } else if text.contains("state_desc") {
        let row = vec![Value::text("lab"), Value::text("ONLINE"), Value::Int(5)];
        Part::Rows(
            vec![
                text_column("name"),
                text_column("state"),
                int_column("database_id"),
            ],
            if state.exists { vec![row] } else { vec![] },
        )
    } else if text.contains("durability_before") {
        let rows = state.durability_before.iter();
        Part::Rows(
            vec![text_column("durability_before")],
            rows.map(|setting| vec![Value::text(setting)]).collect(),
        )
    } else if text.contains("extended_properties") {
        let rows = if state.marked {
            vec![vec![Value::text("writelog")]]
        } else {
            vec![]
        };
        Part::Rows(vec![text_column("mark")], rows)
    } else if text.contains("sys.database_files") {
        files(state)
    } else if text.contains("recovery_model_desc") {
        one(vec![
            (int_column("database_id"), Value::Int(5)),
            (text_column("create_date"), Value::Null),
            (text_column("recovery_model"), Value::text(&state.recovery)),
            (text_column("log_reuse_wait"), Value::text("NOTHING")),
            (text_column("delayed_durability"), Value::text("DISABLED")),
            (bit("read_committed_snapshot"), Value::Bit(false)),
            (bit("accelerated_database_recovery"), Value::Bit(false)),
            (int_column("compatibility_level"), Value::Int(160)),
            (big_column("target_recovery_time_s"), Value::BigInt(60)),
        ])
    } else if text.contains("database_recovery_status") {
        let lsn = if state.armed {
            Value::text("37")
        } else {
            Value::Null
        };
        one(vec![
            (text_column("last_log_backup_lsn"), lsn),
            (text_column("database_guid"), Value::Null),
            (text_column("recovery_fork_guid"), Value::Null),
        ])
    } else if text.contains("dm_db_log_space_usage") {
        let names = ["log_size_bytes", "log_used_bytes", "log_since_backup_bytes"];
        one(names
            .map(|name| (big_column(name), Value::BigInt(1)))
            .to_vec())
    } else if text.contains("dm_db_log_info") {
        let names = ["vlf_count", "active_vlf_count"];
        one(names
            .map(|name| (big_column(name), Value::BigInt(4)))
            .to_vec())
    } else if text.contains("OBJECT_ID") {
        one(vec![
            (int_column("table_id"), Value::Null),
            (int_column("object_id"), Value::Null),
        ])
    } else if text.contains("backupset") {
        one(vec![(
            big_column("backups"),
            Value::BigInt(state.history_rows),
        )])
    } else if text.contains("dm_exec_sessions") {
        one(vec![(int_column("session_id"), Value::Int(77))])
    } else {
        panic!("the model does not know: {text}")
    })
}

fn change(text: &str, state: &mut State) {
    let number_before = |unit: &str| -> i64 {
        let (before, _) = text.split_once(unit).unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap()
    };
    if text.contains("CREATE DATABASE") {
        (state.exists, state.data_pages, state.log_pages) = (true, 1024, 1024);
    } else if text.contains("sp_addextendedproperty") {
        state.marked = true;
    } else if text.contains("SET RECOVERY") {
        text.rsplit([' ', ';'])
            .nth(1)
            .unwrap()
            .clone_into(&mut state.recovery);
        state.armed = false;
    } else if text.contains("BACKUP DATABASE") {
        state.armed = state.backup_arms;
    } else if text.contains("N'lab_log', SIZE") {
        state.log_pages = number_before("KB") / 8;
    } else if text.contains("N'lab', SIZE") {
        state.data_pages = number_before("KB") / 8;
    } else if text.contains("DROP DATABASE") {
        state.exists = false;
    }
}

/// The log stands first and has number 7, so that nothing can take "file 2" for it.
fn files(state: &State) -> Part {
    let file = |id, kind, name: &str, pages| {
        vec![
            Value::Int(id),
            Value::Int(kind),
            Value::text(name),
            Value::text(format!("/data/{name}")),
            Value::BigInt(pages),
            Value::BigInt(-1),
            Value::BigInt(8192),
            Value::Bit(false),
        ]
    };
    Part::Rows(
        vec![
            int_column("file_id"),
            int_column("file_type"),
            text_column("logical_name"),
            text_column("physical_name"),
            big_column("size_pages"),
            big_column("max_size_pages"),
            big_column("growth"),
            bit("is_percent_growth"),
        ],
        vec![
            file(7, 1, "lab_log", state.log_pages),
            file(9, 0, "lab", state.data_pages),
        ],
    )
}

fn bit(name: &str) -> Column {
    Column::new(name, SqlType::Bit)
}

fn one(cells: Vec<(Column, Value)>) -> Part {
    let (columns, values) = cells.into_iter().unzip();
    Part::Rows(columns, vec![values])
}
