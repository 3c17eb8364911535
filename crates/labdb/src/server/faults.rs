//! Faults on purpose: a file layer that is slower, or smaller, than the disk under it.

use labdb_storage::{FileHandle, FileLayer, SystemFiles};
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A fault, as `--fault` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `flush-delay=2ms`: every sync of a log file takes this much longer.
    FlushDelay(Duration),
    /// `disk-full=64mb`: growth beyond this many bytes, over all files, fails.
    DiskFull(u64),
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("'{text}' is no fault: write name=value, such as flush-delay=2ms or disk-full=64mb"))?;
        let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: f64 = digits.parse().map_err(|_| format!("'{value}' of fault '{name}' is no number with a unit"))?;
        let unit = value.get(digits.len()..).unwrap_or("").to_ascii_lowercase();
        if !(0.0..1e15).contains(&number) {
            return Err(format!("'{value}' of fault '{name}' is out of range"));
        }
        match name {
            "flush-delay" => {
                let seconds = match unit.as_str() {
                    "us" => number / 1e6,
                    "ms" | "" => number / 1e3,
                    "s" => number,
                    other => return Err(format!("'{other}' is no unit of time: use us, ms or s")),
                };
                Duration::try_from_secs_f64(seconds).map(Self::FlushDelay).map_err(|e| e.to_string())
            }
            "disk-full" => {
                let factor = match unit.as_str() {
                    "" | "b" => 1.0,
                    "kb" => 1024.0,
                    "mb" => 1_048_576.0,
                    "gb" => 1_073_741_824.0,
                    other => return Err(format!("'{other}' is no unit of size: use b, kb, mb or gb")),
                };
                Ok(Self::DiskFull((number * factor) as u64))
            }
            other => Err(format!("'{other}' is no fault labdb has: flush-delay, disk-full")),
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FlushDelay(delay) => write!(f, "flush-delay={}us", delay.as_micros()),
            Self::DiskFull(bytes) => write!(f, "disk-full={bytes}b"),
        }
    }
}

/// A file layer with the given faults; the plain one without any.
pub(super) fn layer(faults: &[Fault]) -> Arc<dyn FileLayer> {
    if faults.is_empty() {
        return Arc::new(SystemFiles);
    }
    let mut state = State { flush_delay: Duration::ZERO, limit: u64::MAX, used: AtomicU64::new(0) };
    for fault in faults {
        match fault {
            Fault::FlushDelay(delay) => state.flush_delay = *delay,
            Fault::DiskFull(bytes) => state.limit = *bytes,
        }
    }
    Arc::new(FaultyFiles { inner: SystemFiles, state: Arc::new(state) })
}

struct State {
    flush_delay: Duration,
    limit: u64,
    used: AtomicU64,
}

impl State {
    fn grow(&self, from: u64, to: u64) -> io::Result<()> {
        let more = to.saturating_sub(from);
        let fits = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| used.checked_add(more).filter(|total| *total <= self.limit || more == 0));
        fits.map(|_| ()).map_err(|_| io::Error::from(io::ErrorKind::StorageFull))
    }
}

struct FaultyFiles {
    inner: SystemFiles,
    state: Arc<State>,
}

impl FaultyFiles {
    fn wrap(&self, path: &Path, file: Arc<dyn FileHandle>) -> io::Result<Arc<dyn FileHandle>> {
        self.state.grow(0, file.size()?)?;
        let log = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ldf"));
        Ok(Arc::new(FaultyFile { file, log, state: Arc::clone(&self.state) }))
    }
}

impl FileLayer for FaultyFiles {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let file = self.inner.create(path)?;
        self.wrap(path, file)
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let file = self.inner.open(path)?;
        self.wrap(path, file)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.inner.sync_folder(path)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        let size = std::fs::metadata(path).map_or(0, |m| m.len());
        self.inner.remove(path)?;
        let _ = self.state.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used.saturating_sub(size)));
        Ok(())
    }
}

struct FaultyFile {
    file: Arc<dyn FileHandle>,
    log: bool,
    state: Arc<State>,
}

impl FileHandle for FaultyFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let size = self.file.size()?;
        self.state.grow(size, size.max(offset + bytes.len() as u64))?;
        self.file.write_at(bytes, offset)
    }
    fn sync(&self) -> io::Result<()> {
        if self.log && !self.state.flush_delay.is_zero() {
            std::thread::sleep(self.state.flush_delay);
        }
        self.file.sync()
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.state.grow(self.file.size()?, size)?;
        self.file.set_size(size)
    }
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }
    fn size_on_disk(&self) -> io::Result<u64> {
        self.file.size_on_disk()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_with_its_unit_and_shown_again() {
        assert_eq!("flush-delay=2ms".parse(), Ok(Fault::FlushDelay(Duration::from_millis(2))));
        assert_eq!("flush-delay=250us".parse::<Fault>().unwrap().to_string(), "flush-delay=250us");
        assert_eq!("disk-full=64mb".parse(), Ok(Fault::DiskFull(64 << 20)));
        assert!("disk-full".parse::<Fault>().is_err());
        assert!("gremlins=1".parse::<Fault>().unwrap_err().contains("flush-delay"));
    }

    #[test]
    fn a_full_disk_refuses_growth_and_gives_space_back() {
        let folder = std::env::temp_dir().join(format!("labdb-faults-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let layer = layer(&[Fault::DiskFull(10_000)]);
        let file = layer.create(&folder.join("a.mdf")).unwrap();
        file.set_size(8_000).unwrap();
        assert_eq!(file.set_size(12_000).unwrap_err().kind(), io::ErrorKind::StorageFull);
        layer.remove(&folder.join("a.mdf")).unwrap();
        let file = layer.create(&folder.join("b.mdf")).unwrap();
        file.set_size(9_000).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
