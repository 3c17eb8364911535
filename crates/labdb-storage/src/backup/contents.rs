//! What a backup file contains, and whether it can be read.

use std::path::Path;

use crate::allocation::EXTENT_PAGES;
use crate::backup::fault::RestoreFault;
use crate::backup::media::{MediaHeader, MediaLabel, MediaReader, Tag, read_label};
use crate::backup::{BackupContents, BackupFile};
use crate::boot::Boot;
use crate::bytes::{get_u16, get_u32, get_u64};
use crate::error::Result;
use crate::id::PageId;
use crate::log::block::BlockHeader;
use crate::log::lsn::Lsn;
use crate::page::{PAGE, Page};
use crate::settings::FileSpec;

/// A backup's list of the database's files.
pub(crate) fn files_of(boot: &Boot) -> Vec<BackupFile> {
    boot.files
        .iter()
        .map(|file| BackupFile {
            file_id: file.file_id,
            kind: file.kind,
            spec: FileSpec {
                name: file.name.clone(),
                path: file.path.clone(),
                size: file.size,
                growth: file.growth,
                max_size: file.max_size,
            },
        })
        .collect()
}

fn contents(label: MediaLabel, MediaHeader { mut set, boot }: MediaHeader) -> BackupContents {
    set.media_set_guid = label.media_set_guid;
    BackupContents {
        label,
        recovery_model: boot.recovery_model,
        files: files_of(&boot),
        set,
    }
}

/// The facts of one backup set (`RESTORE HEADERONLY`, `FILELISTONLY`); pages and log are not read.
///
/// # Errors
/// `Io`; `Restore` when it is no complete backup or has no such set.
pub fn read_header(path: &Path, position: u16) -> Result<BackupContents> {
    let mut media = MediaReader::open(path, position)?;
    let end = media.end()?;
    Ok(contents(read_label(path)?.0, end))
}

/// The facts of all backup sets of a file, in order.
///
/// # Errors
/// As [`read_header`].
pub fn read_headers(path: &Path) -> Result<Vec<BackupContents>> {
    let (_, sets) = read_label(path)?;
    if sets == 0 {
        return Err(RestoreFault::CutOff(path.to_owned()).into());
    }
    (1..=u16::try_from(sets).unwrap_or(u16::MAX))
        .map(|position| read_header(path, position))
        .collect()
}

/// Reads all of a backup set and checks every section, page and log block
/// (`RESTORE VERIFYONLY`).
///
/// # Errors
/// As [`read_header`].
pub fn verify_backup(path: &Path, position: u16) -> Result<BackupContents> {
    let mut media = MediaReader::open(path, position)?;
    media.header()?;
    loop {
        let (tag, bytes) = media.next()?;
        match tag {
            Tag::Header => return Err(media.damaged("it has two headers")),
            Tag::End => return read_header(path, position),
            Tag::Extent => {
                check_extent(bytes)?;
            }
            Tag::Log => {
                if !block_is_intact(bytes) {
                    return Err(media.damaged("a log block in it is damaged"));
                }
            }
        }
    }
}

fn block_is_intact(bytes: &[u8]) -> bool {
    let lsn = Lsn::from_bits(get_u64(bytes, 8));
    BlockHeader::decode(bytes, lsn).is_some_and(|h| h.intact(bytes))
}

/// Checks an extent's pages; returns the file and the first page.
pub(crate) fn check_extent(bytes: &[u8]) -> Result<(u16, u32)> {
    let (file, first) = (get_u16(bytes, 0), get_u32(bytes, 2));
    let pages = bytes.get(6..).unwrap_or_default();
    let damaged = |page| RestoreFault::DamagedPage {
        file_id: file,
        page,
    };
    if pages.len() != EXTENT_PAGES as usize * PAGE || first > u32::MAX - EXTENT_PAGES {
        return Err(damaged(first).into());
    }
    let mut page = Page::zeroed();
    for (number, bytes) in (first..).zip(pages.chunks_exact(PAGE)) {
        page.0.copy_from_slice(bytes);
        let id = PageId { file, page: number };
        if page.fault(id).is_some() {
            return Err(damaged(number).into());
        }
    }
    Ok((file, first))
}
