//! What can be wrong with the numbers.

use thiserror::Error;

/// Why a statistic cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum StatisticsError {
    /// Fewer values than the statistic takes.
    #[error("{given} values are too few: at least {least} are needed")]
    TooFew {
        /// How many there are.
        given: usize,
        /// How many it takes.
        least: usize,
    },
    /// A value is NaN or infinite.
    #[error("value {} is not a finite number", index + 1)]
    NotFinite {
        /// Which, from 0.
        index: usize,
    },
    /// A value is zero or negative, so that it has no logarithm.
    #[error("value {} is {value}: a ratio takes values above zero", index + 1)]
    NotPositive {
        /// Which, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Two lists that belong together differ in length.
    #[error("{left} values cannot be paired with {right}")]
    LengthsDiffer {
        /// The length of the first.
        left: usize,
        /// The length of the second.
        right: usize,
    },
    /// A parameter is outside its range.
    #[error("{name} must be between 0 and 1, both excluded, not {value}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
    },
}

/// Refuses NaN, infinities and lists shorter than `least`.
pub(crate) fn finite(values: &[f64], least: usize) -> Result<(), StatisticsError> {
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(StatisticsError::NotFinite { index });
    }
    if values.len() < least {
        return Err(StatisticsError::TooFew {
            given: values.len(),
            least,
        });
    }
    Ok(())
}

/// Refuses what is no probability strictly between 0 and 1.
pub(crate) fn open_unit(name: &'static str, value: f64) -> Result<(), StatisticsError> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(StatisticsError::OutOfRange { name, value })
    }
}

/// A count as a number; exact below 2^53, which no list in memory reaches.
#[expect(clippy::cast_precision_loss, reason = "no list has 2^53 elements")]
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}
