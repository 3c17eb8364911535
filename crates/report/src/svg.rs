//! Charts as SVG: inside the page, and as files of their own.

use crate::canvas::Drawing;
use crate::chart::Chart;
use crate::theme::{Ink, SERIES, css, hex};
use maud::{Markup, PreEscaped, html};
use summarize::printable;

const FONT: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// A chart in the page, in both widths, of which the page shows one. `id` is the chart's own.
pub(crate) fn figure(chart: &Chart, id: &str) -> Markup {
    html! {
        (inline(chart, &chart.wide, "wide", id))
        (inline(chart, &chart.narrow, "narrow", id))
    }
}

fn inline(chart: &Chart, drawing: &Drawing, width: &str, id: &str) -> Markup {
    let (title, description) = (format!("{id}-{width}-title"), format!("{id}-{width}-text"));
    html! {
        svg class={ "chart " (width) } role="img" width=(drawing.width) height=(drawing.height)
            viewBox=(view_box(drawing)) aria-labelledby={ (title) " " (description) } {
            title id=(title) { (printable(&chart.title)) }
            desc id=(description) { (printable(&chart.caption)) }
            // plotters escapes every text that it writes.
            (PreEscaped(&drawing.content))
        }
    }
}

/// A chart as a file of its own, that follows light and dark too.
pub(crate) fn file(chart: &Chart) -> String {
    const TITLE: u32 = 32;
    let drawing = &chart.wide;
    let height = drawing.height + TITLE;
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" width=(drawing.width)
            height=(height) viewBox={ "0 0 " (drawing.width) " " (height) } font-family=(FONT)
            aria-labelledby="title text" {
            title id="title" { (printable(&chart.title)) }
            desc id="text" { (printable(&chart.caption)) }
            style { (PreEscaped(css())) }
            (pattern_definitions())
            path fill=(hex(Ink::Paper.light())) d={ "M0 0h" (drawing.width) "v" (height) "H0z" } {}
            text x="12" y="21" font-size="16" font-weight="600" fill=(hex(Ink::Text.light())) {
                (printable(&chart.title))
            }
            g transform={ "translate(0 " (TITLE) ")" } { (PreEscaped(&drawing.content)) }
        }
    };
    markup.into_string() + "\n"
}

fn view_box(drawing: &Drawing) -> String {
    format!("0 0 {} {}", drawing.width, drawing.height)
}

/// The patterns of bars, for a page: drawn nowhere, referred to by the style sheet.
pub(crate) fn patterns() -> Markup {
    html! {
        svg class="chart patterns" width="0" height="0" aria-hidden="true" { (pattern_definitions()) }
    }
}

/// What is drawn in the paper's colour over each series' own, in a square of 8 by 8; the first
/// series is plain.
const PATTERNS: [&str; SERIES] = [
    "",
    "M-2 2l4-4M0 8l8-8M6 10l4-4",
    "M2 2h2M6 6h2",
    "M-2 6l4 4M0 0l8 8M6-2l4 4",
    "M0 2h8M0 6h8",
    "M0 4h8M4 0v8",
];

fn pattern_definitions() -> Markup {
    html! {
        defs {
            @for (place, lines) in PATTERNS.iter().enumerate() {
                pattern id={ "pattern-" (place) } width="8" height="8" patternUnits="userSpaceOnUse" {
                    path fill=(hex(Ink::Series(place).light())) d="M0 0h8v8H0z" {}
                    path fill="none" stroke=(hex(Ink::Paper.light())) stroke-width="1.5" d=(lines) {}
                }
            }
        }
    }
}
