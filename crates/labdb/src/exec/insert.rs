//! INSERT of values and of queries.

use super::Executor;
use super::output::{OutputPlan, change_row};
use super::row_rules::{Rules, check_row, store_value};
use super::{locking, table as store};
use crate::bind::{Binder, TableUse, locks_target};
use crate::catalog::{DataPermission, Store, Table};
use crate::eval::{convert, types};
use crate::plan::{Context, Env, Flow, Plan, Typed};
use crate::session::Command;
use labdb_storage::LockMode;
use labdb_tsql::ast::{Expr, Insert, InsertSource, TableSource};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// A column's value in a row that is written out.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// An expression of the column's type.
    Value(Typed),
    /// DEFAULT.
    Default,
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    Written(Vec<Vec<Given>>),
    Query(Box<Plan>, Vec<SqlType>),
    Execute,
}

/// A bound INSERT.
#[derive(Clone, Debug)]
pub(crate) struct InsertPlan {
    pub(crate) table: Arc<Table>,
    /// Which columns get the values, in order.
    pub(super) places: Vec<usize>,
    rows: Rows,
    pub(super) rules: Rules,
    output: Option<OutputPlan>,
    top: Option<Typed>,
    /// TABLOCK or TABLOCKX: the table is locked exclusively, and its new rows are not one by one.
    lock_table: bool,
}

/// Error 213 or its kin for lists of different length.
pub(crate) fn wrong_count(too_few: bool) -> SqlError {
    if too_few {
        SqlError::new(
            109,
            "There are more columns in the INSERT statement than values specified in the VALUES \
             clause. The number of values in the VALUES clause must match the number of columns \
             specified in the INSERT statement.",
        )
        .severity(15)
    } else {
        SqlError::new(
            110,
            "There are fewer columns in the INSERT statement than values specified in the VALUES \
             clause. The number of values in the VALUES clause must match the number of columns \
             specified in the INSERT statement.",
        )
        .severity(15)
    }
}

/// Error 8101 where values without a column list would also fill the identity column.
fn explicit_identity(table: &Table, values: usize) -> SqlResult<()> {
    if values != table.columns.len() || table.identity().is_none() {
        return Ok(());
    }
    Err(SqlError::new(
        8101,
        format!(
            "An explicit value for the identity column in table '{}' can only be specified when a \
             column list is used and IDENTITY_INSERT is ON.",
            table.full_name()
        ),
    ))
}

/// The columns that INSERT fills: those named, or all but the identity.
pub(crate) fn target_places(table: &Table, names: &[String]) -> SqlResult<Vec<usize>> {
    if names.is_empty() {
        return Ok(table
            .columns
            .iter()
            .enumerate()
            .filter(|(_, c)| c.identity.is_none())
            .map(|(at, _)| at)
            .collect());
    }
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let at = table
            .column_index(name)
            .ok_or_else(|| crate::bind::invalid_column(name))?;
        if places.contains(&at) {
            return Err(SqlError::new(
                264,
                format!(
                    "The column name '{name}' is specified more than once in the SET clause or \
                     column list of an INSERT. A column cannot be assigned more than one value in \
                     the same clause. Modify the clause to make sure that a column is updated \
                     only once. If this statement updates or inserts columns into a view, column \
                     aliasing can conceal the duplication in your code."
                ),
            ));
        }
        places.push(at);
    }
    Ok(places)
}

