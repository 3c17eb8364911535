//! How the main thread and the workers talk: one gate that all start through, one flag that asks
//! them to stop after the transaction under way, one call that tells them to stop waiting for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::watch;

/// Where the run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Connections are being opened.
    Opening,
    /// The gate is open, since then.
    Running(Instant),
    /// No answer is waited for any more.
    GivenUp,
}

/// What all workers share.
#[derive(Debug)]
pub(crate) struct Control {
    stop: AtomicBool,
    phase: watch::Sender<Phase>,
}

impl Control {
    pub(crate) fn new() -> Self {
        Self {
            stop: AtomicBool::new(false),
            phase: watch::Sender::new(Phase::Opening),
        }
    }

    /// Opens the gate.
    pub(crate) fn go(&self) {
        self.phase.send_replace(Phase::Running(Instant::now()));
    }

    /// Asks every worker to stop after the transaction under way.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether workers were asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells every worker to wait for nothing any more.
    pub(crate) fn give_up(&self) {
        self.stop();
        self.phase.send_replace(Phase::GivenUp);
    }

    /// Waits for the gate: when it opened, or none where the run was given up before.
    pub(crate) async fn gate(&self) -> Option<Instant> {
        let mut phase = self.phase.subscribe();
        match phase.wait_for(|phase| *phase != Phase::Opening).await {
            Ok(phase) => match *phase {
                Phase::Running(since) => Some(since),
                Phase::Opening | Phase::GivenUp => None,
            },
            Err(_) => None,
        }
    }

    /// Waits until the run is given up.
    pub(crate) async fn given_up(&self) {
        let mut phase = self.phase.subscribe();
        // The sender lives as long as `self`, so the wait ends for no other reason.
        let _ = phase.wait_for(|phase| *phase == Phase::GivenUp).await;
    }
}

/// Acknowledged transactions of one worker, for the progress bar; on a cache line of its own, so
/// that counting does not slow other workers down.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Ticks(AtomicU64);

impl Ticks {
    /// Publishes the worker's count.
    pub(crate) fn set(&self, transactions: u64) {
        self.0.store(transactions, Ordering::Relaxed);
    }

    /// The count published last.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
