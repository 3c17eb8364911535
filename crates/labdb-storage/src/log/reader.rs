//! Reading the log forward, block by block, up to the first that does not belong.

use std::sync::Arc;

use crate::counted_file::CountedFile;
use crate::error::Result;
use crate::log::block::{BLOCK_HEADER, BlockHeader, MAX_BLOCK, SECTOR};
use crate::log::lsn::Lsn;
use crate::log::vlf::Vlf;

const WINDOW: usize = 1 << 20;

/// Reads blocks in the order they were written.
pub(crate) struct LogReader<'a> {
    files: &'a [Arc<CountedFile>],
    vlfs: &'a [Vlf],
    vlf: Option<usize>,
    sector: u32,
    start: Lsn,
    previous: Option<Lsn>,
    epoch: u32,
    window: Vec<u8>,
    window_vlf: usize,
    window_sector: u32,
}

/// A block that belongs to the log.
pub(crate) struct Block<'a> {
    pub(crate) header: BlockHeader,
    /// Header, records and padding.
    pub(crate) bytes: &'a [u8],
}

impl<'a> LogReader<'a> {
    /// Starts at the block of `start`.
    pub(crate) fn new(files: &'a [Arc<CountedFile>], vlfs: &'a [Vlf], start: Lsn) -> Self {
        let vlf = vlfs.iter().position(|v| v.sequence == start.vlf_sequence());
        Self {
            files,
            vlfs,
            vlf,
            sector: start.block(),
            start: Lsn::new(start.vlf_sequence(), start.block(), 0),
            previous: None,
            epoch: 0,
            window: Vec::new(),
            window_vlf: usize::MAX,
            window_sector: 0,
        }
    }

    /// Where the next block would begin: VLF and sector; and the last block.
    pub(crate) fn position(&self) -> Option<(usize, u32, Option<Lsn>)> {
        self.vlf.map(|vlf| (vlf, self.sector, self.previous))
    }

