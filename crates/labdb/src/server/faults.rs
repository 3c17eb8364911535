//! Faults on purpose, as the command line names them.

use jiff::SignedDuration;
use labdb_storage::Distribution;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A fault, as `--fault` names it. Times count from the start of the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// `flush-delay=2ms`: every log flush takes so much longer. `flush-delay=exponential(2ms)@7`:
    /// a time drawn for each from a distribution, by a generator with a seed.
    FlushDelay(Distribution, u64),
    /// `stall=500ms@10s`: a log flush that begins in these 500 ms ends after them.
    Stall(Window),
    /// `stall-io=500ms@10s`: the same for every read, write and flush of a database file.
    StallIo(Window),
    /// `refuse-connection=3`: the third connection is closed before anything is read from it.
    RefuseConnection(u64),
    /// `drop-connection=3@2s`: the third connection is closed so long after its log-in, or after so
    /// many requests.
    DropConnection(u64, DropAfter),
    /// `disk-full=64mb`: the files of all user databases together cannot grow beyond this.
    DiskFull(u64),
    /// `clock-step=+1h@5s`: the wall clock jumps, five seconds after the start.
    ClockStep(SignedDuration, Duration),
}

/// When things stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// For how long.
    pub length: Duration,
    /// When; or how often, if `every`.
    pub at: Duration,
    /// Again and again.
    pub every: bool,
}

/// When a connection is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropAfter {
    /// So long after its log-in.
    Time(Duration),
    /// When so many of its requests have been answered.
    Requests(u64),
}

const KNOWN: &str = "flush-delay, stall, stall-io, refuse-connection, drop-connection, disk-full, \
                     clock-step";

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
                let (distribution, seed) = match value.split_once('@') {
                    Some((distribution, seed)) => (distribution, whole(seed, "seed")?),
                    None => (value, 1),
                };
                Ok(Self::FlushDelay(distribution_of(distribution)?, seed))
            }
            "stall" => Ok(Self::Stall(window(value)?)),
            "stall-io" => Ok(Self::StallIo(window(value)?)),
            "refuse-connection" => Ok(Self::RefuseConnection(ordinal(value)?)),
            "drop-connection" => {
                let (number, after) = value.split_once('@').unwrap_or((value, "0s"));
                let after = match after.strip_suffix("requests") {
                    Some(requests) => DropAfter::Requests(whole(requests, "number of requests")?),
                    None => DropAfter::Time(time(after)?),
                };
                Ok(Self::DropConnection(ordinal(number)?, after))
            }
            "disk-full" => Ok(Self::DiskFull(size(value)?)),
            "clock-step" => {
                let (step, at) = value.split_once('@').unwrap_or((value, "0s"));
                let (back, by) = match step.strip_prefix('-') {
                    Some(by) => (true, by),
                    None => (false, step.strip_prefix('+').unwrap_or(step)),
                };
                let by = SignedDuration::try_from(time(by)?).map_err(|e| e.to_string())?;
                Ok(Self::ClockStep(if back { -by } else { by }, time(at)?))
            }
            other => Err(format!("'{other}' is no fault labdb has: {KNOWN}")),
        }
    }
}

fn distribution_of(text: &str) -> Result<Distribution, String> {
    if let Some((least, most)) = text.split_once("..") {
        return uniform(least, most);
    }
    let Some((name, parameters)) = text.split_once('(') else {
        return Ok(Distribution::Fixed(time(text)?));
    };
    let parameters = parameters
        .strip_suffix(')')
        .ok_or_else(|| format!("'{text}' has no ) at its end"))?;
    let parameters: Vec<&str> = parameters.split(',').map(str::trim).collect();
    match (name, parameters.as_slice()) {
        ("uniform", [least, most]) => uniform(least, most),
        ("exponential", [mean]) => Ok(Distribution::Exponential { mean: time(mean)? }),
        ("normal", [mean, deviation]) => Ok(Distribution::Normal {
            mean: time(mean)?,
            deviation: time(deviation)?,
        }),
        ("lognormal", [median, sigma]) => Ok(Distribution::LogNormal {
            median: time(median)?,
            sigma: plain_number(sigma)?,
        }),
        ("pareto", [scale, shape]) => {
            let (scale, shape) = (time(scale)?, plain_number(shape)?);
            if scale.is_zero() || shape <= 0.0 {
                return Err(format!("'{text}': scale and shape must be above 0"));
            }
            Ok(Distribution::Pareto { scale, shape })
        }
        _ => Err(format!(
            "'{text}' is no distribution labdb has: uniform(LEAST,MOST), exponential(MEAN), \
             normal(MEAN,DEVIATION), lognormal(MEDIAN,SIGMA), pareto(SCALE,SHAPE)"
        )),
    }
}