impl Binder<'_> {
    /// Binds an INSERT.
    pub(crate) fn insert(&self, insert: &Insert) -> SqlResult<InsertPlan> {
        self.with_common(&insert.with, || self.bind_insert(insert))
    }

    fn bind_insert(&self, insert: &Insert) -> SqlResult<InsertPlan> {
        let mut lock_table = false;
        let table = match &insert.target {
            TableSource::Variable { name, .. } => self.frame_table(name)?,
            TableSource::Table { name, hints, .. } => {
                lock_table = locks_target(hints)?;
                self.table(name, TableUse::Data(DataPermission::Insert))?
            }
            _ => {
                return Err(
                    SqlError::new(102, "INSERT needs a table or table variable.").severity(15),
                );
            }
        };
        let mut places = target_places(&table, &insert.columns)?;
        if insert.columns.is_empty() && self.identity_insert_on(&table) {
            places = (0..table.columns.len()).collect();
        }
        self.check_identity(&table, &places, insert)?;
        let rows = match &insert.source {
            InsertSource::DefaultValues => {
                places.clear();
                Rows::Written(vec![Vec::new()])
            }
            InsertSource::Values(rows) => {
                let mut bound = Vec::with_capacity(rows.len());
                for row in rows {
                    if row.len() != places.len() {
                        if insert.columns.is_empty() {
                            explicit_identity(&table, row.len())?;
                            return Err(SqlError::new(
                                213,
                                "Column name or number of supplied values does not match table \
                                 definition.",
                            ));
                        }
                        return Err(wrong_count(row.len() < places.len()));
                    }
                    let mut values = Vec::with_capacity(row.len());
                    for (value, at) in row.iter().zip(&places) {
                        values.push(match (value, table.columns.get(*at)) {
                            (Expr::Default, _) => Given::Default,
                            (value, Some(column)) => {
                                Given::Value(self.scalar(value)?.storable(column)?)
                            }
                            (value, None) => Given::Value(self.scalar(value)?),
                        });
                    }
                    bound.push(values);
                }
                Rows::Written(bound)
            }
            InsertSource::Query(query) => {
                let bound = self.query(query)?;
                if bound.columns.len() != places.len() {
                    if insert.columns.is_empty() {
                        explicit_identity(&table, bound.columns.len())?;
                        return Err(SqlError::new(
                            213,
                            "Column name or number of supplied values does not match table \
                             definition.",
                        ));
                    }
                    return Err(if bound.columns.len() < places.len() {
                        SqlError::new(
                            120,
                            "The select list for the INSERT statement contains fewer items than \
                             the insert list. The number of SELECT values must match the number \
                             of INSERT columns.",
                        )
                        .severity(15)
                    } else {
                        SqlError::new(
                            121,
                            "The select list for the INSERT statement contains more items than \
                             the insert list. The number of SELECT values must match the number \
                             of INSERT columns.",
                        )
                        .severity(15)
                    });
                }
                for (column, at) in bound.columns.iter().zip(&places) {
                    if let Some(target) = table.columns.get(*at) {
                        convert::check_convertible(column.sql_type, target.sql_type, false)?;
                    }
                }
                let types = bound.columns.iter().map(|c| c.sql_type).collect();
                Rows::Query(Box::new(bound.plan), types)
            }
            InsertSource::Execute(_) => Rows::Execute,
        };
        let output = match &insert.output {
            Some(clause) => Some(self.output(clause, &table, true, false, &[])?),
            None => None,
        };
        let top = match &insert.top {
            Some(top) => Some(self.scalar(&top.count)?.coerced(SqlType::BigInt)?),
            None => None,
        };
        let rules = self.rules(&table)?;
        Ok(InsertPlan {
            table,
            places,
            rows,
            rules,
            output,
            top,
            lock_table,
        })
    }
}

impl Executor<'_> {
    pub(crate) fn insert(&mut self, insert: &Insert) -> SqlResult<()> {
        let plan = self.insert_plan(insert)?;
        let mut put: Vec<Vec<Value>> = Vec::new();
        let mut count = 0_u64;
        if plan.lock_table && matches!(&*plan.table.store, Store::Heap(_)) {
            store::with_transaction(self.session, |transaction| {
                let held = &mut transaction.locks;
                locking::table(self.session, held, &plan.table, LockMode::X)
            })?;
        }
        let limit = match &plan.top {
            Some(top) => convert::as_i64(&top.eval(&self.context(), &Env::empty())?)
                .map_or(0, |n| n.max(0) as u64),
            None => u64::MAX,
        };
        match &plan.rows {
            Rows::Written(rows) => {
                for row in rows
                    .iter()
                    .take(usize::try_from(limit).unwrap_or(usize::MAX))
                {
                    let stored = self.insert_written(&plan, row)?;
                    count += 1;
                    if plan.output.is_some() {
                        put.push(stored);
                    }
                }
            }
            Rows::Query(query, types) if query.may_read(&plan.table) => {
                let kept = self.attentively(|context, _| query.collect(context, None))?;
                for row in kept
                    .rows
                    .into_iter()
                    .take(usize::try_from(limit).unwrap_or(usize::MAX))
                {
                    let stored =
                        self.insert_row(&plan.table, &plan.rules, &plan.places, &row, types)?;
                    count += 1;
                    if count.is_multiple_of(1024) {
                        self.poll_client()?;
                    }
                    if plan.output.is_some() {
                        put.push(stored);
                    }
                }
            }
            // A query that cannot meet the new rows gives them one by one, and none is kept.
            Rows::Query(query, types) => {
                self.attentively(|context, _| {
                    if limit == 0 {
                        return Ok(Flow::Enough);
                    }
                    query.run(context, None, &mut |row| {
                        let stored = insert_row(
                            context,
                            &plan.table,
                            &plan.rules,
                            &plan.places,
                            &row,
                            types,
                        )?;
                        count += 1;
                        if count.is_multiple_of(1024) {
                            context.check_cancelled()?;
                        }
                        if plan.output.is_some() {
                            put.push(stored);
                        }
                        Ok(if count == limit {
                            Flow::Enough
                        } else {
                            Flow::More
                        })
                    })
                })?;
            }
            Rows::Execute => count = self.insert_execute(insert, &plan)?,
        }
        if let Some(output) = &plan.output {
            let width = plan.table.columns.len();
            let rows: Vec<Vec<Value>> = put
                .iter()
                .map(|row| change_row(width, Some(row), None, &[]))
                .collect();
            self.put_out(output, &rows)?;
        }
        self.finish(Command::Insert, count)
    }

    fn insert_written(&mut self, plan: &InsertPlan, given: &[Given]) -> SqlResult<Vec<Value>> {
        let table = &plan.table;
        let mut row: Vec<Option<Value>> = vec![None; table.columns.len()];
        let env = Env::empty();
        for (value, at) in given.iter().zip(&plan.places) {
            let (Some(column), Some(slot)) = (table.columns.get(*at), row.get_mut(*at)) else {
                continue;
            };
            if let Given::Value(value) = value {
                *slot = Some(store_value(
                    self.session,
                    table,
                    column,
                    &value.eval(&self.context(), &env)?,
                    value.sql_type,
                )?);
            }
        }
        complete(&self.context(), table, &plan.rules, row)
    }

    pub(super) fn insert_row(
        &mut self,
        table: &Arc<Table>,
        rules: &Rules,
        places: &[usize],
        values: &[Value],
        types: &[SqlType],
    ) -> SqlResult<Vec<Value>> {
        insert_row(&self.context(), table, rules, places, values, types)
    }

    /// Stores values in a table's columns, with the rest from defaults.
    pub(crate) fn insert_values(
        &mut self,
        table: &Arc<Table>,
        places: &[usize],
        values: &[Value],
        types: &[SqlType],
    ) -> SqlResult<()> {
        let rules = Binder::new(self.session, self.frame).rules(table)?;
        self.insert_row(table, &rules, places, values, types)
            .map(|_| ())
    }
}

