//! The server program under clients that ask for too much, and under faults on purpose. Each test
//! has a process of its own, whose memory and clock it can look at.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test says what is wrong by panicking, in helpers too"
)]

mod cancelling;
mod connections;
mod faults;
mod limits;
mod memory;
mod process;
