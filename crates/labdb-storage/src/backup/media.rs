//! The backup file: a label, then backup sets one after the other.
//!
//! The label is `LABDBBK2`, the media set's GUID, the time and a checksum. A backup set is a
//! prologue and sections. The prologue says how long the set is and where its last section begins,
//! and is written last: a set without it is not there. A section is a tag (u8), flags (u8), its
//! stored length, its real length and a checksum of what is stored (u32 each), and the bytes: `H`
//! the backup set and the boot record as JSON, `P` an extent (file u16, page u32, then its pages),
//! `L` a log block, `E` the same as `H` with the final figures. Extents and log blocks may be
//! compressed (LZ4).

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::backup::fault::RestoreFault;
use crate::backup::{BackupSet, BackupTarget};
use crate::boot::Boot;
use crate::bytes::{get_u32, get_u64, put};
use crate::error::{Result, StorageError};
use crate::lifecycle::new_guid;
use crate::undo::now_us;

const LABEL: usize = 64;
const MAGIC: &[u8; 8] = b"LABDBBK2";
const PROLOGUE: usize = 32;
const SET_MAGIC: &[u8; 8] = b"LABDBSET";
const FRAME: usize = 14;
const COMPRESSED: u8 = 1;
/// The longest section: an extent with its place, or the longest boot record, and some.
const MAX_SECTION: usize = 1 << 20;

/// What a backup set begins and ends with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MediaHeader {
    pub(crate) set: BackupSet,
    pub(crate) boot: Boot,
}

/// A section of a backup set.
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

/// The label of a backup file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaLabel {
    /// The media set.
    pub media_set_guid: u128,
    /// When it was written, in microseconds since 1970.
    pub created_us: u64,
}

impl MediaLabel {
    fn new() -> Self {
        Self {
            media_set_guid: new_guid(),
            created_us: now_us(),
        }
    }

    fn encode(self) -> [u8; LABEL] {
        let mut bytes = [0; LABEL];
        put(&mut bytes, 0, MAGIC);
        put(&mut bytes, 8, &self.media_set_guid.to_le_bytes());
        put(&mut bytes, 24, &self.created_us.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..32]);
        put(&mut bytes, 32, &crc.to_le_bytes());
        bytes
    }

    fn read(file: &mut File, path: &Path) -> Result<Self> {
        let mut bytes = [0; LABEL];
        let valid = file.read_exact(&mut bytes).is_ok()
            && bytes.starts_with(MAGIC)
            && get_u32(&bytes, 32) == crc32fast::hash(&bytes[..32]);
        if !valid {
            return Err(RestoreFault::NotABackup(path.to_owned()).into());
        }
        let guid = u128::from(get_u64(&bytes, 8)) | (u128::from(get_u64(&bytes, 16)) << 64);
        Ok(Self {
            media_set_guid: guid,
            created_us: get_u64(&bytes, 24),
        })
    }
}

/// Where a complete backup set lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetPlace {
    /// Its first section.
    begin: u64,
    /// Its last section.
    last: u64,
    /// The byte after it.
    end: u64,
}

fn encode_prologue(last: u64, end: u64) -> [u8; PROLOGUE] {
    let mut bytes = [0; PROLOGUE];
    put(&mut bytes, 0, SET_MAGIC);
    put(&mut bytes, 8, &last.to_le_bytes());
    put(&mut bytes, 16, &end.to_le_bytes());
    let crc = crc32fast::hash(&bytes[..24]);
    put(&mut bytes, 24, &crc.to_le_bytes());
    bytes
}

/// The complete sets of a file whose label was read.
fn places(file: &mut File) -> std::io::Result<Vec<SetPlace>> {
    let mut found = Vec::new();
    let mut at = LABEL as u64;
    loop {
        let mut bytes = [0; PROLOGUE];
        file.seek(SeekFrom::Start(at))?;
        match file.read_exact(&mut bytes) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(found),
            done => done?,
        }
        let (last, end) = (get_u64(&bytes, 8), get_u64(&bytes, 16));
        let begin = at + PROLOGUE as u64;
        let valid = bytes.starts_with(SET_MAGIC)
            && get_u32(&bytes, 24) == crc32fast::hash(&bytes[..24])
            && begin < last
            && last < end;
        if !valid {
            return Ok(found);
        }
        found.push(SetPlace { begin, last, end });
        at = end;
    }
}

