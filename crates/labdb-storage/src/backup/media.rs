//! The backup file: a header, sections of pages and log, and an end that says it is complete.
//!
//! `LABDBBK1`, then sections. A section is a tag (u8), a length (u32), a checksum (u32) and so
//! many bytes: `H` the backup set and the boot record as JSON, `P` an extent (file u16, page u32,
//! then its pages), `L` a log block, `E` the same again with the final figures. A file
//! without `E` is not a backup.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::backup::{BackupSet, BackupTarget};
use crate::boot::Boot;
use crate::bytes::get_u32;
use crate::error::{Result, StorageError};

const MAGIC: &[u8; 8] = b"LABDBBK1";
const FRAME: usize = 9;
/// The longest section: an extent with its place, or the longest boot record, and some.
const MAX_SECTION: usize = 1 << 20;

/// What a backup file begins with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MediaHeader {
    pub(crate) set: BackupSet,
    pub(crate) boot: Boot,
}

/// A section of a backup file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Header = b'H' as isize,
    Extent = b'P' as isize,
    Log = b'L' as isize,
    End = b'E' as isize,
}

impl Tag {
    const ALL: [Self; 4] = [Self::Header, Self::Extent, Self::Log, Self::End];

    const fn byte(self) -> u8 {
        self as u8
    }
}

/// Where sections are written; counts their bytes even when they go nowhere.
pub(crate) struct MediaWriter {
    out: Option<(PathBuf, BufWriter<File>)>,
    pub(crate) bytes: u64,
}

impl MediaWriter {
    pub(crate) fn create(target: &BackupTarget) -> Result<Self> {
        let out = match target {
            BackupTarget::Nul => None,
            BackupTarget::File(path) => {
                let file = File::create(path)
                    .map_err(|e| StorageError::io("cannot create backup file", path, e))?;
                Some((path.clone(), BufWriter::with_capacity(1 << 20, file)))
            }
        };
        let mut media = Self { out, bytes: 0 };
        media.put(MAGIC)?;
        Ok(media)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        match &mut self.out {
            Some((path, out)) => out
                .write_all(bytes)
                .map_err(|e| StorageError::io("cannot write backup file", &*path, e)),
            None => Ok(()),
        }
    }

    pub(crate) fn section(&mut self, tag: Tag, bytes: &[u8]) -> Result<()> {
        let mut frame = [0; FRAME];
        frame[0] = tag.byte();
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        frame[1..5].copy_from_slice(&length.to_le_bytes());
        frame[5..9].copy_from_slice(&crc32fast::hash(bytes).to_le_bytes());
        self.put(&frame)?;
        self.put(bytes)
    }

    pub(crate) fn json(&mut self, tag: Tag, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(value).map_err(|e| {
            StorageError::Invalid(format!("a backup header cannot be written: {e}"))
        })?;
        self.section(tag, &text)
    }

    /// The backup is complete: durable when this returns.
    pub(crate) fn finish(mut self) -> Result<()> {
        if let Some((path, out)) = &mut self.out {
            out.flush()
                .and_then(|()| out.get_ref().sync_all())
                .map_err(|e| StorageError::io("cannot write backup file", &*path, e))?;
        }
        Ok(())
    }
}

/// Reads sections, each checked.
pub(crate) struct MediaReader {
    path: PathBuf,
    file: BufReader<File>,
    buffer: Vec<u8>,
}

impl MediaReader {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file =
            File::open(path).map_err(|e| StorageError::io("cannot open backup file", path, e))?;
        let mut reader = Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 20, file),
            buffer: Vec::new(),
        };
        let mut magic = [0; 8];
        if reader.file.read_exact(&mut magic).is_err() || &magic != MAGIC {
            return Err(reader.damaged("it is no backup of labdb"));
        }
        Ok(reader)
    }

    pub(crate) fn damaged(&self, reason: impl Into<String>) -> StorageError {
        StorageError::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// The next section.
    ///
    /// # Errors
    /// `Corrupt` where the file ends early or a checksum fails.
    pub(crate) fn next(&mut self) -> Result<(Tag, &[u8])> {
        let mut frame = [0; FRAME];
        if self.file.read_exact(&mut frame).is_err() {
            return Err(self.damaged("the backup is cut off: it has no end section"));
        }
        let tag = Tag::ALL.into_iter().find(|t| t.byte() == frame[0]);
        let length = get_u32(&frame, 1) as usize;
        let (Some(tag), true) = (tag, length <= MAX_SECTION) else {
            return Err(self.damaged("a section of the backup is damaged"));
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(length, 0);
        if self.file.read_exact(&mut buffer).is_err() {
            return Err(self.damaged("the backup is cut off inside a section"));
        }
        if crc32fast::hash(&buffer) != get_u32(&frame, 5) {
            return Err(self.damaged("a section of the backup does not match its checksum"));
        }
        self.buffer = buffer;
        Ok((tag, &self.buffer))
    }

    pub(crate) fn header(&mut self) -> Result<MediaHeader> {
        let (tag, bytes) = self.next()?;
        let header = (tag == Tag::Header)
            .then(|| serde_json::from_slice(bytes).ok())
            .flatten();
        header.ok_or_else(|| self.damaged("its header cannot be read"))
    }

    /// Reads on to the end, checking every section.
    pub(crate) fn end(&mut self) -> Result<MediaHeader> {
        loop {
            let (tag, bytes) = self.next()?;
            if tag == Tag::End {
                let end = serde_json::from_slice(bytes);
                return end.map_err(|_| self.damaged("its end section cannot be read"));
            }
        }
    }
}
