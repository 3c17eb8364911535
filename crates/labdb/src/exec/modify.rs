//! UPDATE, DELETE, TRUNCATE.

use super::Executor;
use super::output::{OutputPlan, change_row};
use super::row_rules::{Rules, check_row, store_value};
use crate::bind::{Binder, Scope, TableUse, arithmetic};
use crate::catalog::{DataPermission, Table, TableColumn};
use crate::eval::convert;
use crate::plan::{Env, Flow, Plan, Typed};
use crate::session::Command;
use labdb_tsql::ast::{Delete, Expr, ObjectName, TableSource, Update};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// Where a new value goes.
#[derive(Clone, Debug)]
enum Target {
    Column(usize),
    Variable(String),
    Both(String, usize),
}

/// Which rows a change is about.
#[derive(Clone, Debug)]
struct Candidates {
    plan: Plan,
    /// The place of the address in the plan's rows, and of the table's first column.
    address: usize,
    first: usize,
    top: Option<(Typed, bool)>,
}

/// A bound UPDATE.
#[derive(Clone, Debug)]
pub(crate) struct UpdatePlan {
    table: Arc<Table>,
    rows: Candidates,
    assignments: Vec<(Target, Option<Typed>)>,
    rules: Rules,
    output: Option<OutputPlan>,
}

/// A bound DELETE.
#[derive(Clone, Debug)]
pub(crate) struct DeletePlan {
    table: Arc<Table>,
    rows: Candidates,
    output: Option<OutputPlan>,
}

/// A row to change: its address, its values, and the whole row of the plan.
type Found = (u64, Vec<Value>, Vec<Value>);

