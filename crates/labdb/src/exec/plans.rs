//! Bound plans, kept per session: a batch or procedure that runs again is not bound again as
//! long as no schema changed.

use super::Executor;
use super::insert::InsertPlan;
use super::modify::{DeletePlan, UpdatePlan};
use crate::bind::Binder;
use crate::plan::{Condition, Query, Typed};
use foldhash::fast::RandomState;
use labdb_tsql::ast;
use labdb_types::SqlResult;
use std::any::Any;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Beyond so many bytes of text too: a tree takes many times what its text does.
const MOST_TEXT: usize = 1 << 20;

/// Beyond so many entries everything is forgotten: texts with literals in them come and go.
const LIMIT: usize = 2_000;

/// A bound statement or expression.
#[derive(Clone)]
pub(crate) enum Bound {
    Query(Rc<Query>),
    Insert(Rc<InsertPlan>),
    Update(Rc<UpdatePlan>),
    Delete(Rc<DeletePlan>),
    Scalar(Rc<Typed>),
    Condition(Rc<Condition>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    schema: u64,
    temp: u64,
    database: i32,
    /// The frame's key and level.
    frame: (u64, u32),
}

struct Entry {
    version: Version,
    bound: Bound,
    /// The tree whose address is the entry's key: as long as it lives, no other has the address.
    _owner: Arc<dyn Any + Send + Sync>,
}

/// Statements that were compiled.
struct Compiled {
    version: Version,
    declares: bool,
    _owner: Arc<dyn Any + Send + Sync>,
}

/// The plans and parsed batches of a session.
#[derive(Default)]
pub struct PlanCache {
    batches: HashMap<Arc<str>, Arc<ast::Batch>, RandomState>,
    /// Bytes of the texts in `batches`, about.
    text_bytes: usize,
    compiled: HashMap<usize, Compiled, RandomState>,
    entries: HashMap<(usize, u8), Entry, RandomState>,
}

impl PlanCache {
    /// Forgets what was bound.
    pub(crate) fn forget_plans(&mut self) {
        self.entries.clear();
    }

    /// Parses a batch, or finds it parsed.
    ///
    /// # Errors
    /// Syntax errors.
    pub fn batch(&mut self, text: &str) -> SqlResult<Arc<ast::Batch>> {
        if let Some(batch) = self.batches.get(text) {
            return Ok(Arc::clone(batch));
        }
        let batch = Arc::new(labdb_tsql::parse_batch(text)?);
        if text.len() < 64 << 10 {
            self.text_bytes += text.len();
            if self.batches.len() >= LIMIT / 8 || self.text_bytes > MOST_TEXT {
                self.text_bytes = text.len();
                self.batches.clear();
                self.entries.clear();
                self.compiled.clear();
            }
            self.batches.insert(Arc::from(text), Arc::clone(&batch));
        }
        Ok(batch)
    }
}

fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

impl Executor<'_> {
    fn version(&self) -> Version {
        Version {
            schema: self.session.instance.schema_version(),
            temp: self.session.temp_version.get(),
            database: self.session.database_id(),
            frame: (self.frame.key(), self.frame.level),
        }
    }

    /// Whether statements, once compiled, have declarations; `None` where they are to be compiled.
    pub(super) fn compiled(&self, statements: &[ast::Statement]) -> Option<bool> {
        let plans = self.session.plans.borrow();
        let compiled = plans.compiled.get(&statements.as_ptr().addr())?;
        (compiled.version == self.version()).then_some(compiled.declares)
    }

    /// Notes that statements were compiled under the frame's present key.
    pub(super) fn note_compiled(&self, statements: &[ast::Statement], declares: bool) {
        let mut plans = self.session.plans.borrow_mut();
        if plans.compiled.len() >= LIMIT {
            plans.compiled.clear();
        }
        plans.compiled.insert(
            statements.as_ptr().addr(),
            Compiled {
                version: self.version(),
                declares,
                _owner: Arc::clone(&self.owner),
            },
        );
    }

    fn cached(
        &self,
        key: (usize, u8),
        make: impl FnOnce(&Binder<'_>) -> SqlResult<Bound>,
    ) -> SqlResult<Bound> {
        let version = self.version();
        if let Some(entry) = self.session.plans.borrow().entries.get(&key)
            && entry.version == version
        {
            return Ok(entry.bound.clone());
        }
        let binder = Binder::new(self.session, self.frame);
        let bound = make(&binder).inspect_err(|_| self.recompiling.set(true))?;
        let mut plans = self.session.plans.borrow_mut();
        if plans.entries.len() >= LIMIT {
            plans.entries.clear();
        }
        plans.entries.insert(
            key,
            Entry {
                version,
                bound: bound.clone(),
                _owner: Arc::clone(&self.owner),
            },
        );
        Ok(bound)
    }

    pub(crate) fn query_plan(&self, query: &ast::Query) -> SqlResult<Rc<Query>> {
        match self.cached((address(query), 0), |b| {
            let mut query = b.query(query)?;
            crate::plan::needed::note(&mut query.plan);
            Ok(Bound::Query(Rc::new(query)))
        })? {
            Bound::Query(plan) => Ok(plan),
            _ => Err(crate::plan::expression::internal(
                "a plan of the wrong kind was cached",
            )),
        }
    }

    pub(crate) fn scalar_plan(&self, expression: &ast::Expr) -> SqlResult<Rc<Typed>> {
        match self.cached((address(expression), 1), |b| {
            Ok(Bound::Scalar(Rc::new(b.scalar(expression)?)))
        })? {
            Bound::Scalar(plan) => Ok(plan),
            _ => Err(crate::plan::expression::internal(
                "a plan of the wrong kind was cached",
            )),
        }
    }

    pub(crate) fn condition_plan(&self, condition: &ast::Expr) -> SqlResult<Rc<Condition>> {
        match self.cached((address(condition), 2), |b| {
            Ok(Bound::Condition(Rc::new(b.predicate(condition)?)))
        })? {
            Bound::Condition(plan) => Ok(plan),
            _ => Err(crate::plan::expression::internal(
                "a plan of the wrong kind was cached",
            )),
        }
    }

    pub(crate) fn insert_plan(&self, insert: &ast::Insert) -> SqlResult<Rc<InsertPlan>> {
        match self.cached((address(insert), 3), |b| {
            Ok(Bound::Insert(Rc::new(b.insert(insert)?)))
        })? {
            Bound::Insert(plan) => Ok(plan),
            _ => Err(crate::plan::expression::internal(
                "a plan of the wrong kind was cached",
            )),
        }
    }

    pub(crate) fn update_plan(&self, update: &ast::Update) -> SqlResult<Rc<UpdatePlan>> {
        match self.cached((address(update), 4), |b| {
            Ok(Bound::Update(Rc::new(b.update(update)?)))
        })? {
            Bound::Update(plan) => Ok(plan),
            _ => Err(crate::plan::expression::internal(
                "a plan of the wrong kind was cached",
            )),
        }
    }

    pub(crate) fn delete_plan(&self, delete: &ast::Delete) -> SqlResult<Rc<DeletePlan>> {
        match self.cached((address(delete), 5), |b| {
            Ok(Bound::Delete(Rc::new(b.delete(delete)?)))
        })? {
            Bound::Delete(plan) => Ok(plan),
            _ => Err(crate::plan::expression::internal(
                "a plan of the wrong kind was cached",
            )),
        }
    }
}
