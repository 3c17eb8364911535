//! All workers: a few threads, each with an event loop for its share of the connections.

use crate::client_cpu;
use crate::control::{Control, Ticks};
use crate::progress::Progress;
use crate::worker::{self, Orders, Outcome, Report};
use records::stage::Interrupts;
use records::{Failure, FailureCode};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the main thread looks at the clock, the signals and the progress.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long answers are waited for after workers were asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Why workers were asked to stop before they were done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// A worker met an error.
    WorkerFailed,
    /// SIGINT or SIGTERM.
    Interrupted,
    /// The deadline of the whole run passed.
    Deadline,
}

/// What the run came to.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    /// Every worker, by number.
    pub(crate) workers: Vec<Outcome>,
    /// Why they were stopped; none where all were done.
    pub(crate) stopped: Option<StopCause>,
    /// This process's CPU time during the run.
    pub(crate) cpu_before: Option<Duration>,
    /// The same at its end.
    pub(crate) cpu_after: Option<Duration>,
    /// Threads that the workers shared.
    pub(crate) threads: usize,
}

/// The workers at work.
struct Crew {
    control: Arc<Control>,
    ticks: Vec<Arc<Ticks>>,
    reports: Receiver<Report>,
    threads: Vec<JoinHandle<()>>,
    workers: u32,
}

/// Opens all connections, then starts all workers at once, and waits until all have ended.
///
/// # Errors
/// A connection could not be opened or prepared: then nothing was sent on any.
pub(crate) fn run(
    orders: &Arc<Orders>,
    workers: u32,
    deadline: Instant,
    interrupts: &Interrupts,
    progress: &mut Progress,
) -> Result<RunOutcome, Failure> {
    let crew = Crew::hire(orders, workers)?;
    let opened = crew.wait_until_ready(deadline, interrupts, progress);
    let outcome = match opened {
        Ok(()) => crew.work(deadline, interrupts, progress),
        Err(failure) => {
            crew.control.give_up();
            Err(failure)
        }
    };
    progress.finish();
    for thread in crew.threads {
        // A thread ends when its workers have; one that panicked has reported nothing, which
        // shows as a missing worker.
        let _ = thread.join();
    }
    outcome
}

impl Crew {
    fn hire(orders: &Arc<Orders>, workers: u32) -> Result<Self, Failure> {
        let (sender, reports) = channel();
        let control = Arc::new(Control::new(workers));
        let ticks: Vec<Arc<Ticks>> = (0..workers).map(|_| Arc::default()).collect();
        let count = client_cpu::usable_cores().min(ticks.len()).max(1);
        let mut threads = Vec::with_capacity(count);
        for index in 0..count {
            let mine: Vec<(u32, Arc<Ticks>)> = (1..=workers)
                .zip(&ticks)
                .skip(index)
                .step_by(count)
                .map(|(worker, ticks)| (worker, Arc::clone(ticks)))
                .collect();
            let shared = (Arc::clone(orders), Arc::clone(&control), sender.clone());
            let thread = std::thread::Builder::new()
                .name(format!("load-{index}"))
                .spawn(move || share(mine, &shared.0, &shared.1, &shared.2))
                .map_err(|error| {
                    Failure::new(
                        FailureCode::Failed,
                        format!("no thread could be started: {error}"),
                    )
                });
            match thread {
                Ok(thread) => threads.push(thread),
                Err(failure) => {
                    control.give_up();
                    return Err(failure);
                }
            }
        }
        Ok(Self {
            control,
            ticks,
            reports,
            threads,
            workers,
        })
    }

    fn wait_until_ready(
        &self,
        deadline: Instant,
        interrupts: &Interrupts,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let mut ready = 0;
        while ready < self.workers {
            match self.reports.recv_timeout(LOOK_EVERY) {
                Ok(Report::Ready) => ready += 1,
                Ok(Report::NotReady(failure)) => return Err(failure),
                Ok(Report::Ended(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(lost_worker());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupts.requested() {
                return Err(Failure::new(
                    FailureCode::Interrupted,
                    "interrupted while connections were being opened; nothing was inserted",
                ));
            }
            if Instant::now() >= deadline {
                return Err(Failure::new(
                    FailureCode::NoConnection,
                    format!(
                        "only {ready} of {} connections were open when --deadline passed; nothing \
                         was inserted",
                        self.workers
                    ),
                )
                .remedy("Use fewer --workers or a longer --deadline, or see what slows logins."));
            }
            progress.opening(ready);
        }
        Ok(())
    }

    fn work(
        &self,
        deadline: Instant,
        interrupts: &Interrupts,
        progress: &mut Progress,
    ) -> Result<RunOutcome, Failure> {
        let cpu_before = client_cpu::process_cpu_time();
        progress.start();
        self.control.go();
        let mut workers = Vec::with_capacity(self.ticks.len());
        let mut stop: Option<(StopCause, Instant)> = None;
        while workers.len() < self.ticks.len() {
            match self.reports.recv_timeout(LOOK_EVERY) {
                Ok(Report::Ended(outcome)) => workers.push(*outcome),
                Ok(Report::Ready) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Report::NotReady(failure)) => {
                    self.control.give_up();
                    return Err(failure);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(lost_worker()),
            }
            let now = Instant::now();
            match stop {
                None => {
                    let cause = if self.control.is_stopped() {
                        Some(StopCause::WorkerFailed)
                    } else if interrupts.requested() {
                        Some(StopCause::Interrupted)
                    } else if now >= deadline {
                        Some(StopCause::Deadline)
                    } else {
                        None
                    };
                    if let Some(cause) = cause.filter(|_| workers.len() < self.ticks.len()) {
                        self.control.stop();
                        stop = Some((cause, now));
                    }
                }
                Some((_, since)) if now.duration_since(since) >= GRACE => self.control.give_up(),
                Some(_) => {}
            }
            progress.show(|| self.ticks.iter().map(|ticks| ticks.get()).sum());
        }
        workers.sort_by_key(|outcome| outcome.worker);
        Ok(RunOutcome {
            workers,
            stopped: stop.map(|(cause, _)| cause),
            cpu_before,
            cpu_after: client_cpu::process_cpu_time(),
            threads: self.threads.len(),
        })
    }
}

/// One thread's share of the workers, on an event loop of its own.
fn share(
    mine: Vec<(u32, Arc<Ticks>)>,
    orders: &Arc<Orders>,
    control: &Arc<Control>,
    reports: &Sender<Report>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = reports.send(Report::NotReady(Failure::new(
                FailureCode::Failed,
                format!("no event loop could be started: {error}"),
            )));
            return;
        }
    };
    let tasks: Vec<_> = mine
        .into_iter()
        .map(|(number, ticks)| {
            runtime.spawn(worker::work(
                number,
                Arc::clone(orders),
                Arc::clone(control),
                ticks,
                reports.clone(),
            ))
        })
        .collect();
    runtime.block_on(async {
        for task in tasks {
            let _ = task.await;
        }
    });
    // A name lookup that hangs in the system's resolver must not keep the program from ending.
    runtime.shutdown_background();
}

fn lost_worker() -> Failure {
    Failure::new(FailureCode::Failed, "a worker ended without a report")
        .remedy("This is a defect of loadgen; please report it.")
}
