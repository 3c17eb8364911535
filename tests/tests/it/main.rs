//! Tests that span programs: the real programs, the real driver, a real socket.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests: what their helpers cannot have ends the test"
)]

mod ab;
mod bad_input;
mod bad_rounds;
mod clients;
mod conditions;
mod crash_loss;
mod delayed_durability;
mod durability;
mod durability_procs;
mod experiment;
mod faults;
mod help;
mod intervals;
mod known_effect;
mod log_bytes;
mod long_stream;
mod method;
mod programs;
mod report;
mod restore_series;
mod restore_time;
mod resume;
mod rust_client;
mod script;
mod spreadsheets;
mod stream;
mod tsql;
mod write_speed;
