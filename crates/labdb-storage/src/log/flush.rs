//! Hardening the log: group commit and the signal to the background flush.
//!
//! Whoever needs the log on disk and finds no flush running becomes the leader and writes all
//! that was appended so far, for everyone. Others park; the leader wakes those that its flush
//! hardened, and one of the rest as the next leader. A lone committer never changes threads.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::error::{Result, StorageError};
use crate::faults::FlushDelay;
use crate::log::lsn::Lsn;
use crate::log::writer::Log;

struct Waiter {
    thread: Thread,
    woken: AtomicBool,
}

thread_local! {
    static WAITER: RefCell<Option<Arc<Waiter>>> = const { RefCell::new(None) };
}

fn own_waiter() -> Arc<Waiter> {
    WAITER.with_borrow_mut(|own| {
        Arc::clone(own.get_or_insert_with(|| {
            Arc::new(Waiter {
                thread: std::thread::current(),
                woken: AtomicBool::new(false),
            })
        }))
    })
}

#[derive(Default)]
struct FlushState {
    running: bool,
    waiters: Vec<(Lsn, Arc<Waiter>)>,
    failure: Option<StorageError>,
}

#[derive(Default)]
struct LazyState {
    delayed: bool,
    full: bool,
    stop: bool,
}

/// What the background flush was woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LazyWork {
    /// Something is to be flushed.
    Flush,
    /// The database closes.
    Stop,
}

/// Wakes the background flush.
#[derive(Default)]
pub(crate) struct LazySignal {
    state: Mutex<LazyState>,
    changed: Condvar,
    asked: AtomicBool,
}

impl LazySignal {
    /// Parks the background flush until a block is full, or `interval` after a delayed commit.
    pub(crate) fn wait_for_work(&self, interval: Duration) -> LazyWork {
        let mut state = self.state.lock();
        while !state.stop && !state.full && !state.delayed {
            self.changed.wait(&mut state);
        }
        let until = Instant::now() + interval;
        while !state.stop && !state.full {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        if state.stop {
            return LazyWork::Stop;
        }
        state.full = false;
        state.delayed = false;
        self.asked.store(false, Ordering::SeqCst);
        LazyWork::Flush
    }
}

/// The state of flushing.
pub(crate) struct Flusher {
    flushed: AtomicU64,
    failed: AtomicBool,
    state: Mutex<FlushState>,
    lazy: Arc<LazySignal>,
    delay: Option<FlushDelay>,
}

impl Flusher {
    pub(crate) fn new(delay: Option<FlushDelay>) -> Self {
        Self {
            flushed: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            state: Mutex::default(),
            lazy: Arc::default(),
            delay,
        }
    }

    pub(crate) fn start_at(&self, lsn: Lsn) {
        self.flushed.store(lsn.to_bits(), Ordering::SeqCst);
    }

    /// Records below this are durable.
    pub(crate) fn flushed(&self) -> Lsn {
        Lsn::from_bits(self.flushed.load(Ordering::SeqCst))
    }

    /// Fails once a log write has failed: what the disk holds is then not known.
    pub(crate) fn check(&self) -> Result<()> {
        if !self.failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(match &self.state.lock().failure {
            Some(StorageError::Unavailable(reason)) => StorageError::Unavailable(reason.clone()),
            Some(reason) => StorageError::Unavailable(format!(
                "an earlier write failed ({reason}); open the database again"
            )),
            None => StorageError::Unavailable("an earlier write failed".to_owned()),
        })
    }

