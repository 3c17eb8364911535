//! What is known of a database between the steps of its restore: kept beside its primary file, and
//! replaced as a whole after each step.
//!
//! `LABDBRS1`, the length and checksum of a JSON text, the text, then the log blocks that a later
//! step must read again, because transactions in them were still open.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::backup::fault::RestoreFault;
use crate::boot::Boot;
use crate::bytes::{get_u32, get_u64};
use crate::error::{Result, StorageError};
use crate::log::block::{BLOCK_HEADER, BlockHeader};
use crate::log::lsn::Lsn;

const MAGIC: &[u8; 8] = b"LABDBRS1";
const HEADER: usize = 16;

/// A restore that goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RestoreState {
    /// The boot record that the database will have, with its files as they are now. Redo starts at
    /// `boot.redo`: pages have everything before it. Analysis starts at `boot.scan`.
    pub(crate) boot: Boot,
    /// Up to where the backups' log was applied.
    pub(crate) reached: Lsn,
    /// When that was.
    pub(crate) reached_at: SystemTime,
    /// The database that the backups are of, and the branch of its history.
    pub(crate) source: (u128, u128),
    /// The checkpoint and the number of the full backup.
    pub(crate) base: (Lsn, u128),
    /// A point in time was reached.
    pub(crate) halted: bool,
    /// Nothing from the first commit after this time on counts (microseconds since 1970).
    pub(crate) stop_us: Option<u64>,
    /// A step that will reach this LSN has begun to change pages.
    pub(crate) in_doubt: Option<Lsn>,
    /// Open transactions are being rolled back: that cannot be repeated.
    pub(crate) recovering: bool,
}

/// Where the state of a restore into this primary file is kept.
#[must_use]
pub fn state_path(primary: &Path) -> PathBuf {
    let mut name = primary.as_os_str().to_owned();
    name.push(".restoring");
    PathBuf::from(name)
}

impl RestoreState {
    pub(crate) fn load(primary: &Path) -> Result<Self> {
        Ok(Self::open(primary)?.0)
    }

    fn open(primary: &Path) -> Result<(Self, BufReader<File>)> {
        let path = state_path(primary);
        let file = match File::open(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(RestoreFault::NotRestoring.into());
            }
            file => file.map_err(|e| StorageError::io("cannot open", &path, e))?,
        };
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut text = Vec::new();
        let mut header = [0; HEADER];
        let read = file.read_exact(&mut header).and_then(|()| {
            text.resize((get_u32(&header, 8) as usize).min(1 << 20), 0);
            file.read_exact(&mut text)
        });
        let valid = read.is_ok()
            && header.starts_with(MAGIC)
            && get_u32(&header, 12) == crc32fast::hash(&text);
        let state = valid.then(|| serde_json::from_slice(&text).ok()).flatten();
        let state = state.ok_or_else(|| StorageError::Corrupt {
            path,
            reason: "the state of the restore cannot be read: restore the full backup again"
                .to_owned(),
        })?;
        Ok((state, file))
    }

    /// Gives each log block that was kept.
    pub(crate) fn kept_blocks(
        primary: &Path,
        mut each: impl FnMut(BlockHeader, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (_, mut file) = Self::open(primary)?;
        let path = state_path(primary);
        let damaged = || StorageError::Corrupt {
            path: path.clone(),
            reason: "the log kept by the restore is damaged: restore the full backup again"
                .to_owned(),
        };
        let mut block = vec![0; BLOCK_HEADER];
        loop {
            block.truncate(BLOCK_HEADER);
            match file.read_exact(&mut block) {
                Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
                done => done.map_err(|e| StorageError::io("cannot read", &path, e))?,
            }
            let lsn = Lsn::from_bits(get_u64(&block, 8));
            let header = BlockHeader::decode(&block, lsn).ok_or_else(damaged)?;
            block.resize(header.length(), 0);
            file.read_exact(&mut block[BLOCK_HEADER..])
                .map_err(|_| damaged())?;
            if !header.intact(&block) {
                return Err(damaged());
            }
            each(header, &block)?;
        }
    }

    /// Replaces the state; `blocks` writes the log blocks that are kept. Durable when this returns.
    pub(crate) fn store(
        &self,
        primary: &Path,
        blocks: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let path = state_path(primary);
        let mut fresh = path.clone().into_os_string();
        fresh.push(".new");
        let fresh = PathBuf::from(fresh);
        let failed = |e| StorageError::io("cannot write", &path, e);
        let text = serde_json::to_vec(self)
            .map_err(|e| StorageError::Invalid(format!("a restore cannot be noted: {e}")))?;
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&fresh).map_err(failed)?);
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut header = MAGIC.to_vec();
        header.extend(length.to_le_bytes());
        header.extend(crc32fast::hash(&text).to_le_bytes());
        out.write_all(&header)
            .and_then(|()| out.write_all(&text))
            .map_err(failed)?;
        blocks(&mut out)?;
        let file = out
            .into_inner()
            .map_err(|e| failed(std::io::Error::other(e.to_string())))?;
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        file.sync_all()
            .and_then(|()| std::fs::rename(&fresh, &path))
            .and_then(|()| File::open(folder.unwrap_or(Path::new(".")))?.sync_all())
            .map_err(failed)
    }

    /// Marks the state, keeping its log.
    pub(crate) fn mark(&self, primary: &Path) -> Result<()> {
        self.store(primary, |out| {
            Self::kept_blocks(primary, |_, block| {
                out.write_all(block)
                    .map_err(|e| StorageError::io("cannot write", state_path(primary), e))
            })
        })
    }

    pub(crate) fn remove(primary: &Path) {
        // What is left of a restore that is done is only in the way of nobody.
        let _ = std::fs::remove_file(state_path(primary));
    }
}
