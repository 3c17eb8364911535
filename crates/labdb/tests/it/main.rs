//! labdb through a real driver over a real socket, the server in the test's own process.

mod backups;
mod data;
mod ddl;
mod documentation;
mod errors;
mod expressions;
mod flow;
mod harness;
mod queries;
mod security;
mod smoke;
mod transactions;
mod views;
