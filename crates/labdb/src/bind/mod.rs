//! From syntax to plans: names are resolved against the catalog, types are worked out, implicit
//! conversions are put in.

pub(crate) use coercion::arithmetic;

mod aggregates;
mod call;
mod coercion;
mod common_table;
mod condition;
mod expression;
mod from;
mod grouping;
mod literal;
mod push_down;
mod query;
mod rowset;
mod scope;
mod select_list;
mod set_operation;
mod target;
mod window;

pub(crate) use from::{locks_target, table_columns};
pub(crate) use push_down::filtered;
pub use rowset::ROWSETS;
pub use scope::{Scope, ScopeColumn};

use crate::catalog::{
    Catalog, DataPermission, DatabaseRole, Object, Procedure, Table, fold, is_global_temporary,
    is_temporary,
};
use crate::exec::permission;
use crate::instance::Database;
use crate::plan::{Plan, Query};
use crate::session::{Frame, Session};
use crate::views::{self, SystemView};
use labdb_tsql::ast::{self, ObjectName};
use labdb_types::{Column, SqlError, SqlResult};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

/// A common table that a query can see.
#[derive(Clone)]
pub(crate) struct CommonTable {
    plan: Plan,
    columns: Vec<Column>,
}

/// Binds the statements of one batch or procedure.
pub struct Binder<'a> {
    session: &'a Session,
    frame: &'a Frame,
    database: Arc<Database>,
    catalog: Arc<Catalog>,
    common: RefCell<Vec<(String, CommonTable)>>,
    /// OUTPUT's `inserted` and `deleted` and the like: tables of the statement itself.
    recursive_ids: Cell<usize>,
    max_recursion: Cell<u64>,
}

/// What a statement does with a table that it names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TableUse {
    /// Reads or changes its rows.
    Data(DataPermission),
    /// Changes its shape, or what only those may do who may change it. A table that may not be
    /// changed so is not found.
    Alter,
}

/// What a name in FROM stands for.
pub(crate) enum Source {
    Table(Arc<Table>),
    View(&'static SystemView),
}

impl<'a> Binder<'a> {
    /// A binder for the session's current database.
    pub fn new(session: &'a Session, frame: &'a Frame) -> Self {
        let database = session.database();
        let catalog = database.catalog();
        Self {
            session,
            frame,
            database,
            catalog,
            common: RefCell::new(Vec::new()),
            recursive_ids: Cell::new(0),
            max_recursion: Cell::new(100),
        }
    }

    /// The database and catalog that a name's database part means.
    fn home(&self, name: &ObjectName) -> SqlResult<(Arc<Database>, Arc<Catalog>)> {
        if name.parts.len() > 3 && name.parts.first().is_some_and(|s| !s.is_empty()) {
            let server = name.parts.first().map_or("", String::as_str);
            return Err(SqlError::new(
                7202,
                format!(
                    "Could not find server '{server}' in sys.servers. Verify that the correct \
                     server name was specified. labdb has no linked servers."
                ),
            )
            .severity(11)
            .state(2));
        }
        match self.session.database_of_name(name) {
            None => Ok((Arc::clone(&self.database), Arc::clone(&self.catalog))),
            Some(database) => {
                let instance = &self.session.instance;
                let found = instance.database(database).ok_or_else(|| {
                    match instance.restoring(database) {
                        Some(_) => instance.not_usable(database),
                        None => invalid_object(name),
                    }
                })?;
                if found.id != self.database.id {
                    found.check_access(self.session)?;
                }
                let catalog = found.catalog();
                Ok((found, catalog))
            }
        }
    }

    /// Finds a table or system view.
    pub(crate) fn source(&self, name: &ObjectName, wanted: TableUse) -> SqlResult<Source> {
        let object = name.object();
        if is_temporary(object) {
            return self
                .session
                .temp_table(object)
                .map(Source::Table)
                .ok_or_else(|| invalid_object(name));
        }
        let (database, catalog) = self.home(name)?;
        if let Some(table) = catalog.table(name.schema().unwrap_or("dbo"), object) {
            self.check_use(table, &database, wanted, name)?;
            return Ok(Source::Table(Arc::clone(table)));
        }
        if let Some(view) = views::find_in(&database, name.schema(), object) {
            return Ok(Source::View(view));
        }
        Err(invalid_object(name))
    }

    /// Checks that the session may use a table so.
    fn check_use(
        &self,
        table: &Table,
        database: &Database,
        wanted: TableUse,
        name: &ObjectName,
    ) -> SqlResult<()> {
        if is_global_temporary(&table.name) {
            return Ok(());
        }
        match wanted {
            // What a procedure does to its owner's tables, its caller may: all schemas are dbo's.
            TableUse::Data(_)
                if self.frame.procedure_id.is_some() && database.id == self.database.id =>
            {
                Ok(())
            }
            TableUse::Data(permission) => permission::check_object(
                self.session,
                database,
                permission,
                (&table.schema, &table.name, table.object_id),
            ),
            TableUse::Alter
                if permission::has_role(self.session, database, DatabaseRole::DdlAdmin) =>
            {
                Ok(())
            }
            TableUse::Alter => Err(invalid_object(name)),
        }
    }

