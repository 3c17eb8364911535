//! Copying log blocks into a backup.

use crate::backup::media::{MediaWriter, Tag};
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::log::lsn::Lsn;
use crate::log::reader::LogReader;

impl Database {
    /// Copies the blocks from `from` up to `to` (exclusive), which is durable; returns their bytes.
    pub(super) fn copy_log(&self, from: Lsn, to: Lsn, media: &mut MediaWriter) -> Result<u64> {
        let vlfs = self.log.append.lock().vlfs.clone();
        let mut reader = LogReader::new(&self.log.files, &vlfs, from);
        let mut bytes = 0;
        let mut reached = Lsn::new(from.vlf_sequence(), from.block(), 0);
        while let Some(block) = reader.next()? {
            if block.header.lsn >= to {
                break;
            }
            bytes += block.bytes.len() as u64;
            reached = block.header.end();
            media.section(Tag::Log, block.bytes)?;
        }
        if reached < to {
            return Err(StorageError::LogChain(format!(
                "the log from {from} to {to} can be read up to {reached} only"
            )));
        }
        Ok(bytes)
    }
}
