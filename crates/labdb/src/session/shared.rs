//! What the views show of a session, and its wait counters.

use super::SetOptions;
use labdb_storage::{CancelFlag, WaitObserver, WaitType};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering,
};
use std::time::{Duration, SystemTime};

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Waiting for a request.
    Sleeping = 0,
    /// Working on one.
    Running = 1,
}

/// One wait type's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitCounter {
    /// Waits that ended.
    pub tasks: u64,
    /// Their time, in nanoseconds.
    pub time_ns: u64,
    /// The longest, in nanoseconds.
    pub max_ns: u64,
}

impl WaitCounter {
    /// Takes one wait in.
    pub fn add(&mut self, waited: Duration) {
        let ns = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
        self.tasks += 1;
        self.time_ns = self.time_ns.saturating_add(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Takes another counter in.
    pub fn merge(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

/// A session as others see it.
pub struct SessionShared {
    /// `session_id`.
    pub id: i16,
    /// When it logged in.
    pub login_time: SystemTime,
    /// The client machine's name.
    pub host_name: String,
    /// The application's name.
    pub program_name: String,
    /// The client library's name.
    pub client_interface: String,
    /// The client's process id.
    pub host_process_id: i32,
    /// The login.
    pub login_name: String,
    /// The client's address.
    pub client_address: String,
    /// The port it comes from.
    pub client_port: i32,
    /// Whether the connection is encrypted.
    pub encrypted: bool,
    /// The packet size, in bytes.
    pub packet_size: i32,
    /// The database that it began in.
    pub initial_database: String,
    /// The current database's id.
    pub database_id: AtomicI32,
    /// [`Status`] as a number.
    pub status: AtomicU8,
    /// `@@TRANCOUNT`.
    pub open_transactions: AtomicU32,
    /// Rows of the last statement.
    pub row_count: AtomicI64,
    /// The last error's number.
    pub previous_error: AtomicI32,
    /// Rows changed.
    pub writes: AtomicU64,
    /// Rows read.
    pub logical_reads: AtomicU64,
    /// Time in requests, in nanoseconds.
    pub elapsed_ns: AtomicU64,
    /// CPU time of the thread that serves the session, in nanoseconds, as of its last request.
    pub cpu_ns: AtomicU64,
    /// `SET LOCK_TIMEOUT`.
    pub lock_timeout: AtomicI32,
    /// The isolation level.
    pub isolation: AtomicU8,
    /// When the last request began, and what it was.
    pub request: Mutex<Option<(SystemTime, &'static str)>>,
    /// Ends waits and loops when true.
    pub cancel: CancelFlag,
    /// KILL was issued.
    pub killed: AtomicBool,
    /// Closes the connection.
    pub closer: Mutex<Option<Box<dyn Fn() + Send>>>,
    waits: Mutex<Vec<(WaitType, WaitCounter)>>,
    named_waits: Mutex<Vec<(&'static str, WaitCounter)>>,
}

impl SessionShared {
    /// A session that just logged in.
    pub fn new(id: i16, login_name: &str) -> Self {
        Self {
            id,
            login_time: labdb_storage::clock::now(),
            host_name: String::new(),
            program_name: String::new(),
            client_interface: String::new(),
            host_process_id: 0,
            login_name: login_name.to_owned(),
            client_address: "<local machine>".to_owned(),
            client_port: 0,
            encrypted: false,
            packet_size: 4096,
            initial_database: "master".to_owned(),
            database_id: AtomicI32::new(1),
            status: AtomicU8::new(Status::Running as u8),
            open_transactions: AtomicU32::new(0),
            row_count: AtomicI64::new(0),
            previous_error: AtomicI32::new(0),
            writes: AtomicU64::new(0),
            logical_reads: AtomicU64::new(0),
            elapsed_ns: AtomicU64::new(0),
            cpu_ns: AtomicU64::new(0),
            lock_timeout: AtomicI32::new(-1),
            isolation: AtomicU8::new(2),
            request: Mutex::new(None),
            cancel: Arc::new(AtomicBool::new(false)),
            killed: AtomicBool::new(false),
            closer: Mutex::new(None),
            waits: Mutex::new(Vec::new()),
            named_waits: Mutex::new(Vec::new()),
        }
    }

    /// Counts a wait that the storage engine does not know (WAITFOR).
    pub fn waited_for(&self, name: &'static str, waited: Duration) {
        let mut waits = self.named_waits.lock();
        match waits.iter_mut().find(|(n, _)| *n == name) {
            Some((_, counter)) => counter.add(waited),
            None => {
                let mut counter = WaitCounter::default();
                counter.add(waited);
                waits.push((name, counter));
            }
        }
    }

    /// The session's waits by name.
    pub fn wait_rows(&self) -> Vec<(&'static str, WaitCounter)> {
        let mut rows: Vec<_> = self
            .waits
            .lock()
            .iter()
            .map(|(wait, counter)| (wait.name(), *counter))
            .collect();
        rows.extend(self.named_waits.lock().iter().copied());
        rows
    }

    /// Forgets the session's waits (a pooled connection was reset).
    pub fn reset_waits(&self) {
        self.waits.lock().clear();
        self.named_waits.lock().clear();
    }

    /// Shows the options that views have columns for.
    pub fn publish_options(&self, options: &SetOptions) {
        self.lock_timeout
            .store(options.lock_timeout, Ordering::Relaxed);
        self.isolation
            .store(options.isolation as u8, Ordering::Relaxed);
    }

    /// Whether it is working on a request.
    pub fn is_running(&self) -> bool {
        self.status.load(Ordering::Relaxed) == Status::Running as u8
    }
}

impl WaitObserver for SessionShared {
    fn waited(&self, wait: WaitType, waited: Duration) {
        let mut waits = self.waits.lock();
        match waits.iter_mut().find(|(w, _)| *w == wait) {
            Some((_, counter)) => counter.add(waited),
            None => {
                let mut counter = WaitCounter::default();
                counter.add(waited);
                waits.push((wait, counter));
            }
        }
    }
}
