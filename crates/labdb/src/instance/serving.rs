//! The threads that serve connections: an instance is closed when none of them holds it any more.

use super::Instance;
use parking_lot::{Condvar, Mutex};
use std::sync::{Arc, Weak};
use std::time::Instant;

#[derive(Debug, Default)]
struct State {
    threads: usize,
    closed: bool,
}

/// Counts the threads that hold an instance for a connection.
#[derive(Debug, Default)]
pub(crate) struct Serving {
    state: Mutex<State>,
    left: Condvar,
}

/// A thread's place, until it is dropped.
#[derive(Debug)]
struct Place(Arc<Serving>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.state.lock().threads -= 1;
        self.0.left.notify_all();
    }
}

/// An instance in the hands of a thread that serves a connection.
pub(crate) struct Served {
    // Before the place: whoever finds the place empty finds the instance let go, and its files.
    pub(crate) instance: Arc<Instance>,
    _place: Place,
}

impl Serving {
    /// The instance, for one thread; `None` once it closes.
    pub(crate) fn begin(self: &Arc<Self>, instance: &Weak<Instance>) -> Option<Served> {
        let place = self.enter()?;
        Some(Served {
            instance: instance.upgrade()?,
            _place: place,
        })
    }

    fn enter(self: &Arc<Self>) -> Option<Place> {
        let mut state = self.state.lock();
        if state.closed {
            return None;
        }
        state.threads += 1;
        Some(Place(Arc::clone(self)))
    }

    /// Lets nobody in any more, and waits until all have left, until `deadline` at the latest.
    pub(crate) fn close(&self, deadline: Instant) {
        let mut state = self.state.lock();
        state.closed = true;
        while state.threads > 0 {
            if self.left.wait_until(&mut state, deadline).timed_out() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn closing_waits_for_the_last_thread_and_lets_no_other_in() {
        let serving = Arc::<Serving>::default();
        let place = serving.enter().unwrap();
        let gone = Arc::<AtomicBool>::default();
        let flag = Arc::clone(&gone);
        let closing = Arc::clone(&serving);
        let thread = std::thread::spawn(move || {
            closing.close(Instant::now() + Duration::from_mins(1));
            flag.load(Ordering::SeqCst)
        });
        while serving.enter().is_some() {
            std::thread::yield_now();
        }
        gone.store(true, Ordering::SeqCst);
        drop(place);
        assert!(thread.join().unwrap());
    }

    #[test]
    fn closing_gives_up_at_the_deadline() {
        let serving = Arc::<Serving>::default();
        let place = serving.enter().unwrap();
        serving.close(Instant::now());
        assert!(serving.enter().is_none());
        drop(place);
    }
}
