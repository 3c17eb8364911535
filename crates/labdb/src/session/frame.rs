//! Variables and errors of one batch or procedure.

use super::memory::{Grant, MemoryBudget, value_bytes};
use crate::catalog::{Store, Table, fold};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// A variable with its declared type.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The type.
    pub sql_type: SqlType,
    /// The value.
    pub value: Value,
}

/// What a batch, a procedure or an EXEC text sees of its own.
#[derive(Debug, Default)]
pub struct Frame {
    variables: RefCell<HashMap<Arc<str>, Variable>>,
    tables: RefCell<TableVariables>,
    /// LOCAL cursors.
    pub cursors: super::cursor::Cursors,
    /// The errors of the CATCH blocks that are running, innermost last.
    pub caught: RefCell<Vec<SqlError>>,
    /// How many TRY blocks are running, here and in the callers.
    pub tries: Cell<u32>,
    /// The procedure, for error messages.
    pub procedure: Option<String>,
    /// Its object id.
    pub procedure_id: Option<i32>,
    /// `SCOPE_IDENTITY()`.
    pub scope_identity: Cell<Option<i64>>,
    /// 0 for a batch, more for what it calls.
    pub level: u32,
    /// The memory that long values of variables take, and from where.
    memory: RefCell<(Grant, Option<Arc<MemoryBudget>>)>,
    working: RefCell<HashMap<usize, Rc<Vec<Vec<Value>>>>>,
    /// Distinguishes plans of one text whose parameters have other types, and of one batch whose
    /// table variables are other tables.
    key: Cell<u64>,
    /// All parameters are declared.
    sealed: Cell<bool>,
    /// How many of `tries` are the callers'.
    inherited_tries: u32,
}

/// Table variables by folded name. Their rows go with their batch, also where the plan of a
/// statement still knows the table. With `true` they are another frame's.
#[derive(Debug, Default)]
struct TableVariables(HashMap<Arc<str>, Arc<Table>>, bool);

impl Drop for TableVariables {
    fn drop(&mut self) {
        if self.1 {
            return;
        }
        for table in self.0.values() {
            if let Store::Memory(memory) = &*table.store {
                memory.forget();
            }
            for index in &table.indexes {
                index.entries.write().clear();
            }
        }
    }
}

fn missing(name: &str) -> SqlError {
    SqlError::new(137, format!("Must declare the scalar variable \"{name}\"."))
        .severity(15)
        .state(2)
}

fn twice(name: &str) -> SqlError {
    SqlError::new(
        134,
        format!(
            "The variable name '{name}' has already been declared. Variable names must be unique \
             within a query batch or stored procedure."
        ),
    )
    .severity(15)
}

impl Frame {
    /// A frame for a batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// A frame for something called.
    pub fn called(procedure: Option<(String, i32)>, level: u32, tries: u32) -> Self {
        let (procedure, procedure_id) =
            procedure.map_or((None, None), |(name, id)| (Some(name), Some(id)));
        Self {
            procedure,
            procedure_id,
            level,
            tries: Cell::new(tries),
            inherited_tries: tries,
            ..Self::default()
        }
    }

    /// A frame that has the variables as they are now, and the same table variables.
    ///
    /// # Errors
    /// 701 where there is no memory for copies of long values.
    pub fn snapshot(&self, budget: &Arc<MemoryBudget>) -> SqlResult<Self> {
        let copy = Self::called(None, self.level, 0);
        copy.use_memory(budget);
        for (name, variable) in &*self.variables.borrow() {
            copy.declare(name, variable.sql_type)?;
            copy.set(name, variable.value.clone())?;
        }
        *copy.tables.borrow_mut() = TableVariables(self.tables.borrow().0.clone(), true);
        Ok(copy)
    }

    /// Declares a variable; NULL at first.
    ///
    /// # Errors
    /// 134 where it exists.
    pub fn declare(&self, name: &str, sql_type: SqlType) -> SqlResult<()> {
        let key: Arc<str> = fold(name).into();
        let mut variables = self.variables.borrow_mut();
        if let Some(known) = variables.get_mut(&key) {
            if known.sql_type == sql_type {
                // DECLARE in a loop runs again without effect on the value.
                return Ok(());
            }
            return Err(twice(name));
        }
        if !self.sealed.get() {
            let mut hasher = DefaultHasher::new();
            (self.key.get(), &key, sql_type).hash(&mut hasher);
            self.key.set(hasher.finish());
        }
        variables.insert(
            key,
            Variable {
                sql_type,
                value: Value::Null,
            },
        );
        Ok(())
    }