fn uniform(least: &str, most: &str) -> Result<Distribution, String> {
    let (least, most) = (time(least)?, time(most)?);
    if least > most {
        return Err("the range of a delay ends before it begins".to_owned());
    }
    Ok(Distribution::Uniform { least, most })
}

fn window(text: &str) -> Result<Window, String> {
    let (length, at) = text.split_once('@').ok_or_else(|| {
        format!("'{text}' does not say when: write 500ms@10s, or 500ms@every:10s")
    })?;
    let every = at.strip_prefix("every:");
    let window = Window {
        length: time(length)?,
        at: time(every.unwrap_or(at))?,
        every: every.is_some(),
    };
    if window.every && window.length >= window.at {
        return Err(format!(
            "'{text}' stalls without end: the period must be longer"
        ));
    }
    Ok(window)
}

fn whole(text: &str, what: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is no {what}: write a whole number"))
}

fn ordinal(text: &str) -> Result<u64, String> {
    match whole(text, "number of a connection")? {
        0 => Err("connections are counted from 1".to_owned()),
        number => Ok(number),
    }
}

fn plain_number(text: &str) -> Result<f64, String> {
    match with_unit(text)? {
        (number, unit) if unit.is_empty() => Ok(number),
        _ => Err(format!(
            "'{text}' has a unit where a plain number is wanted"
        )),
    }
}

fn with_unit(text: &str) -> Result<(f64, String), String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits
        .parse()
        .map_err(|_| format!("'{text}' is no number with a unit"))?;
    if !(0.0..1e15).contains(&number) {
        return Err(format!("'{text}' is out of range: write 0 or more"));
    }
    Ok((
        number,
        text.get(digits.len()..).unwrap_or("").to_ascii_lowercase(),
    ))
}

fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = with_unit(text)?;
    let seconds = match unit.as_str() {
        "ns" => number / 1e9,
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "s" => number,
        "min" => number * 60.0,
        "h" => number * 3600.0,
        "" => {
            return Err(format!(
                "'{text}' has no unit of time: use ns, us, ms, s, min or h, such as {text}ms"
            ));
        }
        other => {
            return Err(format!(
                "'{other}' is no unit of time: use ns, us, ms, s, min or h"
            ));
        }
    };
    let time = Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())?;
    // A century: no sum of such times leaves the range of the system's clock.
    if time > Duration::from_hours(24 * 36525) {
        return Err(format!("'{text}' is out of range"));
    }
    Ok(time)
}

fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = with_unit(text)?;
    let factor = match unit.as_str() {
        "b" => 1.0,
        "kb" => 1024.0,
        "mb" => 1_048_576.0,
        "gb" => 1_073_741_824.0,
        "" => {
            return Err(format!(
                "'{text}' has no unit of size: use b, kb, mb or gb, such as {text}mb"
            ));
        }
        other => return Err(format!("'{other}' is no unit of size: use b, kb, mb or gb")),
    };
    Ok((number * factor) as u64)
}

