//! How much processor the load's own client used: near its limit, the client was measured and
//! not the server.

use std::num::NonZero;
use std::time::Duration;

/// From this part of what it may use, the client is called the bottleneck.
const BOUND_AT: f64 = 0.9;

/// CPU time of this process so far, user and system, all threads; none where the operating
/// system does not say.
pub(crate) fn process_cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let seconds = u64::try_from(time.tv_sec).ok()?;
        let nanos = u32::try_from(time.tv_nsec).ok()?;
        Some(Duration::new(seconds, nanos))
    }
    #[cfg(not(unix))]
    None
}

/// The processors that this process may use at once (affinity and control groups count).
pub(crate) fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// CPU time over elapsed time: 1.0 is one core.
pub(crate) fn share(
    before: Option<Duration>,
    after: Option<Duration>,
    elapsed: Duration,
) -> Option<f64> {
    let used = after?.checked_sub(before?)?;
    (!elapsed.is_zero()).then(|| used.as_secs_f64() / elapsed.as_secs_f64())
}

/// Whether a share is near what `threads` threads on `cores` cores can use at most.
pub(crate) fn is_bound(share: f64, threads: usize, cores: usize) -> bool {
    let most = u32::try_from(threads.min(cores).max(1)).unwrap_or(u32::MAX);
    share >= BOUND_AT * f64::from(most)
}

#[cfg(test)]
mod tests {
    use super::{is_bound, process_cpu_time, share};
    use std::time::{Duration, Instant};

    #[test]
    fn a_thread_that_computes_all_the_time_uses_cpu_and_one_that_sleeps_does_not() {
        let before = process_cpu_time().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let slept = process_cpu_time().unwrap().checked_sub(before).unwrap();
        // Other tests of this process may compute meanwhile, so only the busy half is asserted
        // against a bound that the process itself sets.
        let start = Instant::now();
        let mut steps = 0_u64;
        while process_cpu_time().unwrap() < before + slept + Duration::from_millis(20) {
            steps = std::hint::black_box(steps + 1);
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "no CPU time passes"
            );
        }
        assert!(steps > 0);
    }

    #[test]
    fn the_share_is_cpu_time_over_elapsed_time() {
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(share(ms(100), ms(600), Duration::from_secs(2)), Some(0.25));
        assert_eq!(share(ms(0), ms(3_000), Duration::from_secs(2)), Some(1.5));
        assert_eq!(share(None, ms(600), Duration::from_secs(2)), None);
        assert_eq!(share(ms(100), ms(600), Duration::ZERO), None);
        assert_eq!(share(ms(600), ms(100), Duration::from_secs(2)), None);
    }

    #[test]
    fn the_client_is_bound_near_the_cores_that_its_threads_can_use() {
        assert!(is_bound(0.95, 1, 8));
        assert!(!is_bound(0.95, 2, 8));
        assert!(is_bound(1.85, 16, 2));
        assert!(!is_bound(1.7, 16, 2));
    }
}
