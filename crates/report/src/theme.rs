//! Colours, and how a page that is light or dark turns the ones into the others.
//!
//! A drawing carries the light colours as plain attributes, so that any viewer shows it. Where CSS
//! reaches it, each of them is replaced by a variable, which dark mode sets anew.

use plotters::style::RGBColor;
use std::fmt::Write;

/// What something is drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Text that is read first.
    Text,
    /// Axes and remarks.
    Muted,
    /// Grid lines.
    Grid,
    /// The floor: what does not matter.
    Band,
    /// The paper.
    Paper,
    /// A variant, a wait type, a phase: by its place, from 0.
    Series(usize),
}

/// How many series have a colour and a shape of their own before both come again.
pub(crate) const SERIES: usize = 6;

struct Tone {
    variable: &'static str,
    light: [u8; 3],
    dark: [u8; 3],
}

const fn tone(variable: &'static str, light: [u8; 3], dark: [u8; 3]) -> Tone {
    Tone {
        variable,
        light,
        dark,
    }
}

const TEXT: Tone = tone("text", [0x1B, 0x1F, 0x24], [0xE8, 0xEA, 0xED]);
const MUTED: Tone = tone("muted", [0x57, 0x60, 0x6A], [0xA6, 0xAE, 0xB8]);
const GRID: Tone = tone("grid", [0xDF, 0xE3, 0xE8], [0x33, 0x39, 0x41]);
const BAND: Tone = tone("band", [0xE2, 0xE9, 0xF3], [0x2A, 0x35, 0x45]);
const PAPER: Tone = tone("paper", [0xFF, 0xFF, 0xFF], [0x15, 0x18, 0x1C]);
const SERIES_TONES: [Tone; SERIES] = [
    tone("s0", [0x1F, 0x66, 0xC7], [0x7D, 0xB3, 0xFF]),
    tone("s1", [0xB8, 0x50, 0x00], [0xFF, 0xA8, 0x5C]),
    tone("s2", [0x0B, 0x7D, 0x62], [0x55, 0xD0, 0xAF]),
    tone("s3", [0x7E, 0x44, 0xC2], [0xC8, 0xA2, 0xFF]),
    tone("s4", [0xAD, 0x21, 0x60], [0xFF, 0x93, 0xC4]),
    tone("s5", [0x6A, 0x66, 0x00], [0xD8, 0xD3, 0x5A]),
];

impl Ink {
    fn tone(self) -> &'static Tone {
        match self {
            Self::Text => &TEXT,
            Self::Muted => &MUTED,
            Self::Grid => &GRID,
            Self::Band => &BAND,
            Self::Paper => &PAPER,
            Self::Series(place) => SERIES_TONES.get(place % SERIES).unwrap_or(&TEXT),
        }
    }

    /// The colour in a light page.
    pub(crate) fn colour(self) -> RGBColor {
        let [red, green, blue] = self.tone().light;
        RGBColor(red, green, blue)
    }

    /// The same as its three channels.
    pub(crate) fn light(self) -> [u8; 3] {
        self.tone().light
    }
}

fn tones() -> impl Iterator<Item = &'static Tone> {
    [&TEXT, &MUTED, &GRID, &BAND, &PAPER]
        .into_iter()
        .chain(&SERIES_TONES)
}

/// A colour as the drawings write it: in capitals, since an attribute selector minds the case.
pub(crate) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The style sheet of the colours: for a page that holds drawings, and for a drawing by itself.
/// A bar of a stack (the only rectangles in a series' colour) gets the series' pattern.
pub(crate) fn css() -> String {
    let variables = |of: fn(&Tone) -> [u8; 3]| {
        tones().fold(String::new(), |mut css, tone| {
            let _ = write!(css, "--{}:{};", tone.variable, hex(of(tone)));
            css
        })
    };
    let (light, dark) = (variables(|tone| tone.light), variables(|tone| tone.dark));
    let mut css = format!(
        ":root{{color-scheme:light dark;{light}}}\n\
         @media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n\
         @media print{{:root{{color-scheme:light;{light}}}}}\n"
    );
    for tone in tones() {
        let (variable, light) = (tone.variable, hex(tone.light));
        let _ = writeln!(
            css,
            ".chart [fill=\"{light}\"]{{fill:var(--{variable})}}\
             .chart [stroke=\"{light}\"]{{stroke:var(--{variable})}}"
        );
    }
    for (place, tone) in SERIES_TONES.iter().enumerate() {
        let _ = writeln!(
            css,
            ".chart rect[fill=\"{}\"]{{fill:url(#pattern-{place})}}",
            hex(tone.light)
        );
    }
    css.push_str(
        ".chart text{paint-order:stroke;stroke:var(--paper);stroke-width:3px;\
         stroke-linejoin:round;font-variant-numeric:tabular-nums}\n",
    );
    css
}

#[cfg(test)]
mod tests {
    use super::{Tone, tones};

    /// Relative luminance after WCAG 2.
    fn luminance(colour: [u8; 3]) -> f64 {
        let [red, green, blue] = colour.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_and_series_stand_out_from_the_paper_in_light_and_dark() {
        let paper = &super::PAPER;
        let read = |tone: &&Tone| !["grid", "band", "paper"].contains(&tone.variable);
        for tone in tones().filter(read) {
            for (ink, paper) in [(tone.light, paper.light), (tone.dark, paper.dark)] {
                let contrast = contrast(ink, paper);
                assert!(contrast >= 4.5, "{}: {contrast}", tone.variable);
            }
        }
    }
}
