//! How the main thread and the workers talk: one gate that all start through, one flag that asks
//! them to stop after the transaction under way, one call that tells them to stop waiting for it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
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
    stopped: watch::Sender<bool>,
    phase: watch::Sender<Phase>,
    /// Workers that have not ended their timed loop.
    working: AtomicU32,
    all_ended: watch::Sender<bool>,
}

impl Control {
    pub(crate) fn new(workers: u32) -> Self {
        Self {
            stop: AtomicBool::new(false),
            stopped: watch::Sender::new(false),
            phase: watch::Sender::new(Phase::Opening),
            working: AtomicU32::new(workers),
            all_ended: watch::Sender::new(false),
        }
    }

    /// Opens the gate.
    pub(crate) fn go(&self) {
        self.phase.send_replace(Phase::Running(Instant::now()));
    }

    /// Asks every worker to stop after the transaction under way.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stopped.send_replace(true);
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

    /// Waits until workers are asked to stop, for a request that takes too long to wait for.
    pub(crate) async fn stopped(&self) {
        wait_for_true(&self.stopped).await;
    }

    /// A worker's timed loop has ended.
    pub(crate) fn worker_ended(&self) {
        if self.working.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.all_ended.send_replace(true);
        }
    }

    /// Waits until the timed loops of all workers have ended.
    pub(crate) async fn all_ended(&self) {
        wait_for_true(&self.all_ended).await;
    }

    /// Waits until the run is given up.
    pub(crate) async fn given_up(&self) {
        let mut phase = self.phase.subscribe();
        // The sender lives as long as `self`, so the wait ends for no other reason.
        let _ = phase.wait_for(|phase| *phase == Phase::GivenUp).await;
    }
}

async fn wait_for_true(sender: &watch::Sender<bool>) {
    // The sender lives as long as the borrow, so the wait ends for no other reason.
    let _ = sender.subscribe().wait_for(|value| *value).await;
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
