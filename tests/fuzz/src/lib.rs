//! What the fuzz targets share.

pub mod conversation;
pub mod engine;
pub mod loopback;
pub mod memory_files;

use std::path::Path;

/// Writes the inputs that a target begins with into the folder that `FUZZ_SEEDS` names, if it is
/// set: a fuzzer that starts from nothing spends its time on the first few bytes.
pub fn write_seeds(seeds: &[(&str, Vec<u8>)]) {
    let Some(folder) = std::env::var_os("FUZZ_SEEDS") else {
        return;
    };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).expect("the folder of FUZZ_SEEDS");
    for (name, bytes) in seeds {
        std::fs::write(folder.join(name), bytes).expect("a seed");
    }
}

/// A folder in memory where the system has one: flushes cost nothing there.
#[must_use]
pub fn fast_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a temporary folder")
}
