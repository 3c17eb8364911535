//! Finding a cycle of sessions that wait for each other, and choosing who gives way.
//!
//! The search reads the graph edge by edge while it changes, so what it finds is only a
//! suspicion: A waits for B when that edge is read; B lets go, comes back and waits for A before
//! the next one is. No victim is made before the whole path has been seen at one instant:
//!
//! - Every edge "w waits for o" is decided by the shard of w's resource alone: w's place in the
//!   queue, those before it and the granted modes change only under that shard's mutex. With the
//!   shards of all waiters of the path held together, what is read holds at one instant.
//! - An edge counts only if this very waiter (not a later one of the same owner) is in its queue,
//!   and the next owner of the path is among its blockers. Then every owner of the path waits at
//!   that instant, each for the next, the last for the first.
//! - An owner asks for one lock at a time and lets go of none while it waits. So no member of
//!   such a cycle goes on unless one gives up: the deadlock is real.
//! - The victim is made while the shards are still held, and only if no member of the cycle is
//!   one already. Every other cycle through the victim needs the victim's shard to be verified, so
//!   it is verified after that, sees that it is broken, and costs nobody else the work.
//!
//! A path that is not confirmed costs nothing: its waiters look again while they wait, and a real
//! cycle is still there then.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use parking_lot::MutexGuard;

use super::manager::{LockManager, LockOwner, Shard, Waiter};

/// If the waiter of `start` is part of a cycle, makes one waiter of the cycle the victim: the one
/// of lowest priority, and among equals the youngest owner (the highest number), so that all
/// members of the cycle, whoever looks, choose the same one.
pub(super) fn break_cycle(manager: &LockManager, start: LockOwner) {
    let mut path = Vec::new();
    let mut seen = HashSet::new();
    if !search(manager, start, start, &mut path, &mut seen) {
        return;
    }
    break_path(manager, &path);
}

/// Makes the victim if every waiter of the path waits for the next one, and the last for the
/// first, at one instant; tells whether that was so.
fn break_path(manager: &LockManager, path: &[Arc<Waiter>]) -> bool {
    let frozen = Frozen::new(manager, path);
    let next = path.iter().cycle().skip(1);
    let closed = path
        .iter()
        .zip(next)
        .all(|(waiter, next)| waiter.is_undecided() && frozen.waits_for(waiter, next.owner));
    let victim = path
        .iter()
        .filter(|_| closed)
        .min_by_key(|w| (w.priority, std::cmp::Reverse(w.owner)));
    if let Some(victim) = victim {
        victim.make_victim();
    }
    closed
}

/// Queues that stand still: nobody enters or leaves them, and no lock on their resources is
/// granted or released.
struct Frozen<'a> {
    manager: &'a LockManager,
    shards: BTreeMap<usize, MutexGuard<'a, Shard>>,
}

impl<'a> Frozen<'a> {
    /// Stops the queues of all these waiters until it is dropped. The only place that holds more
    /// than one shard: always in ascending order, so that two callers never wait for each other.
    fn new(manager: &'a LockManager, waiters: &[Arc<Waiter>]) -> Self {
        let numbers: BTreeSet<usize> = waiters
            .iter()
            .map(|waiter| manager.shard_number(&waiter.resource))
            .collect();
        let shards = numbers
            .into_iter()
            .map(|number| (number, manager.shards[number].lock()))
            .collect();
        Self { manager, shards }
    }

    /// Whether a waiter is still in its queue and has to wait for `blocker`. False for a waiter
    /// whose queue was not frozen.
    fn waits_for(&self, waiter: &Arc<Waiter>, blocker: LockOwner) -> bool {
        self.shards
            .get(&self.manager.shard_number(&waiter.resource))
            .is_some_and(|shard| shard.blockers(waiter).contains(&blocker))
    }
}

