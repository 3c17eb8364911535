//! Each file over the rounds of each variant.

use crate::experiment::{Experiment, Run};
use crate::metric::{GB, over, signed};
use records::{FileRound, FileSummary, Header, Target};

/// Milliseconds for each GB that so many bytes in so long a time come to.
pub(crate) fn ms_per_gb(elapsed_ms: Option<f64>, bytes: Option<f64>) -> Option<f64> {
    over(elapsed_ms.map(|ms| ms * GB), bytes)
}

/// Bytes a second.
pub(crate) fn per_second(bytes: Option<f64>, elapsed_ms: Option<f64>) -> Option<f64> {
    over(bytes.map(|bytes| bytes * 1000.0), elapsed_ms)
}

/// A summary of each file of each variant and database, in the order in which they first come.
pub(crate) fn summarize(experiment: &Experiment) -> Vec<FileSummary> {
    let mut groups: Vec<Group> = Vec::new();
    for run in experiment.counting() {
        for file in run.round.files.iter().flatten() {
            match groups.iter_mut().find(|group| group.takes(run, file)) {
                Some(group) => group.rounds.push((run, file)),
                None => groups.push(Group {
                    rounds: vec![(run, file)],
                    run,
                    file,
                }),
            }
        }
    }
    groups.iter().map(|group| group.sum(experiment)).collect()
}

/// One file's rounds.
struct Group<'a> {
    /// The first of them.
    run: &'a Run,
    file: &'a FileRound,
    rounds: Vec<(&'a Run, &'a FileRound)>,
}

impl Group<'_> {
    fn takes(&self, run: &Run, file: &FileRound) -> bool {
        same_database(self.run, run)
            && self.file.file_id == file.file_id
            && self.file.physical_name == file.physical_name
    }

    fn sum(&self, experiment: &Experiment) -> FileSummary {
        let total = |of: fn(&FileRound) -> i64| -> Option<i64> {
            self.rounds
                .iter()
                .try_fold(0_i64, |sum, (_, file)| sum.checked_add(of(file)))
        };
        let elapsed_ms: Option<f64> = self
            .rounds
            .iter()
            .map(|(run, _)| run.round.elapsed_ms)
            .sum();
        let bytes_written = total(|file| file.bytes_written);
        let writes = total(|file| file.writes);
        let write_stall_ms = total(|file| file.write_stall_ms);
        let growth_bytes = total(|file| file.growth_bytes);
        let n = self.rounds.len() as u64;
        let mean = |sum: Option<f64>| over(sum, unsigned(n));
        let not_here = experiment
            .rounds
            .iter()
            .filter(|run| same_database(self.run, run))
            .filter(|run| run.set_aside.is_some() || run.round.files.is_none());
        let header = &self.run.round.header;
        FileSummary {
            header: Header::now(crate::PROGRAM).on(header.target.clone(), header.server.clone()),
            experiment: experiment.name.clone(),
            variant: self.run.variant.clone(),
            file_id: self.file.file_id,
            file_kind: self.file.kind,
            logical_name: self.file.logical_name.clone(),
            physical_name: self.file.physical_name.clone(),
            n,
            set_aside: not_here.count() as u64,
            bytes_written,
            writes,
            write_stall_ms,
            growth_bytes,
            elapsed_ms,
            write_stall_mean_ms: over(signed(write_stall_ms), signed(writes)),
            bytes_written_mean: mean(signed(bytes_written)),
            writes_mean: mean(signed(writes)),
            growth_bytes_mean: mean(signed(growth_bytes)),
            elapsed_mean_ms: mean(elapsed_ms),
            bytes_written_per_s: per_second(signed(bytes_written), elapsed_ms),
            elapsed_ms_per_gb: ms_per_gb(elapsed_ms, signed(bytes_written)),
        }
    }
}

/// Whether two rounds are of one variant and one database.
fn same_database(a: &Run, b: &Run) -> bool {
    a.variant == b.variant && a.round.header.target == b.round.header.target
}

/// The database of a round; a dash where its record does not say.
pub(crate) fn database(target: Option<&Target>) -> &str {
    target.map_or("-", |target| target.database.as_str())
}

