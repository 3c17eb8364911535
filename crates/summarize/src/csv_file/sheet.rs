//! The cells of a CSV: what a text, a number and a time look like in a dialect.

use super::dialect::{Decimal, Dialect};
use csv::{Terminator, Writer, WriterBuilder};
use jiff::Timestamp;
use jiff::fmt::strtime;
use serde::Serialize;
use std::io::{self, Write};

/// One table in one file: RFC 4180, lines ended by CRLF, a head, cells written as they are.
pub(crate) struct Sheet<W: Write> {
    csv: Writer<W>,
    decimal: Decimal,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Cell {
    /// Nothing is known.
    #[default]
    Empty,
    /// Text from a record, which may be anything.
    Text(String),
    /// A word of ours: `true`, `paired`.
    Word(String),
    /// A number with a decimal point, or whole.
    Number(String),
    /// A time in UTC.
    Time(Timestamp),
}

impl<W: Write> Sheet<W> {
    /// Begins a file.
    pub(crate) fn new(mut output: W, dialect: Dialect) -> io::Result<Self> {
        if dialect.bom {
            output.write_all("\u{feff}".as_bytes())?;
        }
        let csv = WriterBuilder::new()
            .delimiter(dialect.separator.byte())
            .terminator(Terminator::CRLF)
            .from_writer(output);
        Ok(Self {
            csv,
            decimal: dialect.decimal,
        })
    }

    /// The names of the columns.
    pub(crate) fn head(
        &mut self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> io::Result<()> {
        let names = names.into_iter().map(|name| guarded(name.as_ref()));
        Ok(self.csv.write_record(names)?)
    }

    /// One row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> io::Result<()> {
        let decimal = self.decimal;
        let cells = cells.into_iter().map(|cell| cell.written(decimal));
        Ok(self.csv.write_record(cells)?)
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.csv.flush()
    }
}

impl Cell {
    /// A word or a text as it is; nothing for the others.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Word(text) => text,
            Self::Empty | Self::Number(_) | Self::Time(_) => String::new(),
        }
    }

    fn written(self, decimal: Decimal) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => guarded(&text),
            Self::Word(word) => word,
            Self::Number(digits) => marked(digits, decimal),
            Self::Time(at) => marked(time_text(at), decimal),
        }
    }
}

fn marked(text: String, decimal: Decimal) -> String {
    match decimal {
        Decimal::Point => text,
        Decimal::Comma => text.replace('.', ","),
    }
}

/// UTC to the millisecond, with a blank where RFC 3339 allows one for the T: Excel takes the form
/// with a T for text.
fn time_text(at: Timestamp) -> String {
    strtime::format("%Y-%m-%d %H:%M:%S.%3f", at).unwrap_or_else(|_| at.to_string())
}

/// A text that no spreadsheet runs as a formula: an apostrophe goes before what would begin one,
/// blanks before it or not, in ASCII or full width (OWASP, "CSV Injection").
fn guarded(text: &str) -> String {
    const BEGIN: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    if text.starts_with(['\t', '\r', '\n']) || text.trim_start().starts_with(BEGIN) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// A text from a record.
pub(crate) fn text(text: &str) -> Cell {
    if text.is_empty() {
        Cell::Empty
    } else {
        Cell::Text(text.to_owned())
    }
}

/// A number bare; a missing one, and one that is none (NaN, infinite), is empty.
pub(crate) fn number<T: Figure>(value: Option<T>) -> Cell {
    value.map_or(Cell::Empty, Figure::cell)
}

/// A time.
pub(crate) fn time(at: Timestamp) -> Cell {
    Cell::Time(at)
}

/// The name that serde gives a plain enum.
pub(crate) fn name(value: impl Serialize) -> Cell {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .map_or(Cell::Empty, Cell::Word)
}

/// What has a cell without quotes.
pub(crate) trait Figure {
    /// Its cell.
    fn cell(self) -> Cell;
}

impl Figure for f64 {
    fn cell(self) -> Cell {
        let size = self.abs();
        if size.is_finite() && (size >= 1e21 || (size > 0.0 && size < 1e-15)) {
            // Nobody measures such; hundreds of digits are text to a spreadsheet.
            Cell::Number(format!("{self:e}"))
        } else if size.is_finite() && size >= 1e15 {
            // With a point it is no whole number that is too large for one.
            Cell::Number(format!("{self:.1}"))
        } else if self.is_finite() {
            Cell::Number(self.to_string())
        } else {
            Cell::Empty
        }
    }
}

impl Figure for bool {
    fn cell(self) -> Cell {
        Cell::Word(self.to_string())
    }
}

macro_rules! whole_figures {
    ($($whole:ty)*) => {
        $(impl Figure for $whole {
            fn cell(self) -> Cell {
                Cell::Number(self.to_string())
            }
        })*
    };
}

whole_figures!(i32 i64 u32 u64);

#[cfg(test)]
mod tests {
    use super::{Cell, Decimal, Sheet, number, text, time};
    use crate::csv_file::dialect::{Dialect, Separator};

    fn written(separator: Separator, decimal: Decimal, bom: bool, cells: Vec<Cell>) -> String {
        let mut output = Vec::new();
        let dialect = Dialect {
            separator,
            decimal,
            bom,
        };
        let mut sheet = Sheet::new(&mut output, dialect).unwrap();
        sheet.row(cells).unwrap();
        sheet.finish().unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn numbers_and_times_follow_the_decimal_mark_and_texts_do_not() {
        let cells = || {
            vec![
                number(Some(-1.5)),
                time("2025-03-01T09:00:02.5Z".parse().unwrap()),
                text("v1.5"),
                number(Some(-7_i64)),
                number(None::<f64>),
            ]
        };
        assert_eq!(
            written(Separator::Comma, Decimal::Point, false, cells()),
            "-1.5,2025-03-01 09:00:02.500,v1.5,-7,\r\n"
        );
        assert_eq!(
            written(Separator::Semicolon, Decimal::Comma, true, cells()),
            "\u{feff}-1,5;2025-03-01 09:00:02,500;v1.5;-7;\r\n"
        );
    }

    #[test]
    fn what_is_no_number_is_never_printed() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(number(Some(value)), Cell::Empty);
        }
        for (value, written) in [
            (1.5e20, "150000000000000000000.0"),
            (1e300, "1e300"),
            (-2.5e-16, "-2.5e-16"),
            (0.000_001, "0.000001"),
            (0.0, "0"),
        ] {
            assert_eq!(number(Some(value)), Cell::Number(written.to_owned()));
        }
    }

    #[test]
    fn whatever_begins_a_formula_gets_an_apostrophe_and_what_does_not_is_left_alone() {
        let one = |value: &str| {
            let line = written(
                Separator::Tab,
                Decimal::Point,
                false,
                vec![Cell::Empty, text(value)],
            );
            let mut reader = csv::ReaderBuilder::new()
                .delimiter(b'\t')
                .has_headers(false)
                .from_reader(line.as_bytes());
            reader.records().next().unwrap().unwrap()[1].to_owned()
        };
        for begins in [
            "=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "－1", "\ta",
        ] {
            assert_eq!(one(begins), format!("'{begins}"), "{begins:?}");
        }
        for plain in ["a=1", "FULL", "a\tb", "\"quoted\"", "two\nlines", "1+1"] {
            assert_eq!(one(plain), plain, "{plain:?}");
        }
    }
}
