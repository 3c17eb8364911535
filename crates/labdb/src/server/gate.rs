//! How many connections there may be, the ones that have not logged in yet included.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Connections above the most sessions that get as far as a log-in, so that they can be told why
/// they are refused (17809).
const IN_LOGIN: usize = 64;

/// Counts connections and turns those away that are too many.
#[derive(Debug)]
pub(super) struct Gate {
    most: usize,
    inside: AtomicUsize,
    was_full: AtomicBool,
}

/// A connection that was let in, until it is dropped.
#[derive(Debug)]
pub(super) struct Admitted(Arc<Gate>);

/// A connection that was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full {
    /// Whether it is the first since there was room: the one to tell about.
    pub(super) first: bool,
}

impl Gate {
    pub(super) fn new(most_sessions: usize) -> Arc<Self> {
        Arc::new(Self {
            most: most_sessions.saturating_add(IN_LOGIN),
            inside: AtomicUsize::new(0),
            was_full: AtomicBool::new(false),
        })
    }

    pub(super) fn admit(self: &Arc<Self>) -> Result<Admitted, Full> {
        if self.inside.fetch_add(1, Ordering::SeqCst) < self.most {
            self.was_full.store(false, Ordering::SeqCst);
            return Ok(Admitted(Arc::clone(self)));
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Err(Full {
            first: !self.was_full.swap(true, Ordering::SeqCst),
        })
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_that_is_full_says_so_once_and_lets_in_whoever_comes_when_one_has_left() {
        let gate = Gate::new(1);
        let mut inside: Vec<_> = (0..65).map(|_| gate.admit().unwrap()).collect();
        assert_eq!(gate.admit().unwrap_err(), Full { first: true });
        assert_eq!(gate.admit().unwrap_err(), Full { first: false });
        inside.pop();
        inside.push(gate.admit().unwrap());
        assert_eq!(gate.admit().unwrap_err(), Full { first: true });
    }
}
