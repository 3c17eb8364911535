//! Virtual log files: how many a log file is cut into, and the header of each.
//!
//! The counts are those of SQL Server 2022's log architecture guide; the sizes are rounded as
//! SQL Server's own are (an 8-MB log has three of 2,031,616 bytes and one with the rest).

use crate::bytes::{get_u32, get_u64, put};
use crate::log::lsn::Lsn;

/// The header of a log file, and of each VLF, in bytes: no block lies in it.
pub(crate) const HEADER: u64 = 8_192;
/// The least size of a log file: 512 KB, as in SQL Server.
pub(crate) const MIN_LOG_FILE: u64 = 512 << 10;

const MAGIC: u32 = 0x4c56_4c46;
const MB: u64 = 1 << 20;

/// How many VLFs the creation of a log file of this many bytes makes. A log must have two at
/// least, or it could never be reused, so a small one starts with four.
pub(crate) fn vlfs_at_creation(size: u64) -> u64 {
    if size <= 64 * MB {
        4
    } else if size <= 1024 * MB {
        8
    } else {
        16
    }
}

/// How many VLFs a growth by `growth` bytes makes in a log of `size` bytes.
pub(crate) fn vlfs_at_growth(size: u64, growth: u64) -> u64 {
    if growth < size / 8 || growth <= 64 * MB {
        1
    } else if growth <= 1024 * MB {
        8
    } else {
        16
    }
}

/// Cuts `bytes` into `count` VLFs: equal ones, rounded down to 64 KB (8 KB where they are below
/// 512 KB), and the last with what is left.
pub(crate) fn cut(bytes: u64, count: u64) -> Vec<u64> {
    let even = bytes / count;
    let unit = if even >= 512 << 10 { 64 << 10 } else { 8 << 10 };
    let each = even / unit * unit;
    let mut sizes = vec![each; usize::try_from(count - 1).unwrap_or(0)];
    sizes.push(bytes - each * (count - 1));
    sizes
}

/// A VLF as the log knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vlf {
    /// Which of the log's files, from 0.
    pub(crate) file: usize,
    /// Where it begins in that file.
    pub(crate) offset: u64,
    /// Its bytes, header included.
    pub(crate) size: u64,
    /// Its place in the log's order; 0 when never used.
    pub(crate) sequence: u32,
    /// 64 or 128; 0 when never used.
    pub(crate) parity: u8,
    /// The end of the log when it was made.
    pub(crate) create_lsn: Lsn,
}

impl Vlf {
    /// The sector of its first block.
    pub(crate) const FIRST_SECTOR: u32 = 16;

    /// Sectors of 512 bytes in it, header included.
    pub(crate) fn sectors(&self) -> u32 {
        u32::try_from(self.size / 512).unwrap_or(u32::MAX)
    }

    /// Bytes that blocks can use.
    pub(crate) fn capacity(&self) -> u64 {
        self.size.saturating_sub(HEADER)
    }

    /// Takes the next place in the log's order.
    pub(crate) fn reuse(&mut self, sequence: u32) {
        self.sequence = sequence;
        self.parity = if self.parity == 64 { 128 } else { 64 };
    }

    /// Its header, as a sector.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut sector = vec![0; 512];
        put(&mut sector, 0, &MAGIC.to_le_bytes());
        put(&mut sector, 8, &self.sequence.to_le_bytes());
        put(&mut sector, 12, &[self.parity]);
        put(&mut sector, 16, &self.size.to_le_bytes());
        put(&mut sector, 24, &self.create_lsn.to_bits().to_le_bytes());
        let crc = crc32fast::hash(&sector[8..]);
        put(&mut sector, 4, &crc.to_le_bytes());
        sector
    }

    /// Takes sequence and parity from a header sector; one that is not valid means never used.
    pub(crate) fn decode(&mut self, sector: &[u8]) {
        let valid = sector.len() == 512
            && get_u32(sector, 0) == MAGIC
            && get_u32(sector, 4) == crc32fast::hash(&sector[8..])
            && get_u64(sector, 16) == self.size;
        if valid {
            self.sequence = get_u32(sector, 8);
            self.parity = sector[12];
            self.create_lsn = Lsn::from_bits(get_u64(sector, 24));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creation_makes_four_eight_or_sixteen() {
        assert_eq!(vlfs_at_creation(8 * MB), 4);
        assert_eq!(vlfs_at_creation(512 * MB), 8);
        assert_eq!(vlfs_at_creation(2048 * MB), 16);
    }

    #[test]
    fn growth_follows_the_guide_of_2022() {
        // Up to 64 MB: one, whatever the log's size.
        assert_eq!(vlfs_at_growth(8 * MB, 64 * MB), 1);
        // Below an eighth of the log: one.
        assert_eq!(vlfs_at_growth(4096 * MB, 256 * MB), 1);
        // More than 64 MB and up to 1 GB: eight; above: sixteen.
        assert_eq!(vlfs_at_growth(1024 * MB, 256 * MB), 8);
        assert_eq!(vlfs_at_growth(1024 * MB, 2048 * MB), 16);
    }

    #[test]
    fn sizes_are_those_that_sql_server_shows() {
        // DBCC LOGINFO of an 8-MB and of a 1-MB log, as widely published.
        assert_eq!(
            cut(8 * MB - HEADER, 4),
            [2_031_616, 2_031_616, 2_031_616, 2_285_568]
        );
        assert_eq!(cut(MB - HEADER, 4), [253_952, 253_952, 253_952, 278_528]);
    }

    #[test]
    fn a_header_with_one_wrong_bit_means_never_used() {
        let mut vlf = Vlf {
            file: 0,
            offset: 8192,
            size: MB,
            sequence: 0,
            parity: 0,
            create_lsn: Lsn::ZERO,
        };
        let fresh = vlf;
        vlf.reuse(40);
        let mut sector = vlf.encode();
        let mut read = fresh;
        read.decode(&sector);
        assert_eq!((read.sequence, read.parity), (40, 64));
        sector[9] ^= 1;
        let mut read = fresh;
        read.decode(&sector);
        assert_eq!(read.sequence, 0);
    }
}
