//! labdb through a real driver over a real socket, the server in the test's own process.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test says what is wrong by panicking, in helpers too"
)]

mod backup_sets;
mod backups;
mod catalog;
mod catalog_procedures;
mod compile;
mod cursors;
mod data;
mod ddl;
mod delayed_durability;
mod direct;
mod documentation;
mod error_log;
mod error_texts;
mod errors;
mod expressions;
mod flow;
mod functions;
mod harness;
mod identity;
mod insert_query;
mod kills;
mod large_values;
mod locking;
mod money;
mod permissions;
mod queries;
mod restore;
mod security;
mod smoke;
mod table_functions;
mod temporary;
mod tester_scripts;
mod transactions;
mod view_columns;
mod views;
