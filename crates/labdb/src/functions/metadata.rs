//! Names and ids of databases, schemas, objects and files.

use super::Parameter::{Int, Name};
use super::{Call, Scalar, int, sysname};
use crate::catalog::{Catalog, KeyKind, Object, is_global_temporary, is_temporary};
use crate::instance::Database;
use crate::views;
use labdb_storage::FileKind;
use labdb_types::{SqlResult, SqlType, Value};
use std::sync::Arc;

/// Splits `db.schema.name` with brackets or quotes into its parts, rightmost last.
pub(crate) fn split_name(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.trim().chars().peekable();
    let mut close: Option<char> = None;
    while let Some(c) = chars.next() {
        match close {
            Some(end) if c == end => {
                if chars.peek() == Some(&end) {
                    chars.next();
                    if let Some(last) = parts.last_mut() {
                        last.push(c);
                    }
                } else {
                    close = None;
                }
            }
            Some(_) => {
                if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
            None => match c {
                '[' => close = Some(']'),
                '"' => close = Some('"'),
                '.' => parts.push(String::new()),
                other => {
                    if let Some(last) = parts.last_mut() {
                        last.push(other);
                    }
                }
            },
        }
    }
    parts
}

/// A database by name, else the current one.
fn database_of(call: &Call<'_>, name: Option<&String>) -> Option<Arc<Database>> {
    match name.filter(|n| !n.is_empty()) {
        Some(name) => call.ctx.session.instance.database(name),
        None => Some(call.ctx.session.database()),
    }
}

fn constraint_id(catalog: &Catalog, name: &str) -> Option<i32> {
    let wanted = crate::catalog::fold(name);
    catalog.tables().find_map(|t| {
        let keys = t
            .indexes
            .iter()
            .filter(|i| i.kind != KeyKind::Plain)
            .map(|i| (&i.name, i.constraint_id));
        let checks = t.checks.iter().map(|c| (&c.name, c.object_id));
        let defaults = t
            .columns
            .iter()
            .filter_map(|c| c.default.as_ref())
            .map(|d| (&d.name, d.object_id));
        keys.chain(checks)
            .chain(defaults)
            .find(|(n, _)| crate::catalog::fold(n) == wanted)
            .map(|(_, id)| id)
    })
}

fn type_matches(wanted: &str, actual: &str) -> bool {
    wanted.trim().is_empty() || wanted.trim().eq_ignore_ascii_case(actual)
}

fn object_id(call: &Call<'_>) -> SqlResult<Value> {
    object_of_kind(call, call.optional_text(1).unwrap_or(""))
}

/// The id of the object that the first argument names, where it is of a kind; any where that is empty.
fn object_of_kind(call: &Call<'_>, kind: &str) -> SqlResult<Value> {
    let Some(text) = call.optional_text(0) else {
        return Ok(Value::Null);
    };
    let mut parts = split_name(text);
    let Some(name) = parts.pop() else {
        return Ok(Value::Null);
    };
    let schema = parts.pop().filter(|s| !s.is_empty());
    let mut named_database = parts.pop();
    if is_global_temporary(&name) {
        named_database = Some("tempdb".to_owned());
    }
    if is_temporary(&name) {
        let tempdb =
            named_database.is_none_or(|d| d.is_empty() || d.eq_ignore_ascii_case("tempdb"));
        let session = call.ctx.session;
        let table = session
            .temp_table(&name)
            .filter(|_| type_matches(kind, "U"))
            .map(|t| t.object_id);
        let found = table.or_else(|| {
            let procedures = session.temp_procedures.borrow();
            let procedure = procedures.get(&crate::catalog::fold(&name))?;
            type_matches(kind, "P").then_some(procedure.object_id)
        });
        return Ok(found.filter(|_| tempdb).map_or(Value::Null, Value::Int));
    }
    let Some(database) = database_of(call, named_database.as_ref()) else {
        return Ok(Value::Null);
    };
    let catalog = database.catalog();
    let schema_name = schema.as_deref().unwrap_or("dbo");
    if let Some(object) = catalog.get(schema_name, &name) {
        let actual = if matches!(object, Object::Table(_)) {
            "U"
        } else {
            "P"
        };
        return Ok(if type_matches(kind, actual) {
            Value::Int(object.id())
        } else {
            Value::Null
        });
    }
    if let Some(view) = views::find(schema.as_deref().unwrap_or("sys"), &name) {
        return Ok(if type_matches(kind, view.object_type()) {
            Value::Int(view.object_id())
        } else {
            Value::Null
        });
    }
    Ok(constraint_id(&catalog, &name).map_or(Value::Null, Value::Int))
}

fn by_id(
    call: &Call<'_>,
    pick: impl Fn(&Object) -> String,
    system: impl Fn(&views::SystemView) -> String,
) -> SqlResult<Value> {
    if call.value(0).is_null() {
        return Ok(Value::Null);
    }
    let id = call.int(0) as i32;
    let database = if call.value(1).is_null() {
        Some(call.ctx.session.database())
    } else {
        call.ctx.session.instance.database_by_id(call.int(1) as i32)
    };
    let Some(database) = database else {
        return Ok(Value::Null);
    };
    let catalog = database.catalog();
    if let Some(object) = catalog.by_id(id) {
        return Ok(Value::text(pick(object)));
    }
    if let Some(view) = views::all().find(|v| v.object_id() == id) {
        return Ok(Value::text(system(view)));
    }
    let temp = call.ctx.session.temp_tables.borrow();
    Ok(temp
        .values()
        .find(|(t, _)| t.object_id == id)
        .map_or(Value::Null, |(t, _)| Value::text(&t.name)))
}

fn db_id(call: &Call<'_>) -> SqlResult<Value> {
    if call.values.is_empty() {
        return Ok(Value::SmallInt(call.ctx.session.database_id() as i16));
    }
    let Some(name) = call.optional_text(0) else {
        return Ok(Value::Null);
    };
    Ok(call
        .ctx
        .session
        .instance
        .id_of(name)
        .map_or(Value::Null, |id| Value::SmallInt(id as i16)))
}

fn db_name(call: &Call<'_>) -> SqlResult<Value> {
    if call.values.is_empty() {
        return Ok(Value::text(call.ctx.session.database().name()));
    }
    Ok(call
        .ctx
        .session
        .instance
        .name_of(call.int(0) as i32)
        .map_or(Value::Null, Value::text))
}

fn schema_id(call: &Call<'_>) -> SqlResult<Value> {
    if call.values.is_empty() {
        return Ok(Value::Int(1));
    }
    let catalog = call.ctx.session.database().catalog();
    Ok(call
        .optional_text(0)
        .and_then(|n| catalog.schema_id(n))
        .map_or(Value::Null, Value::Int))
}

fn schema_name(call: &Call<'_>) -> SqlResult<Value> {
    let id = if call.values.is_empty() {
        1
    } else {
        call.int(0) as i32
    };
    let catalog = call.ctx.session.database().catalog();
    Ok(catalog
        .schema_list()
        .into_iter()
        .find(|(_, i)| *i == id)
        .map_or(Value::Null, |(n, _)| Value::text(n)))
}

fn file_of(
    call: &Call<'_>,
    pick: impl Fn(&labdb_storage::FileRow) -> bool,
) -> Option<labdb_storage::FileRow> {
    call.ctx
        .session
        .database()
        .storage
        .files()
        .into_iter()
        .find(|f| pick(f))
}

fn file_property(call: &Call<'_>) -> SqlResult<Value> {
    let name = call.text(0);
    let Some(file) = file_of(call, |f| f.name.eq_ignore_ascii_case(name)) else {
        return Ok(Value::Null);
    };
    Ok(match call.text(1).to_ascii_lowercase().as_str() {
        "spaceused" => Value::Int((file.used / 8192) as i32),
        "islogfile" => Value::Int(i32::from(file.kind == FileKind::Log)),
        "isprimaryfile" => Value::Int(i32::from(file.file_id == 1)),
        "isreadonly" => Value::Int(0),
        _ => Value::Null,
    })
}

fn table_by_id(call: &Call<'_>, at: usize) -> Option<Arc<crate::catalog::Table>> {
    let id = call.int(at) as i32;
    let catalog = call.ctx.session.database().catalog();
    let found = catalog.tables().find(|t| t.object_id == id).cloned();
    found.or_else(|| {
        call.ctx
            .session
            .temp_tables
            .borrow()
            .values()
            .find(|(t, _)| t.object_id == id)
            .map(|(t, _)| Arc::clone(t))
    })
}

fn object_property(call: &Call<'_>) -> SqlResult<Value> {
    let id = call.int(0) as i32;
    let catalog = call.ctx.session.database().catalog();
    let table = table_by_id(call, 0);
    let procedure = catalog.procedures().any(|p| p.object_id == id);
    let view = views::all().find(|v| v.object_id() == id);
    if table.is_none() && !procedure && view.is_none() {
        return Ok(Value::Null);
    }
    let flag = |yes: bool| Value::Int(i32::from(yes));
    Ok(match call.text(1).to_ascii_lowercase().as_str() {
        "istable" | "isusertable" => flag(table.is_some()),
        "isprocedure" => flag(procedure),
        "isview" => flag(view.is_some_and(|v| v.object_type() == "V")),
        "ismsshipped" | "issystemtable" => flag(view.is_some()),
        "tablehasidentity" => flag(table.is_some_and(|t| t.identity().is_some())),
        "tablehasprimarykey" => {
            flag(table.is_some_and(|t| t.indexes.iter().any(|i| i.kind == KeyKind::Primary)))
        }
        "tablehasclustindex" => flag(table.is_some_and(|t| t.indexes.iter().any(|i| i.clustered))),
        "tablehasindex" => flag(table.is_some_and(|t| !t.indexes.is_empty())),
        "ownerid" => Value::Int(1),
        "schemaid" => Value::Int(
            catalog
                .by_id(id)
                .and_then(|o| catalog.schema_id(o.schema()))
                .unwrap_or(4),
        ),
        _ => Value::Null,
    })
}

fn column_property(call: &Call<'_>) -> SqlResult<Value> {
    let Some(table) = table_by_id(call, 0) else {
        return Ok(Value::Null);
    };
    let name = call.text(1);
    let Some(column) = table
        .column_index(name)
        .and_then(|at| table.columns.get(at))
    else {
        return Ok(Value::Null);
    };
    Ok(match call.text(2).to_ascii_lowercase().as_str() {
        "isidentity" => Value::Int(i32::from(column.identity.is_some())),
        "allowsnull" => Value::Int(i32::from(column.nullable)),
        "columnid" => Value::Int(column.column_id),
        "iscomputed" | "isrowguidcol" | "issparse" | "ishidden" => Value::Int(0),
        "precision" => Value::Int(views::types::precision(column.sql_type)),
        "scale" => Value::Int(views::types::scale(column.sql_type)),
        _ => Value::Null,
    })
}

fn column_name(call: &Call<'_>) -> SqlResult<Value> {
    let id = call.int(1) as i32;
    Ok(table_by_id(call, 0)
        .and_then(|t| {
            t.columns
                .iter()
                .find(|c| c.column_id == id)
                .map(|c| Value::text(&c.name))
        })
        .unwrap_or(Value::Null))
}

fn column_length(call: &Call<'_>) -> SqlResult<Value> {
    let Some(Value::Int(id)) = object_of_kind(call, "").ok() else {
        return Ok(Value::Null);
    };
    let catalog = call.ctx.session.database().catalog();
    let found = catalog.tables().find(|t| t.object_id == id).and_then(|t| {
        t.columns
            .get(t.column_index(call.text(1))?)
            .map(|c| c.sql_type)
    });
    Ok(found.map_or(Value::Null, |t| {
        Value::SmallInt(views::types::max_length(t))
    }))
}

fn identity_of(
    call: &Call<'_>,
    pick: impl Fn(&crate::catalog::Identity) -> Option<i64>,
) -> SqlResult<Value> {
    let Value::Int(id) = object_id(call)? else {
        return Ok(Value::Null);
    };
    let catalog = call.ctx.session.database().catalog();
    let table = catalog
        .tables()
        .find(|t| t.object_id == id)
        .cloned()
        .or_else(|| call.ctx.session.temp_table(call.text(0)));
    Ok(super::errors::identity(
        table.and_then(|t| t.identity().and_then(|(_, i)| pick(i))),
    ))
}

fn type_id(call: &Call<'_>) -> SqlResult<Value> {
    Ok(split_name(call.text(0))
        .pop()
        .and_then(|n| views::types::type_id(&n))
        .map_or(Value::Null, Value::Int))
}

fn type_name(call: &Call<'_>) -> SqlResult<Value> {
    Ok(views::types::name_of_id(call.int(0) as i32).map_or(Value::Null, Value::text))
}

fn parse_name(call: &Call<'_>) -> SqlResult<Value> {
    let parts = split_name(call.text(0));
    let place = call.int(1);
    if !(1..=4).contains(&place) || parts.len() > 4 {
        return Ok(Value::Null);
    }
    Ok(parts
        .len()
        .checked_sub(place as usize)
        .and_then(|at| parts.get(at))
        .filter(|p| !p.is_empty())
        .map_or(Value::Null, Value::text))
}

macro_rules! plain {
    ($name:literal, $min:literal, $max:literal, $parameters:expr, $result:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: $min,
            max: $max,
            parameters: $parameters,
            result: $result,
            null_in_null_out: false,
            run: $run,
        }
    };
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    plain!("OBJECT_ID", 1, 2, &[Name], int, object_id),
    plain!("OBJECT_NAME", 1, 2, &[Int], sysname, |c| by_id(
        c,
        |o| o.name().to_owned(),
        |v| v.name.to_owned()
    )),
    plain!("OBJECT_SCHEMA_NAME", 1, 2, &[Int], sysname, |c| by_id(
        c,
        |o| o.schema().to_owned(),
        |v| v.schema.to_owned()
    )),
    plain!(
        "OBJECT_DEFINITION",
        1,
        1,
        &[Int],
        |_| SqlType::NVarChar(labdb_types::Length::Max),
        |c| {
            let id = c.int(0) as i32;
            let catalog = c.ctx.session.database().catalog();
            Ok(catalog
                .procedures()
                .find(|p| p.object_id == id)
                .map_or(Value::Null, |p| Value::text(&p.text)))
        }
    ),
    plain!("DB_ID", 0, 1, &[Name], |_| SqlType::SmallInt, db_id),
    plain!("DB_NAME", 0, 1, &[Int], sysname, db_name),
    plain!("ORIGINAL_DB_NAME", 0, 0, &[], sysname, |c| Ok(Value::text(
        &c.ctx.session.shared.initial_database
    ))),
    plain!("SCHEMA_ID", 0, 1, &[Name], int, schema_id),
    plain!("SCHEMA_NAME", 0, 1, &[Int], sysname, schema_name),
    plain!("FILE_ID", 1, 1, &[Name], |_| SqlType::SmallInt, |c| Ok(
        file_of(c, |f| f.name.eq_ignore_ascii_case(c.text(0)))
            .map_or(Value::Null, |f| Value::SmallInt(f.file_id as i16))
    )),
    plain!("FILE_IDEX", 1, 1, &[Name], int, |c| Ok(file_of(c, |f| f
        .name
        .eq_ignore_ascii_case(c.text(0)))
    .map_or(Value::Null, |f| Value::Int(i32::from(f.file_id))))),
    plain!("FILE_NAME", 1, 1, &[Int], sysname, |c| Ok(file_of(
        c,
        |f| i64::from(f.file_id) == c.int(0)
    )
    .map_or(Value::Null, |f| Value::text(f.name)))),
    plain!("FILEPROPERTY", 2, 2, &[Name], int, file_property),
    plain!("OBJECTPROPERTY", 2, 2, &[Int, Name], int, object_property),
    plain!("OBJECTPROPERTYEX", 2, 2, &[Int, Name], int, object_property),
    plain!(
        "COLUMNPROPERTY",
        3,
        3,
        &[Int, Name, Name],
        int,
        column_property
    ),
    plain!("COL_NAME", 2, 2, &[Int], sysname, column_name),
    plain!(
        "COL_LENGTH",
        2,
        2,
        &[Name],
        |_| SqlType::SmallInt,
        column_length
    ),
    plain!(
        "IDENT_CURRENT",
        1,
        1,
        &[Name],
        |_| super::errors::IDENTITY_TYPE,
        |c| identity_of(c, |i| Some(i.last().unwrap_or(i.seed)))
    ),
    plain!(
        "IDENT_SEED",
        1,
        1,
        &[Name],
        |_| super::errors::IDENTITY_TYPE,
        |c| identity_of(c, |i| Some(i.seed))
    ),
    plain!(
        "IDENT_INCR",
        1,
        1,
        &[Name],
        |_| super::errors::IDENTITY_TYPE,
        |c| identity_of(c, |i| Some(i.increment))
    ),
    plain!("TYPE_ID", 1, 1, &[Name], int, type_id),
    plain!("TYPE_NAME", 1, 1, &[Int], sysname, type_name),
    plain!("PARSENAME", 2, 2, &[Name, Int], sysname, parse_name),
];
