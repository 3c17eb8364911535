//! The wall clock that everything reports by: the system's, which can be made to jump on purpose.
//!
//! Waits, timeouts and durations use the monotonic clock and do not jump.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use jiff::SignedDuration;

static STEP: OnceLock<(Instant, SignedDuration)> = OnceLock::new();

/// The time now.
#[must_use]
pub fn now() -> SystemTime {
    let now = SystemTime::now();
    match STEP.get() {
        Some((at, by)) if Instant::now() >= *at => stepped(now, *by),
        _ => now,
    }
}

/// From `after` on, [`now`] is ahead of the system's clock by `by`, or behind it. Once in a
/// process; says whether this was the first time.
pub fn step(by: SignedDuration, after: Duration) -> bool {
    let Some(at) = Instant::now().checked_add(after) else {
        return false;
    };
    STEP.set((at, by)).is_ok()
}

fn stepped(time: SystemTime, by: SignedDuration) -> SystemTime {
    let moved = if by.is_negative() {
        time.checked_sub(by.unsigned_abs())
    } else {
        time.checked_add(by.unsigned_abs())
    };
    moved.unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_goes_forward_and_back() {
        let hour = Duration::from_hours(1);
        let time = SystemTime::UNIX_EPOCH + 10 * hour;
        let forward = stepped(time, SignedDuration::from_hours(1));
        assert_eq!(forward, SystemTime::UNIX_EPOCH + 11 * hour);
        let back = stepped(time, SignedDuration::from_hours(-2));
        assert_eq!(back, SystemTime::UNIX_EPOCH + 8 * hour);
    }
}
