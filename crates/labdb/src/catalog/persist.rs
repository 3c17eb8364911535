//! Catalog records: how objects are written to and read from the catalog heap.

use super::{
    Catalog, CheckConstraint, DatabaseUser, DefaultConstraint, ExtendedProperty, Identity, Index,
    IndexKey, KeyKind, KeyMap, Object, Procedure, Store, Table, TableColumn,
};
use crate::eval::types;
use crate::exec::failure::storage_error;
use crate::exec::large::Pieces;
use crate::exec::{catalog_record, codec};
use labdb_storage::{Database, HeapId, RowId};
use labdb_tsql::ast::StatementKind;
use labdb_types::{SqlError, SqlResult, Value};
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

/// A record of the catalog heap, as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ObjectRecord {
    /// A table.
    Table(TableRecord),
    /// A procedure, as its text.
    Procedure {
        /// Its object id.
        object_id: i32,
        /// Its schema.
        schema: String,
        /// Its name, which is not that of the text after `sp_rename`.
        #[serde(default)]
        name: Option<String>,
        /// The text of CREATE PROCEDURE.
        text: String,
        /// Days since 1900-01-01 and 1/300 s.
        created: (i32, u32),
    },
    /// A schema.
    Schema {
        /// Its name.
        name: String,
    },
    /// How far an identity counter has come.
    Identity {
        /// The table.
        object_id: i32,
        /// The value that comes next, as text of one length.
        next: String,
    },
    /// A database user.
    User(DatabaseUser),
    /// An extended property.
    Property {
        /// 0 database, 1 object or column.
        class: u8,
        /// The object.
        major_id: i32,
        /// The column.
        minor_id: i32,
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
}

