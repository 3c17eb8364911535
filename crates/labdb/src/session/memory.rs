//! The memory that statements may use: one budget for the server, and what each holder has of it.
//!
//! Counted are rows that a plan must keep (sorts, hashes, the inner sides of joins, groups,
//! windows, recursion), rows of temporary tables and table variables, and long values of variables.
//! Not counted are the buffer pool, the keys of indexes, locks, and requests on their way in.

use labdb_types::{SqlError, SqlResult, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What holders ask for at a time, in bytes: they seldom meet at the shared counter.
const STEP: u64 = 256 << 10;

/// What a row costs beside its values: its vector and its place in whatever holds it.
const ROW: u64 = 64;

/// What one long value costs beside its bytes.
const REFERENCE: usize = 16;

/// The server's budget.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: AtomicU64,
    used: AtomicU64,
}

impl MemoryBudget {
    /// The limit of a server that is not told another, in bytes.
    pub const USUAL: u64 = 1 << 30;

    /// Sets the limit, in bytes; what is held already stays.
    pub fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Bytes that are held.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> SqlResult<()> {
        let limit = self.limit.load(Ordering::Relaxed);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|sum| *sum <= limit)
            })
            .map(drop)
            .map_err(|_| {
                SqlError::new(
                    701,
                    "There is insufficient system memory in resource pool 'default' to run this \
                     query.",
                )
                .severity(17)
                .state(123)
            })
    }
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self {
            limit: AtomicU64::new(Self::USUAL),
            used: AtomicU64::new(0),
        }
    }
}

/// A part of the budget, given back when it is dropped.
#[derive(Debug, Default)]
pub struct Grant {
    budget: Option<Arc<MemoryBudget>>,
    needed: u64,
    taken: u64,
}

impl Grant {
    /// Takes so many bytes more.
    ///
    /// # Errors
    /// 701 when the server has no more.
    pub fn take(&mut self, budget: &Arc<MemoryBudget>, bytes: u64) -> SqlResult<()> {
        let needed = self.needed.saturating_add(bytes);
        if needed > self.taken {
            let more = (needed - self.taken).next_multiple_of(STEP);
            budget.take(more)?;
            self.taken += more;
            if self.budget.is_none() {
                self.budget = Some(Arc::clone(budget));
            }
        }
        self.needed = needed;
        Ok(())
    }

    /// Gives so many bytes back.
    pub fn give(&mut self, bytes: u64) {
        self.needed = self.needed.saturating_sub(bytes);
        let spare = self.taken.saturating_sub(self.needed) / STEP;
        // One step is kept: who gives a little often takes it again at once.
        if spare > 1
            && let Some(budget) = &self.budget
        {
            let back = (spare - 1) * STEP;
            budget.used.fetch_sub(back, Ordering::Relaxed);
            self.taken -= back;
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.used.fetch_sub(self.taken, Ordering::Relaxed);
        }
    }
}

/// The bytes of a value outside of its own place.
fn outside(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len() + REFERENCE,
        Value::Binary(bytes) => bytes.len() + REFERENCE,
        Value::Variant(inner) => size_of_val(&**inner) + outside(&inner.1),
        _ => 0,
    }
}

/// The bytes of a value that is kept alone.
pub fn value_bytes(value: &Value) -> u64 {
    (size_of::<Value>() + outside(value)) as u64
}

/// About the bytes that a kept row takes.
pub fn row_bytes(row: &[Value]) -> u64 {
    ROW + (size_of_val(row) + row.iter().map(outside).sum::<usize>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_or_given_back_can_be_taken_again() {
        let budget = Arc::new(MemoryBudget::default());
        budget.set_limit(10 * STEP);
        let mut first = Grant::default();
        first.take(&budget, 6 * STEP).unwrap();
        let mut second = Grant::default();
        second.take(&budget, 4 * STEP - 5).unwrap();
        second.take(&budget, 5).unwrap();
        let error = second.take(&budget, 1).unwrap_err();
        assert_eq!((error.number, error.severity), (701, 17));
        // A refusal takes nothing.
        assert_eq!(budget.used(), 10 * STEP);
        first.give(6 * STEP);
        assert_eq!(budget.used(), 5 * STEP);
        second.take(&budget, STEP).unwrap();
        drop(first);
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_row_costs_its_values_and_what_they_point_at() {
        let short = row_bytes(&[Value::Int(1), Value::Null]);
        let long = row_bytes(&[Value::Int(1), Value::text("x".repeat(1000))]);
        assert_eq!(long - short, 1016);
        assert!((100..200).contains(&short), "{short}");
    }
}
