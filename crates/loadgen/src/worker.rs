//! One worker: one connection, one session, one transaction after the other.

use crate::control::{Control, Ticks};
use crate::durability::{self, Flush};
use crate::intervals::{Pieces, Recorder};
use crate::journal::Journal;
use crate::latency::Latencies;
use crate::request::{Left, Request};
use crate::session;
use crate::session_waits::{self, Reading};
use crate::workload::Extent;
use records::{Failure, FailureCode, Server};
use sqlserver::{Connection, Settings, SqlError};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long reading the session's waits may take.
const WAITS_DEADLINE: Duration = Duration::from_secs(10);

/// What every worker is told.
#[derive(Debug)]
pub(crate) struct Orders {
    /// How to connect.
    pub(crate) settings: Arc<Settings>,
    /// What answers there.
    pub(crate) server: Server,
    /// What one request sends.
    pub(crate) request: Request,
    /// The transactions that one request commits.
    pub(crate) transactions_per_request: u32,
    /// Whether a request is cancelled where the run is stopped, instead of waited for.
    pub(crate) cancel: bool,
    /// Whether the first worker flushes the log once all are done.
    pub(crate) flush_log: bool,
    /// How long to go on.
    pub(crate) extent: Extent,
    /// How long an interval is, where latencies are counted by interval.
    pub(crate) interval: Option<Duration>,
    /// Where acknowledgements are written down; then the batch takes the worker's number and the
    /// commit's.
    pub(crate) journal: Option<Journal>,
}

/// What a worker says to the main thread.
#[derive(Debug)]
pub(crate) enum Report {
    /// Connected and prepared; waits for the gate.
    Ready,
    /// Could not get ready.
    NotReady(Failure),
    /// Has ended, well or not.
    Ended(Box<Outcome>),
}

/// What a worker did and saw.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Its number, from 1.
    pub(crate) worker: u32,
    /// `@@SPID`.
    pub(crate) session_id: i32,
    /// When its first statement went out; none where the gate never opened.
    pub(crate) started: Option<Instant>,
    /// When its last answer came.
    pub(crate) ended: Option<Instant>,
    /// Transactions that the server acknowledged.
    pub(crate) transactions: u64,
    /// The error that ended it; nothing is retried, so there is one at most.
    pub(crate) error: Option<SqlError>,
    /// Whether its last transaction has no answer: it may be in the table or not.
    pub(crate) unanswered: bool,
    /// Latencies of the acknowledged transactions.
    pub(crate) latencies: Latencies,
    /// The same by interval, where that was asked for.
    pub(crate) intervals: Option<Pieces>,
    /// What its session waited for.
    pub(crate) waits: Reading,
    /// The flush of the log after the run; none where this worker made none.
    pub(crate) flush: Option<Flush>,
    /// What a script left behind.
    pub(crate) left: Left,
}

/// Connects, waits for the gate, works, reports.
pub(crate) async fn work(
    worker: u32,
    orders: Arc<Orders>,
    control: Arc<Control>,
    ticks: Arc<Ticks>,
    reports: Sender<Report>,
) {
    // A closed channel means that the main thread has gone: there is nobody to tell.
    let _ = reports.send(
        match work_through(worker, &orders, &control, &ticks, &reports).await {
            Ok(outcome) => Report::Ended(Box::new(outcome)),
            Err(failure) => Report::NotReady(failure),
        },
    );
}

async fn work_through(
    worker: u32,
    orders: &Orders,
    control: &Control,
    ticks: &Ticks,
    reports: &Sender<Report>,
) -> Result<Outcome, Failure> {
    let mut connection = tokio::select! {
        connection = Connection::open(&orders.settings) => connection?,
        () = control.given_up() => return Err(called_off()),
    };
    let session_id = prepare(worker, &mut connection, &orders.request).await?;
    // On a session of its own, so that its wait is none of the load's; open before the gate, so that
    // it begins at once when the last answer is there.
    let mut flusher = if orders.flush_log && worker == 1 {
        Some(Connection::open(&orders.settings).await?)
    } else {
        None
    };
    let mut flush = None;
    let before = read_waits(&mut connection, &orders.server).await;
    let mut recorder = Recorder::new()?;
    if let Some(every) = orders.interval {
        recorder.prepare(every)?;
    }
    let mut run = Run {
        worker,
        started: None,
        ended: None,
        transactions: 0,
        error: None,
        unanswered: false,
        recorder,
        left: Left::default(),
    };
    let _ = reports.send(Report::Ready);
    let waits = match control.gate().await {
        None => Err("the run was called off before it began".to_owned()),
        Some(opened) => {
            tokio::select! {
                biased;
                () = run.transactions(&mut connection, orders, opened, control, ticks) => {
                    control.worker_ended();
                    run.look_for_open_transactions(&mut connection, orders).await;
                    if let Some(flusher) = &mut flusher {
                        flush = flush_when_all_ended(flusher, control).await;
                    }
                    let after = read_waits(&mut connection, &orders.server).await;
                    session_waits::delta(&before, &after)
                }
                // Dropped in the middle of an answer, the connection is of no more use.
                () = control.given_up() => Err("the run was given up before they were read".to_owned()),
            }
        }
    };
    if let Some(flusher) = flusher {
        flusher.close().await;
    }
    if run.unanswered {
        // A polite end would wait for the answer that did not come.
        drop(connection);
    } else {
        connection.close().await;
    }
    let (latencies, intervals) = run.recorder.finish();
    Ok(Outcome {
        worker,
        session_id,
        started: run.started,
        ended: run.ended,
        transactions: run.transactions,
        error: run.error,
        unanswered: run.unanswered,
        latencies,
        intervals,
        waits,
        flush,
        left: run.left,
    })
}

