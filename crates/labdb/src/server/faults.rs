//! Faults on purpose, as the command line names them.

use labdb_storage::{FileLayer, FlushDelay, FullDisk, SystemFiles};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// A fault, as `--fault` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `flush-delay=2ms`: every log flush takes this much longer. `flush-delay=1ms..3ms`, or with
    /// a seed `flush-delay=1ms..3ms@7`: a time drawn evenly from the range.
    FlushDelay(Duration, Duration, u64),
    /// `disk-full=64mb`: growth beyond this many bytes, over all files, fails.
    DiskFull(u64),
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            format!(
                "'{text}' is no fault: write name=value, such as flush-delay=2ms or disk-full=64mb"
            )
        })?;
        match name {
            "flush-delay" => {
                let (range, seed) = match value.split_once('@') {
                    Some((range, seed)) => (
                        range,
                        seed.parse()
                            .map_err(|_| format!("'{seed}' is no seed: write a whole number"))?,
                    ),
                    None => (value, 1),
                };
                let (least, most) = range.split_once("..").unwrap_or((range, range));
                let (least, most) = (time(least)?, time(most)?);
                if least > most {
                    return Err(format!("'{range}' ends before it begins"));
                }
                Ok(Self::FlushDelay(least, most, seed))
            }
            "disk-full" => {
                let (number, unit) = number(value)?;
                let factor = match unit.as_str() {
                    "" | "b" => 1.0,
                    "kb" => 1024.0,
                    "mb" => 1_048_576.0,
                    "gb" => 1_073_741_824.0,
                    other => {
                        return Err(format!("'{other}' is no unit of size: use b, kb, mb or gb"));
                    }
                };
                Ok(Self::DiskFull((number * factor) as u64))
            }
            other => Err(format!(
                "'{other}' is no fault labdb has: flush-delay, disk-full"
            )),
        }
    }
}

fn number(text: &str) -> Result<(f64, String), String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits
        .parse()
        .map_err(|_| format!("'{text}' is no number with a unit"))?;
    if !(0.0..1e15).contains(&number) {
        return Err(format!("'{text}' is out of range"));
    }
    Ok((
        number,
        text.get(digits.len()..).unwrap_or("").to_ascii_lowercase(),
    ))
}

fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = number(text)?;
    let seconds = match unit.as_str() {
        "us" => number / 1e6,
        "ms" | "" => number / 1e3,
        "s" => number,
        other => return Err(format!("'{other}' is no unit of time: use us, ms or s")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FlushDelay(least, most, _) if least == most => {
                write!(f, "flush-delay={}us", least.as_micros())
            }
            Self::FlushDelay(least, most, seed) => write!(
                f,
                "flush-delay={}us..{}us@{seed}",
                least.as_micros(),
                most.as_micros()
            ),
            Self::DiskFull(bytes) => write!(f, "disk-full={bytes}b"),
        }
    }
}

/// The file layer under a disk that is as full as the faults say.
pub(super) fn layer(faults: &[Fault]) -> Arc<dyn FileLayer> {
    let capacity = faults.iter().find_map(|f| match f {
        Fault::DiskFull(bytes) => Some(*bytes),
        Fault::FlushDelay(..) => None,
    });
    let system: Arc<dyn FileLayer> = Arc::new(SystemFiles);
    match capacity {
        Some(bytes) => Arc::new(FullDisk::new(system, bytes)),
        None => system,
    }
}

/// What every log flush takes longer.
pub(super) fn flush_delay(faults: &[Fault]) -> Option<FlushDelay> {
    faults.iter().find_map(|f| match f {
        Fault::FlushDelay(least, most, seed) => Some(if least == most {
            FlushDelay::fixed(*least)
        } else {
            FlushDelay::uniform(*least, *most, *seed)
        }),
        Fault::DiskFull(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_with_its_unit_and_shown_again() {
        assert_eq!(
            "flush-delay=2ms".parse(),
            Ok(Fault::FlushDelay(
                Duration::from_millis(2),
                Duration::from_millis(2),
                1
            ))
        );
        assert_eq!(
            "flush-delay=250us".parse::<Fault>().unwrap().to_string(),
            "flush-delay=250us"
        );
        assert_eq!(
            "flush-delay=1ms..3ms@7"
                .parse::<Fault>()
                .unwrap()
                .to_string(),
            "flush-delay=1000us..3000us@7"
        );
        assert_eq!("disk-full=64mb".parse(), Ok(Fault::DiskFull(64 << 20)));
        assert!("flush-delay=3ms..1ms".parse::<Fault>().is_err());
        assert!("disk-full".parse::<Fault>().is_err());
        assert!(
            "gremlins=1"
                .parse::<Fault>()
                .unwrap_err()
                .contains("flush-delay")
        );
    }
}
