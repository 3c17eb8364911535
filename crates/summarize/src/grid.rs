//! A table for people, as text or as Markdown.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use std::fmt::Write;

/// The narrowest that a column of text becomes, padding included.
const NARROWEST: u16 = 9;

/// A table: heads with their units, rows of cells.
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// Its columns.
    pub columns: Vec<GridColumn>,
    /// Its rows, a cell a column.
    pub rows: Vec<Vec<String>>,
}

/// One column.
pub struct GridColumn {
    /// What it holds, with the unit.
    pub head: String,
    /// Whether its cells are numbers, which stand right.
    pub number: bool,
}

/// The room between columns: three blanks or two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Wide,
    Narrow,
}

/// Where a cell of text may be broken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Nowhere,
    AtBlanks,
    Anywhere,
}

impl Grid {
    /// An empty table.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The same with a column of text.
    #[must_use]
    pub fn text_column(mut self, head: impl Into<String>) -> Self {
        self.columns.push(GridColumn {
            head: head.into(),
            number: false,
        });
        self
    }

    /// The same with a column of numbers.
    #[must_use]
    pub fn number_column(mut self, head: impl Into<String>) -> Self {
        self.columns.push(GridColumn {
            head: head.into(),
            number: true,
        });
        self
    }

    /// As lines of text, in the roomiest layout that fits into `width` columns: whole cells, then
    /// less room between them, then cells broken at blanks, and inside words only where nothing
    /// else helps.
    pub(crate) fn to_text(&self, width: u16) -> String {
        let layouts = [
            (Gap::Wide, Breaks::Nowhere),
            (Gap::Narrow, Breaks::Nowhere),
            (Gap::Wide, Breaks::AtBlanks),
            (Gap::Narrow, Breaks::AtBlanks),
        ];
        let fits = |text: &String| {
            text.lines()
                .all(|line| line.chars().count() <= usize::from(width))
        };
        layouts
            .into_iter()
            .map(|(gap, breaks)| self.laid_out(width, gap, breaks))
            .find(fits)
            .unwrap_or_else(|| self.laid_out(width, Gap::Narrow, Breaks::Anywhere))
    }

    fn laid_out(&self, width: u16, gap: Gap, breaks: Breaks) -> String {
        let mut table = Table::new();
        table
            .load_style(
                TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-')),
            )
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width)
            .set_header(self.columns.iter().map(|column| printable(&column.head)))
            .add_rows(
                self.rows
                    .iter()
                    .map(|row| row.iter().map(|cell| printable(cell))),
            );
        for (index, column) in self.columns.iter().enumerate() {
            if let Some(cells) = table.column_mut(index) {
                let left = u16::from(index > 0 && gap == Gap::Wide);
                // Nothing stands behind the last column.
                let right = u16::from(index + 1 < self.columns.len());
                cells.set_padding((left, right));
                if column.number {
                    cells.set_cell_alignment(CellAlignment::Right);
                }
                // Half a number is another number, and half a word hard to read.
                if column.number || breaks == Breaks::Nowhere || self.holds_short_words(index) {
                    cells.set_constraint(ColumnConstraint::ContentWidth);
                } else if breaks == Breaks::AtBlanks {
                    let least = self.longest_word(index).saturating_add(left + 1);
                    cells.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
                } else {
                    // Rather a line that is too long than a word of which every letter has its own.
                    cells.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(NARROWEST)));
                }
            }
        }
        table.trim_fmt() + "\n"
    }

    /// The texts of a column, its head first.
    fn texts(&self, index: usize) -> impl Iterator<Item = &String> {
        let heads = self.columns.get(index).map(|column| &column.head);
        let cells = self.rows.iter().filter_map(move |row| row.get(index));
        heads.into_iter().chain(cells)
    }

    /// Whether a column, its head included, holds single words no longer than `inconclusive`.
    fn holds_short_words(&self, index: usize) -> bool {
        const LONGEST: usize = "inconclusive".len();
        self.texts(index)
            .all(|text| text.chars().count() <= LONGEST && !text.contains(char::is_whitespace))
    }

    /// The length of the longest word of a column.
    fn longest_word(&self, index: usize) -> u16 {
        let longest = self
            .texts(index)
            .flat_map(|text| text.split_whitespace())
            .map(|word| word.chars().count())
            .max();
        u16::try_from(longest.unwrap_or_default()).unwrap_or(u16::MAX)
    }

    /// As a Markdown table; what would end a cell or begin markup is escaped.
    pub(crate) fn to_markdown(&self) -> String {
        let mut text = String::new();
        let mut line = |cells: Vec<String>| {
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        };
        line(
            self.columns
                .iter()
                .map(|column| markdown(&column.head))
                .collect(),
        );
        let rule = |column: &GridColumn| if column.number { "---:" } else { "---" };
        line(
            self.columns
                .iter()
                .map(|column| rule(column).to_owned())
                .collect(),
        );
        for row in &self.rows {
            line(row.iter().map(|cell| markdown(cell)).collect());
        }
        text
    }
}