/// A table's record.
#[derive(Debug, Serialize, Deserialize)]
pub struct TableRecord {
    object_id: i32,
    schema: String,
    name: String,
    heap: u32,
    created: (i32, u32),
    columns: Vec<ColumnRecord>,
    indexes: Vec<IndexRecord>,
    checks: Vec<(i32, String, bool, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ColumnRecord {
    id: i32,
    name: String,
    #[serde(rename = "type")]
    sql_type: String,
    declared: String,
    nullable: bool,
    identity: Option<(i64, i64)>,
    default: Option<(i32, String, bool, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct IndexRecord {
    id: i32,
    constraint_id: i32,
    name: String,
    system_named: bool,
    kind: KeyKind,
    unique: bool,
    clustered: bool,
    sequential_key: bool,
    #[serde(default)]
    fill_factor: u8,
    #[serde(default)]
    padded: bool,
    keys: Vec<(usize, bool)>,
    include: Vec<usize>,
}

fn datetime_parts(value: &Value) -> (i32, u32) {
    match value {
        Value::DateTime { days, ticks } => (*days, *ticks),
        _ => (0, 0),
    }
}

/// The record of a table in a heap; `None` for one in memory.
pub fn table_record(table: &Table) -> Option<ObjectRecord> {
    let Store::Heap(heap) = &*table.store else {
        return None;
    };
    Some(ObjectRecord::Table(TableRecord {
        object_id: table.object_id,
        schema: table.schema.clone(),
        name: table.name.clone(),
        heap: heap.0,
        created: datetime_parts(&table.created),
        columns: table
            .columns
            .iter()
            .map(|c| ColumnRecord {
                id: c.column_id,
                name: c.name.clone(),
                sql_type: types::declaration(c.sql_type),
                declared: c.declared.clone(),
                nullable: c.nullable,
                identity: c.identity.as_ref().map(|i| (i.seed, i.increment)),
                default: c
                    .default
                    .as_ref()
                    .map(|d| (d.object_id, d.name.clone(), d.system_named, d.text.clone())),
            })
            .collect(),
        indexes: table
            .indexes
            .iter()
            .map(|i| IndexRecord {
                id: i.index_id,
                constraint_id: i.constraint_id,
                name: i.name.clone(),
                system_named: i.system_named,
                kind: i.kind,
                unique: i.unique,
                clustered: i.clustered,
                sequential_key: i.settings.sequential_key,
                fill_factor: i.settings.fill_factor,
                padded: i.settings.padded,
                keys: i.keys.iter().map(|k| (k.column, k.descending)).collect(),
                include: i.include.clone(),
            })
            .collect(),
        checks: table
            .checks
            .iter()
            .map(|c| (c.object_id, c.name.clone(), c.system_named, c.text.clone()))
            .collect(),
    }))
}

impl Procedure {
    /// The procedure's record.
    pub fn record(&self) -> ObjectRecord {
        ObjectRecord::Procedure {
            object_id: self.object_id,
            schema: self.schema.clone(),
            name: Some(self.name.clone()),
            text: self.text.clone(),
            created: datetime_parts(&self.created),
        }
    }
}

impl ExtendedProperty {
    /// The property's record.
    pub fn record(&self) -> ObjectRecord {
        let value = match &self.value {
            Value::Null => None,
            Value::Text(t) => Some(t.to_string()),
            Value::Variant(inner) => crate::eval::format::text(&inner.1, inner.0, None),
            other => Some(format!("{other:?}")),
        };
        ObjectRecord::Property {
            class: self.class,
            major_id: self.major_id,
            minor_id: self.minor_id,
            name: self.name.clone(),
            value,
        }
    }
}

/// Type texts such as `varchar(500)`, `decimal(10,2)`, `nvarchar(max)`.
pub(crate) fn parse_type(text: &str) -> SqlResult<labdb_types::SqlType> {
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    let inside = rest.trim_end_matches(')');
    if inside == "max" {
        return types::resolve_type(name, &[], true);
    }
    let numbers: Vec<u32> = inside
        .split(',')
        .filter_map(|n| n.trim().parse().ok())
        .collect();
    types::resolve_type(name, &numbers, false)
}

fn damaged(what: impl std::fmt::Display) -> SqlError {
    SqlError::new(
        3414,
        format!(
            "The catalog of the database cannot be read ({what}); restore the database from a \
             backup."
        ),
    )
    .severity(21)
}

/// Reads a database's catalog and builds its indexes by reading every table once.
///
/// # Errors
/// Storage errors; a record that cannot be read.
pub fn load(storage: &Arc<Database>, database_id: i32) -> SqlResult<Catalog> {
    let mut catalog = Catalog::default();
    let mut identities = Vec::new();
    for row in storage.scan(HeapId::CATALOG) {
        let row = row.map_err(|e| storage_error(&e, ""))?;
        if row.ghost {
            continue;
        }
        let bytes = catalog_record::read(storage, &row.bytes)
            .map_err(|e| storage_error(&e, ""))?
            .ok_or_else(|| damaged("a record is gone"))?;
        let record: ObjectRecord = serde_json::from_slice(&bytes).map_err(damaged)?;
        if let ObjectRecord::Identity { object_id, next } = &record {
            identities.push((*object_id, next.parse::<i64>().map_err(damaged)?, row.id));
            continue;
        }
        take_in(&mut catalog, record, row.id, storage, database_id)?;
    }
    for (object_id, next, at) in identities {
        let table = catalog.tables().find(|t| t.object_id == object_id);
        if let Some((_, identity)) = table.and_then(|t| t.identity()) {
            identity.resume(next, at);
        }
    }
    Ok(catalog)
}

fn take_in(
    catalog: &mut Catalog,
    record: ObjectRecord,
    at: RowId,
    storage: &Arc<Database>,
    database_id: i32,
) -> SqlResult<()> {
    match record {
        ObjectRecord::Schema { name } => catalog.schemas.push((name, Some(at))),
        ObjectRecord::Identity { .. } => {}
        ObjectRecord::User(user) => catalog.users.push((user, Some(at))),
        ObjectRecord::Property {
            class,
            major_id,
            minor_id,
            name,
            value,
        } => {
            let value = value.map_or(Value::Null, Value::text);
            catalog.properties.push((
                ExtendedProperty {
                    class,
                    major_id,
                    minor_id,
                    name,
                    value,
                },
                Some(at),
            ));
        }
        ObjectRecord::Procedure {
            object_id,
            schema,
            name: kept,
            text,
            created,
        } => {
            catalog.last_object_id = catalog.last_object_id.max(object_id);
            let batch = labdb_tsql::parse_batch(&text)?;
            if let Some(StatementKind::CreateProcedure {
                name,
                parameters,
                body,
                ..
            }) = batch.statements.into_iter().next().map(|s| s.kind)
            {
                let name = kept.unwrap_or_else(|| name.object().to_owned());
                let procedure = Procedure {
                    object_id,
                    schema: schema.clone(),
                    name: name.clone(),
                    parameters,
                    body,
                    text,
                    created: Value::DateTime {
                        days: created.0,
                        ticks: created.1,
                    },
                };
                catalog.objects.insert(
                    Catalog::key(&schema, &name),
                    (Object::Procedure(Arc::new(procedure)), Some(at)),
                );
            }
        }
        ObjectRecord::Table(record) => {
            let table = build_table(&record, database_id)?;
            for id in record
                .indexes
                .iter()
                .map(|i| i.constraint_id)
                .chain(record.checks.iter().map(|c| c.0))
                .chain(
                    record
                        .columns
                        .iter()
                        .filter_map(|c| c.default.as_ref().map(|d| d.0)),
                )
                .chain([record.object_id])
            {
                catalog.last_object_id = catalog.last_object_id.max(id);
            }
            fill(&table, storage)?;
            catalog.objects.insert(
                Catalog::key(&table.schema, &table.name),
                (Object::Table(Arc::new(table)), Some(at)),
            );
        }
    }
    Ok(())
}

fn build_table(record: &TableRecord, database_id: i32) -> SqlResult<Table> {
    let mut columns = Vec::with_capacity(record.columns.len());
    for c in &record.columns {
        let default = match &c.default {
            Some((object_id, name, system_named, text)) => Some(DefaultConstraint {
                object_id: *object_id,
                name: name.clone(),
                system_named: *system_named,
                expression: labdb_tsql::parse_expression(text)?,
                text: text.clone(),
            }),
            None => None,
        };
        columns.push(TableColumn {
            column_id: c.id,
            name: c.name.clone(),
            sql_type: parse_type(&c.sql_type)?,
            declared: c.declared.clone(),
            nullable: c.nullable,
            identity: c
                .identity
                .map(|(seed, increment)| Arc::new(Identity::new(seed, increment))),
            default,
        });
    }
    let mut checks = Vec::new();
    for (object_id, name, system_named, text) in &record.checks {
        checks.push(CheckConstraint {
            object_id: *object_id,
            name: name.clone(),
            system_named: *system_named,
            condition: labdb_tsql::parse_expression(text)?,
            text: text.clone(),
        });
    }
    let indexes = record
        .indexes
        .iter()
        .map(|i| {
            Arc::new(Index {
                index_id: i.id,
                constraint_id: i.constraint_id,
                name: i.name.clone(),
                system_named: i.system_named,
                kind: i.kind,
                unique: i.unique,
                clustered: i.clustered,
                settings: super::IndexSettings {
                    sequential_key: i.sequential_key,
                    fill_factor: i.fill_factor,
                    padded: i.padded,
                },
                keys: i
                    .keys
                    .iter()
                    .map(|(column, descending)| IndexKey {
                        column: *column,
                        descending: *descending,
                    })
                    .collect(),
                include: i.include.clone(),
                entries: RwLock::default(),
            })
        })
        .collect();
    Ok(Table {
        object_id: record.object_id,
        database_id,
        schema: record.schema.clone(),
        name: record.name.clone(),
        columns,
        indexes,
        checks,
        store: Arc::new(Store::Heap(HeapId(record.heap))),
        row_count: Arc::new(AtomicI64::new(0)),
        created: Value::DateTime {
            days: record.created.0,
            ticks: record.created.1,
        },
    })
}

/// Reads all rows once: indexes, row count and the identity's last value.
fn fill(table: &Table, storage: &Arc<Database>) -> SqlResult<()> {
    let Store::Heap(heap) = &*table.store else {
        return Ok(());
    };
    let mut count = 0;
    // Of values outside their rows only those that a key needs are read.
    let keys: Vec<bool> = (0..table.columns.len())
        .map(|at| {
            let mut parts = table.indexes.iter().flat_map(|i| &i.keys);
            parts.any(|part| part.column == at)
        })
        .collect();
    let outside = Pieces::of(storage, &keys);
    let mut maps: Vec<KeyMap> = table.indexes.iter().map(|_| KeyMap::default()).collect();
    for row in storage.scan(*heap) {
        let row = row.map_err(|e| storage_error(&e, ""))?;
        if row.ghost {
            continue;
        }
        let values = codec::decode(&table.columns, &row.bytes, &outside)?
            .ok_or_else(|| damaged("a value outside its row is gone"))?;
        let address = row.id.to_bits();
        for (index, map) in table.indexes.iter().zip(&mut maps) {
            map.insert(&index.entry_key(index.key_of(&values), address), address);
        }
        if let Some((at, identity)) = table.identity()
            && let Some(n) = values.get(at).and_then(crate::exec::table::identity_number)
        {
            identity.note(n);
        }
        count += 1;
    }
    for (index, map) in table.indexes.iter().zip(maps) {
        *index.entries.write() = map;
    }
    table
        .row_count
        .store(count, std::sync::atomic::Ordering::Relaxed);
    Ok(())
}