impl Binder<'_> {
    fn candidates(
        &self,
        target: &TableSource,
        from: &[TableSource],
        filter: Option<&Expr>,
        top: Option<&labdb_tsql::ast::Top>,
        permission: DataPermission,
    ) -> SqlResult<(Candidates, Scope<'static>, Arc<Table>)> {
        let (bound, address, table) = self.target(target, from, permission, filter.is_some())?;
        let first = address.saturating_sub(table.columns.len());
        let scope = Scope {
            columns: bound.columns,
            tables: bound.tables,
            parent: None,
            grouping: None,
        };
        let mut plan = bound.plan;
        if let Some(filter) = filter {
            let condition = self.condition(filter, &scope)?;
            plan = crate::bind::filtered(plan, condition);
        }
        let top = match top {
            Some(top) => Some((
                self.scalar(&top.count)?.coerced(if top.percent {
                    SqlType::Float
                } else {
                    SqlType::BigInt
                })?,
                top.percent,
            )),
            None => None,
        };
        Ok((
            Candidates {
                plan,
                address,
                first,
                top,
            },
            scope,
            table,
        ))
    }

    /// Binds an UPDATE.
    pub(crate) fn update(&self, update: &Update) -> SqlResult<UpdatePlan> {
        self.with_common(&update.with, || self.bind_update(update))
    }

    fn bind_update(&self, update: &Update) -> SqlResult<UpdatePlan> {
        let (rows, scope, table) = self.candidates(
            &update.target,
            &update.from,
            update.filter.as_ref(),
            update.top.as_ref(),
            DataPermission::Update,
        )?;
        let mut assignments = Vec::with_capacity(update.assignments.len());
        let mut seen = Vec::new();
        for assignment in &update.assignments {
            let is_variable = assignment.target.starts_with('@');
            let name = if is_variable {
                assignment.column.as_ref()
            } else {
                Some(&assignment.target)
            };
            let place = match name {
                Some(name) => {
                    let name = crate::functions::split_name(name).pop().unwrap_or_default();
                    let at = table
                        .column_index(&name)
                        .ok_or_else(|| crate::bind::invalid_column(&name))?;
                    if table.columns.get(at).is_some_and(|c| c.identity.is_some()) {
                        return Err(SqlError::new(
                            8102,
                            format!("Cannot update identity column '{name}'."),
                        ));
                    }
                    if seen.contains(&at) {
                        return Err(SqlError::new(
                            264,
                            format!(
                                "The column name '{name}' is specified more than once in the SET \
                                 clause or column list of an INSERT. A column cannot be assigned \
                                 more than one value in the same clause. Modify the clause to \
                                 make sure that a column is updated only once."
                            ),
                        ));
                    }
                    seen.push(at);
                    Some(at)
                }
                None => None,
            };
            let target = match (is_variable, place) {
                (false, Some(at)) => Target::Column(at),
                (true, Some(at)) => Target::Both(assignment.target.clone(), at),
                _ => Target::Variable(assignment.target.clone()),
            };
            let value = if matches!(assignment.value, Expr::Default) {
                None
            } else {
                let value = self.expression(&assignment.value, &scope)?;
                let value = match (
                    super::assign::operator(assignment.op),
                    place.and_then(|at| Some((at, table.columns.get(at)?))),
                ) {
                    (Some(op), Some((at, column))) => arithmetic(
                        op,
                        Typed::column(rows.first + at, column.sql_type, column.nullable),
                        value,
                    )?,
                    (Some(_), None) => super::assign::combine(
                        assignment.op,
                        &assignment.target,
                        self.variable_type(&assignment.target)?,
                        value,
                    )?,
                    (None, _) => value,
                };
                Some(match place.and_then(|at| table.columns.get(at)) {
                    Some(column) => value.coerced_for_storage(column.sql_type)?,
                    None => value.coerced(self.variable_type(&assignment.target)?)?,
                })
            };
            assignments.push((target, value));
        }
        let rules = self.rules(&table)?;
        let output = match &update.output {
            Some(clause) => Some(self.output(clause, &table, true, true, &scope.columns)?),
            None => None,
        };
        Ok(UpdatePlan {
            table,
            rows,
            assignments,
            rules,
            output,
        })
    }

    /// Binds a DELETE.
    pub(crate) fn delete(&self, delete: &Delete) -> SqlResult<DeletePlan> {
        self.with_common(&delete.with, || {
            let (rows, scope, table) = self.candidates(
                &delete.target,
                &delete.from,
                delete.filter.as_ref(),
                delete.top.as_ref(),
                DataPermission::Delete,
            )?;
            let output = match &delete.output {
                Some(clause) => Some(self.output(clause, &table, false, true, &scope.columns)?),
                None => None,
            };
            Ok(DeletePlan {
                table,
                rows,
                output,
            })
        })
    }
}