/// What the timed loop leaves behind, also where it is dropped in the middle of a statement.
struct Run {
    worker: u32,
    started: Option<Instant>,
    ended: Option<Instant>,
    transactions: u64,
    error: Option<SqlError>,
    unanswered: bool,
    recorder: Recorder,
    left: Left,
}

impl Run {
    /// The timed loop: closed (the next transaction goes out when the last one is answered), one
    /// reading of the clock a transaction, nothing allocated here.
    async fn transactions(
        &mut self,
        connection: &mut Connection,
        orders: &Orders,
        opened: Instant,
        control: &Control,
        ticks: &Ticks,
    ) {
        connection.set_deadline(None);
        let mut requests = orders.request.of_worker(self.worker);
        self.recorder.open(opened);
        let mut sent = Instant::now();
        self.started = Some(sent);
        loop {
            let done = match orders.extent {
                Extent::Transactions(transactions) => self.transactions >= transactions,
                Extent::Duration(duration) => sent.duration_since(opened) >= duration,
            };
            if done || control.is_stopped() {
                return;
            }
            self.unanswered = true;
            let cancel = orders.cancel.then_some(control);
            let answer = requests.send(connection, cancel).await;
            let now = Instant::now();
            self.ended = Some(now);
            match answer {
                Ok(rows) => {
                    self.unanswered = false;
                    self.transactions += u64::from(orders.transactions_per_request);
                    self.left.rows = self.left.rows.saturating_add(rows);
                    self.recorder.record(now, now.duration_since(sent));
                    ticks.set(self.transactions);
                    if let Some(journal) = &orders.journal {
                        if !journal.record(self.worker, self.transactions, now) {
                            control.stop();
                            return;
                        }
                        // Writing it down is no part of the next latency.
                        sent = Instant::now();
                        continue;
                    }
                }
                Err(SqlError::Stopped) => return,
                Err(error) => {
                    // The round is lost: the others need not go on.
                    control.stop();
                    self.unanswered = error.ends_connection();
                    self.left.error_at = orders.request.script().map(|script| script.place(&error));
                    self.error = Some(error);
                    self.recorder.failed(now);
                    return;
                }
            }
            sent = now;
        }
    }

    /// After the clock: whether a script left a transaction open in its session, whose work is
    /// rolled back then when the connection ends.
    async fn look_for_open_transactions(&mut self, connection: &mut Connection, orders: &Orders) {
        if orders.request.script().is_some() && self.error.is_none() && connection.is_open() {
            connection.set_deadline(Some(WAITS_DEADLINE));
            // Where the question has no answer, the connection's end shows in the waits.
            let open = session::open_transactions(connection).await;
            self.left.open_transactions = open.ok().filter(|open| *open > 0);
        }
    }
}

/// Flushes the log when the last worker has its last answer; not after a run that was stopped.
async fn flush_when_all_ended(flusher: &mut Connection, control: &Control) -> Option<Flush> {
    control.all_ended().await;
    if control.is_stopped() {
        return None;
    }
    Some(durability::flush(flusher).await)
}

/// Sets the session's options and asks for its number.
async fn prepare(
    worker: u32,
    connection: &mut Connection,
    request: &Request,
) -> Result<i32, Failure> {
    let failed = |error: SqlError| {
        let failure = Failure::new(
            FailureCode::NoConnection,
            format!("worker {worker}'s session could not be prepared: {error}"),
        )
        .remedy("Nothing was inserted. Look into the server's error log, then run it again.");
        match error.number() {
            Some(number) => failure.sql_error(number),
            None => failure,
        }
    };
    let session_id = session::prepare(connection).await.map_err(failed)?;
    if request.script().is_some() {
        let text = sqlserver::texts::load::report_rows();
        connection.run(&text.sql).await.map_err(failed)?;
    }
    Ok(session_id)
}

/// The session's waits so far, or why they cannot be read.
async fn read_waits(connection: &mut Connection, server: &Server) -> Reading {
    if !connection.is_open() {
        return Err("the connection was lost, and the session's waits with it".to_owned());
    }
    connection.set_deadline(Some(WAITS_DEADLINE));
    session::waits(connection, server).await
}

fn called_off() -> Failure {
    Failure::new(
        FailureCode::NoConnection,
        "the run was called off while connections were being opened",
    )
}
