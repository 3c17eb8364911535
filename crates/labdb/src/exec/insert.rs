//! INSERT.

use super::Executor;
use super::output::{OutputPlan, change_row};
use crate::bind::{Binder, Scope};
use crate::catalog::{Table, TableColumn};
use crate::eval::{convert, types};
use crate::plan::{Condition, Env, Plan, Typed};
use crate::session::{Client, Command, Done};
use labdb_tsql::ast::{Expr, Insert, InsertSource, TableSource};
use labdb_types::{Column, Message, SqlError, SqlResult, SqlType, Value};
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
    places: Vec<usize>,
    rows: Rows,
    rules: Rules,
    output: Option<OutputPlan>,
    top: Option<Typed>,
}

/// What completes and checks a row: defaults and CHECK constraints.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    defaults: Vec<Option<Typed>>,
    checks: Vec<(String, Condition)>,
}

impl Rules {
    /// A column's default; NULL where it has none.
    pub(crate) fn default(
        &self,
        place: usize,
        context: &crate::plan::Context<'_>,
    ) -> SqlResult<Value> {
        match self.defaults.get(place) {
            Some(Some(default)) => default.eval(context, &Env::empty()),
            _ => Ok(Value::Null),
        }
    }
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
                     only once."
                ),
            ));
        }
        places.push(at);
    }
    Ok(places)
}

impl Binder<'_> {
    /// Defaults and checks of a table.
    pub(crate) fn rules(&self, table: &Table) -> SqlResult<Rules> {
        let mut defaults = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            defaults.push(match &column.default {
                Some(default) => Some(
                    self.scalar(&default.expression)?
                        .coerced_for_storage(column.sql_type)?,
                ),
                None => None,
            });
        }
        let scope = Scope {
            columns: crate::bind::table_columns(table, None),
            ..Scope::none()
        };
        let mut checks = Vec::with_capacity(table.checks.len());
        for check in &table.checks {
            checks.push((
                check.name.clone(),
                self.condition(&check.condition, &scope)?,
            ));
        }
        Ok(Rules { defaults, checks })
    }

    /// Binds an INSERT.
    pub(crate) fn insert(&self, insert: &Insert) -> SqlResult<InsertPlan> {
        self.with_common(&insert.with, || self.bind_insert(insert))
    }

    fn bind_insert(&self, insert: &Insert) -> SqlResult<InsertPlan> {
        let table = match &insert.target {
            TableSource::Variable { name, .. } => self.frame_table(name)?,
            TableSource::Table { name, .. } => self.table(name)?,
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
        })
    }

    fn check_identity(&self, table: &Table, places: &[usize], insert: &Insert) -> SqlResult<()> {
        let Some((at, _)) = table.identity() else {
            return Ok(());
        };
        let on = self.identity_insert_on(table);
        let explicit =
            places.contains(&at) && !matches!(insert.source, InsertSource::DefaultValues);
        if explicit && !on {
            return Err(SqlError::new(
                544,
                format!(
                    "Cannot insert explicit value for identity column in table '{}' when \
                     IDENTITY_INSERT is set to OFF.",
                    table.name
                ),
            ));
        }
        if on && !explicit {
            return Err(SqlError::new(
                545,
                format!(
                    "Explicit value must be specified for identity column in table '{}' either \
                     when IDENTITY_INSERT is set to ON or when a replication user is inserting \
                     into a NOT FOR REPLICATION identity column.",
                    table.name
                ),
            ));
        }
        Ok(())
    }
}

impl Typed {
    /// Converted for storage in a column: text that is too long fails instead of being cut.
    fn storable(self, column: &TableColumn) -> SqlResult<Self> {
        self.coerced_for_storage(column.sql_type)
    }

    /// The same for a type.
    pub(crate) fn coerced_for_storage(self, target: SqlType) -> SqlResult<Self> {
        if self.is_null_literal() {
            return Ok(Self::constant(Value::Null, target));
        }
        convert::check_convertible(self.sql_type, target, false)?;
        let sized = types::text_length(target).is_some();
        let same_kind = (types::is_text(target) && types::is_text(self.sql_type))
            || (types::is_binary(target) && types::is_binary(self.sql_type));
        if sized && same_kind {
            // The length is looked at when the row is stored; a constant is looked at now.
            if let crate::plan::Node::Constant(value) = &self.node
                && convert::fits(value, target)
            {
                let value = convert::convert(value, self.sql_type, target, None)?;
                return Ok(Self::constant(value, target));
            }
            return Ok(self);
        }
        self.coerced(target)
    }
}

/// Error 2628.
fn truncated(table: &Table, column: &TableColumn, value: &Value) -> SqlError {
    let shown = match value {
        Value::Text(text) => convert::prefix(
            text,
            types::text_length(column.sql_type).map_or(0, usize::from),
            types::is_unicode(column.sql_type),
        )
        .to_owned(),
        _ => String::new(),
    };
    SqlError::new(
        2628,
        format!(
            "String or binary data would be truncated in table '{}', column '{}'. Truncated \
             value: '{shown}'.",
            table.full_name(),
            column.name
        ),
    )
}

/// Puts a value into a column's type and length.
pub(crate) fn store_value(
    table: &Table,
    column: &TableColumn,
    value: &Value,
    from: SqlType,
) -> SqlResult<Value> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let same_kind = (types::is_text(column.sql_type) && types::is_text(from))
        || (types::is_binary(column.sql_type) && types::is_binary(from));
    if same_kind && !convert::fits(value, column.sql_type) {
        return Err(truncated(table, column, value));
    }
    if from == column.sql_type
        && !matches!(
            from,
            SqlType::Char(_) | SqlType::NChar(_) | SqlType::Binary(_)
        )
    {
        return Ok(value.clone());
    }
    convert::convert(value, from, column.sql_type, None)
}