    /// The next block, or `None` at the end of the log.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn next(&mut self) -> Result<Option<Block<'_>>> {
        let Some(here) = self.vlf else {
            return Ok(None);
        };
        let mut place = (here, self.sector);
        let mut found = self.block_at(here, self.sector)?;
        if found.is_none() {
            let sequence = self.vlfs[here].sequence + 1;
            let Some(after) = self.vlfs.iter().position(|v| v.sequence == sequence) else {
                return Ok(None);
            };
            place = (after, Vlf::FIRST_SECTOR);
            found = self.block_at(after, Vlf::FIRST_SECTOR)?;
        }
        let Some(header) = found else {
            return Ok(None);
        };
        let length = header.length();
        let from = (place.1 - self.window_sector) as usize * SECTOR;
        self.vlf = Some(place.0);
        self.sector = place.1 + u32::try_from(length / SECTOR).unwrap_or(0);
        self.previous = Some(header.lsn);
        self.epoch = header.epoch;
        Ok(Some(Block {
            header,
            bytes: &self.window[from..from + length],
        }))
    }

    /// The header of a block that lies here and belongs, with its bytes in the window.
    fn block_at(&mut self, vlf: usize, sector: u32) -> Result<Option<BlockHeader>> {
        let v = self.vlfs[vlf];
        if sector < Vlf::FIRST_SECTOR || sector >= v.sectors() {
            return Ok(None);
        }
        self.fill(vlf, sector, BLOCK_HEADER)?;
        let expected = Lsn::new(v.sequence, sector, 0);
        let from = (sector - self.window_sector) as usize * SECTOR;
        let header = self
            .window
            .get(from..)
            .and_then(|bytes| BlockHeader::decode(bytes, expected));
        let Some(header) = header else {
            return Ok(None);
        };
        let follows = match self.previous {
            Some(previous) => header.previous == previous,
            None => header.lsn == self.start || header.previous < self.start,
        };
        if !follows || header.epoch < self.epoch {
            return Ok(None);
        }
        self.fill(vlf, sector, header.length())?;
        let from = (sector - self.window_sector) as usize * SECTOR;
        let intact = self
            .window
            .get(from..from + header.length())
            .is_some_and(|bytes| header.intact(bytes));
        Ok(intact.then_some(header))
    }

    /// Makes sure that the window holds `length` bytes from this sector on, if the VLF has them.
    fn fill(&mut self, vlf: usize, sector: u32, length: usize) -> Result<()> {
        let held = self.window_vlf == vlf
            && sector >= self.window_sector
            && (sector - self.window_sector) as usize * SECTOR + length <= self.window.len();
        if held {
            return Ok(());
        }
        let v = self.vlfs[vlf];
        let left = (v.sectors() - sector) as usize * SECTOR;
        self.window.resize(WINDOW.max(MAX_BLOCK).min(left), 0);
        self.window_vlf = vlf;
        self.window_sector = sector;
        self.files[v.file].read_at(
            &mut self.window,
            v.offset + u64::from(sector) * SECTOR as u64,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::file_layer::{FileLayer, SystemFiles};

    const SIZE: u64 = 64 << 10;

    struct TestLog {
        _folder: tempfile::TempDir,
        files: Vec<Arc<CountedFile>>,
        vlfs: Vec<Vlf>,
    }

    impl TestLog {
        /// Two VLFs, with the sequence numbers 7 and 8.
        fn new() -> Self {
            let folder = tempfile::TempDir::new().unwrap();
            let handle = SystemFiles.create(&folder.path().join("log")).unwrap();
            let file = Arc::new(CountedFile::new(2, Path::new("log"), handle));
            file.zero(0, 2 * SIZE).unwrap();
            let vlf = |offset, sequence| Vlf {
                file: 0,
                offset,
                size: SIZE,
                sequence,
                parity: 64,
                create_lsn: Lsn::ZERO,
            };
            Self {
                _folder: folder,
                files: vec![file],
                vlfs: vec![vlf(0, 7), vlf(SIZE, 8)],
            }
        }

        fn write(&self, lsn: Lsn, previous: Lsn, epoch: u32, used: u16) {
            let header = BlockHeader {
                lsn,
                previous,
                epoch,
                used,
                records: 1,
                hardened: Lsn::ZERO,
            };
            let mut bytes = vec![3; header.length()];
            header.seal(&mut bytes);
            let vlf = u64::from(lsn.vlf_sequence() - 7);
            let at = vlf * SIZE + u64::from(lsn.block()) * 512;
            self.files[0].write_at(&bytes, at).unwrap();
        }

        fn read(&self, start: Lsn) -> Vec<Lsn> {
            let mut reader = LogReader::new(&self.files, &self.vlfs, start);
            let mut found = Vec::new();
            while let Some(block) = reader.next().unwrap() {
                found.push(block.header.lsn);
            }
            found
        }
    }

    const A: Lsn = Lsn::new(7, 16, 0);
    const B: Lsn = Lsn::new(7, 18, 0);
    const C: Lsn = Lsn::new(8, 16, 0);

    #[test]
    fn blocks_follow_one_another_into_the_next_vlf() {
        let log = TestLog::new();
        log.write(A, Lsn::ZERO, 1, 1000);
        log.write(B, A, 1, 100);
        log.write(C, B, 2, 100);
        assert_eq!(log.read(A), [A, B, C]);
        // A start inside a block means that block; one behind the last block of a VLF means the
        // next VLF.
        assert_eq!(log.read(Lsn::new(7, 18, 3)), [B, C]);
        assert_eq!(log.read(Lsn::new(7, 19, 1)), [C]);
    }

    #[test]
    fn a_vlf_that_was_begun_after_a_lost_block_does_not_count() {
        let log = TestLog::new();
        log.write(A, Lsn::ZERO, 1, 1000);
        log.write(C, B, 1, 100);
        assert_eq!(log.read(A), [A]);
    }

    #[test]
    fn a_block_that_outlived_a_crash_beyond_a_hole_does_not_count() {
        let log = TestLog::new();
        // The database was opened again (epoch 2) and wrote A anew, of the same length; B is of
        // before.
        log.write(A, Lsn::ZERO, 2, 1000);
        log.write(B, A, 1, 100);
        assert_eq!(log.read(A), [A]);
    }
}
