//! Locks between sessions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use labdb_storage::{
    CancelFlag, LockManager, LockMode, LockOwner, LockRequest, LockTimeout, NoWaits, Resource,
    StorageError, WaitObserver, WaitType,
};

const TABLE: Resource = Resource::Object(5, 1);
const OTHER: Resource = Resource::Object(5, 2);

struct Session<'a> {
    locks: &'a LockManager,
    owner: LockOwner,
    cancel: CancelFlag,
    priority: i8,
}

impl<'a> Session<'a> {
    fn new(locks: &'a LockManager, owner: u64) -> Self {
        Self {
            locks,
            owner: LockOwner(owner),
            cancel: CancelFlag::default(),
            priority: 0,
        }
    }

    fn lock(
        &self,
        resource: &Resource,
        mode: LockMode,
        timeout: LockTimeout,
    ) -> Result<(), StorageError> {
        let request = LockRequest {
            owner: self.owner,
            timeout,
            deadlock_priority: self.priority,
            cancel: &self.cancel,
            waits: &NoWaits,
        };
        self.locks.lock(&request, resource, mode)
    }

    fn now(&self, resource: &Resource, mode: LockMode) -> bool {
        match self.lock(resource, mode, LockTimeout::After(Duration::ZERO)) {
            Ok(()) => true,
            Err(StorageError::LockTimeout { .. }) => false,
            Err(other) => panic!("{other}"),
        }
    }
}

fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "never happened");
        std::thread::yield_now();
    }
}

fn waiting(locks: &LockManager) -> usize {
    locks.rows().iter().filter(|row| !row.granted).count()
}

#[test]
fn a_writer_keeps_readers_out_until_it_lets_go() {
    let locks = LockManager::new();
    let (writer, reader) = (Session::new(&locks, 1), Session::new(&locks, 2));
    assert!(writer.now(&TABLE, LockMode::X));
    assert!(!reader.now(&TABLE, LockMode::S));
    std::thread::scope(|scope| {
        let read = scope.spawn(|| reader.lock(&TABLE, LockMode::S, LockTimeout::Never));
        until(|| waiting(&locks) == 1);
        locks.unlock_all(writer.owner);
        read.join().unwrap().unwrap();
    });
    assert!(!writer.now(&TABLE, LockMode::X));
    locks.unlock(reader.owner, &TABLE);
    assert!(writer.now(&TABLE, LockMode::X));
    locks.unlock_all(writer.owner);
    assert!(locks.rows().is_empty());
}

#[test]
fn a_wait_is_counted_by_its_mode_and_a_grant_without_one_is_not() {
    #[derive(Default)]
    struct Count(AtomicU64);
    impl WaitObserver for Count {
        fn waited(&self, wait: WaitType, _: Duration) {
            assert_eq!(wait.name(), "LCK_M_U");
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let locks = LockManager::new();
    let count = Count::default();
    let cancel = CancelFlag::default();
    let mut request = LockRequest {
        owner: LockOwner(1),
        timeout: LockTimeout::After(Duration::from_millis(1)),
        deadlock_priority: 0,
        cancel: &cancel,
        waits: &count,
    };
    locks.lock(&request, &TABLE, LockMode::X).unwrap();
    assert_eq!(count.0.load(Ordering::SeqCst), 0);
    request.owner = LockOwner(2);
    let error = locks.lock(&request, &TABLE, LockMode::U).unwrap_err();
    assert!(matches!(error, StorageError::LockTimeout { .. }));
    assert_eq!(count.0.load(Ordering::SeqCst), 1);
}

#[test]
fn requests_are_granted_in_the_order_of_arrival() {
    let locks = LockManager::new();
    let first = Session::new(&locks, 1);
    let (writer, reader) = (Session::new(&locks, 2), Session::new(&locks, 3));
    assert!(first.now(&TABLE, LockMode::S));
    std::thread::scope(|scope| {
        let write = scope.spawn(|| writer.lock(&TABLE, LockMode::X, LockTimeout::Never));
        until(|| waiting(&locks) == 1);
        // A reader could share with the first, but must not overtake the writer.
        assert!(!reader.now(&TABLE, LockMode::S));
        locks.unlock_all(first.owner);
        write.join().unwrap().unwrap();
    });
}

#[test]
fn the_end_of_a_waiter_lets_those_behind_it_go_on() {
    let locks = LockManager::new();
    let first = Session::new(&locks, 1);
    let (writer, reader) = (Session::new(&locks, 2), Session::new(&locks, 3));
    assert!(first.now(&TABLE, LockMode::S));
    std::thread::scope(|scope| {
        let write = scope.spawn(|| writer.lock(&TABLE, LockMode::X, LockTimeout::Never));
        until(|| waiting(&locks) == 1);
        let read = scope.spawn(|| reader.lock(&TABLE, LockMode::S, LockTimeout::Never));
        until(|| waiting(&locks) == 2);
        locks.cancel(writer.owner, &writer.cancel);
        assert!(matches!(
            write.join().unwrap(),
            Err(StorageError::Cancelled)
        ));
        read.join().unwrap().unwrap();
    });
    assert_eq!(locks.held_mode(first.owner, &TABLE), Some(LockMode::S));
}

#[test]
fn a_deadlock_ends_one_of_the_two_and_the_other_goes_on() {
    for low_priority in [1, 2] {
        let locks = LockManager::new();
        let mut a = Session::new(&locks, 1);
        let mut b = Session::new(&locks, 2);
        if low_priority == 1 {
            a.priority = -5;
        } else {
            b.priority = -5;
        }
        assert!(a.now(&TABLE, LockMode::X) && b.now(&OTHER, LockMode::X));
        let run = |me: &Session<'_>, resource| {
            let done = me.lock(resource, LockMode::X, LockTimeout::Never);
            locks.unlock_all(me.owner);
            done
        };
        let (first, second) = std::thread::scope(|scope| {
            let first = scope.spawn(|| run(&a, &OTHER));
            until(|| waiting(&locks) == 1);
            let second = run(&b, &TABLE);
            (first.join().unwrap(), second)
        });
        let (victim, other) = if low_priority == 1 {
            (first, second)
        } else {
            (second, first)
        };
        assert!(matches!(victim, Err(StorageError::Deadlock)));
        other.unwrap();
        assert!(locks.rows().is_empty());
    }
}

#[test]
fn two_readers_that_both_want_to_write_are_a_deadlock() {
    let locks = LockManager::new();
    let sessions = [Session::new(&locks, 1), Session::new(&locks, 2)];
    assert!(sessions.iter().all(|s| s.now(&TABLE, LockMode::S)));
    let failed = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for session in &sessions {
            scope.spawn(|| {
                match session.lock(&TABLE, LockMode::X, LockTimeout::Never) {
                    Ok(()) => {}
                    Err(StorageError::Deadlock) => {
                        failed.fetch_add(1, Ordering::SeqCst);
                    }
                    Err(other) => panic!("{other}"),
                }
                session.locks.unlock_all(session.owner);
            });
        }
    });
    assert_eq!(failed.load(Ordering::SeqCst), 1);
}

