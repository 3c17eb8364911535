//! A chart: a drawing for a wide page and one for a narrow, what it says, and its numbers.

use crate::canvas::{Canvas, Drawing, LINE, Painted, Side, draw, fitted, text_width};
use crate::theme::Ink;
use records::Failure;
use summarize::{Grid, Summary, printable};

/// Width of a drawing where the page has room, in pixels.
const WIDE: i32 = 700;

/// Width of a drawing on a phone.
const NARROW: i32 = 326;

/// A chart.
pub(crate) struct Chart {
    pub(crate) name: &'static str,
    pub(crate) title: String,
    /// What is shown, of how many rounds, and how to read it.
    pub(crate) caption: String,
    pub(crate) wide: Drawing,
    pub(crate) narrow: Drawing,
    /// The numbers that are drawn.
    pub(crate) tables: Vec<Grid>,
}

/// What a chart says besides its drawing.
pub(crate) struct Words<'a> {
    /// What was measured: it stands in the drawing, so that a copy of it says it too.
    pub(crate) summary: &'a Summary,
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) tables: Vec<Grid>,
}

impl Chart {
    /// Draws it in both widths; `height` is asked for each.
    ///
    /// # Errors
    /// plotters refused.
    pub(crate) fn draw(
        words: Words,
        height: impl Fn(i32) -> i32,
        paint: impl Fn(&Canvas) -> Painted,
    ) -> Result<Self, Failure> {
        let title = words.summary.title();
        let source = |width: i32| {
            let long = printable(&title);
            match long.split_once("measured on ") {
                Some((_, server)) if text_width(&long) > width - 24 => server.to_owned(),
                _ => long,
            }
        };
        let drawing = |width: i32| {
            let bottom = height(width) + LINE;
            draw(width, bottom, |canvas| {
                paint(canvas)?;
                let text = fitted(&source(width), width - 18);
                canvas.text((12, bottom - LINE / 2), &text, Ink::Muted, Side::Start)
            })
        };
        Ok(Self {
            name: words.name,
            title: words.title,
            caption: words.caption,
            tables: words.tables,
            wide: drawing(WIDE)?,
            narrow: drawing(NARROW)?,
        })
    }
}

/// How many labels an axis has room for along the width of a drawing.
pub(crate) fn labels_across(width: i32) -> usize {
    if width < 500 { 4 } else { 8 }
}
