//! Log sequence numbers: which VLF, which block in it, which record in the block.

use std::fmt;

use serde::{Deserialize, Serialize};

const BLOCK_BITS: u32 = 26;
const SLOT_BITS: u32 = 14;

/// The address of a log record, ordered as records were written.
///
/// Packs the VLF's sequence number (24 bits), the block's offset in the VLF in 512-byte sectors
/// (26 bits) and the record's place in the block, from 1 (14 bits). Shows itself as SQL Server
/// does: `00000023:00000110:0001`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Lsn(u64);

impl Lsn {
    /// Before every record.
    pub const ZERO: Self = Self(0);

    /// Packs the three parts; parts that are too large are cut to their width.
    #[must_use]
    pub const fn new(vlf_sequence: u32, block: u32, slot: u16) -> Self {
        Self(
            ((vlf_sequence as u64 & 0xff_ffff) << (BLOCK_BITS + SLOT_BITS))
                | ((block as u64 & ((1 << BLOCK_BITS) - 1)) << SLOT_BITS)
                | (slot as u64 & ((1 << SLOT_BITS) - 1)),
        )
    }

    /// The packed form.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// From the packed form.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The VLF's sequence number.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "24 bits are left after the shift"
    )]
    pub const fn vlf_sequence(self) -> u32 {
        (self.0 >> (BLOCK_BITS + SLOT_BITS)) as u32
    }

    /// The block's offset in its VLF, in 512-byte sectors.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "masked to 26 bits")]
    pub const fn block(self) -> u32 {
        ((self.0 >> SLOT_BITS) & ((1 << BLOCK_BITS) - 1)) as u32
    }

    /// The record's place in its block, from 1.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "masked to 14 bits")]
    pub const fn slot(self) -> u16 {
        (self.0 & ((1 << SLOT_BITS) - 1)) as u16
    }

    /// The `numeric(25,0)` form that `sys.database_recovery_status` and msdb use: the decimal
    /// parts side by side, the block in ten digits and the slot in five.
    #[must_use]
    pub const fn to_numeric(self) -> u128 {
        self.vlf_sequence() as u128 * 1_000_000_000_000_000
            + self.block() as u128 * 100_000
            + self.slot() as u128
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:08x}:{:08x}:{:04x}",
            self.vlf_sequence(),
            self.block(),
            self.slot()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_itself_as_sql_server_does() {
        assert_eq!(
            Lsn::new(0x23, 0x110, 1).to_string(),
            "00000023:00000110:0001"
        );
    }

    #[test]
    fn the_numeric_form_puts_the_decimal_parts_side_by_side() {
        // 0x23 = 35, 0x110 = 272, 1: as backupset.first_lsn shows it.
        assert_eq!(
            Lsn::new(0x23, 0x110, 1).to_numeric(),
            35_000_000_027_200_001
        );
    }

    #[test]
    fn is_ordered_by_vlf_then_block_then_record() {
        let ordered = [
            Lsn::ZERO,
            Lsn::new(1, 16, 1),
            Lsn::new(1, 16, 2),
            Lsn::new(1, 17, 1),
            Lsn::new(2, 16, 1),
            Lsn::new(0xff_ffff, 0x3ff_ffff, 0x3fff),
        ];
        assert!(ordered.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(ordered[5].vlf_sequence(), 0xff_ffff);
        assert_eq!(ordered[5].block(), 0x3ff_ffff);
        assert_eq!(ordered[5].slot(), 0x3fff);
    }
}
