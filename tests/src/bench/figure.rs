//! A figure of the report, what it is held against, and what is promised.

use std::fmt;

/// One line of the report.
pub struct Figure {
    pub(super) name: String,
    pub(super) ours: f64,
    /// What it is held against, in words, and its value.
    pub(super) beside: Option<(String, f64)>,
    pub(super) unit: &'static str,
    pub(super) target: Target,
}

/// What is promised.
pub(super) enum Target {
    RatioAtLeast(f64),
    RatioBetween(f64, f64),
    AtLeast(f64),
    Below(f64),
    None,
}

impl Figure {
    /// The heading of the report.
    #[must_use]
    pub fn heading() -> String {
        format!(
            "{:<44} {:>10} {:>10} {:>6}  {:<18} {}\n{}",
            "figure",
            "ours",
            "beside",
            "ratio",
            "target",
            "met",
            "-".repeat(100)
        )
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = self.beside.as_ref().map(|(_, beside)| self.ours / beside);
        let (target, met) = match self.target {
            Target::RatioAtLeast(least) => (format!("ratio >= {least}"), ratio.map(|r| r >= least)),
            Target::RatioBetween(low, high) => (
                format!("ratio {low} to {high}"),
                ratio.map(|r| (low..=high).contains(&r)),
            ),
            Target::None => (String::new(), None),
            Target::AtLeast(least) => (
                format!(">= {least} {}", self.unit),
                Some(self.ours >= least),
            ),
            Target::Below(limit) => (format!("< {limit} {}", self.unit), Some(self.ours < limit)),
        };
        let met = met.map_or("", |met| if met { "yes" } else { "NO" });
        let beside = self
            .beside
            .as_ref()
            .map_or(String::new(), |(_, value)| format!("{value:.1}"));
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        write!(
            f,
            "{:<44} {:>10.1} {beside:>10} {ratio:>6}  {target:<18} {met}",
            format!("{}, {}", self.name, self.unit),
            self.ours
        )?;
        if let Some((name, _)) = &self.beside {
            write!(f, "\n  beside: {name}")?;
        }
        Ok(())
    }
}
