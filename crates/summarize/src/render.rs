//! Writing summaries as text or Markdown.

use crate::cli::TableName;
use crate::file_tables;
use crate::grid::{Grid, markdown, printable};
use crate::intervals_table;
use crate::latency_table;
use crate::published_table;
use crate::summary::Summary;
use crate::tables;
use anstyle::{AnsiColor, Style};
use records::ComparisonVerdict;
use std::fmt::Write;

/// Text that fits into `width` columns; with colour where asked for.
pub(crate) fn text(summary: &Summary, shown: &[TableName], width: u16, colour: bool) -> String {
    let bold = |text: &str| painted(text, Style::new().bold(), colour);
    let mut out = String::new();
    let columns = usize::from(width);
    let title = wrap(&printable(&summary.title()), "", columns);
    let _ = writeln!(out, "{}", bold(title.trim_end()));
    for table in shown {
        match table {
            TableName::Rounds => {
                let grid = tables::rounds(&summary.experiment);
                let _ = write!(out, "\n{}\n{}", bold(&grid.title), grid.to_text(width));
            }
            TableName::Variants => {
                let _ = writeln!(out, "\n{}", bold("Variants"));
                let grids = tables::variants(&summary.variants, &summary.metrics);
                let texts: Vec<String> = grids.iter().map(|grid| grid.to_text(width)).collect();
                out += &texts.join("\n");
                if let Some(against) = tables::time_against_size(&summary.experiment) {
                    let grid = &against.grid;
                    let title = wrap(&grid.title, "", columns);
                    let _ = write!(out, "\n{}\n{}", bold(title.trim_end()), grid.to_text(width));
                    for line in &against.words {
                        out += &wrap(line, "  ", columns);
                    }
                }
            }
            TableName::FileAverages | TableName::FileTotals | TableName::FilePasses => {
                let (title, grids) = file_grids(summary, *table, true);
                let _ = writeln!(out, "\n{}", bold(&wrap(title, "", columns)).trim_end());
                let texts: Vec<String> = grids.iter().map(|grid| grid.to_text(width)).collect();
                out += &texts.join("\n");
            }
            TableName::Speed => {
                let grid = file_tables::speed(&summary.speeds);
                let _ = write!(out, "\n{}\n{}", bold(&grid.title), grid.to_text(width));
                if let Some(missing) = file_tables::no_interval(&summary.speeds, summary.confidence)
                {
                    out.push('\n');
                    out += &wrap(&missing, "", columns);
                }
            }
            TableName::Latency => {
                let grid = latency_table::table(&summary.latencies);
                let title = wrap(&grid.title, "", columns);
                let _ = write!(out, "\n{}\n{}", bold(title.trim_end()), grid.to_text(width));
            }
            TableName::Intervals => {
                let grid = intervals_table::grid(&summary.intervals);
                let _ = write!(out, "\n{}\n{}", bold(&grid.title), grid.to_text(width));
                for line in intervals_table::words(summary) {
                    out += &wrap(&printable(&line), "", columns);
                }
            }
            TableName::Comparison | TableName::Verdict => {
                if *table == TableName::Comparison && !summary.comparisons.is_empty() {
                    let grid = tables::comparison(&summary.comparisons);
                    let _ = write!(out, "\n{}\n{}", bold(&grid.title), grid.to_text(width));
                }
                if *table == TableName::Comparison {
                    out.push('\n');
                }
                for (sentence, verdict) in summary.sentences() {
                    let wrapped = wrap(&printable(&sentence), "", columns);
                    out += &paint_first_word(&wrapped, verdict, colour);
                }
            }
            TableName::Published => {
                if let Some(published) = &summary.published {
                    let _ = writeln!(out, "\n{}", bold(published_table::TITLE));
                    let grids = published_table::tables(published);
                    let texts: Vec<String> = grids.iter().map(|grid| grid.to_text(width)).collect();
                    out += &texts.join("\n");
                    out.push('\n');
                    for line in published_table::words(published) {
                        out += &wrap(&printable(&line), "  ", columns);
                    }
                }
            }
        }
    }
    let warnings = summary.distinct_warnings(shown);
    if !warnings.is_empty() {
        out.push('\n');
    }
    for warning in warnings {
        out += &wrap(
            &printable(&format!("Note: {}", warning.text)),
            "  ",
            columns,
        );
    }
    out
}

/// What a table of files is called, and its parts; names of files shortened or in full.
fn file_grids(summary: &Summary, table: TableName, shortened: bool) -> (&'static str, Vec<Grid>) {
    match table {
        TableName::FileAverages => (
            "Files: averages a pass (1 MB is 1,048,576 bytes; ms/write: all stall over all writes)",
            file_tables::averages(&summary.files, shortened),
        ),
        TableName::FileTotals => (
            "Files: totals over all passes (stall s: the sum over all writes)",
            file_tables::totals(&summary.files, shortened),
        ),
        _ => (
            "Files: every pass (s: of the whole pass, all files together)",
            file_tables::passes(&summary.experiment, shortened),
        ),
    }
}