    /// Ends the declaration of parameters: what is declared from now on is in the text itself.
    pub fn seal(&self) {
        self.sealed.set(true);
    }

    /// What the plans of its statements depend on, beside the schema.
    pub fn key(&self) -> u64 {
        self.key.get()
    }

    /// Whether a TRY block of a caller is running.
    pub fn is_tried_by_caller(&self) -> bool {
        self.inherited_tries > 0
    }

    /// Checks that nothing has the name.
    ///
    /// # Errors
    /// 134.
    pub fn check_undeclared(&self, name: &str) -> SqlResult<()> {
        let key = fold(name);
        if self.variables.borrow().contains_key(key.as_str())
            || self.tables.borrow().0.contains_key(key.as_str())
        {
            return Err(twice(name));
        }
        Ok(())
    }

    /// Declares a variable that the batch must not have yet.
    ///
    /// # Errors
    /// 134.
    pub fn declare_once(&self, name: &str, sql_type: SqlType) -> SqlResult<()> {
        self.check_undeclared(name)?;
        self.declare(name, sql_type)
    }

    /// A variable's type, if it is declared.
    pub fn variable_type(&self, name: &str) -> Option<SqlType> {
        self.variables
            .borrow()
            .get(fold(name).as_str())
            .map(|v| v.sql_type)
    }

    /// The value of a variable, by folded name.
    ///
    /// # Errors
    /// 137.
    pub fn variable(&self, folded: &str) -> SqlResult<Value> {
        self.variables
            .borrow()
            .get(folded)
            .map(|v| v.value.clone())
            .ok_or_else(|| missing(folded))
    }

    /// Sets a variable; the value has its type already.
    ///
    /// # Errors
    /// 137.
    pub fn set(&self, name: &str, value: Value) -> SqlResult<()> {
        match self.variables.borrow_mut().get_mut(fold(name).as_str()) {
            Some(variable) => {
                self.hold(&variable.value, &value)?;
                variable.value = value;
                Ok(())
            }
            None => Err(missing(name)),
        }
    }

    /// Says where the memory of long values comes from.
    pub fn use_memory(&self, budget: &Arc<MemoryBudget>) {
        self.memory
            .borrow_mut()
            .1
            .get_or_insert_with(|| Arc::clone(budget));
    }

    /// Takes memory for a long value that replaces another.
    fn hold(&self, old: &Value, new: &Value) -> SqlResult<()> {
        const LONG: u64 = 8_000;
        let (old, new) = (value_bytes(old), value_bytes(new));
        if old <= LONG && new <= LONG {
            return Ok(());
        }
        let (grant, budget) = &mut *self.memory.borrow_mut();
        if new > LONG
            && let Some(budget) = budget
        {
            grant.take(budget, new)?;
        }
        if old > LONG {
            grant.give(old);
        }
        Ok(())
    }

    /// Error 137 for a name.
    pub fn undeclared(name: &str) -> SqlError {
        missing(name)
    }

    /// Declares a table variable. Plans refer to it, so that the frame gets a key of its own.
    pub fn declare_table(&self, name: &str, table: Arc<Table>, key: u64) {
        self.tables.borrow_mut().0.insert(fold(name).into(), table);
        self.key.set(key);
    }

    /// A table variable.
    ///
    /// # Errors
    /// 1087.
    pub fn table_variable(&self, name: &str) -> SqlResult<Arc<Table>> {
        self.tables
            .borrow()
            .0
            .get(fold(name).as_str())
            .cloned()
            .ok_or_else(|| {
                SqlError::new(1087, format!("Must declare the table variable \"{name}\"."))
                    .severity(15)
                    .state(2)
            })
    }

    /// Sets the rows that a recursive table shows its own step.
    pub(crate) fn set_working(
        &self,
        id: usize,
        rows: Rc<Vec<Vec<Value>>>,
    ) -> Option<Rc<Vec<Vec<Value>>>> {
        self.working.borrow_mut().insert(id, rows)
    }

    /// Puts back what [`Frame::set_working`] replaced.
    pub(crate) fn restore_working(&self, id: usize, rows: Option<Rc<Vec<Vec<Value>>>>) {
        let mut working = self.working.borrow_mut();
        match rows {
            Some(rows) => working.insert(id, rows),
            None => working.remove(&id),
        };
    }

    /// The rows that a recursive table made last.
    pub(crate) fn working(&self, id: usize) -> Rc<Vec<Vec<Value>>> {
        self.working.borrow().get(&id).cloned().unwrap_or_default()
    }
}
