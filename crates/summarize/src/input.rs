//! Reading the rounds out of streams.

use crate::intervals::{self, BlockSum, Intervals};
use records::stage::{StageResult, say};
use records::stream::{Fold, Found, open_files, read_selected};
use records::{ExitStatus, Failure, FailureCode, Record, Round};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// What the streams held.
pub(crate) struct Input {
    /// Every round once, in the order of the streams.
    pub(crate) rounds: Vec<Round>,
    /// How many rounds came again, word for word.
    pub(crate) repeated: usize,
    /// The trials in which a stage failed.
    pub(crate) failed_trials: HashSet<String>,
    /// What is inside rounds, where that was asked for.
    pub(crate) intervals: Intervals,
    /// What the reading alone makes of the exit code.
    pub(crate) status: ExitStatus,
}

/// Reads the streams, and their intervals where those are wanted. Lines that cannot be read and stages that failed are said on standard error
/// at once and show in the exit status; the rounds that are good stay.
///
/// # Errors
/// A file cannot be read, there is no round at all, or two different rounds bear one id.
pub(crate) fn read(program: &str, files: &[PathBuf], intervals: bool) -> StageResult<Input> {
    let mut input = Input {
        rounds: Vec::new(),
        repeated: 0,
        failed_trials: HashSet::new(),
        intervals: Intervals::default(),
        status: ExitStatus::Success,
    };
    let mut seen: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut places = HashMap::new();
    for (name, stream) in open_files(files)? {
        let mut clash = None;
        let fold = Fold {
            kind: intervals::KIND,
            add: &BlockSum::add,
        };
        let fold = intervals.then_some(&fold);
        let selection = read_selected(stream, &["round"], fold, |found| match found {
            Found::Sum(sum) => input.intervals.add(sum),
            Found::Record(Record::Round(round)) => {
                if let Err(id) = input.add(*round, &mut places) {
                    clash.get_or_insert(id);
                }
            }
            Found::Record(Record::Error(error)) => {
                input
                    .failed_trials
                    .extend(error.header.trial.map(|trial| trial.id));
            }
            Found::Record(_) => {}
        })?;
        if let Some(id) = clash {
            return Err(Failure::new(
                FailureCode::BadInput,
                format!("{name}: two rounds that differ have the same trial id {id}"),
            )
            .remedy("An id belongs to one round. Remove the one that is wrong from the stream.")
            .into());
        }
        for (kind, count) in selection.seen {
            *seen.entry(kind).or_default() += count;
        }
        input.complain(program, &name, &selection.upstream);
    }
    if input.rounds.is_empty() {
        return Err(no_rounds(&seen, input.status).into());
    }
    Ok(input)
}

impl Input {
    fn add(&mut self, round: Round, places: &mut HashMap<String, usize>) -> Result<(), String> {
        if let Some(trial) = &round.header.trial {
            if let Some(first) = places
                .get(&trial.id)
                .and_then(|place| self.rounds.get(*place))
            {
                if *first != round {
                    return Err(trial.id.clone());
                }
                self.repeated += 1;
                return Ok(());
            }
            places.insert(trial.id.clone(), self.rounds.len());
        }
        self.intervals.end_round(&round);
        self.rounds.push(round);
        Ok(())
    }

    /// The experiments that the rounds are of, each once.
    pub(crate) fn experiment_names(&self) -> Vec<String> {
        let trials = self
            .rounds
            .iter()
            .filter_map(|round| round.header.trial.as_ref());
        let names: std::collections::BTreeSet<&str> =
            trials.map(|trial| trial.experiment.as_str()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn complain(&mut self, program: &str, name: &str, upstream: &records::stream::Upstream) {
        if let Some(error) = &upstream.error {
            let failure = Failure::new(
                FailureCode::Upstream,
                format!("{name}: {} failed: {}", error.header.program, error.message),
            )
            .remedy("What follows is made of the rounds that are complete.");
            say(program, &failure);
            if self.status == ExitStatus::Success {
                self.status = ExitStatus::Upstream;
            }
        }
        if let Some(bad) = &upstream.bad {
            let mut failure = bad.clone();
            failure.message = format!("{name}: {}", bad.message);
            if upstream.bad_lines > 1 {
                let more = upstream.bad_lines - 1;
                failure.message = format!("{} (and {more} more bad lines)", failure.message);
            }
            say(program, &failure);
            self.status = ExitStatus::BadInput;
        }
    }
}

fn no_rounds(seen: &BTreeMap<&'static str, u64>, status: ExitStatus) -> Failure {
    let what: Vec<String> = seen
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let message = match (what.is_empty(), status) {
        (false, _) => format!(
            "the input holds no round, so there is nothing to summarize; it holds {} records",
            what.join(", ")
        ),
        (true, ExitStatus::Success) => "the input is empty".to_owned(),
        (true, _) => "the input holds no record that could be read".to_owned(),
    };
    let code = if status == ExitStatus::Upstream {
        FailureCode::Upstream
    } else {
        FailureCode::BadInput
    };
    Failure::new(code, message)
        .remedy("diff makes rounds: snapshot | loadgen | snapshot | diff >> rounds.jsonl")
}