/// Markdown that renders.
pub(crate) fn markdown_page(summary: &Summary, shown: &[TableName]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## {}", markdown(&summary.title()));
    let section = |out: &mut String, grid: &Grid| {
        let _ = write!(
            out,
            "\n### {}\n\n{}",
            markdown(&grid.title),
            grid.to_markdown()
        );
    };
    for table in shown {
        match table {
            TableName::Rounds => section(&mut out, &tables::rounds(&summary.experiment)),
            TableName::Variants => {
                for mut grid in tables::variants(&summary.variants, &summary.metrics) {
                    grid.title = format!("Variants: {}", grid.title);
                    section(&mut out, &grid);
                }
                if let Some(against) = tables::time_against_size(&summary.experiment) {
                    section(&mut out, &against.grid);
                    for line in &against.words {
                        let _ = writeln!(out, "\n{}", markdown(line));
                    }
                }
            }
            TableName::FileAverages | TableName::FileTotals | TableName::FilePasses => {
                let (title, grids) = file_grids(summary, *table, false);
                let _ = writeln!(out, "\n### {}", markdown(title));
                for grid in grids {
                    let _ = write!(out, "\n{}", grid.to_markdown());
                }
            }
            TableName::Speed => {
                section(&mut out, &file_tables::speed(&summary.speeds));
                if let Some(missing) = file_tables::no_interval(&summary.speeds, summary.confidence)
                {
                    let _ = writeln!(out, "\n{}", markdown(&missing));
                }
            }
            TableName::Latency => section(&mut out, &latency_table::table(&summary.latencies)),
            TableName::Intervals => {
                section(&mut out, &intervals_table::grid(&summary.intervals));
                for line in intervals_table::words(summary) {
                    let _ = writeln!(out, "\n{}", markdown(&line));
                }
            }
            TableName::Comparison | TableName::Verdict => {
                if *table == TableName::Comparison && !summary.comparisons.is_empty() {
                    section(&mut out, &tables::comparison(&summary.comparisons));
                }
                for (sentence, _) in summary.sentences() {
                    let (verdict, rest) = sentence.split_once(':').unwrap_or(("", &sentence));
                    if verdict.is_empty() {
                        let _ = writeln!(out, "\n{}", markdown(rest));
                    } else {
                        let _ = writeln!(out, "\n**{}**:{}", markdown(verdict), markdown(rest));
                    }
                }
            }
            TableName::Published => {
                if let Some(published) = &summary.published {
                    for mut grid in published_table::tables(published) {
                        grid.title = format!("{}: {}", published_table::TITLE, grid.title);
                        section(&mut out, &grid);
                    }
                    for line in published_table::words(published) {
                        let _ = writeln!(out, "\n{}", markdown(&line));
                    }
                }
            }
        }
    }
    let warnings = summary.distinct_warnings(shown);
    if !warnings.is_empty() {
        out.push('\n');
    }
    for warning in warnings {
        let _ = writeln!(out, "- Note: {}", markdown(&warning.text));
    }
    out
}

fn painted(text: &str, style: Style, colour: bool) -> String {
    if colour {
        format!("{}{text}{}", style.render(), style.render_reset())
    } else {
        text.to_owned()
    }
}

/// Colours the word of the verdict; the word itself says it too.
fn paint_first_word(text: &str, verdict: Option<ComparisonVerdict>, colour: bool) -> String {
    let hue = match verdict {
        Some(ComparisonVerdict::Faster) => AnsiColor::Green,
        Some(ComparisonVerdict::Slower) => AnsiColor::Red,
        Some(ComparisonVerdict::Equivalent) => AnsiColor::Cyan,
        Some(ComparisonVerdict::Inconclusive) => AnsiColor::Yellow,
        None => return text.to_owned(),
    };
    match text.split_once(':') {
        Some((word, rest)) => {
            let style = Style::new().bold().fg_color(Some(hue.into()));
            format!("{}:{rest}", painted(word, style, colour))
        }
        None => text.to_owned(),
    }
}

/// Breaks text at blanks so that no line passes `width` columns, save where a word does.
fn wrap(text: &str, indent: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            out += line.trim_end();
            out.push('\n');
            line.clear();
            line += indent;
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    out += &line;
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn text_is_broken_at_blanks_and_continued_under_an_indent() {
        assert_eq!(
            wrap("one two three four", "  ", 9),
            "one two\n  three\n  four\n"
        );
        assert_eq!(
            wrap("a-word-that-is-long b", "", 5),
            "a-word-that-is-long\nb\n"
        );
    }
}
