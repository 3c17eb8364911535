//! Granting, queueing and releasing locks.
//!
//! Resources are spread over shards by hash; a lock that nobody else wants costs one shard's
//! mutex. Who must wait queues up in order of arrival (a conversion before newcomers). Before a
//! session parks, and again while it waits, the graph of who waits for whom is searched for a
//! cycle through it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use parking_lot::{Condvar, Mutex, MutexGuard};
use smallvec::{SmallVec, smallvec};

use crate::error::{Result, StorageError};
use crate::id::{HeapId, RowId};
use crate::locks::LockMode;
use crate::locks::deadlock;
use crate::wait::{WaitObserver, WaitType};

const SHARDS: usize = 64;
/// How often a waiter looks again for a deadlock that closed after it parked.
const DEADLOCK_CHECK: Duration = Duration::from_millis(50);

/// What can be locked. The database's id is the instance's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// A whole database.
    Database(u32),
    /// A table or another object, by the upper layer's id.
    Object(u32, u32),
    /// A row.
    Row(u32, HeapId, RowId),
    /// A key of an index, by the index's id and a hash of the key.
    Key(u32, u32, u64),
    /// A name of the application's (`sp_getapplock`).
    Application(u32, String),
}

/// Who holds locks: a transaction or a session, by a number that the caller chooses.
/// One owner asks for one lock at a time, and releases none while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockOwner(pub u64);

/// How long a request may wait: `SET LOCK_TIMEOUT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockTimeout {
    /// Until granted (-1).
    Never,
    /// At most this long; zero fails at once.
    After(Duration),
}

/// Ends a session's waits from outside (attention, KILL, shutdown). Setting it alone is noticed
/// within 50 ms; [`LockManager::cancel`] wakes the owner at once.
pub type CancelFlag = Arc<AtomicBool>;

/// A request for one lock.
#[derive(Clone, Copy)]
pub struct LockRequest<'a> {
    /// Who asks.
    pub owner: LockOwner,
    /// How long it may wait.
    pub timeout: LockTimeout,
    /// `SET DEADLOCK_PRIORITY`, -10 to 10: the lowest in a cycle is the victim.
    pub deadlock_priority: i8,
    /// Cancels the wait when it becomes true.
    pub cancel: &'a CancelFlag,
    /// Where the wait is counted.
    pub waits: &'a dyn WaitObserver,
}

/// A lock that is held or waited for: a row of `sys.dm_tran_locks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRow {
    /// Who.
    pub owner: LockOwner,
    /// What.
    pub resource: Resource,
    /// How.
    pub mode: LockMode,
    /// Whether it is granted; otherwise it waits.
    pub granted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Waiting,
    Granted,
    Victim,
    Look,
}

/// A session that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) owner: LockOwner,
    pub(super) priority: i8,
    pub(super) resource: Resource,
    outcome: Mutex<Outcome>,
    changed: Condvar,
}

impl Waiter {
    fn wake(&self, outcome: Outcome) {
        let mut now = self.outcome.lock();
        if matches!(*now, Outcome::Waiting | Outcome::Look) {
            *now = outcome;
            self.changed.notify_one();
        }
    }

    pub(super) fn make_victim(&self) {
        self.wake(Outcome::Victim);
    }

    /// Whether it neither got its lock, nor was made a victim, nor was told to look whether it is
    /// cancelled.
    pub(super) fn is_undecided(&self) -> bool {
        *self.outcome.lock() == Outcome::Waiting
    }
}

#[derive(Debug)]
struct Queued {
    mode: LockMode,
    conversion: bool,
    waiter: Arc<Waiter>,
}

#[derive(Debug, Default)]
struct Lock {
    granted: SmallVec<[(LockOwner, LockMode); 2]>,
    queue: VecDeque<Queued>,
}

