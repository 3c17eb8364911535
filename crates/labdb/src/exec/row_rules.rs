//! What a row must satisfy before it is stored: types, lengths, NULLs, CHECK constraints.

use crate::bind::{Binder, Scope};
use crate::catalog::{Table, TableColumn};
use crate::eval::{convert, types};
use crate::plan::{Condition, Context, Env, Typed};
use crate::session::Session;
use labdb_tsql::ast::{Insert, InsertSource};
use labdb_types::{SqlError, SqlResult, SqlType, Value};

/// What completes and checks a row: defaults and CHECK constraints.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(super) defaults: Vec<Option<Typed>>,
    /// Name, the one column that the check is on where it is one, condition.
    checks: Vec<(String, Option<String>, Condition)>,
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
                self.only_column(table, &check.condition),
                self.condition(&check.condition, &scope)?,
            ));
        }
        Ok(Rules { defaults, checks })
    }

    /// The column of a condition that names one column of a table and no other.
    pub(super) fn only_column(
        &self,
        table: &Table,
        condition: &labdb_tsql::ast::Expr,
    ) -> Option<String> {
        let columns = crate::bind::table_columns(table, None);
        let binds = |columns: Vec<crate::bind::ScopeColumn>| {
            let scope = Scope {
                columns,
                ..Scope::none()
            };
            self.condition(condition, &scope).is_ok()
        };
        if binds(Vec::new()) {
            return None;
        }
        columns
            .into_iter()
            .find(|column| binds(vec![column.clone()]))
            .map(|column| column.name)
    }

    pub(super) fn check_identity(
        &self,
        table: &Table,
        places: &[usize],
        insert: &Insert,
    ) -> SqlResult<()> {
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
    pub(super) fn storable(self, column: &TableColumn) -> SqlResult<Self> {
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
            if let Some(value) = self.known()
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

/// `, column 'c'`, as error 547 ends.
pub(super) fn of_column(column: Option<&str>) -> String {
    column.map_or_else(String::new, |column| format!(", column '{column}'"))
}

pub(super) fn database_of(session: &Session, table: &Table) -> String {
    session
        .instance
        .database_by_id(table.database_id)
        .map_or_else(|| "tempdb".to_owned(), |d| d.name())
}

/// Error 2628.
fn truncated(database: &str, table: &Table, column: &TableColumn, value: &Value) -> SqlError {
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
            "String or binary data would be truncated in table '{database}.{}', column '{}'. \
             Truncated value: '{shown}'.",
            table.full_name(),
            column.name
        ),
    )
}

/// Puts a value into a column's type and length.
pub(crate) fn store_value(
    session: &Session,
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
        return Err(truncated(
            &database_of(session, table),
            table,
            column,
            value,
        ));
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
    context: &Context<'_>,
    table: &Table,
    rules: &Rules,
    row: &[Value],
    verb: &str,
) -> SqlResult<()> {
    for (column, value) in table.columns.iter().zip(row) {
        if value.is_null() && !column.nullable {
            let database = database_of(context.session, table);
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
    for (name, column, condition) in &rules.checks {
        if condition.eval(context, &Env::new(row, None))? == Some(false) {
            let database = database_of(context.session, table);
            return Err(SqlError::new(
                547,
                format!(
                    "The {verb} statement conflicted with the CHECK constraint \"{name}\". The \
                     conflict occurred in database \"{database}\", table \"{}\"{}.",
                    table.full_name(),
                    of_column(column.as_deref())
                ),
            )
            .state(0));
        }
    }
    Ok(())
}
