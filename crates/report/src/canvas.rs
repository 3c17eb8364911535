//! Drawing with plotters into SVG: text, marks, panels with axes, legends.

use crate::axis::Axis;
use crate::theme::{Ink, SERIES};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::FontTransform;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use records::{Failure, FailureCode};
use std::io;

/// The result of drawing.
pub(crate) type Painted<T = ()> = Result<T, DrawingAreaErrorKind<io::Error>>;

/// The height of a line of text, in pixels.
pub(crate) const LINE: i32 = 18;

/// Dashes. plotters would draw each of them as a line of its own; so a dashed line goes through it
/// with an opacity that nothing else has, and gets SVG's own attribute in its place.
const DASHES: [(f64, &str); SERIES] = [
    (1.0, ""),
    (0.991, "6 5"),
    (0.992, "3 3"),
    (0.993, "12 4"),
    (0.994, "2 5"),
    (0.995, "12 3 3 3"),
];

const FONT_SIZE: f64 = 12.5;

/// What a pixel of font size comes to in plotters, which divides by it.
const PLOTTERS_FONT: f64 = 1.24;

/// A finished drawing: what stands inside the `svg` element.
pub(crate) struct Drawing {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) content: String,
}

/// Somewhere to draw.
pub(crate) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    pub(crate) width: i32,
}

/// Draws.
///
/// # Errors
/// plotters refused.
pub(crate) fn draw(
    width: i32,
    height: i32,
    paint: impl FnOnce(&Canvas) -> Painted,
) -> Result<Drawing, Failure> {
    let size = (width.unsigned_abs(), height.unsigned_abs());
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let canvas = Canvas { area, width };
        let painted = paint(&canvas).and_then(|()| canvas.area.present());
        painted.map_err(|error| {
            Failure::new(
                FailureCode::Failed,
                format!("a chart could not be drawn: {error}"),
            )
        })?;
    }
    let inside = svg.split_once('>').map_or("", |(_, inside)| inside);
    let content = inside
        .rsplit_once("</svg")
        .map_or(inside, |(inside, _)| inside);
    let mut content = content.replace(" opacity=\"1\"", "");
    for (opacity, dash) in &DASHES[1..] {
        // Text cannot hold this: plotters escapes quotation marks.
        let dash = format!("stroke-dasharray=\"{dash}\"");
        content = content.replace(&format!("opacity=\"{opacity}\""), &dash);
    }
    Ok(Drawing {
        width: size.0,
        height: size.1,
        content,
    })
}

/// Where a text stands to its point.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Start,
    End,
}

/// What stands for a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A point in the series' shape and colour.
    Point(usize),
    /// A round that was set aside.
    Aside,
    /// A bar in the series' pattern and colour.
    Bar(usize),
    /// A line in the series' colour and dash.
    Line(usize),
    /// A triangle upwards, filled.
    Up,
    /// A triangle downwards, hollow.
    Down,
}

fn style(ink: Ink) -> ShapeStyle {
    ShapeStyle {
        color: ink.colour().to_rgba(),
        filled: true,
        stroke_width: 1,
    }
}

fn stroke(ink: Ink, width: u32) -> ShapeStyle {
    ShapeStyle {
        color: ink.colour().to_rgba(),
        filled: false,
        stroke_width: width,
    }
}

/// The width of a text, roughly: nothing here knows the reader's font.
pub(crate) fn text_width(text: &str) -> i32 {
    let em = text
        .chars()
        .map(|c| if c.is_ascii_lowercase() { 54 } else { 62 });
    let em: i32 = em.sum();
    em * 125 / 1000
}

/// A text cut to so many pixels.
pub(crate) fn fitted(text: &str, width: i32) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if text_width(&cut) + 10 > width {
            break;
        }
    }
    cut.pop();
    format!("{}…", cut.trim_end())
}

