//! labdb: an embedded server that speaks TDS and runs a documented subset of T-SQL on a real
//! write-ahead log. It is not Microsoft SQL Server.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss
)]
#![allow(clippy::must_use_candidate, clippy::module_name_repetitions)]

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
