//! Charts of rows: each row carries its name and its figure above what is drawn.

use crate::axis::Axis;
use crate::canvas::{Canvas, Mark, Painted, Panel, Side, fitted, legend_height, text_width};
use crate::chart::labels_across;
use crate::theme::Ink;

/// The height of a row, in pixels.
const ROW: i32 = 54;

/// The height of an axis and its title.
const AXIS: i32 = 40;

/// Where the axis begins, in pixels.
const LEFT: i32 = 12;

/// A row's texts.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) label: String,
    /// The figure in words, on the right.
    pub(super) value: String,
    /// The same where there is little room.
    pub(super) short: String,
}

/// Rows over one axis.
pub(super) struct Rows<'a> {
    pub(super) each: Vec<Row>,
    pub(super) legend: Vec<(Mark, String)>,
    /// The axis, for so many labels.
    pub(super) axis: &'a dyn Fn(usize) -> Axis,
}

impl Rows<'_> {
    /// How high it is.
    pub(super) fn height(&self, width: i32) -> i32 {
        legend_height(width, &self.legend) + self.rows_height() + AXIS + 4
    }

    fn rows_height(&self) -> i32 {
        ROW * i32::try_from(self.each.len()).unwrap_or(0)
    }

    /// Draws it: the backdrop once, given its top and bottom, then each row, given its middle.
    pub(super) fn paint(
        &self,
        canvas: &Canvas,
        backdrop: impl Fn(&Panel, i32, i32) -> Painted,
        row: impl Fn(&Panel, usize, i32) -> Painted,
    ) -> Painted {
        canvas.legend(0, &self.legend)?;
        let top = legend_height(canvas.width, &self.legend);
        let bottom = top + self.rows_height();
        let axis = (self.axis)(labels_across(canvas.width));
        let panel = canvas.panel(
            (top, bottom + AXIS),
            LEFT,
            &axis,
            &Axis::rows(self.each.len()),
        )?;
        backdrop(&panel, top, bottom)?;
        let mut y = top;
        for (place, texts) in self.each.iter().enumerate() {
            self::texts(canvas, texts, y + 12)?;
            row(&panel, place, y + 37)?;
            y += ROW;
        }
        Ok(())
    }
}

fn texts(canvas: &Canvas, row: &Row, y: i32) -> Painted {
    let right = canvas.width - 18;
    let start = LEFT + 6;
    let room = right - start - 12;
    let fits = text_width(&row.label) + text_width(&row.value) <= room;
    let value = if fits {
        row.value.as_str()
    } else {
        row.short.as_str()
    };
    // Where both do not fit, the name matters more than what the drawing and the table show too.
    let beside = text_width(&row.label) + text_width(value) <= room;
    let value = match value.split_once(" (") {
        Some((figure, _)) if !beside => figure,
        _ => value,
    };
    let label = fitted(&row.label, (room - text_width(value)).max(60));
    canvas.text((start, y), &label, Ink::Text, Side::Start)?;
    canvas.text((right, y), value, Ink::Muted, Side::End)
}
