//! The page.

use crate::chart::Chart;
use crate::charts::{all, server_waits};
use crate::settings::settings;
use crate::svg;
use crate::theme;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use records::{ComparisonVerdict, Failure, Header, SummaryWarning};
use summarize::latency_table;
use summarize::published_table;
use summarize::{Grid, Summary, TableName, printable, tables, verdict_word};

const STYLE: &str = include_str!("page.css");

/// The page of these experiments, a section each.
///
/// # Errors
/// A chart could not be drawn.
pub(crate) fn page(summaries: &[Summary]) -> Result<String, Failure> {
    let sections = summaries
        .iter()
        .enumerate()
        .map(|(place, summary)| section(summary, place + 1))
        .collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = summaries
        .iter()
        .map(|summary| printable(&summary.experiment.name))
        .collect();
    let made = Header::now(crate::PROGRAM);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (names.join(", ")) (on_labdb(summaries)) " – writelog" }
                style { (PreEscaped(theme::css())) (PreEscaped(STYLE)) }
            }
            body {
                (svg::patterns())
                @if summaries.len() > 1 {
                    nav aria-label="Experiments" {
                        @for (place, name) in names.iter().enumerate() {
                            a href={ "#experiment-" (place + 1) } { (name) }
                        }
                    }
                }
                main { @for section in &sections { (section) } }
                footer {
                    "Made by " (made.program) " at " (minute(made.at)) ". The unit is the round; "
                    "variants are compared by the exact sign-flip test of log ratios within pairs, "
                    "with its inverted interval and the Hodges-Lehmann ratio; p after Holm. "
                    "1 MB is 1,048,576 bytes. Times are UTC."
                }
            }
        }
    };
    Ok(markup.into_string() + "\n")
}

/// What a bookmark or a printed page must not lose.
fn on_labdb(summaries: &[Summary]) -> &'static str {
    let runs = summaries
        .iter()
        .flat_map(|summary| &summary.experiment.rounds);
    let mut servers = runs.filter_map(|run| run.round.header.server.as_ref());
    if servers.any(records::Server::is_labdb) {
        ", on labdb, which is not SQL Server"
    } else {
        ""
    }
}