impl Executor<'_> {
    /// Finds the rows, locks them, and makes sure that they are still the ones that were found.
    fn claim_rows(&mut self, table: &Arc<Table>, rows: &Candidates) -> SqlResult<Vec<Found>> {
        let width = table.columns.len();
        let limit = match &rows.top {
            Some((count, percent)) => Some((count.eval(&self.context(), &Env::empty())?, *percent)),
            None => None,
        };
        let most = match &limit {
            Some((value, false)) => usize::try_from(convert::as_i64(value).unwrap_or(0)).ok(),
            _ => None,
        };
        loop {
            let mut found: Vec<Found> = Vec::new();
            let mut seen = HashSet::new();
            self.attentively(|context, _| {
                rows.plan.run(context, None, &mut |row| {
                    if found.len().is_multiple_of(1024) {
                        context.check_cancelled()?;
                    }
                    // Rows that are not changed are not looked at, and so not locked.
                    if most.is_some_and(|most| found.len() >= most) {
                        return Ok(Flow::Enough);
                    }
                    let Some(Value::BigInt(address)) = row.get(rows.address) else {
                        return Ok(Flow::More);
                    };
                    let address = *address as u64;
                    if seen.insert(address) {
                        let values = row
                            .get(rows.first..rows.first + width)
                            .unwrap_or(&[])
                            .to_vec();
                        found.push((address, values, row));
                    }
                    if most == Some(found.len()) {
                        return Ok(Flow::Enough);
                    }
                    Ok(Flow::More)
                })
            })?;
            match &limit {
                Some((Value::Float(share), true)) => {
                    found.truncate((found.len() as f64 * share / 100.0).ceil() as usize);
                }
                Some((value, _)) => found
                    .truncate(usize::try_from(convert::as_i64(value).unwrap_or(0)).unwrap_or(0)),
                None => {}
            }
            let mut stale = false;
            for (address, values, _) in &found {
                match super::table::claim(self.session, table, *address)? {
                    Some(now) if now == *values => {}
                    _ => stale = true,
                }
            }
            if !stale {
                return Ok(found);
            }
            // Another session changed a row while this one waited for it: look again. The rows
            // that are locked by now cannot change any more.
            self.poll_client()?;
        }
    }

    pub(crate) fn update(&mut self, update: &Update) -> SqlResult<()> {
        let plan = self.update_plan(update)?;
        let found = self.claim_rows(&plan.table, &plan.rows)?;
        let mut changes = Vec::with_capacity(found.len());
        let mut put = Vec::new();
        for (address, before, whole) in found {
            let mut after = before.clone();
            let env = Env::new(&whole, None);
            for (target, value) in &plan.assignments {
                let place = match target {
                    Target::Column(at) | Target::Both(_, at) => Some(*at),
                    Target::Variable(_) => None,
                };
                let column: Option<&TableColumn> = place.and_then(|at| plan.table.columns.get(at));
                let new = match (value, column) {
                    (Some(value), Some(column)) => store_value(
                        self.session,
                        &plan.table,
                        column,
                        &value.eval(&self.context(), &env)?,
                        value.sql_type,
                    )?,
                    (Some(value), None) => value.eval(&self.context(), &env)?,
                    (None, Some(_)) => plan.rules.default(place.unwrap_or(0), &self.context())?,
                    (None, None) => Value::Null,
                };
                if let Target::Variable(name) | Target::Both(name, _) = target {
                    self.frame.set(name, new.clone())?;
                }
                if let Some(slot) = place.and_then(|at| after.get_mut(at)) {
                    *slot = new;
                }
            }
            check_row(&self.context(), &plan.table, &plan.rules, &after, "UPDATE")?;
            if plan.output.is_some() {
                put.push(change_row(
                    before.len(),
                    Some(&after),
                    Some(&before),
                    &whole,
                ));
            }
            changes.push((address, before, after));
        }
        super::table::update(self.session, &plan.table, &changes)?;
        if let Some(output) = &plan.output {
            self.put_out(output, &put)?;
        }
        self.finish(Command::Update, changes.len() as u64)
    }

    pub(crate) fn delete(&mut self, delete: &Delete) -> SqlResult<()> {
        let plan = self.delete_plan(delete)?;
        let found = self.claim_rows(&plan.table, &plan.rows)?;
        let mut put = Vec::new();
        for (address, values, whole) in &found {
            super::table::delete(self.session, &plan.table, *address, values)?;
            if plan.output.is_some() {
                put.push(change_row(values.len(), None, Some(values), whole));
            }
        }
        if let Some(output) = &plan.output {
            self.put_out(output, &put)?;
        }
        self.finish(Command::Delete, found.len() as u64)
    }

    pub(crate) fn truncate(&mut self, name: &ObjectName) -> SqlResult<()> {
        let table = Binder::new(self.session, self.frame)
            .table(name, TableUse::Alter)
            .map_err(|e| {
                if e.number == 208 {
                    SqlError::new(
                        4701,
                        format!(
                            "Cannot find the object \"{}\" because it does not exist or you do \
                             not have permissions.",
                            name.object()
                        ),
                    )
                } else {
                    e
                }
            })?;
        super::table::truncate(self.session, &table)?;
        self.session.row_count.set(0);
        self.end_and_done()
    }
}