impl<'a> Canvas<'a> {
    /// Writes a text whose middle line is at `y`.
    pub(crate) fn text(&self, (x, y): (i32, i32), text: &str, ink: Ink, side: Side) -> Painted {
        let side = match side {
            Side::Start => HPos::Left,
            Side::End => HPos::Right,
        };
        let font = font(ink).pos(Pos::new(side, VPos::Center));
        self.area
            .draw(&Text::new(summarize::printable(text), (x, y), font))
    }

    /// A line, by pixels.
    pub(crate) fn line(&self, from: (i32, i32), to: (i32, i32), ink: Ink, width: u32) -> Painted {
        self.area
            .draw(&PathElement::new(vec![from, to], stroke(ink, width)))
    }

    /// A line through points, in the dash of a series.
    pub(crate) fn series_line(&self, points: Vec<(i32, i32)>, series: usize) -> Painted {
        self.dashed(points, Ink::Series(series), 2, series % SERIES)
    }

    /// A line that stands for a summary of what is drawn beside it.
    pub(crate) fn summary_line(&self, ends: [(i32, i32); 2], ink: Ink) -> Painted {
        self.dashed(ends.to_vec(), ink, 1, 1)
    }

    fn dashed(&self, points: Vec<(i32, i32)>, ink: Ink, width: u32, dash: usize) -> Painted {
        let mut style = stroke(ink, width);
        if let Some((opacity, _)) = DASHES.get(dash) {
            style.color = ink.colour().mix(*opacity);
        }
        self.area.draw(&PathElement::new(points, style))
    }

    /// A filled rectangle.
    pub(crate) fn bar(&self, from: (i32, i32), to: (i32, i32), ink: Ink) -> Painted {
        self.area.draw(&Rectangle::new([from, to], style(ink)))
    }

    /// A mark at a point.
    pub(crate) fn mark(&self, mark: Mark, (x, y): (i32, i32)) -> Painted {
        match mark {
            Mark::Point(series) => self.point(series, (x, y)),
            Mark::Aside => {
                self.line((x - 4, y - 4), (x + 4, y + 4), Ink::Muted, 2)?;
                self.line((x - 4, y + 4), (x + 4, y - 4), Ink::Muted, 2)
            }
            Mark::Bar(series) => self.bar((x - 7, y - 6), (x + 7, y + 6), Ink::Series(series)),
            Mark::Line(series) => self.series_line(vec![(x - 14, y), (x + 14, y)], series),
            Mark::Up => self.polygon(
                vec![(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)],
                Ink::Series(0),
                true,
            ),
            Mark::Down => self.polygon(
                vec![(x, y + 6), (x + 6, y - 5), (x - 6, y - 5)],
                Ink::Series(0),
                false,
            ),
        }
    }

    /// The shape of a series: six shapes filled, then the same hollow.
    fn point(&self, series: usize, (x, y): (i32, i32)) -> Painted {
        // The second time round a shape has another colour as well.
        let ink = Ink::Series(series + series / SERIES);
        let filled = (series / SERIES).is_multiple_of(2);
        let around = |offsets: &[(i32, i32)]| {
            offsets
                .iter()
                .map(|(right, down)| (x + right, y + down))
                .collect()
        };
        match series % SERIES {
            0 if filled => self.area.draw(&Circle::new((x, y), 5, style(ink))),
            0 => self.area.draw(&Circle::new((x, y), 5, stroke(ink, 2))),
            1 => self.polygon(around(&[(0, -6), (6, 5), (-6, 5)]), ink, filled),
            2 => self.polygon(around(&[(-5, -5), (5, -5), (5, 5), (-5, 5)]), ink, filled),
            3 => self.polygon(around(&[(0, -7), (7, 0), (0, 7), (-7, 0)]), ink, filled),
            4 => self.polygon(around(&[(0, 6), (6, -5), (-6, -5)]), ink, filled),
            _ => {
                self.line((x - 6, y), (x + 6, y), ink, 3)?;
                self.line((x, y - 6), (x, y + 6), ink, 3)
            }
        }
    }

