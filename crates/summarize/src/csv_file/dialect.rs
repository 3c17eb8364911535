//! How a CSV is written, so that the spreadsheet at hand takes its numbers as numbers.

use clap::ValueEnum;
use records::{Failure, FailureCode};

/// Options of a CSV.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct CsvArgs {
    /// What stands between the cells of a CSV [default: comma; with --csv-decimal comma: semicolon]
    #[arg(long, value_enum)]
    pub csv_separator: Option<Separator>,
    /// The decimal mark of a CSV: what the spreadsheet's language has (comma: German, French, …)
    /// [default: point]
    #[arg(long, value_enum)]
    pub csv_decimal: Option<Decimal>,
    /// Begin a CSV with a byte order mark: Excel then takes it for the UTF-8 that it is
    #[arg(long)]
    pub csv_bom: bool,
}

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Separator {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

/// A decimal mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Decimal {
    /// `1.5`
    Point,
    /// `1,5`
    Comma,
}

/// Options that do not contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) separator: Separator,
    pub(crate) decimal: Decimal,
    pub(crate) bom: bool,
}

impl CsvArgs {
    /// The options that were given; a CSV with decimal commas has semicolons between its cells.
    ///
    /// # Errors
    /// A comma cannot both separate cells and stand in a number.
    pub(crate) fn dialect(self) -> Result<Dialect, Failure> {
        let decimal = self.csv_decimal.unwrap_or(Decimal::Point);
        let separator = match (self.csv_separator, decimal) {
            (Some(Separator::Comma), Decimal::Comma) => {
                return Err(Failure::new(
                    FailureCode::Usage,
                    "a comma cannot both separate the cells of a CSV and be its decimal mark",
                )
                .remedy("Give --csv-separator semicolon or tab, or leave it out: semicolon."));
            }
            (Some(separator), _) => separator,
            (None, Decimal::Comma) => Separator::Semicolon,
            (None, Decimal::Point) => Separator::Comma,
        };
        Ok(Dialect {
            separator,
            decimal,
            bom: self.csv_bom,
        })
    }

    /// Whether any was given.
    pub(crate) fn any(self) -> bool {
        self.csv_separator.is_some() || self.csv_decimal.is_some() || self.csv_bom
    }
}

impl Separator {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}
