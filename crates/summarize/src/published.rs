//! Published figures of an experiment, beside what our rounds came to.

use crate::experiment::{Experiment, Run};
use crate::metric::Metric;
use records::{Failure, FailureCode, Header, PublishedFigure, Round};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What somebody published about an experiment: a file of `--published`.
#[derive(Clone, Debug, Deserialize)]
pub struct Publication {
    /// The experiment.
    pub experiment: String,
    /// What was measured and where, in one sentence.
    pub source: String,
    figures: Vec<Figure>,
    /// What was concluded from it.
    #[serde(default)]
    pub conclusion: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    /// Of which experiment, where a publication is about several.
    experiment: Option<String>,
    variant: String,
    /// Which of our variants it stands beside, where they have other names; `*` is any text.
    beside: Option<String>,
    metric: String,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    text: Option<String>,
}

/// A publication and each of its figures beside ours.
pub struct Published {
    /// What was published.
    pub publication: Publication,
    /// Each of its figures, and ours.
    pub rows: Vec<PublishedFigure>,
}

impl Figure {
    /// The figure as a range (a value is a range of one), or none where it is words.
    fn range(&self) -> Result<Option<(f64, f64)>, String> {
        let range = match (self.value, self.low, self.high, &self.text) {
            (Some(value), None, None, None) => (value, value),
            (None, Some(low), Some(high), None) => (low, high),
            (None, None, None, Some(_)) => return Ok(None),
            _ => {
                return Err(
                    "a figure has a value, or low and high, or a text, and one of these".into(),
                );
            }
        };
        if range.0 > range.1 || range.0 < 0.0 {
            return Err(format!("{} to {} is no range", range.0, range.1));
        }
        Ok(Some(range))
    }
}

impl Figure {
    /// Whether it stands beside one of our variants.
    fn is_beside(&self, variant: &str) -> bool {
        match &self.beside {
            Some(pattern) => matches(pattern, variant),
            None => self.variant == variant,
        }
    }
}

/// Whether a text is what a pattern says, in which `*` is any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|text| {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.filter_map(|at| text.get(at..))
                .any(|tail| matches(rest, tail))
        }),
    }
}

impl Publication {
    /// Its figures of an experiment.
    fn of<'a>(&'a self, experiment: &'a str) -> impl Iterator<Item = &'a Figure> {
        self.figures.iter().filter(move |figure| {
            figure.experiment.as_ref().unwrap_or(&self.experiment) == experiment
        })
    }

    /// Whether a figure of this name says which of our variants it stands beside.
    pub(crate) fn stands_beside(&self, variant: &str) -> bool {
        let mut named = self
            .figures
            .iter()
            .filter(|figure| figure.variant == variant);
        named.any(|figure| figure.beside.is_some())
    }

    /// Whether it has figures of an experiment.
    #[must_use]
    pub fn concerns(&self, experiment: &str) -> bool {
        self.of(experiment).next().is_some()
    }
}

/// Reads the files, and finds each at fault before any figure is shown.
///
/// # Errors
/// A file cannot be read, is not what it should be, or is of an experiment that another is of.
pub(crate) fn read(files: &[PathBuf]) -> Result<Vec<Publication>, Failure> {
    let mut publications: Vec<Publication> = Vec::new();
    for file in files {
        let publication = read_one(file)?;
        if publications
            .iter()
            .any(|seen| seen.experiment == publication.experiment)
        {
            return Err(wrong(
                file,
                &format!("{} has figures already", publication.experiment),
            ));
        }
        publications.push(publication);
    }
    Ok(publications)
}

fn read_one(file: &Path) -> Result<Publication, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(
            FailureCode::BadInput,
            format!("{}: cannot be read: {error}", file.display()),
        )
        .remedy("--published takes a file of published figures, such as fixtures/recovery-model/published.json.")
    })?;
    let publication: Publication =
        serde_json::from_str(&text).map_err(|error| wrong(file, &error.to_string()))?;
    for figure in &publication.figures {
        let fault = figure.range().err().or_else(|| {
            (!is_field(&figure.metric)).then(|| "no field of a round is called that".to_owned())
        });
        if let Some(fault) = fault {
            let what = format!("{} of {}: {fault}", figure.metric, figure.variant);
            return Err(wrong(file, &what));
        }
    }
    Ok(publication)
}

fn wrong(file: &Path, what: &str) -> Failure {
    Failure::new(FailureCode::BadInput, format!("{}: {what}", file.display()))
        .remedy("The page docs/stream.md says what a file of published figures holds.")
}

/// Whether rounds have a number or a word of this name.
fn is_field(metric: &str) -> bool {
    let schema = records::schema::json_schema();
    let fields = schema.pointer("/$defs/Round/properties");
    Metric::named(metric).is_some() || fields.is_some_and(|fields| fields.get(metric).is_some())
}

