//! Cursors: a query declared under a name, whose rows are fetched one after another.

use super::Frame;
use crate::plan::Query;
use crate::session::memory::Grant;
use labdb_types::{Column, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The rows of a cursor between OPEN and CLOSE.
#[derive(Debug)]
pub struct OpenRows {
    /// The rows that were not fetched yet, in order.
    pub rows: std::vec::IntoIter<Vec<Value>>,
    /// How many there were.
    pub count: usize,
    /// Their columns.
    pub columns: Vec<Column>,
    /// Their memory.
    pub grant: Grant,
}

/// A declared cursor.
#[derive(Debug)]
pub struct Cursor {
    /// The variables as they were when it was declared: OPEN does not see later values.
    pub frame: Rc<Frame>,
    /// The statement, for a plan that has become stale.
    pub query: Rc<labdb_tsql::ast::Query>,
    /// The plan, with the version of the schema that it was bound under.
    pub plan: Rc<Query>,
    /// The schema's version and that of the temporary tables.
    pub version: (u64, u64),
    /// STATIC: the number of its rows is known.
    pub fixed: bool,
    /// The rows, where it is open.
    pub open: Option<OpenRows>,
}

impl Cursor {
    /// `CURSOR_STATUS`: 1 open, 0 open without rows, -1 closed.
    pub fn status(&self) -> i16 {
        match &self.open {
            None => -1,
            Some(open) if self.fixed && open.count == 0 => 0,
            Some(_) => 1,
        }
    }
}

/// Cursors by folded name.
pub type Cursors = RefCell<HashMap<String, Cursor>>;