/// The file, and whether it has a label already.
fn open_target(path: &Path, init: bool) -> std::io::Result<(File, bool)> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    if init {
        file.set_len(0)?;
    }
    let used = file.metadata()?.len() > 0;
    Ok((file, used))
}

/// Where sections are written; counts their bytes even when they go nowhere.
pub(crate) struct MediaWriter {
    out: Option<(PathBuf, BufWriter<File>)>,
    compress: bool,
    /// Where the set began.
    start: u64,
    finished: bool,
    pub(crate) label: MediaLabel,
    /// Bytes of the set before compression, and as stored.
    pub(crate) bytes: u64,
    pub(crate) stored: u64,
    /// The set's place in the file, from 1.
    pub(crate) position: u16,
}

impl MediaWriter {
    /// Opens the target for one more set, or with `init` for its first one.
    pub(crate) fn open(target: &BackupTarget, init: bool, compress: bool) -> Result<Self> {
        let mut media = Self {
            out: None,
            compress,
            start: LABEL as u64,
            finished: false,
            label: MediaLabel::new(),
            bytes: 0,
            stored: 0,
            position: 1,
        };
        if let BackupTarget::File(path) = target {
            let (mut file, used) = open_target(path, init)
                .map_err(|e| StorageError::io("cannot open backup file", path, e))?;
            if used {
                media.label = MediaLabel::read(&mut file, path)?;
                let failed = |e| StorageError::io("cannot read backup file", path, e);
                let sets = places(&mut file).map_err(failed)?;
                media.start = sets.last().map_or(LABEL as u64, |s| s.end);
                media.position = u16::try_from(sets.len() + 1).unwrap_or(u16::MAX);
                // What an interrupted backup left behind.
                file.set_len(media.start)
                    .and_then(|()| file.seek(SeekFrom::Start(media.start)).map(|_| ()))
                    .map_err(failed)?;
            }
            let mut out = BufWriter::with_capacity(1 << 20, file);
            let mut first = Vec::new();
            if !used {
                first.extend(media.label.encode());
            }
            first.extend([0; PROLOGUE]);
            out.write_all(&first)
                .map_err(|e| StorageError::io("cannot write backup file", path, e))?;
            media.out = Some((path.clone(), out));
        }
        media.bytes = PROLOGUE as u64;
        media.stored = PROLOGUE as u64;
        Ok(media)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.stored += bytes.len() as u64;
        match &mut self.out {
            Some((path, out)) => out
                .write_all(bytes)
                .map_err(|e| StorageError::io("cannot write backup file", &*path, e)),
            None => Ok(()),
        }
    }

    pub(crate) fn section(&mut self, tag: Tag, bytes: &[u8]) -> Result<()> {
        self.bytes += (FRAME + bytes.len()) as u64;
        let packed = (self.compress && matches!(tag, Tag::Extent | Tag::Log))
            .then(|| lz4_flex::block::compress(bytes))
            .filter(|packed| packed.len() < bytes.len());
        let stored = packed.as_deref().unwrap_or(bytes);
        let mut frame = [0; FRAME];
        frame[0] = tag.byte();
        frame[1] = if packed.is_some() { COMPRESSED } else { 0 };
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        put(&mut frame, 2, &length(stored));
        put(&mut frame, 6, &length(bytes));
        put(&mut frame, 10, &crc32fast::hash(stored).to_le_bytes());
        self.put(&frame)?;
        self.put(stored)
    }

    pub(crate) fn json(&mut self, tag: Tag, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(value).map_err(|e| {
            StorageError::Invalid(format!("a backup header cannot be written: {e}"))
        })?;
        self.section(tag, &text)
    }

    /// Writes the last section and the prologue: the set is complete and durable when this
    /// returns.
    pub(crate) fn finish(mut self, end: &impl Serialize) -> Result<()> {
        let last = self.start + self.stored;
        self.json(Tag::End, end)?;
        let prologue = encode_prologue(last, self.start + self.stored);
        let start = self.start;
        if let Some((path, out)) = &mut self.out {
            let mut write = || {
                out.flush()?;
                // The sections first: a prologue is only true when they are there.
                out.get_ref().sync_all()?;
                out.seek(SeekFrom::Start(start))?;
                out.write_all(&prologue)?;
                out.flush()?;
                out.get_ref().sync_all()
            };
            write().map_err(|e| StorageError::io("cannot write backup file", &*path, e))?;
        }
        self.finished = true;
        Ok(())
    }
}

