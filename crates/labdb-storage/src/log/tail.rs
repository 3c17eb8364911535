//! Where the log ends when a database is opened, and whether it may end there.
//!
//! The first block that does not belong ends the log. It is the rule of recovery that only what
//! no flush had finished may be missing behind that place: blocks of the last flush, torn or in
//! another order. Two witnesses are asked. The boot record says up to where the log was durable
//! when it was stored; and each block says up to where it was when the block was written. A
//! witness for more than what can be read means damage to log that was durable, where commits
//! were acknowledged: the database is not opened. Damage to the very last flush has no witness
//! and reads like a torn write.
//!
//! What was read is not yet safe either: after a failed flush the system may keep blocks in its
//! cache that it will never write. So the last blocks are written once more before anything is
//! built on them. All older ones lie behind a flush that succeeded.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use crate::counted_file::CountedFile;
use crate::error::{Result, StorageError};
use crate::log::block::{BLOCK_HEADER, BlockHeader, MAX_BLOCK, SECTOR};
use crate::log::lsn::Lsn;
use crate::log::reader::LogReader;
use crate::log::vlf::Vlf;
use crate::log::writer::BUFFER_BYTES;

/// Log behind its end in which a witness is looked for, in bytes: more than one flush writes.
const SEARCHED: u64 = 8 * BUFFER_BYTES as u64;
/// The bytes of the last blocks that are written again: more than one flush writes.
const REWRITTEN: usize = 2 * BUFFER_BYTES;

/// The end of a log that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    /// The VLF, by its place among the VLFs.
    pub(crate) vlf: usize,
    /// The first free sector in it.
    pub(crate) sector: u32,
    /// The last block; `None` when there is none at all.
    pub(crate) previous: Option<Lsn>,
}

/// Reads the log from `scan` to its end, makes sure that it may end there, and makes the end
/// durable. `reaches` is the boot record's witness.
///
/// # Errors
/// `Corrupt` when log that was durable cannot be read; `Io`.
pub(crate) fn settle(
    files: &[Arc<CountedFile>],
    vlfs: &[Vlf],
    scan: Lsn,
    reaches: Lsn,
) -> Result<Tail> {
    let mut reader = LogReader::new(files, vlfs, scan);
    let mut last: VecDeque<(u64, usize, Vec<u8>)> = VecDeque::new();
    let mut held = 0;
    let mut previous = None;
    while let Some(block) = reader.next()? {
        previous = Some(block.header.lsn);
        let Some(at) = place(vlfs, block.header.lsn) else {
            continue;
        };
        held += block.bytes.len();
        last.push_back((at.1, at.0, block.bytes.to_vec()));
        while held > REWRITTEN
            && let Some((_, _, bytes)) = last.pop_front()
        {
            held -= bytes.len();
        }
    }
    let Some((vlf, sector, _)) = reader.position() else {
        return Err(corrupt(
            files,
            0,
            format!("the log has no VLF for the last checkpoint at {scan}"),
        ));
    };
    let end = Lsn::new(vlfs[vlf].sequence, sector, 0);
    let witness = if reaches > end {
        Some(reaches)
    } else {
        witness(files, vlfs, end)?
    };
    if let Some(witness) = witness {
        return Err(corrupt(
            files,
            vlfs[vlf].file,
            format!(
                "the log cannot be read at {end}, but it was durable up to {witness}: committed \
                 work is lost; restore the database from a backup"
            ),
        ));
    }
    write_again(files, vlfs, last.into())?;
    for file in files {
        file.sync()?;
    }
    Ok(Tail {
        vlf,
        sector,
        previous,
    })
}

fn corrupt(files: &[Arc<CountedFile>], file: usize, reason: String) -> StorageError {
    StorageError::Corrupt {
        path: files
            .get(file)
            .map_or_else(PathBuf::new, |f| f.path().into()),
        reason,
    }
}