fn minute(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

fn section(summary: &Summary, place: usize) -> Result<Markup, Failure> {
    let charts = all(summary)?;
    // What the verdict rests on, then what else was seen.
    let about_verdict = |chart: &&Chart| ["rounds", "pairs", "intervals"].contains(&chart.name);
    let (first, rest): (Vec<&Chart>, Vec<&Chart>) = charts.iter().partition(about_verdict);
    let title = summary.title();
    let name = &summary.experiment.name;
    let measured = title.strip_prefix(name.as_str()).unwrap_or(&title);
    let measured = measured.trim_start_matches([':', ' ']);
    let warnings = summary.distinct_warnings(&TABLES);
    let (first_warnings, more_warnings) = warnings.split_at(warnings.len().min(WARNINGS));
    Ok(html! {
        section.experiment id={ "experiment-" (place) } {
            h1 { (printable(name)) }
            p.where { (sentence_case(measured)) (when(summary)) "." }
            (verdicts(summary))
            @if !warnings.is_empty() {
                h2 { "What limits this" }
                (list(first_warnings))
                @if !more_warnings.is_empty() {
                    details {
                        summary { "And " (crate::charts::count(more_warnings.len(), "more note")) }
                        (list(more_warnings))
                    }
                }
            }
            @for chart in first { (figure(chart, place)) }
            @if let Some(ranking) = tables::ranking(&summary.ranking) {
                h2 { "The variants in their order" }
                p { "Each is compared with every other; what could not be told apart shares a rank." }
                (table(&ranking))
            }
            h2 { "The variants" }
            @for grid in tables::variants(&summary.variants, &summary.metrics) { (table(&grid)) }
            @match tables::medians(&summary.variants, &summary.metrics) {
                Some(medians) => (table(&medians)),
                None => p { "There are too few rounds for the interval of any median." },
            }
            @if summary.latencies.tell_something() {
                (table(&latency_table::table(&summary.latencies)))
            }
            @if let Some(fitted) = tables::time_against_size(&summary.experiment) {
                (table(&fitted.grid))
                @for line in &fitted.words { p { (prose(line)) } }
            }
            @if let Some(published) = &summary.published {
                h2 { (published_table::TITLE) }
                @for grid in published_table::tables(published) { (table(&grid)) }
                @for line in published_table::words(published) { p { (prose(&line)) } }
            }
            @for chart in rest { (figure(chart, place)) }
            @if let Some(waits) = server_waits(summary) {
                details { summary { "Waits of the whole server" } (table(&waits)) }
            }
            h2 { "Server and settings" }
            @for grid in settings(&summary.experiment) { (table(&grid)) }
        }
    })
}

const TABLES: [TableName; 4] = [
    TableName::Comparison,
    TableName::Variants,
    TableName::Latency,
    TableName::Rounds,
];

fn sentence_case(text: &str) -> String {
    let text = printable(text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// `, 12 rounds from 2025-03-01 09:00:00 to 09:12:31`.
fn when(summary: &Summary) -> String {
    let rounds = &summary.experiment.rounds;
    let first = rounds.iter().map(|run| run.round.started).min();
    let last = rounds.iter().map(|run| run.round.ended).max();
    let count = crate::charts::count(rounds.len(), "round");
    match (first, last) {
        (Some(first), Some(last)) => {
            let day = |at: jiff::Timestamp| at.strftime("%Y-%m-%d").to_string();
            let end = if day(first) == day(last) {
                "%H:%M:%S"
            } else {
                "%Y-%m-%d %H:%M:%S"
            };
            let (first, last) = (first.strftime("%Y-%m-%d %H:%M:%S"), last.strftime(end));
            format!(", {count} from {first} to {last}")
        }
        _ => String::new(),
    }
}

/// So many verdicts are written large; more would push everything else off the page.
const LARGE: usize = 3;

/// So many warnings are shown at once, the rest on demand.
const WARNINGS: usize = 6;

/// The sentences of the headline, each with its verdict in a shape and a word.
fn verdicts(summary: &Summary) -> Markup {
    let headlines: Vec<_> = summary
        .comparisons
        .iter()
        .filter(|comparison| comparison.headline)
        .collect();
    let class_of_all = if headlines.len() > LARGE {
        "verdicts many"
    } else {
        "verdicts"
    };
    html! {
        div class=(class_of_all) {
        @for (place, (sentence, verdict)) in summary.sentences().into_iter().enumerate() {
            @let (class, sign) = signs(verdict);
            // A ranking, or what crashes cost, is no verdict and has no word above it.
            @let word = match verdict {
                Some(_) => headlines.get(place).map(|row| verdict_word(row)),
                None => summary
                    .nothing_to_compare()
                    .filter(|missing| *missing == sentence)
                    .map(|_| "nothing to compare"),
            };
            div class={ "verdict " (class) } {
                @if let Some(word) = word {
                    p.word { span aria-hidden="true" { (sign) } " " (sentence_case(word)) }
                }
                p { (prose(word.map_or(sentence.as_str(), |word| after_the_word(&sentence, word)))) }
            }
        }
        }
    }
}

fn list(warnings: &[&SummaryWarning]) -> Markup {
    html! {
        ul.warnings { @for warning in warnings { li { (prose(&warning.text)) } } }
    }
}

/// Text that keeps a number and its percent sign on one line.
fn prose(text: &str) -> String {
    printable(text).replace(" %", "\u{a0}%")
}

/// What follows the verdict's word, which stands above it already.
fn after_the_word<'a>(sentence: &'a str, word: &str) -> &'a str {
    match sentence.split_once(": ") {
        Some((first, rest)) if first.eq_ignore_ascii_case(word) => rest,
        _ => sentence,
    }
}

fn signs(verdict: Option<ComparisonVerdict>) -> (&'static str, &'static str) {
    match verdict {
        Some(ComparisonVerdict::Faster) => ("less", "▼"),
        Some(ComparisonVerdict::Slower) => ("more", "▲"),
        Some(ComparisonVerdict::Equivalent) => ("same", "="),
        Some(ComparisonVerdict::Inconclusive) => ("open", "?"),
        None => ("open", "–"),
    }
}

fn figure(chart: &Chart, place: usize) -> Markup {
    let id = format!("e{place}-{}", chart.name);
    html! {
        figure id=(id) {
            h2 { (printable(&chart.title)) }
            (svg::figure(chart, &id))
            figcaption { (prose(&chart.caption)) }
        }
        details {
            summary { "The numbers" }
            @for grid in &chart.tables { (table(grid)) }
        }
    }
}

/// A text that may break within paths and long names.
fn breakable(cell: &str) -> Markup {
    let text = printable(cell);
    html! {
        @for (place, part) in text.split_inclusive(['/', '\\', '_']).enumerate() {
            @if place > 0 { wbr; }
            (part)
        }
    }
}

/// A table, which scrolls by itself where it is wider than the page.
fn table(grid: &Grid) -> Markup {
    // The head of the first column says it already.
    let first = grid.columns.first();
    let told = first.is_some_and(|column| column.head == grid.title);
    html! {
        div.scroll tabindex="0" role="group" aria-label=(printable(&grid.title)) {
            table {
                caption.hidden[told] { (printable(&grid.title)) }
                thead {
                    tr {
                        @for column in &grid.columns {
                            th.n[column.number] scope="col" { (printable(&column.head)) }
                        }
                    }
                }
                tbody {
                    @for row in &grid.rows {
                        tr {
                            @for (cell, column) in row.iter().zip(&grid.columns) {
                                td.n[column.number] { (breakable(cell)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