#[test]
fn many_sessions_that_lock_at_random_all_end_and_never_share_a_row() {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    let locks = Arc::new(LockManager::new());
    let inside: Vec<AtomicU64> = (0..5).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (locks, inside) = (&locks, &inside);
            scope.spawn(move || {
                let session = Session::new(locks, number);
                let mut random = StdRng::seed_from_u64(number);
                for _ in 0..200 {
                    let mut mine = Vec::new();
                    for _ in 0..3 {
                        let row = random.random_range(0..5);
                        let resource = Resource::Key(1, 1, row);
                        match session.lock(&resource, LockMode::X, LockTimeout::Never) {
                            Ok(()) if mine.contains(&row) => {}
                            Ok(()) => {
                                let place = &inside[usize::try_from(row).unwrap()];
                                assert_eq!(place.fetch_add(1, Ordering::SeqCst), 0);
                                mine.push(row);
                            }
                            Err(StorageError::Deadlock) => break,
                            Err(other) => panic!("{other}"),
                        }
                    }
                    for row in mine {
                        inside[usize::try_from(row).unwrap()].fetch_sub(1, Ordering::SeqCst);
                    }
                    locks.unlock_all(session.owner);
                }
            });
        }
    });
    assert!(locks.rows().is_empty());
}

#[test]
fn sessions_that_take_one_row_in_turns_are_never_a_deadlock() {
    const SESSIONS: u64 = 8;
    const TURNS: u64 = 20_000;
    let locks = LockManager::new();
    let row = Resource::Key(1, 1, 7);
    let sum = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for number in 0..SESSIONS {
            let (locks, row, sum) = (&locks, &row, &sum);
            scope.spawn(move || {
                let session = Session::new(locks, number);
                for _ in 0..TURNS {
                    // Nobody holds a second lock while it waits, so nobody can be in a cycle.
                    session.lock(row, LockMode::X, LockTimeout::Never).unwrap();
                    let before = sum.load(Ordering::Relaxed);
                    sum.store(before + 1, Ordering::Relaxed);
                    locks.unlock_all(session.owner);
                }
            });
        }
    });
    assert_eq!(sum.load(Ordering::Relaxed), SESSIONS * TURNS);
    assert!(locks.rows().is_empty());
}

/// `cargo test --release -p labdb-storage --test locks -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn what_a_lock_costs_that_nobody_else_wants() {
    let locks = LockManager::new();
    let session = Session::new(&locks, 1);
    let count = 2_000_000;
    let start = Instant::now();
    for key in 0..count {
        let resource = Resource::Key(1, 1, key % 1000);
        assert!(session.now(&resource, LockMode::X));
        locks.unlock(session.owner, &resource);
    }
    println!(
        "{:.0} ns to lock and unlock",
        start.elapsed().as_secs_f64() * 1e9 / 2e6
    );
}
