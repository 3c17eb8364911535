//! The boot record: what must be known before the log can be read. It lies in the first extent of
//! the primary data file, in two places that are written in turn, so that one is always whole.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bytes::{get_u32, get_u64, put};
use crate::counted_file::CountedFile;
use crate::error::{Result, StorageError};
use crate::log::lsn::Lsn;
use crate::settings::{FileKind, Growth, RecoveryModel};

const MAGIC: u64 = 0x4c41_4244_4244_4231;
const PLACE: usize = 4 * 8_192;
const HEADER: usize = 24;
/// The most bytes that all settings of the upper layer may have.
pub(crate) const MAX_SETTINGS: usize = 8 << 10;

/// A file as the database knows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BootFile {
    pub(crate) file_id: u16,
    pub(crate) kind: FileKind,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) growth: Growth,
    pub(crate) max_size: Option<u64>,
}

/// So many times in a row a log file was extended by `bytes`, cut into `vlfs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VlfRun {
    pub(crate) file_id: u16,
    pub(crate) bytes: u64,
    pub(crate) vlfs: u64,
    pub(crate) times: u32,
}

/// Everything in the boot record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Boot {
    pub(crate) database_guid: u128,
    pub(crate) family_guid: u128,
    pub(crate) recovery_fork_guid: u128,
    /// How often the database was opened.
    pub(crate) epoch: u32,
    pub(crate) files: Vec<BootFile>,
    pub(crate) vlf_runs: Vec<VlfRun>,
    pub(crate) recovery_model: RecoveryModel,
    /// The last checkpoint's begin record, and where redo and analysis start.
    pub(crate) checkpoint: Lsn,
    pub(crate) redo: Lsn,
    pub(crate) scan: Lsn,
    pub(crate) next_heap: u32,
    pub(crate) next_transaction: u64,
    /// Where the next log backup starts.
    pub(crate) last_log_backup: Option<Lsn>,
    /// When the last log backup began, in microseconds since 1970.
    pub(crate) last_log_backup_us: Option<u64>,
    /// The checkpoint of the last full backup.
    pub(crate) last_full_backup: Option<Lsn>,
    /// That backup's number.
    #[serde(default)]
    pub(crate) last_full_guid: Option<u128>,
    pub(crate) settings: BTreeMap<String, String>,
    /// The log was durable up to here when this record was stored.
    #[serde(default)]
    pub(crate) log_reaches: Lsn,
}

/// The boot record with the place that it was last written to.
pub(crate) struct BootPages {
    pub(crate) boot: Boot,
    generation: u64,
}

impl BootPages {
    pub(crate) fn new(boot: Boot) -> Self {
        Self {
            boot,
            generation: 0,
        }
    }

    /// Writes the record, durable when this returns. On failure the one before stays.
    pub(crate) fn store(&mut self, file: &CountedFile) -> Result<()> {
        let text = serde_json::to_vec(&self.boot).map_err(|e| StorageError::Corrupt {
            path: file.path().to_owned(),
            reason: format!("its boot record cannot be encoded: {e}"),
        })?;
        if text.len() > PLACE - HEADER {
            return Err(StorageError::Invalid(format!(
                "the boot record would have {} bytes and the most is {}: use larger growth steps \
                 or fewer settings",
                text.len(),
                PLACE - HEADER
            )));
        }
        let generation = self.generation + 1;
        let mut bytes = vec![0; PLACE];
        put(&mut bytes, 0, &MAGIC.to_le_bytes());
        put(&mut bytes, 8, &generation.to_le_bytes());
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        put(&mut bytes, 16, &length.to_le_bytes());
        put(&mut bytes, HEADER, &text);
        let crc = Self::checksum(&bytes);
        put(&mut bytes, 20, &crc.to_le_bytes());
        file.write_at(&bytes, generation % 2 * PLACE as u64)?;
        file.sync()?;
        self.generation = generation;
        Ok(())
    }

    fn checksum(bytes: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[..20]);
        hasher.update(&bytes[HEADER..]);
        hasher.finalize()
    }

    /// Reads the newer of the two places that is whole.
    pub(crate) fn load(file: &CountedFile) -> Result<Self> {
        let mut best: Option<Self> = None;
        for place in 0..2_u64 {
            let mut bytes = vec![0; PLACE];
            file.read_at(&mut bytes, place * PLACE as u64)?;
            let generation = get_u64(&bytes, 8);
            let length = get_u32(&bytes, 16) as usize;
            if get_u64(&bytes, 0) != MAGIC || get_u32(&bytes, 20) != Self::checksum(&bytes) {
                continue;
            }
            let text = bytes.get(HEADER..HEADER + length).unwrap_or_default();
            let Ok(boot) = serde_json::from_slice(text) else {
                continue;
            };
            if best.as_ref().is_none_or(|b| b.generation < generation) {
                best = Some(Self { boot, generation });
            }
        }
        best.ok_or_else(|| StorageError::Corrupt {
            path: file.path().to_owned(),
            reason: "it is no primary data file of labdb, or both its boot records are damaged"
                .to_owned(),
        })
    }
}

impl Boot {
    /// Notes that a log file was extended.
    pub(crate) fn add_vlfs(&mut self, file_id: u16, bytes: u64, vlfs: u64) {
        match self.vlf_runs.last_mut() {
            Some(run) if (run.file_id, run.bytes, run.vlfs) == (file_id, bytes, vlfs) => {
                run.times += 1;
            }
            _ => self.vlf_runs.push(VlfRun {
                file_id,
                bytes,
                vlfs,
                times: 1,
            }),
        }
    }

    /// Whether the log is kept until a log backup: not under SIMPLE, and not before the first
    /// full backup.
    pub(crate) fn keeps_log(&self) -> bool {
        self.recovery_model != RecoveryModel::Simple && self.last_log_backup.is_some()
    }
}
