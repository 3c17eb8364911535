//! Markdown as others' parsers read it: tables are tables, and a name stays text in its cell.

use super::{changed, fixture, records, summarize};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

/// What `CommonMark` with GitHub's tables makes of a page.
#[derive(Default)]
struct Page {
    headings: Vec<String>,
    /// Each with its head as the first row.
    tables: Vec<Vec<Vec<String>>>,
    paragraphs: Vec<String>,
    items: Vec<String>,
    /// Markup that has no business here: HTML, links, images, code, emphasis inside cells.
    strange: Vec<String>,
}

fn parsed(markdown: &str) -> Page {
    let mut page = Page::default();
    let mut text = String::new();
    let mut in_table = false;
    for event in Parser::new_ext(
        markdown,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
    ) {
        match event {
            Event::Start(Tag::Table(_)) => {
                page.tables.push(Vec::new());
                in_table = true;
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                page.tables.last_mut().unwrap().push(Vec::new());
            }
            Event::End(TagEnd::Table) => in_table = false,
            Event::End(TagEnd::TableCell) => {
                let rows = page.tables.last_mut().unwrap();
                rows.last_mut().unwrap().push(std::mem::take(&mut text));
            }
            Event::End(TagEnd::Heading(_)) => page.headings.push(std::mem::take(&mut text)),
            Event::End(TagEnd::Paragraph) => page.paragraphs.push(std::mem::take(&mut text)),
            Event::End(TagEnd::Item) => page.items.push(std::mem::take(&mut text)),
            Event::Text(part) => text += &part,
            Event::SoftBreak => text.push(' '),
            // The word of the verdict is strong.
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) if !in_table => {}
            Event::Start(
                Tag::Heading { .. } | Tag::Paragraph | Tag::List(_) | Tag::Item | Tag::TableCell,
            )
            | Event::End(TagEnd::TableHead | TagEnd::TableRow | TagEnd::List(_)) => {}
            other => page.strange.push(format!("{other:?}")),
        }
    }
    page
}

/// Names that try to end a cell or a table, or to be markup.
const NAMES: [&str; 8] = [
    "a|b",
    "`code` and ``more``",
    "<script>alert(1)</script><br>",
    "two\nlines\n\n| x | y |",
    "[link](http://x) ![i](y) <http://z>",
    "*strong* __under__ ~~gone~~ &amp; &#124;",
    "\\| \\",
    "# no heading",
];

#[test]
fn a_hostile_name_stays_text_in_its_cell_and_every_row_has_its_cells() {
    for name in NAMES {
        let input = changed(|place, round| {
            if place % 4 == 1 || place % 4 == 2 {
                round["trial"]["variant"] = json!(name);
            }
            round["trial"]["experiment"] = json!(format!("x {name}"));
        });
        let ran = summarize(&input, &["--format", "md"]);
        let page = parsed(&ran.out);
        let shown = name.replace('\n', " ");
        // What Markdown itself does to blanks.
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = squeezed(&shown);
        assert_eq!(page.strange, Vec::<String>::new(), "{name:?}: {}", ran.out);
        assert_eq!(page.tables.len(), 5, "{name:?}: {}", ran.out);
        for table in &page.tables {
            let width = table[0].len();
            assert!(table.iter().all(|row| row.len() == width), "{name:?}");
            let in_cells = table[1..]
                .iter()
                .filter(|row| row.iter().any(|cell| squeezed(cell) == shown))
                .count();
            assert!(in_cells >= 1, "{name:?}: {table:?}");
        }
        assert_eq!(page.tables[0].len(), 13, "a head and twelve rounds");
        assert!(squeezed(&page.headings[0]).starts_with(&format!("x {shown}: measured on")));
        assert!(
            page.paragraphs
                .iter()
                .any(|text| squeezed(text).contains(&shown)),
            "{name:?}: the sentence"
        );
    }
}

#[test]
fn the_cells_are_the_values_of_the_records() {
    let input = fixture("twelve-rounds-slower.jsonl");
    let page = parsed(&summarize(&input, &["--format", "md"]).out);
    let all = records(
        &summarize(
            &input,
            &[
                "--format",
                "jsonl",
                "--table",
                "rounds",
                "--table",
                "variants",
                "--table",
                "comparison",
            ],
        )
        .out,
    );
    let of = |kind: &str| {
        all.iter()
            .filter(|row| row["kind"] == kind)
            .collect::<Vec<&Value>>()
    };
    let near = |cell: &str, value: &Value, divisor: f64| {
        let decimals = cell.split_once('.').map_or(0, |(_, part)| part.len());
        let half = 0.5 / 10_f64.powi(i32::try_from(decimals).unwrap());
        let off = cell.parse::<f64>().unwrap() - value.as_f64().unwrap() / divisor;
        assert!(off.abs() <= half * 1.000_001, "{cell} is not {value}");
    };
    let rounds = &page.tables[0];
    assert_eq!(
        rounds[0],
        [
            "run",
            "recovery model",
            "elapsed s",
            "WRITELOG s",
            "log MB",
            "log reuse wait"
        ]
    );
    assert_eq!(rounds.len() - 1, of("round").len());
    for (row, round) in rounds[1..].iter().zip(of("round")) {
        assert_eq!(row[0], round["trial"]["round"].to_string());
        assert_eq!(row[1], round["trial"]["variant"].as_str().unwrap());
        near(&row[2], &round["elapsed_ms"], 1000.0);
        near(&row[3], &round["writelog_wait_ms"], 1000.0);
        near(&row[4], &round["log_bytes_written"], 1_048_576.0);
        assert_eq!(row[5], round["log_reuse_wait"].as_str().unwrap());
    }
    let divisors = [1000.0, 1_048_576.0, 1000.0];
    let heads = ["elapsed time, s", "log written, MB", "WRITELOG wait, s"];
    let summaries = of("variant_summary");
    for (place, table) in page.tables[1..4].iter().enumerate() {
        assert_eq!(table[0][0], heads[place]);
        for (row, summary) in table[1..].iter().zip(&summaries[2 * place..]) {
            assert_eq!(row[0], summary["variant"].as_str().unwrap());
            assert_eq!(row[1], summary["n"].to_string());
            let figures = ["min", "q1", "median", "q3", "max", "mean", "sd"];
            for (cell, figure) in row[2..].iter().zip(figures) {
                near(cell, &summary[figure], divisors[place]);
            }
        }
    }
    for (row, comparison) in page.tables[4][1..].iter().zip(of("comparison")) {
        assert_eq!(row[1], comparison["variant"].as_str().unwrap());
        near(&row[2], &comparison["ratio"], 1.0);
        near(&row[3], &comparison["ratio_low"], 1.0);
        near(&row[4], &comparison["ratio_high"], 1.0);
        assert_eq!(row[5], comparison["pairs"].to_string());
        near(&row[6], &comparison["p_holm"], 1.0);
    }
}

#[test]
fn every_note_is_an_item_of_a_list() {
    let input = fixture("twelve-rounds-noisy.jsonl");
    let page = parsed(&summarize(&input, &["--format", "md"]).out);
    let words = summarize(&input, &[]).out;
    assert_eq!(page.items.len(), words.matches("Note: ").count());
    assert!(page.items.iter().all(|item| item.starts_with("Note: ")));
    assert!(page.paragraphs[0].starts_with("Inconclusive: "));
}