impl Published {
    /// Sets each figure beside ours. Where ours have other names, those that a figure in words
    /// stands beside follow it, one by one; and all of ours, where a metric has no figure on any.
    pub(crate) fn new(publication: Publication, experiment: &Experiment, header: &Header) -> Self {
        let figures: Vec<&Figure> = publication.of(&experiment.name).collect();
        let mut rows: Vec<PublishedFigure> = Vec::new();
        let mut metrics: Vec<&str> = Vec::new();
        for figure in &figures {
            if !metrics.contains(&figure.metric.as_str()) {
                metrics.push(&figure.metric);
            }
        }
        let row = |name: &str, metric: &str, which: &dyn Fn(&str) -> bool| PublishedFigure {
            source: publication.source.clone(),
            ..beside(experiment, name, metric, header, which)
        };
        let ours = |name: &str, metric: &str| row(name, metric, &|variant| variant == name);
        for metric in metrics {
            let mut stand_alone = true;
            for figure in figures.iter().filter(|figure| figure.metric == metric) {
                let matched: Vec<&String> = experiment
                    .variants
                    .iter()
                    .filter(|variant| figure.is_beside(variant))
                    .collect();
                stand_alone &= matched.is_empty();
                let one_by_one = figure.beside.is_some() && figure.text.is_some();
                let mut published = row(&figure.variant, metric, &|variant| {
                    !one_by_one && figure.is_beside(variant)
                });
                published.published_text.clone_from(&figure.text);
                if let Ok(Some((low, high))) = figure.range() {
                    (published.published_low, published.published_high) = (Some(low), Some(high));
                    published.ratio_low = ratio(published.median, high);
                    published.ratio_high = ratio(published.median, low);
                }
                rows.push(published);
                if one_by_one {
                    rows.extend(matched.iter().map(|variant| ours(variant, metric)));
                }
            }
            if stand_alone {
                let all = experiment.variants.iter();
                rows.extend(all.map(|variant| ours(variant, metric)));
            }
        }
        Self { publication, rows }
    }
}

fn ratio(ours: Option<f64>, published: f64) -> Option<f64> {
    ours.map(|ours| ours / published)
        .filter(|ratio| ratio.is_finite())
}

/// What ours, those of `which` variants, came to on one metric: the median and the extremes of a
/// number, each word of what is none.
fn beside(
    experiment: &Experiment,
    variant: &str,
    metric: &str,
    header: &Header,
    which: &dyn Fn(&str) -> bool,
) -> PublishedFigure {
    let runs = || experiment.counting().filter(|run| which(&run.variant));
    let values: Vec<f64> = runs().filter_map(|run| number(run, metric)).collect();
    let words: BTreeSet<String> = runs().filter_map(|run| word(&run.round, metric)).collect();
    let described = statistics::describe(&values).ok();
    PublishedFigure {
        header: header.clone(),
        experiment: experiment.name.clone(),
        variant: variant.to_owned(),
        metric: metric.to_owned(),
        published_low: None,
        published_high: None,
        published_text: None,
        n: runs().count() as u64,
        min: described.as_ref().map(|figures| figures.min),
        median: described.as_ref().map(|figures| figures.median),
        max: described.as_ref().map(|figures| figures.max),
        text: (!words.is_empty()).then(|| words.into_iter().collect::<Vec<_>>().join(", ")),
        ratio_low: None,
        ratio_high: None,
        source: String::new(),
    }
}

fn number(run: &Run, metric: &str) -> Option<f64> {
    match Metric::named(metric) {
        Some(metric) => metric.of(&run.round),
        None => field(&run.round, metric)?.as_f64(),
    }
}

fn word(round: &Round, metric: &str) -> Option<String> {
    field(round, metric)?.as_str().map(str::to_owned)
}

fn field(round: &Round, name: &str) -> Option<serde_json::Value> {
    serde_json::to_value(round).ok()?.get(name).cloned()
}

