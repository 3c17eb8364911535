//! Faults on purpose, so that instruments can be held against a known truth.

mod distribution;
mod flush_delay;
mod full_disk;
mod stall;
mod stalled_files;

pub use distribution::{Distribution, LONGEST_DRAW};
pub use flush_delay::FlushDelay;
pub use full_disk::FullDisk;
pub use stall::Stall;
pub use stalled_files::StalledFiles;
