//! labdb: an embedded server that speaks TDS and runs a documented subset of T-SQL on a real
//! write-ahead log. It is not Microsoft SQL Server.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "values move between SQL's types, whose ranges are checked where they matter"
)]
#![allow(
    clippy::unnecessary_wraps,
    reason = "functions and views stand in tables of one signature"
)]
#![allow(
    clippy::too_many_lines,
    clippy::match_same_arms,
    clippy::struct_excessive_bools,
    clippy::single_match_else,
    reason = "dispatch over T-SQL's many forms reads best as one match; options are flags"
)]
#![allow(
    clippy::must_use_candidate,
    clippy::module_name_repetitions,
    reason = "nothing here is a library for others"
)]

pub mod bind;
pub mod catalog;
pub mod eval;
pub mod exec;
pub mod functions;
pub mod instance;
pub mod plan;
pub mod server;
pub mod session;
pub mod views;