/// Stores a row of a query or of a client in the columns that get its values.
fn insert_row(
    context: &Context<'_>,
    table: &Arc<Table>,
    rules: &Rules,
    places: &[usize],
    values: &[Value],
    types: &[SqlType],
) -> SqlResult<Vec<Value>> {
    let mut row: Vec<Option<Value>> = vec![None; table.columns.len()];
    for ((value, from), at) in values.iter().zip(types).zip(places) {
        let (Some(column), Some(slot)) = (table.columns.get(*at), row.get_mut(*at)) else {
            continue;
        };
        *slot = Some(store_value(context.session, table, column, value, *from)?);
    }
    complete(context, table, rules, row)
}

/// Fills the columns that got no value, checks the row and stores it.
fn complete(
    context: &Context<'_>,
    table: &Arc<Table>,
    rules: &Rules,
    row: Vec<Option<Value>>,
) -> SqlResult<Vec<Value>> {
    let mut full = Vec::with_capacity(row.len());
    let mut identity_value = None;
    for ((slot, column), default) in row.into_iter().zip(&table.columns).zip(&rules.defaults) {
        let value = match (slot, &column.identity) {
            (Some(value), Some(identity)) => {
                if let Some(n) = store::identity_number(&value) {
                    identity.note(n);
                    identity_value = Some(n);
                }
                value
            }
            (Some(value), None) => value,
            (None, Some(identity)) => {
                let n = identity
                    .take()
                    .ok_or_else(|| convert::overflow(column.sql_type))?;
                identity_value = Some(n);
                match column.sql_type {
                    SqlType::Int => Value::Int(
                        i32::try_from(n).map_err(|_| identity_overflow(column.sql_type))?,
                    ),
                    SqlType::BigInt => Value::BigInt(n),
                    other => convert::convert(&Value::BigInt(n), SqlType::BigInt, other, None)
                        .map_err(|_| identity_overflow(other))?,
                }
            }
            (None, None) => match default {
                Some(default) => {
                    let value = default.eval(context, &Env::empty())?;
                    store_value(context.session, table, column, &value, default.sql_type)?
                }
                None => Value::Null,
            },
        };
        full.push(value);
    }
    check_row(context, table, rules, &full, "INSERT")?;
    store::insert(context.session, table, &full)?;
    if identity_value.is_some() {
        context.session.last_identity.set(identity_value);
        context.frame.scope_identity.set(identity_value);
    }
    Ok(full)
}

fn identity_overflow(sql_type: SqlType) -> SqlError {
    SqlError::new(
        8115,
        format!(
            "Arithmetic overflow error converting IDENTITY to data type {}.",
            types::type_name(sql_type)
        ),
    )
}