    /// Finds a table that can be changed.
    ///
    /// # Errors
    /// 208 where there is none, 259 for a system view.
    pub(crate) fn table(&self, name: &ObjectName, wanted: TableUse) -> SqlResult<Arc<Table>> {
        match self.source(name, wanted)? {
            Source::Table(table) => Ok(table),
            Source::View(_) => Err(SqlError::new(
                259,
                "Ad hoc updates to system catalogs are not allowed.",
            )),
        }
    }

    /// Finds a procedure.
    ///
    /// # Errors
    /// Where its database cannot be entered.
    pub fn procedure(
        &self,
        name: &ObjectName,
    ) -> SqlResult<Option<(Arc<Procedure>, Arc<Database>)>> {
        if is_temporary(name.object()) {
            let procedures = self.session.temp_procedures.borrow();
            return Ok(procedures
                .get(&crate::catalog::fold(name.object()))
                .map(|p| (Arc::clone(p), Arc::clone(&self.database))));
        }
        let (database, catalog) = match self.home(name) {
            Ok(found) => found,
            Err(e) if e.number == 208 => return Ok(None),
            Err(e) => return Err(e),
        };
        let found = match catalog.get(name.schema().unwrap_or("dbo"), name.object()) {
            Some(Object::Procedure(procedure)) => Some(Arc::clone(procedure)),
            _ => None,
        };
        Ok(found.map(|p| (p, database)))
    }

    /// Binds a whole query.
    ///
    /// # Errors
    /// Names that do not resolve, types that do not combine.
    pub fn query(&self, query: &ast::Query) -> SqlResult<Query> {
        self.bind_query(query, None)
    }

    /// Binds an expression that stands outside a query.
    ///
    /// # Errors
    /// As [`Binder::query`]; a column name is 207.
    pub fn scalar(&self, expression: &ast::Expr) -> SqlResult<crate::plan::Typed> {
        self.expression(expression, &Scope::none())
    }

    /// Binds a condition that stands outside a query.
    ///
    /// # Errors
    /// As [`Binder::scalar`].
    pub fn predicate(&self, condition: &ast::Expr) -> SqlResult<crate::plan::Condition> {
        self.condition(condition, &Scope::none())
    }

    /// Makes the tables of WITH visible while `work` binds.
    pub(crate) fn with_common<T>(
        &self,
        tables: &[ast::CommonTable],
        work: impl FnOnce() -> SqlResult<T>,
    ) -> SqlResult<T> {
        let before = self.common.borrow().len();
        let outcome = self.add_common(tables).and_then(|()| work());
        self.common.borrow_mut().truncate(before);
        outcome
    }

    /// Whether SET `IDENTITY_INSERT` is ON for the table.
    pub(crate) fn identity_insert_on(&self, table: &Table) -> bool {
        *self.session.identity_insert.borrow() == Some(table.object_id)
    }

    /// A variable's type.
    pub(crate) fn variable_type(&self, name: &str) -> SqlResult<labdb_types::SqlType> {
        self.frame
            .variable_type(name)
            .ok_or_else(|| Frame::undeclared(name))
    }

    /// A table variable of the batch.
    pub(crate) fn frame_table(&self, name: &str) -> SqlResult<Arc<Table>> {
        self.frame.table_variable(name)
    }

    /// One item of an OUTPUT list.
    pub(crate) fn output_item(
        &self,
        item: &ast::SelectItem,
        scope: &Scope<'_>,
        values: &mut Vec<crate::plan::Typed>,
        columns: &mut Vec<Column>,
    ) -> SqlResult<()> {
        self.select_item(item, scope, values, columns)
    }

    fn common_table(&self, name: &str) -> Option<CommonTable> {
        let wanted = fold(name);
        self.common
            .borrow()
            .iter()
            .rev()
            .find(|(n, _)| *n == wanted)
            .map(|(_, t)| t.clone())
    }
}

/// Error 208.
pub(crate) fn invalid_object(name: &ObjectName) -> SqlError {
    SqlError::new(
        208,
        format!("Invalid object name '{}'.", name.parts.join(".")),
    )
}

/// Error 207.
pub(crate) fn invalid_column(name: &str) -> SqlError {
    SqlError::new(207, format!("Invalid column name '{name}'."))
}

/// Columns by folded name, to see whether a name is given twice.
pub(crate) fn duplicate_name(columns: &[Column]) -> Option<&str> {
    let mut seen = HashSet::new();
    columns
        .iter()
        .find(|c| !seen.insert(fold(&c.name)))
        .map(|c| c.name.as_str())
}