impl Lock {
    fn held_by(&self, owner: LockOwner) -> Option<LockMode> {
        self.granted
            .iter()
            .find(|(o, _)| *o == owner)
            .map(|(_, mode)| *mode)
    }

    fn allows(&self, owner: LockOwner, mode: LockMode) -> bool {
        self.granted
            .iter()
            .all(|(o, held)| *o == owner || held.compatible(mode))
    }

    fn grant(&mut self, owner: LockOwner, mode: LockMode) {
        match self.granted.iter_mut().find(|(o, _)| *o == owner) {
            Some((_, held)) => *held = mode,
            None => self.granted.push((owner, mode)),
        }
    }

    /// Grants from the head of the queue for as long as the head can be granted.
    fn serve(&mut self, newly_granted: &mut Vec<Arc<Waiter>>) {
        while let Some(first) = self.queue.front() {
            if !self.allows(first.waiter.owner, first.mode) {
                return;
            }
            let (owner, mode) = (first.waiter.owner, first.mode);
            if let Some(first) = self.queue.pop_front() {
                newly_granted.push(first.waiter);
            }
            self.grant(owner, mode);
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Shard {
    locks: HashMap<Resource, Lock, RandomState>,
}

impl Shard {
    /// Whom a waiter waits for: holders whose mode stands against its own, and those before it in
    /// the queue. Nobody when it is no longer in the queue.
    pub(super) fn blockers(&self, waiter: &Arc<Waiter>) -> Vec<LockOwner> {
        let Some(lock) = self.locks.get(&waiter.resource) else {
            return Vec::new();
        };
        let Some(place) = lock
            .queue
            .iter()
            .position(|q| Arc::ptr_eq(&q.waiter, waiter))
        else {
            return Vec::new();
        };
        let mode = lock.queue[place].mode;
        let holders = lock
            .granted
            .iter()
            .filter(|(o, held)| *o != waiter.owner && !held.compatible(mode))
            .map(|(o, _)| *o);
        let before = lock.queue.iter().take(place).map(|q| q.waiter.owner);
        holders.chain(before).collect()
    }
}

/// What owners hold: a one-row transaction its table, the key and the row.
type Owners = HashMap<LockOwner, SmallVec<[Resource; 4]>, RandomState>;

/// All locks of an instance.
#[derive(Debug)]
pub struct LockManager {
    /// Who holds several takes them in ascending order.
    pub(super) shards: Vec<Mutex<Shard>>,
    /// What each owner holds, to release all at once.
    owners: Vec<Mutex<Owners>>,
    waiting: Mutex<HashMap<LockOwner, Arc<Waiter>>>,
    hasher: RandomState,
}

impl Default for LockManager {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            owners: (0..SHARDS).map(|_| Mutex::default()).collect(),
            waiting: Mutex::default(),
            hasher: RandomState::default(),
        }
    }
}

impl LockManager {
    /// A manager without locks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Where in `shards` a resource is.
    #[allow(clippy::cast_possible_truncation, reason = "a remainder below 64")]
    pub(super) fn shard_number(&self, resource: &Resource) -> usize {
        (self.hasher.hash_one(resource) % SHARDS as u64) as usize
    }

    fn shard(&self, resource: &Resource) -> MutexGuard<'_, Shard> {
        self.shards[self.shard_number(resource)].lock()
    }

