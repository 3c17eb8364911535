//! Writing zeroes into new parts of files, and telling who wants to know.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::counted_file::CountedFile;
use crate::error::Result;
use crate::settings::Options;

/// What happens to a file. Bytes count from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeroing<'a> {
    /// Zeroes will be written from one byte up to another (exclusive).
    Begins {
        /// The file.
        path: &'a Path,
        /// The first byte.
        from: u64,
        /// The byte after the last.
        to: u64,
    },
    /// They are on disk.
    Completed {
        /// The file.
        path: &'a Path,
        /// How long it took.
        elapsed: Duration,
    },
}

/// Is told of zeroing, on the thread that does it.
#[derive(Clone)]
pub struct ZeroingObserver(Arc<dyn Fn(Zeroing<'_>) + Send + Sync>);

impl ZeroingObserver {
    /// Calls a function.
    pub fn new(tell: impl Fn(Zeroing<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for ZeroingObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ZeroingObserver")
    }
}

/// Writes zeroes into a part of a file and flushes them.
pub(crate) fn zero(file: &CountedFile, from: u64, length: u64, options: &Options) -> Result<()> {
    let tell = |what| {
        if let Some(observer) = &options.zeroing {
            observer.0(what);
        }
    };
    let path = file.path();
    let begun = Instant::now();
    tell(Zeroing::Begins {
        path,
        from,
        to: from + length,
    });
    file.zero(from, length)?;
    tell(Zeroing::Completed {
        path,
        elapsed: begun.elapsed(),
    });
    Ok(())
}