#[cfg(test)]
mod tests {
    use super::{Published, read};
    use crate::experiment::Experiment;
    use crate::testing::rounds_of;
    use records::Header;
    use std::path::Path;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn every_published_file_of_the_project_reads() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let files: Vec<_> = std::fs::read_dir(fixtures)
            .unwrap()
            .map(|entry| entry.unwrap().path().join("published.json"))
            .filter(|file| file.exists())
            .collect();
        assert!(!files.is_empty());
        for publication in read(&files).unwrap() {
            assert!(!publication.source.is_empty() && !publication.figures.is_empty());
        }
    }

    #[test]
    fn a_star_in_a_pattern_is_any_text() {
        for (pattern, text, is) in [
            ("*", "", true),
            ("*MB", "64MB", true),
            ("*MB", "64MB zeroed", false),
            ("*MB zeroed", "64MB zeroed", true),
            ("* steps", "500 steps", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("64MB", "64MB", true),
            ("ä*", "äö", true),
        ] {
            assert_eq!(super::matches(pattern, text), is, "{pattern} {text}");
        }
    }

    #[test]
    fn ours_of_other_names_stand_beside_a_figure_and_follow_one_in_words() {
        let file = file(
            r#"{"experiment": "mine", "source": "s", "figures": [
                {"experiment": "recovery-model", "variant": "any", "beside": "*MB",
                 "metric": "elapsed_ms", "value": 50},
                {"experiment": "recovery-model", "variant": "grows", "beside": "*MB",
                 "metric": "log_writes", "text": "with the size"},
                {"experiment": "other", "variant": "1MB", "metric": "elapsed_ms", "value": 1}]}"#,
        );
        let publication = read(&[file.path().to_path_buf()]).unwrap().remove(0);
        assert!(publication.concerns("recovery-model") && publication.concerns("other"));
        assert!(!publication.concerns("mine"));
        let rounds = rounds_of(&[("1MB", 90.0), ("2MB", 110.0), ("else", 7.0)]);
        let experiment = &Experiment::sort(rounds, None)[0];
        let rows = Published::new(publication, experiment, &Header::now("t")).rows;
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.variant.as_str(), row.n, row.published_text.is_some()))
            .collect();
        assert_eq!(
            seen,
            [
                ("any", 2, false),
                ("grows", 0, true),
                ("1MB", 1, false),
                ("2MB", 1, false)
            ]
        );
        assert_eq!((rows[0].min, rows[0].max), (Some(90.0), Some(110.0)));
        assert_eq!(
            (rows[0].median, rows[0].ratio_low),
            (Some(100.0), Some(2.0))
        );
    }

    #[test]
    fn a_figure_at_fault_is_named_with_its_file() {
        for (figure, says) in [
            (r#""metric": "elapsed_ms""#, "a figure has a value"),
            (
                r#""metric": "elapsed_ms", "value": 1, "text": "x""#,
                "a figure has a value",
            ),
            (
                r#""metric": "elapsed_ms", "low": 2, "high": 1"#,
                "2 to 1 is no range",
            ),
            (r#""metric": "elapsed", "value": 1"#, "elapsed of FULL"),
            (r#""metric": "elapsed_ms", "vaule": 1"#, "vaule"),
        ] {
            let file = file(&format!(
                r#"{{"experiment": "e", "source": "s", "figures": [{{"variant": "FULL", {figure}}}]}}"#
            ));
            let failure = read(&[file.path().to_path_buf()]).unwrap_err();
            assert!(failure.message.contains(says), "{}", failure.message);
            assert!(failure.message.contains(&file.path().display().to_string()));
        }
    }

    #[test]
    fn figures_stand_beside_the_median_and_variants_of_another_name_are_shown_too() {
        let file = file(
            r#"{"experiment": "recovery-model", "source": "s", "figures": [
                {"variant": "A", "metric": "elapsed_ms", "low": 50, "high": 200},
                {"variant": "B", "metric": "elapsed_ms", "text": "more"},
                {"variant": "SATA", "metric": "log_writes", "value": 7}]}"#,
        );
        let publication = read(&[file.path().to_path_buf()]).unwrap().remove(0);
        let rounds = rounds_of(&[("A", 90.0), ("B", 5.0), ("B", 7.0), ("A", 110.0)]);
        let experiment = &Experiment::sort(rounds, None)[0];
        let published = Published::new(publication, experiment, &Header::now("t"));
        let seen: Vec<_> = published
            .rows
            .iter()
            .map(|row| (row.variant.as_str(), row.metric.as_str(), row.n))
            .collect();
        assert_eq!(
            seen,
            [
                ("A", "elapsed_ms", 2),
                ("B", "elapsed_ms", 2),
                ("SATA", "log_writes", 0),
                ("A", "log_writes", 2),
                ("B", "log_writes", 2)
            ]
        );
        let first = &published.rows[0];
        assert_eq!(
            (first.min, first.median, first.max),
            (Some(90.0), Some(100.0), Some(110.0))
        );
        assert_eq!((first.ratio_low, first.ratio_high), (Some(0.5), Some(2.0)));
        let words = &published.rows[1];
        assert_eq!(
            (words.published_text.as_deref(), words.ratio_low),
            (Some("more"), None)
        );
        assert_eq!(
            published.rows[2].median, None,
            "never 0 where nothing was measured"
        );
        assert_eq!(published.rows[3].published_low, None);
    }
}
