//! Log blocks: the unit of log I/O. Whole sectors of 512 bytes, at most 60 KB, with a header that
//! tells a block of this log from everything else that may lie in its place.
//!
//! A block counts only if its checksum holds, it names the VLF and sector where it lies, it names
//! the block before it, and its epoch (how often the database was opened) is not below that of
//! the block before it. So a torn block, a block of an earlier use of the VLF, and a block that
//! outlived a crash beyond a hole are never taken for log.

use crate::bytes::{get_u16, get_u32, get_u64, put};
use crate::log::lsn::Lsn;

/// The unit of log I/O in bytes.
pub(crate) const SECTOR: usize = 512;
/// The longest block in bytes.
pub(crate) const MAX_BLOCK: usize = 60 << 10;
/// The block header in bytes.
pub(crate) const BLOCK_HEADER: usize = 40;

const MAGIC: u32 = 0x4c42_4c4b;

/// A block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHeader {
    /// Its own LSN, with slot 0.
    pub(crate) lsn: Lsn,
    /// The LSN of the block before it, with slot 0.
    pub(crate) previous: Lsn,
    /// How often the database was opened when it was written.
    pub(crate) epoch: u32,
    /// Bytes used, header included; the rest up to whole sectors is padding.
    pub(crate) used: u16,
    /// Records in it.
    pub(crate) records: u16,
    /// Up to where the log was durable when it was written. A block beyond a damaged one proves
    /// with it whether the damaged one had been on disk.
    pub(crate) hardened: Lsn,
}

impl BlockHeader {
    /// Its length on disk, in bytes.
    pub(crate) fn length(&self) -> usize {
        usize::from(self.used).next_multiple_of(SECTOR)
    }

    /// Where the block after it begins, if it lies in the same VLF.
    pub(crate) fn end(&self) -> Lsn {
        let sectors = u32::try_from(self.length() / SECTOR).unwrap_or(0);
        Lsn::new(self.lsn.vlf_sequence(), self.lsn.block() + sectors, 0)
    }

    /// Writes the header, with the checksum of everything, into a padded block.
    pub(crate) fn seal(&self, block: &mut [u8]) {
        put(block, 0, &MAGIC.to_le_bytes());
        put(block, 8, &self.lsn.to_bits().to_le_bytes());
        put(block, 16, &self.previous.to_bits().to_le_bytes());
        put(block, 24, &self.epoch.to_le_bytes());
        put(block, 28, &self.used.to_le_bytes());
        put(block, 30, &self.records.to_le_bytes());
        put(block, 32, &self.hardened.to_bits().to_le_bytes());
        let crc = crc32fast::hash(&block[8..]);
        put(block, 4, &crc.to_le_bytes());
    }

    /// Reads a header; `None` when there cannot be a block at this LSN. The checksum is not
    /// checked yet.
    pub(crate) fn decode(bytes: &[u8], expected: Lsn) -> Option<Self> {
        let header = Self {
            lsn: Lsn::from_bits(get_u64(bytes, 8)),
            previous: Lsn::from_bits(get_u64(bytes, 16)),
            epoch: get_u32(bytes, 24),
            used: get_u16(bytes, 28),
            records: get_u16(bytes, 30),
            hardened: Lsn::from_bits(get_u64(bytes, 32)),
        };
        (get_u32(bytes, 0) == MAGIC
            && header.lsn == expected
            && usize::from(header.used) > BLOCK_HEADER
            && usize::from(header.used) <= MAX_BLOCK)
            .then_some(header)
    }

    /// The LSN that a header gives itself, true or not.
    pub(crate) fn own_lsn(bytes: &[u8]) -> Lsn {
        if get_u32(bytes, 0) == MAGIC {
            Lsn::from_bits(get_u64(bytes, 8))
        } else {
            Lsn::ZERO
        }
    }

    /// Whether a whole block of this header is as it was sealed.
    pub(crate) fn intact(&self, block: &[u8]) -> bool {
        block.len() == self.length() && get_u32(block, 4) == crc32fast::hash(&block[8..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> (BlockHeader, Vec<u8>) {
        let header = BlockHeader {
            lsn: Lsn::new(33, 16, 0),
            previous: Lsn::new(32, 99, 0),
            epoch: 2,
            used: 600,
            records: 3,
            hardened: Lsn::new(32, 98, 0),
        };
        let mut block = vec![7; header.length()];
        header.seal(&mut block);
        (header, block)
    }

    #[test]
    fn a_block_is_whole_sectors() {
        let (header, block) = sealed();
        assert_eq!(block.len(), 1024);
        assert_eq!(
            BlockHeader {
                used: 512,
                ..header
            }
            .length(),
            512
        );
        assert_eq!(
            BlockHeader {
                used: 513,
                ..header
            }
            .length(),
            1024
        );
    }

    #[test]
    fn any_wrong_bit_is_seen() {
        let (header, block) = sealed();
        assert_eq!(BlockHeader::decode(&block, header.lsn), Some(header));
        assert!(header.intact(&block));
        for bit in 0..block.len() * 8 {
            let mut wrong = block.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            let seen = BlockHeader::decode(&wrong, header.lsn)
                .is_some_and(|h| wrong.get(..h.length()).is_some_and(|b| h.intact(b)));
            assert!(!seen, "bit {bit}");
        }
    }

    #[test]
    fn a_block_of_another_place_or_another_use_of_the_vlf_is_not_taken() {
        let (_, block) = sealed();
        assert_eq!(BlockHeader::decode(&block, Lsn::new(34, 16, 0)), None);
        assert_eq!(BlockHeader::decode(&block, Lsn::new(33, 17, 0)), None);
    }
}
