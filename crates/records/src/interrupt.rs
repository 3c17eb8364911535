//! Ctrl-C in a pipeline.
//!
//! A terminal sends SIGINT to every program of a pipeline at once. A filter that died of it while
//! it waits for its input would lose what the stages before it have measured and are about to
//! write. So every stage puts the first signal off: the one that measures ends early and writes
//! what it has, marked partial; those that wait read on to the end of the input, do their own
//! step, and exit with [`ExitStatus::Interrupted`]. A second signal ends the program at once.

use crate::ExitStatus;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program was asked to stop, by SIGINT (Ctrl-C) or SIGTERM.
#[derive(Clone, Debug)]
pub struct Interrupts {
    requested: Arc<AtomicBool>,
}

impl Interrupts {
    /// Whether a signal came.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// The exit status of a stage that would end with `otherwise`: [`ExitStatus::Interrupted`]
    /// where a signal came.
    #[must_use]
    pub fn status_or(&self, otherwise: ExitStatus) -> ExitStatus {
        if self.requested() {
            ExitStatus::Interrupted
        } else {
            otherwise
        }
    }
}

/// Puts the first SIGINT or SIGTERM off; the second ends the program at once with
/// [`ExitStatus::Interrupted`]. Call it once, before the input is read.
///
/// # Errors
/// The operating system refuses a signal handler.
pub fn defer_interrupts() -> io::Result<Interrupts> {
    let requested = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first signal finds the flag unset, and sets it.
        flag::register_conditional_shutdown(
            signal,
            i32::from(ExitStatus::Interrupted as u8),
            Arc::clone(&requested),
        )?;
        flag::register(signal, Arc::clone(&requested))?;
    }
    Ok(Interrupts { requested })
}

#[cfg(test)]
mod tests {
    use super::defer_interrupts;
    use crate::ExitStatus;
    use signal_hook::consts::SIGTERM;

    #[test]
    fn the_first_signal_is_put_off_and_changes_the_exit_status() {
        let interrupts = defer_interrupts().unwrap();
        assert!(!interrupts.requested());
        assert_eq!(
            interrupts.status_or(ExitStatus::InvalidRound),
            ExitStatus::InvalidRound
        );
        signal_hook::low_level::raise(SIGTERM).unwrap();
        assert!(interrupts.requested());
        assert_eq!(
            interrupts.status_or(ExitStatus::Success),
            ExitStatus::Interrupted
        );
    }
}
