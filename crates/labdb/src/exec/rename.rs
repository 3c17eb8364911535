//! `sp_rename` of tables, columns, indexes and procedures.

use super::Executor;
use super::catalog_change::Change;
use super::parameters::{Argument, Returned};
use super::properties::text;
use crate::catalog::{Catalog, DatabaseRole, Object, Procedure, Table, fold};
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;

const CAUTION: &str = "Caution: Changing any part of an object name could break scripts and \
                       stored procedures.";

fn in_use(name: &str, what: &str) -> SqlError {
    SqlError::new(
        15335,
        format!(
            "Error: The new name '{name}' is already in use as a {what} name and would cause a \
             duplicate that is not permitted."
        ),
    )
}

/// Runs the procedure.
pub(super) fn run(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    let object = text(arguments, "@objname", 0)?.unwrap_or_default();
    let new = text(arguments, "@newname", 1)?.unwrap_or_default();
    let kind = text(arguments, "@objtype", 2)?;
    if new.is_empty() || new.chars().count() > 128 {
        return Err(SqlError::new(
            15223,
            "Error: The input parameter 'newname' is not allowed to be null.",
        )
        .severity(11));
    }
    let database = executor.session.database();
    if !super::permission::has_role(executor.session, &database, DatabaseRole::DdlAdmin) {
        return Err(super::permission::not_permitted());
    }
    let missing = || {
        SqlError::new(
            15225,
            format!(
                "No item by the name of '{object}' could be found in the current database '{}', \
                 given that @itemtype was input as '{}'.",
                database.name(),
                kind.as_deref().unwrap_or("(null)")
            ),
        )
        .severity(11)
    };
    let parts = crate::functions::split_name(&object);
    let change = executor.begin_change(&database)?;
    match kind.as_deref().map(str::to_ascii_uppercase).as_deref() {
        None | Some("OBJECT") => {
            let (schema, name) = schema_and_name(&parts).ok_or_else(missing)?;
            rename_object(executor, change, (schema, name), &new, missing)?;
        }
        Some(what @ ("COLUMN" | "INDEX")) => {
            let Some((part, table)) = parts.split_last() else {
                return Err(missing());
            };
            let (schema, table) = schema_and_name(table).ok_or_else(missing)?;
            let table = change
                .catalog
                .table(schema, table)
                .cloned()
                .ok_or_else(missing)?;
            executor.lock_table(&table)?;
            let altered = if what == "COLUMN" {
                rename_column(&table, part, &new, &object, missing)?
            } else {
                rename_index(&table, part, &new, missing)?
            };
            executor.replace_table(change, altered)?;
        }
        Some(_) => {
            return Err(SqlError::new(
                40510,
                "Of sp_rename, tables, procedures, columns and indexes are in labdb's subset.",
            ));
        }
    }
    executor.client.info(
        &SqlError::new(15477, CAUTION)
            .severity(0)
            .at_line(executor.line),
    )?;
    executor.end_and_done()?;
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}

fn schema_and_name(parts: &[String]) -> Option<(&str, &str)> {
    match parts {
        [name] => Some(("dbo", name)),
        [schema, name] => Some((if schema.is_empty() { "dbo" } else { schema }, name)),
        _ => None,
    }
}

fn rename_object(
    executor: &Executor<'_>,
    mut change: Change,
    (schema, name): (&str, &str),
    new: &str,
    missing: impl Fn() -> SqlError,
) -> SqlResult<()> {
    let key = Catalog::key(schema, name);
    let Some((found, at)) = change.catalog.objects.get(&key).cloned() else {
        return Err(missing());
    };
    let new_key = Catalog::key(schema, new);
    if new_key != key && change.catalog.objects.contains_key(&new_key) {
        return Err(in_use(new, "object"));
    }
    change.catalog.objects.remove(&key);
    match found {
        Object::Table(table) => {
            executor.lock_table(&table)?;
            let mut altered = table.altered();
            new.clone_into(&mut altered.name);
            // The record that was the old name's is rewritten under the new one.
            change
                .catalog
                .objects
                .insert(new_key, (Object::Table(table), at));
            executor.replace_table(change, altered)?;
        }
        Object::Procedure(old) => {
            let procedure = Procedure {
                object_id: old.object_id,
                schema: old.schema.clone(),
                name: new.to_owned(),
                parameters: old.parameters.clone(),
                body: old.body.clone(),
                text: old.text.clone(),
                created: old.created.clone(),
            };
            let record = procedure.record();
            let at = match at {
                Some(at) => executor.rewrite_record(&change.database, at, &record)?,
                None => executor.write_record(&change.database, &record)?,
            };
            change
                .catalog
                .objects
                .insert(new_key, (Object::Procedure(Arc::new(procedure)), Some(at)));
            executor.publish(change)?;
        }
    }
    Ok(())
}

fn rename_column(
    table: &Table,
    column: &str,
    new: &str,
    object: &str,
    missing: impl Fn() -> SqlError,
) -> SqlResult<Table> {
    let at = table.column_index(column).ok_or_else(missing)?;
    if table.column_index(new).is_some_and(|other| other != at) {
        return Err(in_use(new, "COLUMN"));
    }
    // A CHECK is kept as its text, in which the old name would stay.
    let wanted = fold(column);
    if table.checks.iter().any(|c| fold(&c.text).contains(&wanted)) {
        return Err(SqlError::new(
            15336,
            format!(
                "Object '{object}' cannot be renamed because the object participates in enforced \
                 dependencies."
            ),
        ));
    }
    let mut altered = table.altered();
    if let Some(column) = altered.columns.get_mut(at) {
        new.clone_into(&mut column.name);
    }
    Ok(altered)
}

fn rename_index(
    table: &Table,
    index: &str,
    new: &str,
    missing: impl Fn() -> SqlError,
) -> SqlResult<Table> {
    let wanted = fold(index);
    let at = table
        .indexes
        .iter()
        .position(|i| fold(&i.name) == wanted)
        .ok_or_else(missing)?;
    let mut others = table.indexes.iter().enumerate().filter(|(i, _)| *i != at);
    if others.any(|(_, i)| fold(&i.name) == fold(new)) {
        return Err(in_use(new, "INDEX"));
    }
    let mut altered = table.altered();
    if let Some(slot) = altered.indexes.get_mut(at) {
        // A copy, so that a rollback finds the old one untouched.
        let (keys, include) = (slot.keys.clone(), slot.include.clone());
        let mut renamed = super::index::copy_index(slot, keys, include, slot.settings);
        new.clone_into(&mut renamed.name);
        renamed.system_named = false;
        *slot = Arc::new(renamed);
    }
    Ok(altered)
}
