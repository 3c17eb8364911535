//! The write-ahead log: its files, VLFs, blocks and records.

pub(crate) mod lsn;
pub(crate) mod reuse;