    /// Ends all writing; a flush that runs is waited for.
    pub(crate) fn close(&self) {
        self.fail(StorageError::Unavailable("it was closed".to_owned()));
        while self.state.lock().running {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Stops all further appends and flushes with this reason.
    pub(crate) fn fail(&self, reason: StorageError) {
        self.state.lock().failure.get_or_insert(reason);
        self.failed.store(true, Ordering::SeqCst);
    }

    /// A delayed commit is in the buffer.
    pub(crate) fn commit_is_delayed(&self) {
        if !self.lazy.asked.swap(true, Ordering::SeqCst) {
            self.lazy.state.lock().delayed = true;
            self.lazy.changed.notify_one();
        }
    }

    /// A block was filled and sealed.
    pub(crate) fn block_is_full(&self) {
        self.lazy.state.lock().full = true;
        self.lazy.changed.notify_one();
    }

    /// Ends the background flush.
    pub(crate) fn stop(&self) {
        self.lazy.state.lock().stop = true;
        self.lazy.changed.notify_all();
    }

    /// What the background flush waits on; it outlives the log.
    pub(crate) fn lazy_handle(&self) -> Arc<LazySignal> {
        Arc::clone(&self.lazy)
    }
}

impl Log {
    /// Returns when the record at `lsn`, and all before it, are durable; says how long that took.
    ///
    /// # Errors
    /// `Io` or `Unavailable`.
    pub(crate) fn harden(&self, lsn: Lsn) -> Result<Duration> {
        let start = Instant::now();
        loop {
            let mut state = self.flusher.state.lock();
            if self.flusher.flushed() > lsn {
                return Ok(start.elapsed());
            }
            if state.failure.is_some() {
                drop(state);
                self.flusher.check()?;
                continue;
            }
            if state.running {
                let own = own_waiter();
                own.woken.store(false, Ordering::SeqCst);
                state.waiters.push((lsn, Arc::clone(&own)));
                drop(state);
                while !own.woken.load(Ordering::SeqCst) {
                    std::thread::park();
                }
                continue;
            }
            state.running = true;
            drop(state);
            let done = self.lead();
            self.finish_flush(&done);
            done?;
        }
    }

    /// Hardens everything appended so far.
    ///
    /// # Errors
    /// As [`Self::harden`].
    pub(crate) fn harden_all(&self) -> Result<Duration> {
        let end = self.end();
        // Below the next record lies a record of the same block, or the end of the block before.
        let below = if end.slot() <= 1 { 2 } else { 1 };
        self.harden(Lsn::from_bits(end.to_bits().saturating_sub(below)))
    }

    fn lead(&self) -> Result<Lsn> {
        let mut batch = self.take_batch();
        let start = Instant::now();
        // Only the leader moves it, and there is one.
        let hardened = self.flusher.flushed();
        let mut touched = 0_u64;
        for write in &mut batch.writes {
            if let Some(mut header) = write.block {
                header.hardened = hardened;
                header.seal(&mut write.bytes);
                self.counters.flushes.fetch_add(1, Ordering::Relaxed);
                self.counters
                    .bytes_flushed
                    .fetch_add(write.bytes.len() as u64, Ordering::Relaxed);
            }
            self.files[write.file].write_at(&write.bytes, write.offset)?;
            touched |= 1 << write.file.min(63);
        }
        // One delay for a flush, also where it reaches two files.
        let mut delay = self.flusher.delay.as_ref();
        for (index, file) in self.files.iter().enumerate() {
            if touched & (1 << index.min(63)) != 0 {
                let delay = delay.take();
                file.sync_after(|| {
                    if let Some(delay) = delay {
                        delay.sleep();
                    }
                })?;
                self.counters.syncs.fetch_add(1, Ordering::Relaxed);
            }
        }
        let spent = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counters
            .flush_write_ns
            .fetch_add(spent, Ordering::Relaxed);
        let end = batch.end;
        self.recycle(batch);
        Ok(end)
    }

    fn finish_flush(&self, done: &Result<Lsn>) {
        let mut state = self.flusher.state.lock();
        state.running = false;
        match done {
            Ok(end) => self.flusher.flushed.store(end.to_bits(), Ordering::SeqCst),
            Err(error) => {
                state.failure.get_or_insert(error.clone());
                self.flusher.failed.store(true, Ordering::SeqCst);
            }
        }
        let flushed = self.flusher.flushed();
        let failed = state.failure.is_some();
        let mut wake = Vec::new();
        let mut leader = false;
        state.waiters.retain(|(lsn, waiter)| {
            let done = failed || *lsn < flushed;
            let keep = !done && leader;
            if !keep {
                leader |= !done;
                wake.push(Arc::clone(waiter));
            }
            keep
        });
        drop(state);
        for waiter in wake {
            waiter.woken.store(true, Ordering::SeqCst);
            waiter.thread.unpark();
        }
    }
}
