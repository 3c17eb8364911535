//! Tests that span programs: the real programs, the real driver, a real socket.

mod bad_input;
mod durability;
mod experiment;
mod help;
mod log_bytes;
mod programs;
mod stream;
