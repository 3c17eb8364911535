//! Which snapshots and which load belong together.

use records::{Failure, FailureCode, Header, Load, Record, Snapshot};
use std::collections::HashMap;

/// What one round is made of.
pub(crate) struct Measured {
    /// The earlier snapshot.
    pub(crate) before: Box<Snapshot>,
    /// The load between them.
    pub(crate) load: Option<Box<Load>>,
    /// How many loads there were between them besides that one.
    pub(crate) more_loads: usize,
    /// The later snapshot.
    pub(crate) after: Box<Snapshot>,
}

/// Sorts the records of a stream by trial.
#[derive(Default)]
pub(crate) struct Collector {
    /// By trial id; records without a trial share one place.
    trials: HashMap<Option<String>, Parts>,
    /// How many trials were seen, for their order.
    seen: usize,
}

/// What has come of one trial.
struct Parts {
    place: usize,
    header: Header,
    finished: bool,
    before: Option<Box<Snapshot>>,
    /// Loads between the two snapshots.
    between: Loads,
    after: Option<Box<Snapshot>>,
    /// Loads after the last snapshot so far.
    since: Loads,
}

#[derive(Default)]
struct Loads {
    last: Option<Box<Load>>,
    count: usize,
}

impl Collector {
    /// Takes a record in.
    pub(crate) fn add(&mut self, record: Record) {
        let header = record.header();
        let id = header.trial.as_ref().map(|trial| trial.id.clone());
        let opens_a_round = match record {
            Record::Snapshot(_) | Record::Load(_) | Record::Round(_) => true,
            Record::Setup(_) => id.is_some(),
            _ => false,
        };
        if !opens_a_round {
            return;
        }
        let place = self.seen;
        let parts = self
            .trials
            .entry(id)
            .or_insert_with(|| Parts::new(place, header.clone()));
        self.seen += usize::from(parts.place == place);
        match record {
            Record::Snapshot(snapshot) => parts.add_snapshot(snapshot),
            Record::Load(load) => parts.since.add(load),
            Record::Round(_) => {
                parts.finish();
            }
            _ => {}
        }
    }

    /// What there is to measure, trial by trial in the order of the stream; in place of a trial
    /// that lacks a snapshot, which one it lacks.
    ///
    /// # Errors
    /// There is nothing at all: no snapshot and no finished round.
    pub(crate) fn finish(self) -> Result<Vec<Result<Measured, Failure>>, Failure> {
        if self.trials.is_empty() {
            return Err(Failure::new(
                FailureCode::BadInput,
                "the input holds no snapshot, so there is nothing to compare",
            )
            .remedy("A round is: snapshot | loadgen | snapshot | diff"));
        }
        let mut trials: Vec<Parts> = self.trials.into_values().collect();
        trials.sort_by_key(|parts| parts.place);
        Ok(trials.into_iter().filter_map(Parts::measured).collect())
    }
}

impl Parts {
    fn new(place: usize, header: Header) -> Self {
        Self {
            place,
            header,
            finished: false,
            before: None,
            between: Loads::default(),
            after: None,
            since: Loads::default(),
        }
    }

    /// A third snapshot makes the second the first: the last two count.
    fn add_snapshot(&mut self, snapshot: Box<Snapshot>) {
        self.before = self.after.take();
        self.between = std::mem::take(&mut self.since);
        self.after = Some(snapshot);
        if self.header.trial.is_none() {
            self.finished = false;
        }
    }

    fn finish(&mut self) {
        let mut header = self.header.clone();
        header.target = None;
        *self = Self::new(self.place, header);
        self.finished = true;
    }

    fn measured(self) -> Option<Result<Measured, Failure>> {
        if self.finished {
            return None;
        }
        let load_came_first = self.between.last.is_some();
        let missing = match (self.before, self.after) {
            (Some(before), Some(after)) => {
                return Some(Ok(Measured {
                    before,
                    more_loads: self.between.count.saturating_sub(1),
                    load: self.between.last,
                    after,
                }));
            }
            (_, Some(_)) if load_came_first => "the first snapshot, the one before the load,",
            (_, Some(_)) => "the second snapshot, the one after the load,",
            _ => "every snapshot",
        };
        Some(Err(Failure::new(
            FailureCode::BadInput,
            format!("{missing} is missing in {}", name_of(&self.header)),
        )
        .remedy("A round is: snapshot | loadgen | snapshot | diff. Run it again, or see why it stopped.")))
    }
}

impl Loads {
    fn add(&mut self, load: Box<Load>) {
        self.last = Some(load);
        self.count += 1;
    }
}

/// A trial in words.
pub(crate) fn name_of(header: &Header) -> String {
    match &header.trial {
        Some(trial) => format!(
            "round {} of {} ({}, id {})",
            trial.round, trial.experiment, trial.variant, trial.id
        ),
        None => "the round (its records have no trial)".to_owned(),
    }
}
