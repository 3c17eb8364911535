//! The write-ahead log: its files, VLFs, blocks and records.

pub(crate) mod block;
pub(crate) mod flush;
pub(crate) mod lsn;
pub(crate) mod reader;
pub(crate) mod record;
pub(crate) mod reuse;
pub(crate) mod tail;
pub(crate) mod vlf;
pub(crate) mod writer;
