//! Finding a cycle of sessions that wait for each other, and choosing who gives way.

use std::collections::HashSet;
use std::sync::Arc;

use super::manager::{LockManager, LockOwner, Waiter};

/// If the waiter of `start` is part of a cycle, makes one waiter of the cycle the victim: the one
/// of lowest priority, and among equals the youngest owner (the highest number), so that all
/// members of the cycle, whoever looks, choose the same one.
pub(super) fn break_cycle(manager: &LockManager, start: LockOwner) {
    let mut path = Vec::new();
    let mut seen = HashSet::new();
    if !search(manager, start, start, &mut path, &mut seen) {
        return;
    }
    let victim = path
        .iter()
        .min_by_key(|w| (w.priority, std::cmp::Reverse(w.owner)));
    if let Some(victim) = victim {
        victim.make_victim();
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