    fn polygon(&self, mut corners: Vec<(i32, i32)>, ink: Ink, filled: bool) -> Painted {
        if filled {
            self.area.draw(&Polygon::new(corners, style(ink)))
        } else {
            self.area
                .draw(&Polygon::new(corners.clone(), style(Ink::Paper)))?;
            corners.extend(corners.first().copied());
            self.area.draw(&PathElement::new(corners, stroke(ink, 2)))
        }
    }

    /// A panel between two heights, with its axes, of which the upright one leaves `left` pixels
    /// for its labels.
    pub(crate) fn panel(
        &self,
        (top, bottom): (i32, i32),
        left: i32,
        x: &Axis,
        y: &Axis,
    ) -> Painted<Panel<'a>> {
        const X_AXIS: i32 = 40;
        // Half of the last label may stand beyond the axis.
        let last = x.ticks.last().map(|(_, label)| text_width(label) / 2);
        let right = last.unwrap_or_default().max(14);
        let area = self.area.clone().shrink(
            (0, top),
            (self.width - right, (bottom - top).max(X_AXIS + 1)),
        );
        let mut chart = ChartBuilder::on(&area)
            .x_label_area_size(X_AXIS)
            .y_label_area_size(left)
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .bold_line_style(stroke(Ink::Grid, 1))
            .light_line_style(TRANSPARENT)
            .axis_style(stroke(Ink::Muted, 1))
            .label_style(font(Ink::Muted))
            .axis_desc_style(font(Ink::Muted))
            .x_desc(fitted(
                &summarize::printable(&x.title),
                self.width - left - right,
            ))
            .draw()?;
        Ok(Panel { chart })
    }

    /// Draws a legend from `top` on.
    pub(crate) fn legend(&self, top: i32, entries: &[(Mark, String)]) -> Painted {
        for (place, (mark, text)) in legend_places(self.width, entries).into_iter().zip(entries) {
            let (x, y) = (place.0, top + place.1 + LINE / 2);
            self.mark(*mark, (x + 8, y))?;
            let text = fitted(text, self.width - 30);
            self.text((x + 8 + half(*mark) + 6, y), &text, Ink::Text, Side::Start)?;
        }
        Ok(())
    }
}

fn half(mark: Mark) -> i32 {
    if matches!(mark, Mark::Line(_)) { 14 } else { 7 }
}

/// Where each entry of a legend stands, from its top left.
fn legend_places(width: i32, entries: &[(Mark, String)]) -> Vec<(i32, i32)> {
    let (mut x, mut y) = (4, 0);
    let mut places = Vec::with_capacity(entries.len());
    for (mark, text) in entries {
        let wide = text_width(text) + 2 * half(*mark) + 24;
        if x > 4 && x + wide > width {
            (x, y) = (4, y + LINE + 2);
        }
        let shift = if matches!(mark, Mark::Line(_)) { 7 } else { 0 };
        places.push((x + shift, y));
        x += wide;
    }
    places
}

/// The room that the labels of an upright axis need, in pixels.
pub(crate) fn label_room(axis: &Axis) -> i32 {
    let widest = axis.ticks.iter().map(|(_, label)| text_width(label)).max();
    widest.unwrap_or_default() + 14
}

/// How high a legend is.
pub(crate) fn legend_height(width: i32, entries: &[(Mark, String)]) -> i32 {
    let last = legend_places(width, entries).last().map(|(_, y)| y + LINE);
    last.map_or(0, |height| height + 8)
}

fn font(ink: Ink) -> TextStyle<'static> {
    ("inherit", FONT_SIZE * PLOTTERS_FONT)
        .into_font()
        .transform(FontTransform::None)
        .color(&ink.colour())
}

/// Axes that are drawn.
pub(crate) struct Panel<'a> {
    chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>,
}

impl Panel<'_> {
    /// The pixel of a point.
    pub(crate) fn at(&self, x: f64, y: f64) -> (i32, i32) {
        self.chart.backend_coord(&(x, y))
    }
}