/// Writes blocks once more, and the headers of the VLFs that begin with one of them.
fn write_again(
    files: &[Arc<CountedFile>],
    vlfs: &[Vlf],
    blocks: Vec<(u64, usize, Vec<u8>)>,
) -> Result<()> {
    let mut run: Option<(u64, usize, Vec<u8>)> = None;
    for (offset, file, bytes) in blocks {
        match &mut run {
            Some((begin, same, held)) if *same == file && *begin + held.len() as u64 == offset => {
                held.extend_from_slice(&bytes);
            }
            _ => {
                if let Some((begin, file, held)) = run.replace((offset, file, bytes)) {
                    files[file].write_at(&held, begin)?;
                }
            }
        }
        let first = |v: &&Vlf| {
            v.file == file && v.offset + u64::from(Vlf::FIRST_SECTOR) * SECTOR as u64 == offset
        };
        if let Some(vlf) = vlfs.iter().find(first) {
            files[file].write_at(&vlf.encode(), vlf.offset)?;
        }
    }
    match run {
        Some((begin, file, held)) => files[file].write_at(&held, begin),
        None => Ok(()),
    }
}

/// The file and the place in it of a block.
fn place(vlfs: &[Vlf], lsn: Lsn) -> Option<(usize, u64)> {
    let vlf = vlfs.iter().find(|v| v.sequence == lsn.vlf_sequence())?;
    let offset = vlf.offset + u64::from(lsn.block()) * SECTOR as u64;
    Some((vlf.file, offset))
}

/// A block behind `end` that was written when the log was durable beyond `end`.
fn witness(files: &[Arc<CountedFile>], vlfs: &[Vlf], end: Lsn) -> Result<Option<Lsn>> {
    let mut left = SEARCHED;
    let mut sector = end.block();
    for sequence in end.vlf_sequence().. {
        let Some(vlf) = vlfs.iter().find(|v| v.sequence == sequence) else {
            break;
        };
        let found = search(files, vlf, sequence, sector, &mut left, end)?;
        if found.is_some() || left == 0 {
            return Ok(found);
        }
        sector = Vlf::FIRST_SECTOR;
    }
    // A VLF whose own header is damaged is known by the first block in it.
    for vlf in vlfs {
        let mut bytes = vec![0; SECTOR];
        let first = vlf.offset + u64::from(Vlf::FIRST_SECTOR) * SECTOR as u64;
        files[vlf.file].read_at(&mut bytes, first)?;
        let sequence = BlockHeader::own_lsn(&bytes).vlf_sequence();
        if sequence > end.vlf_sequence() {
            let mut left = SEARCHED;
            let found = search(files, vlf, sequence, Vlf::FIRST_SECTOR, &mut left, end)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Looks at `left` bytes of a VLF for a whole block that knows of durable log beyond `end`.
fn search(
    files: &[Arc<CountedFile>],
    vlf: &Vlf,
    sequence: u32,
    from: u32,
    left: &mut u64,
    end: Lsn,
) -> Result<Option<Lsn>> {
    let file = &files[vlf.file];
    let mut sector = from;
    while *left > 0 && sector < vlf.sectors() {
        let rest = u64::from(vlf.sectors() - sector) * SECTOR as u64;
        let begin = vlf.offset + u64::from(sector) * SECTOR as u64;
        // A block that begins in the piece may end behind it.
        let piece = rest.min(*left).min(1 << 20);
        let mut bytes = vec![0; usize::try_from(rest.min(piece + MAX_BLOCK as u64)).unwrap_or(0)];
        file.read_at(&mut bytes, begin)?;
        let sectors = u32::try_from(piece.div_ceil(SECTOR as u64)).unwrap_or(0);
        for step in 0..sectors {
            let block = bytes.get(step as usize * SECTOR..).unwrap_or_default();
            let lsn = Lsn::new(sequence, sector + step, 0);
            let found = BlockHeader::decode(block.get(..BLOCK_HEADER).unwrap_or_default(), lsn)
                .filter(|header| header.hardened > end)
                .filter(|header| {
                    block
                        .get(..header.length())
                        .is_some_and(|b| header.intact(b))
                });
            if let Some(header) = found {
                return Ok(Some(header.hardened));
            }
        }
        *left -= piece;
        sector += sectors;
    }
    Ok(None)
}