/// Text without control characters: a name from a record must not steer a terminal.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Text that Markdown shows as it is.
pub(crate) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if "\\|`*_<>[]#~&".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::Grid;

    fn grid() -> Grid {
        let mut grid = Grid::new("T").text_column("name").number_column("time s");
        grid.rows = vec![
            vec!["a|b".to_owned(), "1.50".to_owned()],
            vec!["c\u{1b}[31m".to_owned(), "12.25".to_owned()],
        ];
        grid
    }

    #[test]
    fn points_stand_under_each_other_and_no_escape_gets_through() {
        let text = grid().to_text(80);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2].find('.'), lines[3].find('.'), "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn no_number_is_broken_however_narrow_the_terminal() {
        let mut grid = grid();
        grid.rows.push(vec![
            "a name of several words".to_owned(),
            "123456789.25".to_owned(),
        ]);
        let text = grid.to_text(20);
        assert!(text.contains("123456789.25"), "{text}");
        assert!(!text.contains("a name of several words"), "{text}");
    }

    #[test]
    fn text_stays_readable_beside_numbers_that_take_all_the_room() {
        let mut grid = grid().number_column("time s").number_column("time s");
        grid.rows = vec![vec![
            "a name of several words".to_owned(),
            "123456789.25".to_owned(),
            "123456789.25".to_owned(),
            "123456789.25".to_owned(),
        ]];
        let text = grid.to_text(40);
        assert!(text.lines().any(|line| line == "several"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 60), "{text}");
    }

    #[test]
    fn a_short_word_is_not_broken_where_a_text_beside_it_can_be() {
        let mut grid = Grid::new("T").text_column("metric").text_column("verdict");
        grid.rows = vec![vec![
            "a metric of several words".to_owned(),
            "inconclusive".to_owned(),
        ]];
        let text = grid.to_text(24);
        assert!(text.contains("inconclusive"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 24), "{text}");
    }

    /// The comparison of three variants, a hundredfold apart: it needs all of 80 columns.
    fn crowded(width: u16) -> String {
        let mut grid = Grid::new("T").text_column("metric").text_column("variant");
        for head in ["ratio", "low", "high", "pairs", "p"] {
            grid = grid.number_column(head);
        }
        let mut grid = grid.text_column("verdict");
        let rows = [
            [
                "elapsed + flush",
                "forced",
                "0.0230",
                "0.0191",
                "0.0291",
                "9",
                "0.023",
                "faster",
            ],
            [
                "WRITELOG wait",
                "batched",
                "-",
                "-",
                "-",
                "9",
                "-",
                "inconclusive",
            ],
            [
                "log writes",
                "delayed",
                "0.00105",
                "0.000974",
                "0.00110",
                "9",
                "0.023",
                "lower",
            ],
        ];
        grid.rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        grid.to_text(width)
    }

    #[test]
    fn columns_move_together_before_a_cell_is_broken() {
        let text = crowded(80);
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(
            crowded(100).contains("WRITELOG wait     batched"),
            "room: {text}"
        );
    }

    #[test]
    fn a_cell_is_broken_at_blanks_before_a_word_is() {
        let text = crowded(76);
        assert!(text.lines().all(|line| line.len() <= 76), "{text}");
        for word in ["elapsed", "WRITELOG", "batched", "inconclusive"] {
            assert!(text.contains(word), "{word}:\n{text}");
        }
    }

    #[test]
    fn a_pipe_in_a_name_does_not_end_its_cell() {
        let text = grid().to_markdown();
        assert_eq!(text.lines().nth(1), Some("| --- | ---: |"));
        assert_eq!(text.lines().nth(2), Some("| a\\|b | 1.50 |"));
    }
}
