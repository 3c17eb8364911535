//! What a statement is once its names are resolved: typed expressions, conditions and trees of
//! row sources, and how they are evaluated.

pub mod aggregate;
pub mod condition;
pub mod expression;
mod group;
pub mod join;
pub mod needed;
mod reads;
pub mod rows;
pub mod rowset;
pub mod source;
mod top;
pub mod window;

pub use aggregate::{Aggregate, AggregateKind};
pub use condition::Condition;
pub use expression::{Node, Typed};
pub use rows::{Flow, Kept, Query};
pub use source::{JoinType, Plan, SortKey};

use crate::session::memory::{Grant, row_bytes};
use crate::session::{Frame, Session};
use labdb_types::{SqlResult, Value};

/// What an evaluation can see besides rows.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The session.
    pub session: &'a Session,
    /// The variables and the procedure.
    pub frame: &'a Frame,
    /// Whether the client has asked for the end of what runs; `None` where nobody can tell.
    pub attention: Option<&'a dyn Fn() -> bool>,
}

impl Context<'_> {
    /// Whether the work shall end: KILL, shutdown, an attention.
    ///
    /// # Errors
    /// [`crate::session::cancelled`].
    pub fn check_cancelled(&self) -> SqlResult<()> {
        if self.attention.is_some_and(|asked| asked()) {
            return Err(crate::session::cancelled());
        }
        self.session.check_cancelled()
    }

    /// Takes memory for a row that is kept.
    ///
    /// # Errors
    /// 701 when the server has no more.
    pub fn hold(&self, grant: &mut Grant, row: &[Value]) -> SqlResult<()> {
        grant.take(&self.session.instance.memory, row_bytes(row))
    }

    /// Takes memory for a key that is kept, and what stands with it.
    ///
    /// # Errors
    /// 701 when the server has no more.
    pub fn hold_key(&self, grant: &mut Grant, key: &[u8]) -> SqlResult<()> {
        const ENTRY: u64 = 64;
        grant.take(&self.session.instance.memory, ENTRY + key.len() as u64)
    }
}

/// The row that an expression is evaluated on, and those of the queries around it.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The values of the innermost row.
    pub row: &'a [Value],
    /// The row of the query around it.
    pub outer: Option<&'a Env<'a>>,
}

impl<'a> Env<'a> {
    /// A row with the rows around it.
    pub fn new(row: &'a [Value], outer: Option<&'a Env<'a>>) -> Self {
        Self { row, outer }
    }

    /// No row at all.
    pub fn empty() -> Self {
        Self {
            row: &[],
            outer: None,
        }
    }

    /// The value of a column `depth` queries further out.
    pub fn get(&self, depth: usize, index: usize) -> Option<&'a Value> {
        let mut env = *self;
        for _ in 0..depth {
            env = *env.outer?;
        }
        env.row.get(index)
    }
}
