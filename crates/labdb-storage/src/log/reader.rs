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