    #[allow(clippy::cast_possible_truncation, reason = "a remainder below 64")]
    fn held(&self, owner: LockOwner) -> MutexGuard<'_, Owners> {
        self.owners[(owner.0 % SHARDS as u64) as usize].lock()
    }

    fn note_held(&self, owner: LockOwner, resource: &Resource) {
        self.held(owner)
            .entry(owner)
            .or_default()
            .push(resource.clone());
    }

    /// Takes (or converts) a lock; returns when it is granted. A lock that is held in a mode at
    /// least as strong costs a lookup.
    ///
    /// # Errors
    /// `LockTimeout`, `Deadlock` or `Cancelled`; what was held before stays held.
    pub fn lock(
        &self,
        request: &LockRequest<'_>,
        resource: &Resource,
        mode: LockMode,
    ) -> Result<()> {
        let owner = request.owner;
        let mut shard = self.shard(resource);
        let lock = match shard.locks.entry(resource.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(Lock {
                    granted: smallvec![(owner, mode)],
                    queue: VecDeque::new(),
                });
                drop(shard);
                self.note_held(owner, resource);
                return Ok(());
            }
            Entry::Occupied(entry) => entry.into_mut(),
        };
        let held = lock.held_by(owner);
        if held.is_some_and(|held| held.covers(mode)) {
            return Ok(());
        }
        let wanted = held.map_or(mode, |held| held.and(mode));
        // A conversion goes before newcomers: it holds what they wait for already.
        if lock.allows(owner, wanted) && (held.is_some() || lock.queue.is_empty()) {
            lock.grant(owner, wanted);
            drop(shard);
            if held.is_none() {
                self.note_held(owner, resource);
            }
            return Ok(());
        }
        let waiter = Arc::new(Waiter {
            owner,
            priority: request.deadlock_priority,
            resource: resource.clone(),
            outcome: Mutex::new(Outcome::Waiting),
            changed: Condvar::new(),
        });
        let conversion = held.is_some();
        let place = if conversion {
            lock.queue.iter().take_while(|q| q.conversion).count()
        } else {
            lock.queue.len()
        };
        lock.queue.insert(
            place,
            Queued {
                mode: wanted,
                conversion,
                waiter: Arc::clone(&waiter),
            },
        );
        drop(shard);
        self.waiting.lock().insert(owner, Arc::clone(&waiter));
        let start = Instant::now();
        let done = self.wait(request, &waiter, start);
        self.waiting.lock().remove(&owner);
        request.waits.waited(WaitType::Lock(mode), start.elapsed());
        if done.is_ok() && !conversion {
            self.note_held(owner, resource);
        }
        done
    }

    /// Takes (or converts) a lock if that needs no wait; says whether it did.
    #[must_use]
    pub fn try_lock(&self, owner: LockOwner, resource: &Resource, mode: LockMode) -> bool {
        let mut shard = self.shard(resource);
        let lock = shard.locks.entry(resource.clone()).or_default();
        let held = lock.held_by(owner);
        let wanted = held.map_or(mode, |held| held.and(mode));
        if !lock.allows(owner, wanted) || (held.is_none() && !lock.queue.is_empty()) {
            return false;
        }
        lock.grant(owner, wanted);
        drop(shard);
        if held.is_none() {
            self.note_held(owner, resource);
        }
        true
    }

    fn wait(&self, request: &LockRequest<'_>, waiter: &Arc<Waiter>, start: Instant) -> Result<()> {
        let until = match request.timeout {
            LockTimeout::Never => None,
            LockTimeout::After(limit) => Some(start + limit),
        };
        loop {
            deadlock::break_cycle(self, waiter.owner);
            let mut outcome = waiter.outcome.lock();
            if *outcome == Outcome::Waiting {
                let next = Instant::now() + DEADLOCK_CHECK;
                let next = until.map_or(next, |until| next.min(until));
                waiter.changed.wait_until(&mut outcome, next);
            }
            let now = *outcome;
            if now == Outcome::Look {
                *outcome = Outcome::Waiting;
            }
            drop(outcome);
            let failure = match now {
                Outcome::Granted => return Ok(()),
                Outcome::Victim => StorageError::Deadlock,
                _ if request.cancel.load(Ordering::SeqCst) => StorageError::Cancelled,
                _ if until.is_some_and(|until| Instant::now() >= until) => {
                    StorageError::LockTimeout {
                        waited_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                    }
                }
                _ => continue,
            };
            if self.leave_queue(waiter) {
                return Err(failure);
            }
            // It was granted in the meantime.
            if now != Outcome::Victim {
                return Ok(());
            }
            // A victim gives way even then: others may count on it.
            self.note_held(waiter.owner, &waiter.resource);
            return Err(failure);
        }
    }

    /// Takes a waiter out of its queue; false when it was granted already.
    fn leave_queue(&self, waiter: &Arc<Waiter>) -> bool {
        let mut granted = Vec::new();
        let mut shard = self.shard(&waiter.resource);
        let Some(lock) = shard.locks.get_mut(&waiter.resource) else {
            return false;
        };
        let before = lock.queue.len();
        lock.queue.retain(|q| !Arc::ptr_eq(&q.waiter, waiter));
        let left = lock.queue.len() < before;
        lock.serve(&mut granted);
        drop(shard);
        wake_all(&granted);
        left
    }

    /// Releases one lock, in whatever mode, if it is held. For READ COMMITTED's shared locks.
    pub fn unlock(&self, owner: LockOwner, resource: &Resource) {
        {
            let mut held = self.held(owner);
            let Some(resources) = held.get_mut(&owner) else {
                return;
            };
            let Some(at) = resources.iter().rposition(|r| r == resource) else {
                return;
            };
            resources.swap_remove(at);
            if resources.is_empty() {
                held.remove(&owner);
            }
        }
        self.release(owner, resource);
    }

    fn release(&self, owner: LockOwner, resource: &Resource) {
        let mut granted = Vec::new();
        let mut shard = self.shard(resource);
        let Some(lock) = shard.locks.get_mut(resource) else {
            return;
        };
        lock.granted.retain(|(o, _)| *o != owner);
        lock.serve(&mut granted);
        if lock.granted.is_empty() && lock.queue.is_empty() {
            shard.locks.remove(resource);
        }
        drop(shard);
        wake_all(&granted);
    }

    /// Releases all locks of an owner.
    pub fn unlock_all(&self, owner: LockOwner) {
        let resources = self.held(owner).remove(&owner).unwrap_or_default();
        for resource in resources {
            self.release(owner, &resource);
        }
    }

    /// Sets the flag and wakes the owner if it waits.
    pub fn cancel(&self, owner: LockOwner, flag: &CancelFlag) {
        flag.store(true, Ordering::SeqCst);
        let waiter = self.waiting.lock().get(&owner).cloned();
        if let Some(waiter) = waiter {
            waiter.wake(Outcome::Look);
        }
    }

    /// The mode in which an owner holds a resource.
    #[must_use]
    pub fn held_mode(&self, owner: LockOwner, resource: &Resource) -> Option<LockMode> {
        self.shard(resource).locks.get(resource)?.held_by(owner)
    }

    /// All locks, held and waited for.
    #[must_use]
    pub fn rows(&self) -> Vec<LockRow> {
        let mut rows = Vec::new();
        for shard in &self.shards {
            for (resource, lock) in &shard.lock().locks {
                let row = |owner, mode, granted| LockRow {
                    owner,
                    resource: resource.clone(),
                    mode,
                    granted,
                };
                rows.extend(lock.granted.iter().map(|(o, m)| row(*o, *m, true)));
                rows.extend(
                    lock.queue
                        .iter()
                        .map(|q| row(q.waiter.owner, q.mode, false)),
                );
            }
        }
        rows
    }

    /// The waiter of an owner, if it waits.
    pub(super) fn waiter(&self, owner: LockOwner) -> Option<Arc<Waiter>> {
        self.waiting.lock().get(&owner).cloned()
    }

    /// Whom a waiter waits for at this moment.
    pub(super) fn blockers(&self, waiter: &Arc<Waiter>) -> Vec<LockOwner> {
        self.shard(&waiter.resource).blockers(waiter)
    }
}

fn wake_all(waiters: &[Arc<Waiter>]) {
    for waiter in waiters {
        waiter.wake(Outcome::Granted);
    }
}