/// Looks for a way from `from` back to `start`; leaves it in `path`.
fn search(
    manager: &LockManager,
    from: LockOwner,
    start: LockOwner,
    path: &mut Vec<Arc<Waiter>>,
    seen: &mut HashSet<LockOwner>,
) -> bool {
    let Some(waiter) = manager.waiter(from) else {
        return false;
    };
    path.push(Arc::clone(&waiter));
    for blocker in manager.blockers(&waiter) {
        if blocker == start {
            return true;
        }
        if seen.insert(blocker) && search(manager, blocker, start, path, seen) {
            return true;
        }
    }
    path.pop();
    false
}

#[cfg(test)]
mod tests {
    use std::thread::{Scope, ScopedJoinHandle};

    use super::*;
    use crate::error::{Result, StorageError};
    use crate::locks::{CancelFlag, LockMode, LockRequest, LockTimeout, Resource};
    use crate::wait::NoWaits;

    const ROW: Resource = Resource::Object(5, 1);
    const OTHER: Resource = Resource::Object(5, 2);
    const A: LockOwner = LockOwner(1);
    const B: LockOwner = LockOwner(2);
    const C: LockOwner = LockOwner(3);

    fn lock(manager: &LockManager, owner: LockOwner, resource: &Resource) -> Result<()> {
        let request = LockRequest {
            owner,
            timeout: LockTimeout::Never,
            deadlock_priority: 0,
            cancel: &CancelFlag::default(),
            waits: &NoWaits,
        };
        manager.lock(&request, resource, LockMode::X)
    }

    /// Asks in a thread of its own; returns when the owner waits.
    fn wait<'scope>(
        scope: &'scope Scope<'scope, '_>,
        manager: &'scope LockManager,
        owner: LockOwner,
        resource: &'scope Resource,
    ) -> (Arc<Waiter>, ScopedJoinHandle<'scope, Result<()>>) {
        let thread = scope.spawn(move || lock(manager, owner, resource));
        loop {
            if let Some(waiter) = manager.waiter(owner) {
                return (waiter, thread);
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn edges_that_held_one_after_the_other_make_no_victim() {
        let manager = LockManager::new();
        lock(&manager, B, &ROW).unwrap();
        std::thread::scope(|scope| {
            let (first, a) = wait(scope, &manager, A, &ROW);
            assert_eq!(manager.blockers(&first), [B]);
            manager.unlock_all(B);
            a.join().unwrap().unwrap();
            let (second, b) = wait(scope, &manager, B, &ROW);
            assert_eq!(manager.blockers(&second), [A]);
            let broken = break_path(&manager, &[first, second]);
            // Everybody goes on before anything is asserted: a failure must not hang.
            manager.unlock_all(A);
            b.join().unwrap().unwrap();
            assert!(!broken);
        });
    }

    #[test]
    fn a_waiter_that_now_waits_for_another_makes_no_victim() {
        let manager = LockManager::new();
        lock(&manager, B, &ROW).unwrap();
        lock(&manager, A, &OTHER).unwrap();
        std::thread::scope(|scope| {
            let (_, c) = wait(scope, &manager, C, &ROW);
            let (first, a) = wait(scope, &manager, A, &ROW);
            assert_eq!(manager.blockers(&first), [B, C]);
            manager.unlock_all(B);
            c.join().unwrap().unwrap();
            let (second, b) = wait(scope, &manager, B, &OTHER);
            assert_eq!(manager.blockers(&second), [A]);
            let broken = break_path(&manager, &[first, second]);
            // Everybody goes on before anything is asserted: a failure must not hang.
            manager.unlock_all(C);
            let a = a.join().unwrap();
            manager.unlock_all(A);
            let b = b.join().unwrap();
            assert!(!broken);
            a.unwrap();
            b.unwrap();
        });
    }

    #[test]
    fn a_cycle_that_holds_at_one_instant_has_one_victim() {
        let manager = LockManager::new();
        lock(&manager, A, &ROW).unwrap();
        lock(&manager, B, &OTHER).unwrap();
        std::thread::scope(|scope| {
            let (_, a) = wait(scope, &manager, A, &OTHER);
            assert!(matches!(
                lock(&manager, B, &ROW),
                Err(StorageError::Deadlock)
            ));
            manager.unlock_all(B);
            a.join().unwrap().unwrap();
        });
    }
}
