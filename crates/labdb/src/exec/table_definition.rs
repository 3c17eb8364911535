//! What CREATE TABLE and ALTER TABLE say of columns, keys, defaults and checks.

use super::create_table::now;
use crate::catalog::{
    Catalog, CheckConstraint, DefaultConstraint, Identity, Index, IndexKey, IndexSettings, KeyKind,
    Store, Table, TableColumn, fold,
};
use crate::eval::types;
use labdb_tsql::ast::{ColumnDefinition, Expr, IndexColumn, KeyConstraint, TableConstraint};
use labdb_types::{SqlError, SqlResult, SqlType};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

/// The end of a made-up constraint name.
fn suffix(id: i32) -> String {
    format!(
        "{:016X}",
        u64::from(id as u32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    )
}

/// The key of an index by column names.
pub(crate) fn key_columns(
    columns: &[TableColumn],
    table: &str,
    keys: &[IndexColumn],
) -> SqlResult<Vec<IndexKey>> {
    let mut out: Vec<IndexKey> = Vec::with_capacity(keys.len());
    for key in keys {
        let wanted = fold(&key.name);
        let column = columns
            .iter()
            .position(|c| fold(&c.name) == wanted)
            .ok_or_else(|| {
                SqlError::new(
                    1911,
                    format!(
                        "Column name '{}' does not exist in the target table or view.",
                        key.name
                    ),
                )
            })?;
        if out.iter().any(|k| k.column == column) {
            return Err(SqlError::new(
                1909,
                format!(
                    "Cannot use duplicate column names in index. Column name '{}' listed more \
                     than once.",
                    key.name
                ),
            ));
        }
        if columns.get(column).is_some_and(|c| {
            types::text_length(c.sql_type).is_none()
                && (types::is_text(c.sql_type) || types::is_binary(c.sql_type))
        }) {
            return Err(SqlError::new(
                1919,
                format!(
                    "Column '{}' in table '{table}' is of a type that is invalid for use as a key \
                     column in an index.",
                    key.name
                ),
            ));
        }
        out.push(IndexKey {
            column,
            descending: key.descending,
        });
    }
    Ok(out)
}

/// The next index id: 1 for a clustered index, else from 2.
pub(crate) fn next_index_id(indexes: &[Arc<Index>], clustered: bool) -> i32 {
    if clustered {
        1
    } else {
        indexes.iter().map(|i| i.index_id).max().unwrap_or(1).max(1) + 1
    }
}

/// Makes the index of a key constraint.
pub(crate) fn key_index(
    catalog: &mut Catalog,
    table: &str,
    columns: &mut [TableColumn],
    indexes: &[Arc<Index>],
    key: &KeyConstraint,
    on_column: Option<&str>,
) -> SqlResult<Index> {
    let written: Vec<IndexColumn> = match on_column {
        Some(name) if key.columns.is_empty() => vec![IndexColumn {
            name: name.to_owned(),
            descending: false,
        }],
        _ => key.columns.clone(),
    };
    if key.primary && indexes.iter().any(|i| i.kind == KeyKind::Primary) {
        return Err(SqlError::new(
            1779,
            format!("Table '{table}' already has a primary key defined on it."),
        )
        .state(0));
    }
    super::index::check_options(&key.options)?;
    let keys = key_columns(columns, table, &written)?;
    let has_clustered = indexes.iter().any(|i| i.clustered);
    let clustered = key.clustered.unwrap_or(key.primary && !has_clustered);
    if clustered && has_clustered {
        return Err(SqlError::new(
            1902,
            format!(
                "Cannot create more than one clustered index on table '{table}'. Drop the \
                 existing clustered index before creating another."
            ),
        )
        .state(3));
    }
    if key.primary {
        for part in &keys {
            if let Some(column) = columns.get_mut(part.column) {
                column.nullable = false;
            }
        }
    }
    let constraint_id = catalog.next_object_id();
    let prefix = if key.primary { "PK" } else { "UQ" };
    let name = key.name.clone().unwrap_or_else(|| {
        format!(
            "{prefix}__{}__{}",
            convert_prefix(table),
            suffix(constraint_id)
        )
    });
    Ok(Index {
        index_id: next_index_id(indexes, clustered),
        constraint_id,
        system_named: key.name.is_none(),
        name,
        kind: if key.primary {
            KeyKind::Primary
        } else {
            KeyKind::Unique
        },
        unique: true,
        clustered,
        settings: IndexSettings::default().with(&key.options)?,
        keys,
        include: Vec::new(),
        entries: RwLock::default(),
    })
}

fn convert_prefix(table: &str) -> &str {
    crate::eval::convert::prefix(table, 9, true)
}

/// A default as it is kept.
pub(crate) fn default_constraint(
    catalog: &mut Catalog,
    table: &str,
    column: &str,
    name: Option<&String>,
    expression: &Expr,
) -> SqlResult<DefaultConstraint> {
    let object_id = catalog.next_object_id();
    Ok(DefaultConstraint {
        object_id,
        name: name.cloned().unwrap_or_else(|| {
            format!(
                "DF__{}__{}__{}",
                convert_prefix(table),
                crate::eval::convert::prefix(column, 5, true),
                suffix(object_id).get(..8).unwrap_or("")
            )
        }),
        system_named: name.is_none(),
        text: labdb_tsql::print_expression(expression)?,
        expression: expression.clone(),
    })
}

/// A check as it is kept.
pub(crate) fn check_constraint(
    catalog: &mut Catalog,
    table: &str,
    name: Option<&String>,
    condition: &Expr,
) -> SqlResult<CheckConstraint> {
    let object_id = catalog.next_object_id();
    Ok(CheckConstraint {
        object_id,
        name: name.cloned().unwrap_or_else(|| {
            format!(
                "CK__{}__{}",
                convert_prefix(table),
                suffix(object_id).get(..8).unwrap_or("")
            )
        }),
        system_named: name.is_none(),
        text: labdb_tsql::print_expression(condition)?,
        condition: condition.clone(),
    })
}

/// A column as declared, without its keys.
pub(crate) fn column(
    catalog: &mut Catalog,
    table: &str,
    column_id: i32,
    definition: &ColumnDefinition,
) -> SqlResult<TableColumn> {
    let type_name = &definition.type_name;
    let sql_type = types::resolve_type(&type_name.name, &type_name.arguments, type_name.max)
        .map_err(|e| {
            if e.number == 2715 {
                SqlError::new(
                    2715,
                    format!(
                        "Column, parameter, or variable #{column_id}: Cannot find data type {}.",
                        type_name.name
                    ),
                )
            } else {
                e
            }
        })?;
    if let Some(collation) = &definition.collation {
        super::database::check_collation(collation)?;
    }
    let identity = match definition.identity {
        Some(spec) => {
            let whole = types::is_integer(sql_type) && sql_type != SqlType::Bit
                || matches!(sql_type, SqlType::Decimal { scale: 0, .. });
            if !whole {
                return Err(SqlError::new(
                    2749,
                    format!(
                        "Identity column '{}' must be of data type int, bigint, smallint, \
                         tinyint, or decimal or numeric with a scale of 0, unencrypted, and \
                         constrained to be nonnullable.",
                        definition.name
                    ),
                )
                .state(2));
            }
            if spec.increment == 0 {
                return Err(SqlError::new(
                    2753,
                    format!(
                        "Identity column '{}' contains invalid INCREMENT.",
                        definition.name
                    ),
                ));
            }
            Some(Arc::new(Identity::new(spec.seed, spec.increment)))
        }
        None => None,
    };
    let default = definition
        .default
        .as_ref()
        .map(|(name, expression)| {
            default_constraint(catalog, table, &definition.name, name.as_ref(), expression)
        })
        .transpose()?;
    let lower = type_name.name.to_ascii_lowercase();
    let sysname = lower == "sysname";
    Ok(TableColumn {
        column_id,
        name: definition.name.clone(),
        sql_type,
        declared: lower,
        nullable: definition.nullable.unwrap_or(!sysname) && identity.is_none(),
        identity,
        default,
    })
}

/// The most columns that a table has.
const MOST_COLUMNS: usize = 1_024;

/// Refuses a primary key on a column that was declared NULL.
fn check_primary_key(
    table: &str,
    definitions: &[ColumnDefinition],
    indexes: &[Arc<Index>],
) -> SqlResult<()> {
    for index in indexes.iter().filter(|i| i.kind == KeyKind::Primary) {
        let nullable = |at: usize| definitions.get(at).and_then(|d| d.nullable) == Some(true);
        if index.keys.iter().any(|k| nullable(k.column)) {
            return Err(SqlError::new(
                8111,
                format!(
                    "Cannot define PRIMARY KEY constraint on nullable column in table '{table}'."
                ),
            ));
        }
    }
    Ok(())
}

fn check_one_primary_key(
    table: &str,
    definitions: &[ColumnDefinition],
    constraints: &[TableConstraint],
) -> SqlResult<()> {
    let written = definitions.iter().filter_map(|d| d.key.as_ref());
    let apart = constraints.iter().filter_map(|c| match c {
        TableConstraint::Key(key) => Some(key),
        _ => None,
    });
    if written.chain(apart).filter(|k| k.primary).count() > 1 {
        return Err(SqlError::new(
            8110,
            format!("Cannot add multiple PRIMARY KEY constraints to table '{table}'."),
        )
        .state(0));
    }
    Ok(())
}

pub(super) fn build(
    catalog: &mut Catalog,
    database_id: i32,
    schema: &str,
    name: &str,
    definitions: &[ColumnDefinition],
    constraints: &[TableConstraint],
    store: Store,
) -> SqlResult<Table> {
    if let Some(beyond) = definitions.get(MOST_COLUMNS) {
        return Err(SqlError::new(
            1702,
            format!(
                "CREATE TABLE failed because column '{}' in table '{name}' exceeds the maximum of \
                 {MOST_COLUMNS} columns.",
                beyond.name
            ),
        ));
    }

    check_one_primary_key(name, definitions, constraints)?;
    let object_id = catalog.next_object_id();
    let mut columns: Vec<TableColumn> = Vec::with_capacity(definitions.len());
    let mut checks = Vec::new();
    for (at, definition) in definitions.iter().enumerate() {
        if columns
            .iter()
            .any(|c| fold(&c.name) == fold(&definition.name))
        {
            return Err(SqlError::new(
                2705,
                format!(
                    "Column names in each table must be unique. Column name '{}' in table \
                     '{name}' is specified more than once.",
                    definition.name
                ),
            )
            .state(3));
        }
        if definition.identity.is_some() && columns.iter().any(|c| c.identity.is_some()) {
            return Err(SqlError::new(
                2744,
                format!(
                    "Multiple identity columns specified for table '{name}'. Only one identity \
                     column per table is allowed."
                ),
            )
            .state(2));
        }
        columns.push(column(catalog, name, at as i32 + 1, definition)?);
        if let Some(condition) = &definition.check {
            checks.push(check_constraint(catalog, name, None, condition)?);
        }
    }
    let mut indexes: Vec<Arc<Index>> = Vec::new();
    for definition in definitions {
        if let Some(key) = &definition.key {
            let index = key_index(
                catalog,
                name,
                &mut columns,
                &indexes,
                key,
                Some(&definition.name),
            )?;
            indexes.push(Arc::new(index));
        }
    }
    for constraint in constraints {
        match constraint {
            TableConstraint::Key(key) => {
                let index = key_index(catalog, name, &mut columns, &indexes, key, None)?;
                indexes.push(Arc::new(index));
            }
            TableConstraint::Check {
                name: own,
                condition,
            } => checks.push(check_constraint(catalog, name, own.as_ref(), condition)?),
            TableConstraint::Default {
                name: own,
                value,
                column,
            } => {
                let default = default_constraint(catalog, name, column, own.as_ref(), value)?;
                let target = columns
                    .iter_mut()
                    .find(|c| fold(&c.name) == fold(column))
                    .ok_or_else(|| crate::bind::invalid_column(column))?;
                target.default = Some(default);
            }
            TableConstraint::Index {
                name: own,
                unique,
                clustered,
                columns: keys,
                options,
            } => {
                if *clustered && indexes.iter().any(|i| i.clustered) {
                    return Err(SqlError::new(
                        1902,
                        format!(
                            "Cannot create more than one clustered index on table '{name}'. Drop \
                             the existing clustered index before creating another."
                        ),
                    )
                    .state(3));
                }
                let keys = key_columns(&columns, name, keys)?;
                indexes.push(Arc::new(Index {
                    index_id: next_index_id(&indexes, *clustered),
                    constraint_id: 0,
                    name: own.clone(),
                    system_named: false,
                    kind: KeyKind::Plain,
                    unique: *unique,
                    clustered: *clustered,
                    settings: IndexSettings::default().with(options)?,
                    keys,
                    include: Vec::new(),
                    entries: RwLock::default(),
                }));
            }
        }
    }
    check_primary_key(name, definitions, &indexes)?;
    indexes.sort_by_key(|i| i.index_id);
    Ok(Table {
        object_id,
        database_id,
        schema: schema.to_owned(),
        name: name.to_owned(),
        columns,
        indexes,
        checks,
        store: Arc::new(store),
        row_count: Arc::new(AtomicI64::new(0)),
        created: now(),
    })
}