fn unsigned(count: u64) -> Option<f64> {
    signed(i64::try_from(count).ok())
}

#[cfg(test)]
mod tests {
    use super::summarize;
    use crate::experiment::Experiment;
    use crate::testing::rounds_of;
    use records::{FileKind, FileRound};

    fn file(file_id: i32, bytes: i64, writes: i64, stall_ms: i64) -> FileRound {
        FileRound {
            file_id,
            kind: FileKind::Rows,
            logical_name: format!("f{file_id}"),
            physical_name: format!("/d/f{file_id}"),
            bytes_written: bytes,
            writes,
            write_stall_ms: stall_ms,
            write_stall_mean_ms: None,
            bytes_read: 0,
            size_bytes: 0,
            growth_bytes: 0,
        }
    }

    fn summaries(rounds: &[(&str, f64, Vec<FileRound>)]) -> Vec<records::FileSummary> {
        let times: Vec<(&str, f64)> = rounds.iter().map(|(v, ms, _)| (*v, *ms)).collect();
        let mut input = rounds_of(&times);
        for (round, (_, _, files)) in input.rounds.iter_mut().zip(rounds) {
            round.files = Some(files.clone());
        }
        summarize(&Experiment::sort(input, None)[0])
    }

    #[test]
    fn the_mean_stall_is_that_of_all_writes_and_no_mean_of_means() {
        // 10 writes of 1 ms and 1 write of 100 ms: (10 + 100) / 11 = 10, not (1 + 100) / 2.
        let rounds = [
            ("A", 10.0, vec![file(1, 100, 10, 10)]),
            ("A", 30.0, vec![file(1, 300, 1, 100)]),
        ];
        let all = summaries(&rounds);
        assert_eq!(all.len(), 1);
        let close = |got: Option<f64>, expected: f64| (got.unwrap() - expected).abs() < 1e-9;
        assert_eq!((all[0].n, all[0].write_stall_ms), (2, Some(110)));
        assert!(close(all[0].write_stall_mean_ms, 10.0));
        assert!(close(all[0].writes_mean, 5.5));
        assert!(close(all[0].elapsed_mean_ms, 20.0));
        assert!(close(all[0].bytes_written_per_s, 400.0 / 0.04));
    }

    #[test]
    fn a_file_without_a_write_has_no_mean_and_its_totals_are_zero() {
        let all = summaries(&[("A", 10.0, vec![file(1, 0, 0, 0)])]);
        assert_eq!(all[0].write_stall_mean_ms, None);
        assert_eq!(all[0].elapsed_ms_per_gb, None);
        assert_eq!((all[0].bytes_written, all[0].writes), (Some(0), Some(0)));
        assert_eq!(all[0].bytes_written_per_s, Some(0.0));
    }

    #[test]
    fn totals_pass_ten_gigabytes_exactly_and_a_sum_beyond_64_bits_is_none() {
        let ten_gb = 10 * (1_i64 << 30) + 1;
        let round = || ("A", 1.0, vec![file(1, ten_gb, 1, 1)]);
        assert_eq!(
            summaries(&[round(), round(), round()])[0].bytes_written,
            Some(32_212_254_723)
        );
        let most = || ("A", 1.0, vec![file(1, i64::MAX, 1, 1)]);
        assert_eq!(summaries(&[most(), most()])[0].bytes_written, None);
    }

    #[test]
    fn variants_and_files_are_kept_apart_in_the_order_in_which_they_come() {
        let files = || vec![file(1, 1, 1, 1), file(2, 2, 2, 2)];
        let all = summaries(&[
            ("B", 1.0, files()),
            ("A", 1.0, files()),
            ("B", 1.0, files()),
        ]);
        let names: Vec<(&str, i32, u64)> = all
            .iter()
            .map(|f| (f.variant.as_str(), f.file_id, f.n))
            .collect();
        assert_eq!(names, [("B", 1, 2), ("B", 2, 2), ("A", 1, 1), ("A", 2, 1)]);
    }
}
