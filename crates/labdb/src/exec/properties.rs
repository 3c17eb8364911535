//! `sp_addextendedproperty` and its kin.

use super::Executor;
use super::parameters::{Argument, Returned};
use crate::catalog::DatabaseRole;
use crate::catalog::{ExtendedProperty, fold};
use crate::eval::convert;
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};

/// What to do with a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PropertyAction {
    Add,
    Update,
    Drop,
}

fn find<'a>(arguments: &'a [Argument], name: &str, place: usize) -> Option<&'a Argument> {
    arguments
        .iter()
        .find(|a| {
            a.name
                .as_ref()
                .is_some_and(|n| n.eq_ignore_ascii_case(name))
        })
        .or_else(|| arguments.get(place).filter(|a| a.name.is_none()))
}

/// The text of an argument by name or place.
pub(crate) fn text(arguments: &[Argument], name: &str, place: usize) -> SqlResult<Option<String>> {
    match find(arguments, name, place).and_then(|a| Some((a.value.as_ref()?, a.sql_type))) {
        Some((value, from)) => {
            match convert::convert(value, from, SqlType::NVarChar(Length::Max), None)? {
                Value::Text(text) => Ok(Some(text.to_string())),
                _ => Ok(None),
            }
        }
        None => Ok(None),
    }
}

/// A whole-number argument by name or place.
pub(crate) fn number(arguments: &[Argument], name: &str, place: usize) -> SqlResult<Option<i64>> {
    match find(arguments, name, place).and_then(|a| Some((a.value.as_ref()?, a.sql_type))) {
        Some((value, from)) => Ok(convert::as_i64(&convert::convert(
            value,
            from,
            SqlType::BigInt,
            None,
        )?)),
        None => Ok(None),
    }
}

/// Runs one of the procedures.
pub(crate) fn run(
    executor: &mut Executor<'_>,
    action: PropertyAction,
    arguments: &[Argument],
) -> SqlResult<Returned> {
    // sp_dropextendedproperty has no @value, so that its levels come one place earlier.
    let shift = usize::from(action != PropertyAction::Drop);
    let name = text(arguments, "@name", 0)?.unwrap_or_default();
    let value = match find(arguments, "@value", 1)
        .filter(|_| action != PropertyAction::Drop)
        .and_then(|a| Some((a.value.clone()?, a.sql_type)))
    {
        Some((value, from)) => convert::convert(&value, from, SqlType::SqlVariant, None)?,
        None => Value::Null,
    };
    let mut levels = Vec::new();
    for level in 0..3 {
        let place = 1 + shift + level * 2;
        let kind = text(arguments, &format!("@level{level}type"), place)?;
        let name = text(arguments, &format!("@level{level}name"), place + 1)?;
        if let (Some(kind), Some(name)) = (kind, name) {
            levels.push((kind.to_ascii_uppercase(), name));
        }
    }
    let database = executor.session.database();
    if !super::permission::has_role(executor.session, &database, DatabaseRole::DdlAdmin) {
        return Err(super::permission::not_permitted());
    }
    let mut change = executor.begin_change(&database)?;
    let invalid = || {
        SqlError::new(
            15135,
            "Object is invalid. Extended properties are not permitted on it, or the object does \
             not exist.",
        )
    };
    let (class, major_id, minor_id) = match levels.as_slice() {
        [] => (0, 0, 0),
        [(schema_kind, schema), (kind, object), rest @ ..]
            if schema_kind == "SCHEMA" && matches!(kind.as_str(), "TABLE" | "PROCEDURE") =>
        {
            let found = change.catalog.get(schema, object).ok_or_else(invalid)?;
            let id = found.id();
            let column = match (rest, found) {
                ([], _) => 0,
                ([(kind, column)], crate::catalog::Object::Table(table)) if kind == "COLUMN" => {
                    table
                        .column_index(column)
                        .and_then(|at| table.columns.get(at))
                        .map(|c| c.column_id)
                        .ok_or_else(invalid)?
                }
                _ => return Err(invalid()),
            };
            (1, id, column)
        }
        _ => {
            return Err(SqlError::new(
                40510,
                "Extended properties are kept for databases, tables, procedures and columns only.",
            ));
        }
    };
    let place = change.catalog.properties.iter().position(|(p, _)| {
        p.class == class
            && p.major_id == major_id
            && p.minor_id == minor_id
            && fold(&p.name) == fold(&name)
    });
    let on = levels
        .last()
        .map_or_else(|| "object specified".to_owned(), |(_, n)| n.clone());
    let property = ExtendedProperty {
        class,
        major_id,
        minor_id,
        name: name.clone(),
        value,
    };
    match (action, place) {
        (PropertyAction::Add, None) => {
            let at = executor.write_record(&database, &property.record())?;
            change.catalog.properties.push((property, Some(at)));
        }
        (PropertyAction::Add, Some(_)) => {
            return Err(SqlError::new(
                15233,
                format!("Property cannot be added. Property '{name}' already exists for '{on}'."),
            ));
        }
        (PropertyAction::Update, Some(place)) => {
            if let Some(slot) = change.catalog.properties.get_mut(place) {
                let at = match slot.1 {
                    Some(at) => executor.rewrite_record(&database, at, &property.record())?,
                    None => executor.write_record(&database, &property.record())?,
                };
                *slot = (property, Some(at));
            }
        }
        (PropertyAction::Drop, Some(place)) => {
            let (_, at) = change.catalog.properties.remove(place);
            executor.delete_record(&database, at)?;
        }
        (_, None) => {
            return Err(SqlError::new(
                15217,
                format!(
                    "Property cannot be updated or deleted. Property '{name}' does not exist for \
                     '{on}'."
                ),
            ));
        }
    }
    executor.publish(change)?;
    executor.end_and_done()?;
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}
