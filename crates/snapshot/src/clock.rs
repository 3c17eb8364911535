//! The client's monotonic clock, and the boot that it counts from.

use rustix::time::{ClockId, clock_gettime};

/// The monotonic clock, in nanoseconds since a moment that is fixed for one boot: programs of one
/// machine that run after each other share it, unlike a clock inside a process.
#[must_use]
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

/// The id of this boot of the machine, where the system tells (Linux).
#[must_use]
pub fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{boot_id, monotonic_ns};
    use std::time::{Duration, Instant};

    #[test]
    fn the_clock_is_the_one_that_other_programs_see_and_runs_as_fast_as_the_standard_librarys() {
        let standard = Instant::now();
        let start = monotonic_ns();
        std::thread::sleep(Duration::from_millis(20));
        let ours = Duration::from_nanos(monotonic_ns() - start);
        // Read inside, our interval is the shorter one.
        assert!(ours >= Duration::from_millis(20) && ours <= standard.elapsed());
    }

    #[test]
    fn the_boot_keeps_its_id() {
        assert_eq!(boot_id(), boot_id());
    }
}