impl Drop for MediaWriter {
    fn drop(&mut self) {
        if let (false, Some((_, out))) = (self.finished, self.out.take()) {
            // A set without its prologue does not count anyway: this only frees the disk.
            let _ = out.into_parts().0.set_len(self.start);
        }
    }
}

/// The label of a backup file, and how many complete sets are in it.
pub(crate) fn read_label(path: &Path) -> Result<(MediaLabel, usize)> {
    let mut file = open(path)?;
    let label = MediaLabel::read(&mut file, path)?;
    let sets =
        places(&mut file).map_err(|e| StorageError::io("cannot read backup file", path, e))?;
    Ok((label, sets.len()))
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|e| StorageError::io("cannot open backup file", path, e))
}

/// Reads the sections of one backup set, each checked.
pub(crate) struct MediaReader {
    path: PathBuf,
    file: BufReader<File>,
    place: SetPlace,
    stored: Vec<u8>,
    buffer: Vec<u8>,
}

impl MediaReader {
    /// Opens the set at a position, from 1.
    ///
    /// # Errors
    /// `Io`; `Restore` when the file is no backup, or has no such set.
    pub(crate) fn open(path: &Path, position: u16) -> Result<Self> {
        let mut file = open(path)?;
        MediaLabel::read(&mut file, path)?;
        let failed = |e| StorageError::io("cannot read backup file", path, e);
        let sets = places(&mut file).map_err(failed)?;
        if sets.is_empty() {
            return Err(RestoreFault::CutOff(path.to_owned()).into());
        }
        let place = usize::from(position)
            .checked_sub(1)
            .and_then(|at| sets.get(at).copied())
            .ok_or_else(|| RestoreFault::NoSuchSet {
                path: path.to_owned(),
                position,
            })?;
        file.seek(SeekFrom::Start(place.begin)).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 20, file),
            place,
            stored: Vec::new(),
            buffer: Vec::new(),
        })
    }

    pub(crate) fn damaged(&self, reason: &'static str) -> StorageError {
        RestoreFault::Damaged {
            path: self.path.clone(),
            reason,
        }
        .into()
    }

    fn fill(&mut self, length: usize) -> Result<()> {
        self.stored.resize(length, 0);
        self.file
            .read_exact(&mut self.stored)
            .map_err(|e| match e.kind() {
                ErrorKind::UnexpectedEof => RestoreFault::CutOff(self.path.clone()).into(),
                _ => StorageError::io("cannot read backup file", &self.path, e),
            })
    }

    /// The next section.
    ///
    /// # Errors
    /// `Restore` where the file ends early or a checksum fails.
    pub(crate) fn next(&mut self) -> Result<(Tag, &[u8])> {
        self.fill(FRAME)?;
        let tag = Tag::ALL.into_iter().find(|t| t.byte() == self.stored[0]);
        let packed = self.stored[1] & COMPRESSED != 0;
        let length = get_u32(&self.stored, 2) as usize;
        let real = get_u32(&self.stored, 6) as usize;
        let crc = get_u32(&self.stored, 10);
        let fits = length <= MAX_SECTION && real <= MAX_SECTION && (packed || length == real);
        let (Some(tag), true) = (tag, fits) else {
            return Err(self.damaged("a section has no valid frame"));
        };
        self.fill(length)?;
        if crc32fast::hash(&self.stored) != crc {
            return Err(self.damaged("a section does not match its checksum"));
        }
        if !packed {
            return Ok((tag, &self.stored));
        }
        self.buffer.resize(real, 0);
        match lz4_flex::block::decompress_into(&self.stored, &mut self.buffer) {
            Ok(done) if done == real => Ok((tag, &self.buffer)),
            _ => Err(self.damaged("a section cannot be decompressed")),
        }
    }

    fn json(&mut self, wanted: Tag) -> Result<MediaHeader> {
        let (tag, bytes) = self.next()?;
        let header = (tag == wanted)
            .then(|| serde_json::from_slice(bytes).ok())
            .flatten();
        header.ok_or_else(|| self.damaged("its header cannot be read"))
    }

    /// The first section.
    pub(crate) fn header(&mut self) -> Result<MediaHeader> {
        self.json(Tag::Header)
    }

    /// The last section, without reading those between.
    pub(crate) fn end(&mut self) -> Result<MediaHeader> {
        self.file
            .seek(SeekFrom::Start(self.place.last))
            .map_err(|e| StorageError::io("cannot read backup file", &self.path, e))?;
        self.json(Tag::End)
    }
}