/// A time in the largest unit in which it is a whole number.
struct Shown(Duration);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
        match units.iter().find(|(unit, _)| nanos.is_multiple_of(*unit)) {
            Some((unit, name)) => write!(f, "{}{name}", nanos / unit),
            None => write!(f, "{nanos}ns"),
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let every = if self.every { "every:" } else { "" };
        write!(f, "{}@{every}{}", Shown(self.length), Shown(self.at))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FlushDelay(Distribution::Fixed(delay), _) => {
                write!(f, "flush-delay={}", Shown(*delay))
            }
            Self::FlushDelay(distribution, seed) => {
                f.write_str("flush-delay=")?;
                match distribution {
                    Distribution::Fixed(delay) => write!(f, "{}", Shown(*delay)),
                    Distribution::Uniform { least, most } => {
                        write!(f, "uniform({},{})", Shown(*least), Shown(*most))
                    }
                    Distribution::Exponential { mean } => {
                        write!(f, "exponential({})", Shown(*mean))
                    }
                    Distribution::Normal { mean, deviation } => {
                        write!(f, "normal({},{})", Shown(*mean), Shown(*deviation))
                    }
                    Distribution::LogNormal { median, sigma } => {
                        write!(f, "lognormal({},{sigma})", Shown(*median))
                    }
                    Distribution::Pareto { scale, shape } => {
                        write!(f, "pareto({},{shape})", Shown(*scale))
                    }
                }?;
                write!(f, "@{seed}")
            }
            Self::Stall(window) => write!(f, "stall={window}"),
            Self::StallIo(window) => write!(f, "stall-io={window}"),
            Self::RefuseConnection(number) => write!(f, "refuse-connection={number}"),
            Self::DropConnection(number, DropAfter::Time(after)) => {
                write!(f, "drop-connection={number}@{}", Shown(*after))
            }
            Self::DropConnection(number, DropAfter::Requests(requests)) => {
                write!(f, "drop-connection={number}@{requests}requests")
            }
            Self::DiskFull(bytes) => write!(f, "disk-full={bytes}b"),
            Self::ClockStep(by, at) => {
                let sign = if by.is_negative() { '-' } else { '+' };
                write!(
                    f,
                    "clock-step={sign}{}@{}",
                    Shown(by.unsigned_abs()),
                    Shown(*at)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn every_fault_is_read_and_shown_as_it_can_be_read_again() {
        let window = |every| Window {
            length: ms(500),
            at: ms(10_000),
            every,
        };
        let (least, most) = (ms(1), ms(3));
        let table = [
            (
                "flush-delay=2000us",
                Fault::FlushDelay(Distribution::Fixed(ms(2)), 1),
                "flush-delay=2ms",
            ),
            (
                "flush-delay=1ms..3ms@7",
                Fault::FlushDelay(Distribution::Uniform { least, most }, 7),
                "flush-delay=uniform(1ms,3ms)@7",
            ),
            (
                "flush-delay=exponential(1.5ms)",
                Fault::FlushDelay(
                    Distribution::Exponential {
                        mean: Duration::from_micros(1500),
                    },
                    1,
                ),
                "flush-delay=exponential(1500us)@1",
            ),
            (
                "flush-delay=normal(3ms, 1ms)@2",
                Fault::FlushDelay(
                    Distribution::Normal {
                        mean: most,
                        deviation: least,
                    },
                    2,
                ),
                "flush-delay=normal(3ms,1ms)@2",
            ),
            (
                "flush-delay=lognormal(1ms,0.5)@2",
                Fault::FlushDelay(
                    Distribution::LogNormal {
                        median: least,
                        sigma: 0.5,
                    },
                    2,
                ),
                "flush-delay=lognormal(1ms,0.5)@2",
            ),
            (
                "flush-delay=pareto(1ms,2.5)@2",
                Fault::FlushDelay(
                    Distribution::Pareto {
                        scale: least,
                        shape: 2.5,
                    },
                    2,
                ),
                "flush-delay=pareto(1ms,2.5)@2",
            ),
            (
                "stall=500ms@10s",
                Fault::Stall(window(false)),
                "stall=500ms@10s",
            ),
            (
                "stall-io=0.5s@every:10s",
                Fault::StallIo(window(true)),
                "stall-io=500ms@every:10s",
            ),
            (
                "refuse-connection=3",
                Fault::RefuseConnection(3),
                "refuse-connection=3",
            ),
            (
                "drop-connection=5",
                Fault::DropConnection(5, DropAfter::Time(ms(0))),
                "drop-connection=5@0s",
            ),
            (
                "drop-connection=5@10requests",
                Fault::DropConnection(5, DropAfter::Requests(10)),
                "drop-connection=5@10requests",
            ),
            (
                "disk-full=64MB",
                Fault::DiskFull(64 << 20),
                "disk-full=67108864b",
            ),
            (
                "clock-step=-1h@5s",
                Fault::ClockStep(SignedDuration::from_hours(-1), ms(5000)),
                "clock-step=-3600s@5s",
            ),
        ];
        for (text, fault, shown) in table {
            assert_eq!(text.parse(), Ok(fault), "{text}");
            assert_eq!(fault.to_string(), shown);
            assert_eq!(shown.parse(), Ok(fault), "{shown}");
        }
    }

    #[test]
    fn what_is_no_fault_gets_an_error_that_says_what_to_write() {
        for (text, told) in [
            ("disk-full", "name=value"),
            ("gremlins=1", "flush-delay, stall"),
            ("flush-delay=3ms..1ms", "ends before it begins"),
            ("flush-delay=cauchy(1ms)", "exponential(MEAN)"),
            ("flush-delay=pareto(1ms,2ms)", "plain number"),
            ("flush-delay=2parsecs", "use ns, us, ms"),
            ("flush-delay=1ms@x", "whole number"),
            ("stall=500ms", "500ms@10s"),
            ("stall=2s@every:1s", "without end"),
            ("refuse-connection=0", "from 1"),
            ("disk-full=1tb", "use b, kb"),
            ("disk-full=64", "64mb"),
            ("flush-delay=2", "2ms"),
            ("flush-delay=-1ms", "0 or more"),
            ("flush-delay=pareto(1ms,0)", "above 0"),
            ("flush-delay=pareto(0s,2)", "above 0"),
            ("clock-step=9999999h", "out of range"),
            ("flush-delay=", "no number"),
        ] {
            let error = text.parse::<Fault>().unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