/// Checks NOT NULL and CHECK constraints of a finished row.
pub(crate) fn check_row(
    executor: &Executor<'_>,
    table: &Table,
    rules: &Rules,
    row: &[Value],
    verb: &str,
) -> SqlResult<()> {
    for (column, value) in table.columns.iter().zip(row) {
        if value.is_null() && !column.nullable {
            let database = executor
                .session
                .instance
                .database_by_id(table.database_id)
                .map_or_else(|| "tempdb".to_owned(), |d| d.name());
            return Err(SqlError::new(
                515,
                format!(
                    "Cannot insert the value NULL into column '{}', table '{database}.{}'; column \
                     does not allow nulls. {verb} fails.",
                    column.name,
                    table.full_name()
                ),
            )
            .state(2));
        }
    }
    for (name, condition) in &rules.checks {
        if condition.eval(&executor.context(), &Env::new(row, None))? == Some(false) {
            let database = executor
                .session
                .instance
                .database_by_id(table.database_id)
                .map_or_else(|| "tempdb".to_owned(), |d| d.name());
            return Err(SqlError::new(
                547,
                format!(
                    "The {verb} statement conflicted with the CHECK constraint \"{name}\". The \
                     conflict occurred in database \"{database}\", table \"{}\".",
                    table.full_name()
                ),
            ));
        }
    }
    Ok(())
}

impl Executor<'_> {
    pub(crate) fn insert(&mut self, insert: &Insert) -> SqlResult<()> {
        let plan = self.insert_plan(insert)?;
        let mut put: Vec<Vec<Value>> = Vec::new();
        let mut count = 0_u64;
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
            Rows::Query(query, types) => {
                let rows = query.collect(&self.context(), None)?;
                for row in rows
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
                    table,
                    column,
                    &value.eval(&self.context(), &env)?,
                    value.sql_type,
                )?);
            }
        }
        self.complete(table, &plan.rules, row)
    }

    fn insert_row(
        &mut self,
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
            *slot = Some(store_value(table, column, value, *from)?);
        }
        self.complete(table, rules, row)
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

    fn complete(
        &mut self,
        table: &Arc<Table>,
        rules: &Rules,
        row: Vec<Option<Value>>,
    ) -> SqlResult<Vec<Value>> {
        let mut full = Vec::with_capacity(row.len());
        let mut identity_value = None;
        for ((slot, column), default) in row.into_iter().zip(&table.columns).zip(&rules.defaults) {
            let value = match (slot, &column.identity) {
                (Some(value), Some(identity)) => {
                    if let Some(n) = super::table::identity_number(&value) {
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
                        let value = default.eval(&self.context(), &Env::empty())?;
                        store_value(table, column, &value, default.sql_type)?
                    }
                    None => Value::Null,
                },
            };
            full.push(value);
        }
        check_row(self, table, rules, &full, "INSERT")?;
        super::table::insert(self.session, table, &full)?;
        if identity_value.is_some() {
            self.session.last_identity.set(identity_value);
            self.frame.scope_identity.set(identity_value);
        }
        Ok(full)
    }

    fn insert_execute(&mut self, insert: &Insert, plan: &InsertPlan) -> SqlResult<u64> {
        let InsertSource::Execute(execute) = &insert.source else {
            return Ok(0);
        };
        let mut capture = Capture::default();
        {
            self.session.atomic.set(self.session.atomic.get() + 1);
            let mut inner = Executor::new(
                self.session,
                self.frame,
                &mut capture,
                Arc::clone(&self.owner),
            );
            inner.line = self.line;
            let outcome = inner.execute(execute);
            self.session.atomic.set(self.session.atomic.get() - 1);
            outcome?;
        }
        for message in &capture.messages {
            self.client.info(message)?;
        }
        let mut count = 0;
        for (types, rows) in &capture.sets {
            if types.len() != plan.places.len() {
                return Err(SqlError::new(
                    213,
                    "Column name or number of supplied values does not match table definition.",
                )
                .state(7));
            }
            for row in rows {
                self.insert_row(&plan.table, &plan.rules, &plan.places, row, types)?;
                count += 1;
            }
        }
        Ok(count)
    }
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

/// Keeps result sets instead of sending them.
#[derive(Default)]
struct Capture {
    sets: Vec<(Vec<SqlType>, Vec<Vec<Value>>)>,
    messages: Vec<Message>,
}

impl Client for Capture {
    fn columns(&mut self, columns: &[Column]) -> SqlResult<()> {
        self.sets
            .push((columns.iter().map(|c| c.sql_type).collect(), Vec::new()));
        Ok(())
    }
    fn row(&mut self, row: &[Value]) -> SqlResult<()> {
        if let Some((_, rows)) = self.sets.last_mut() {
            rows.push(row.to_vec());
        }
        Ok(())
    }
    fn done(&mut self, _: &Done) -> SqlResult<()> {
        Ok(())
    }
    fn error(&mut self, error: &SqlError) -> SqlResult<()> {
        Err(error.clone())
    }
    fn info(&mut self, message: &Message) -> SqlResult<()> {
        self.messages.push(message.clone());
        Ok(())
    }
}
