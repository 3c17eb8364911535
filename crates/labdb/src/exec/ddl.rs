//! CREATE and DROP of tables, procedures and schemas; changes of the catalog.

use super::Executor;
use super::failure::storage_error;
use crate::bind::Binder;
use crate::catalog::{
    Catalog, CheckConstraint, DefaultConstraint, Identity, Index, IndexKey, KeyKind, MemoryRows,
    Object, ObjectRecord, Procedure, Store, Table, TableColumn, fold, table_record,
};
use crate::eval::{calendar, types};
use crate::instance::Database;
use crate::session::Undo;
use labdb_storage::{HeapId, RowId};
use labdb_tsql::ast::{
    ColumnDefinition, Expr, IndexColumn, KeyConstraint, ObjectName, ProcedureParameter, Statement,
    TableConstraint, TableDefinition,
};
use labdb_types::{Column, SqlError, SqlResult, SqlType, Value};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Error 2714.
pub(crate) fn exists_already(name: &str) -> SqlError {
    SqlError::new(
        2714,
        format!("There is already an object named '{name}' in the database."),
    )
    .state(6)
}

/// Error 3701.
pub(crate) fn cannot_drop(what: &str, name: &str) -> SqlError {
    SqlError::new(
        3701,
        format!(
            "Cannot drop the {what} '{name}', because it does not exist or you do not have \
             permission."
        ),
    )
    .severity(11)
    .state(5)
}

/// The end of a made-up constraint name.
fn suffix(id: i32) -> String {
    format!(
        "{:016X}",
        u64::from(id as u32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    )
}

fn now() -> Value {
    calendar::value_from_moment(calendar::now_local(), SqlType::DateTime).unwrap_or(Value::Null)
}

/// A new database-wide state of the catalog, under way to be the current one.
pub(crate) struct Change {
    pub(crate) database: Arc<Database>,
    pub(crate) catalog: Catalog,
}

impl Executor<'_> {
    /// Begins a change of a database's catalog.
    pub(crate) fn change(&self, database: &Arc<Database>) -> SqlResult<Change> {
        super::permission::require_sysadmin(self.session, "DDL")?;
        if database.read_only.load(Ordering::Relaxed) {
            return Err(SqlError::new(
                3906,
                format!(
                    "Failed to update database \"{}\" because the database is read-only.",
                    database.name()
                ),
            ));
        }
        super::locking::schema(self.session, database.id)?;
        // The lock counts as work of the transaction, so that its end releases it.
        super::table::with_transaction(self.session, |_| Ok(()))?;
        Ok(Change {
            database: Arc::clone(database),
            catalog: (*database.catalog()).clone(),
        })
    }

    /// Puts a changed catalog in place; a rollback puts the old one back.
    pub(crate) fn publish(&self, change: Change) -> SqlResult<()> {
        let before = std::mem::replace(
            &mut *change.database.catalog.write(),
            Arc::new(change.catalog),
        );
        super::table::with_transaction(self.session, |t| {
            t.push(Undo::Catalog(Arc::clone(&change.database), before));
            Ok(())
        })?;
        self.session.instance.bump_schema();
        Ok(())
    }

    /// Writes a record to the catalog heap.
    pub(crate) fn write_record(
        &self,
        database: &Arc<Database>,
        record: &ObjectRecord,
    ) -> SqlResult<RowId> {
        let bytes = serde_json::to_vec(record)
            .map_err(|e| crate::plan::expression::internal(&e.to_string()))?;
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            database
                .storage
                .insert(storage, HeapId::CATALOG, &bytes)
                .map_err(|e| storage_error(&e, &database.name()))
        })
    }

    /// Replaces a record of the catalog heap.
    pub(crate) fn rewrite_record(
        &self,
        database: &Arc<Database>,
        at: RowId,
        record: &ObjectRecord,
    ) -> SqlResult<RowId> {
        let bytes = serde_json::to_vec(record)
            .map_err(|e| crate::plan::expression::internal(&e.to_string()))?;
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            database
                .storage
                .update(storage, HeapId::CATALOG, at, &bytes)
                .map_err(|e| storage_error(&e, &database.name()))
        })
    }

    /// Removes a record of the catalog heap.
    pub(crate) fn delete_record(
        &self,
        database: &Arc<Database>,
        at: Option<RowId>,
    ) -> SqlResult<()> {
        let Some(at) = at else { return Ok(()) };
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            database
                .storage
                .delete(storage, HeapId::CATALOG, at)
                .map_err(|e| storage_error(&e, &database.name()))
        })
    }

    /// The database that a name for a new object means.
    pub(crate) fn database_for(&self, name: &ObjectName) -> SqlResult<Arc<Database>> {
        match name.database() {
            None => Ok(self.session.database()),
            Some(other) => self.session.instance.database(other).ok_or_else(|| {
                SqlError::new(
                    911,
                    format!(
                        "Database '{other}' does not exist. Make sure that the name is entered \
                         correctly."
                    ),
                )
            }),
        }
    }

    /// CREATE TABLE.
    pub(crate) fn create_table(&mut self, definition: &TableDefinition) -> SqlResult<()> {
        let name = definition.name.object();
        if name.starts_with('#') {
            let table = self.temporary(name, &definition.columns, &definition.constraints)?;
            self.add_temporary(name, table)?;
            return self.end_and_done();
        }
        let database = self.database_for(&definition.name)?;
        let mut change = self.change(&database)?;
        let schema = definition.name.schema().unwrap_or("dbo").to_owned();
        if change.catalog.schema_id(&schema).is_none() {
            return Err(SqlError::new(
                2760,
                format!(
                    "The specified schema name \"{schema}\" either does not exist or you do not \
                     have permission to use it."
                ),
            ));
        }
        if change.catalog.get(&schema, name).is_some() {
            return Err(exists_already(name));
        }
        let heap = self.new_heap(&database)?;
        let table = build(
            &mut change.catalog,
            database.id,
            &schema,
            name,
            &definition.columns,
            &definition.constraints,
            Store::Heap(heap),
        )?;
        Binder::new(self.session, self.frame).rules(&table)?;
        self.add_table(change, table)?;
        self.end_and_done()
    }

    fn new_heap(&self, database: &Arc<Database>) -> SqlResult<HeapId> {
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            database
                .storage
                .create_heap(storage)
                .map_err(|e| storage_error(&e, &database.name()))
        })
    }

    fn add_table(&self, mut change: Change, table: Table) -> SqlResult<Arc<Table>> {
        let record = match table_record(&table) {
            Some(record) => Some(self.write_record(&change.database, &record)?),
            None => None,
        };
        let table = Arc::new(table);
        change.catalog.objects.insert(
            Catalog::key(&table.schema, &table.name),
            (Object::Table(Arc::clone(&table)), record),
        );
        self.publish(change)?;
        Ok(table)
    }

    /// Puts an altered table in the place of the old one.
    pub(crate) fn replace_table(&self, mut change: Change, table: Table) -> SqlResult<Arc<Table>> {
        let key = Catalog::key(&table.schema, &table.name);
        let at = change.catalog.objects.get(&key).and_then(|(_, at)| *at);
        let at = match (at, table_record(&table)) {
            (Some(at), Some(record)) => Some(self.rewrite_record(&change.database, at, &record)?),
            (None, Some(record)) => Some(self.write_record(&change.database, &record)?),
            _ => None,
        };
        let table = Arc::new(table);
        change
            .catalog
            .objects
            .insert(key, (Object::Table(Arc::clone(&table)), at));
        self.publish(change)?;
        Ok(table)
    }

    /// The table of SELECT INTO.
    pub(crate) fn create_table_of(
        &mut self,
        name: &ObjectName,
        columns: &[Column],
    ) -> SqlResult<Arc<Table>> {
        let object = name.object();
        let table_columns = |(): ()| -> Vec<TableColumn> {
            columns
                .iter()
                .enumerate()
                .map(|(at, c)| TableColumn {
                    column_id: at as i32 + 1,
                    name: c.name.clone(),
                    sql_type: c.sql_type,
                    declared: types::type_name(c.sql_type).to_owned(),
                    nullable: c.nullable,
                    identity: c.identity.then(|| Arc::new(Identity::new(1, 1))),
                    default: None,
                })
                .collect()
        };
        if let Some(twice) = crate::bind::duplicate_name(columns) {
            return Err(SqlError::new(
                2705,
                format!(
                    "Column names in each table must be unique. Column name '{twice}' in table \
                     '{object}' is specified more than once."
                ),
            )
            .state(3));
        }
        let plain = |object_id: i32, database_id: i32, schema: &str, store: Store| Table {
            object_id,
            database_id,
            schema: schema.to_owned(),
            name: object.to_owned(),
            columns: table_columns(()),
            indexes: Vec::new(),
            checks: Vec::new(),
            store: Arc::new(store),
            row_count: Arc::new(AtomicI64::new(0)),
            created: now(),
        };
        if object.starts_with('#') {
            let table = plain(
                self.session.take_temp_id(),
                2,
                "dbo",
                Store::Memory(MemoryRows {
                    transactional: true,
                    ..MemoryRows::default()
                }),
            );
            return self.add_temporary(object, table);
        }
        let database = self.database_for(name)?;
        let mut change = self.change(&database)?;
        let schema = name.schema().unwrap_or("dbo").to_owned();
        if change.catalog.get(&schema, object).is_some() {
            return Err(exists_already(object));
        }
        let heap = self.new_heap(&database)?;
        let id = change.catalog.next_object_id();
        self.add_table(change, plain(id, database.id, &schema, Store::Heap(heap)))
    }

    fn temporary(
        &self,
        name: &str,
        columns: &[ColumnDefinition],
        constraints: &[TableConstraint],
    ) -> SqlResult<Table> {
        let mut scratch = Catalog::default();
        let transactional = name.starts_with('#');
        let store = Store::Memory(MemoryRows {
            transactional,
            ..MemoryRows::default()
        });
        let mut table = build(&mut scratch, 2, "dbo", name, columns, constraints, store)?;
        table.object_id = self.session.take_temp_id();
        Binder::new(self.session, self.frame).rules(&table)?;
        Ok(table)
    }

    fn add_temporary(&self, name: &str, table: Table) -> SqlResult<Arc<Table>> {
        if name.starts_with("##") {
            return Err(SqlError::new(
                40510,
                "Global temporary tables (##name) are outside labdb's subset: use a table in \
                 tempdb.",
            ));
        }
        let key = fold(name);
        if self.session.temp_tables.borrow().contains_key(&key) {
            return Err(exists_already(name));
        }
        let table = Arc::new(table);
        self.session
            .temp_tables
            .borrow_mut()
            .insert(key.clone(), (Arc::clone(&table), self.frame.level));
        self.session.bump_temp();
        super::table::with_transaction(self.session, |t| {
            t.push(Undo::TempTable(key, None));
            Ok(())
        })?;
        Ok(table)
    }

    /// DECLARE @t TABLE.
    pub(crate) fn declare_table(
        &mut self,
        name: &str,
        columns: &[ColumnDefinition],
        constraints: &[TableConstraint],
    ) -> SqlResult<()> {
        if self.frame.table_variable(name).is_ok() {
            // DECLARE in a loop runs again without effect.
            return Ok(());
        }
        let table = self.temporary(name, columns, constraints)?;
        self.frame.declare_table(name, Arc::new(table));
        Ok(())
    }

    /// DROP TABLE.
    pub(crate) fn drop_tables(&mut self, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
        for name in names {
            let object = name.object();
            if object.starts_with('#') {
                let before = self.session.temp_tables.borrow_mut().remove(&fold(object));
                match before {
                    Some(before) => {
                        self.session.bump_temp();
                        super::table::with_transaction(self.session, |t| {
                            t.push(Undo::TempTable(fold(object), Some(before)));
                            Ok(())
                        })?;
                    }
                    None if if_exists => {}
                    None => return Err(cannot_drop("table", object)),
                }
                continue;
            }
            let database = self.database_for(name)?;
            let schema = name.schema().unwrap_or("dbo");
            let Some(table) = database.catalog().table(schema, object).cloned() else {
                if if_exists {
                    continue;
                }
                return Err(cannot_drop("table", object));
            };
            let mut change = self.change(&database)?;
            self.lock_table(&table)?;
            if let Store::Heap(heap) = &*table.store {
                super::table::with_transaction(self.session, |t| {
                    let storage = t.storage(self.session, &database);
                    database
                        .storage
                        .drop_heap(storage, *heap)
                        .map_err(|e| storage_error(&e, &database.name()))
                })?;
            }
            let removed = change.catalog.objects.remove(&Catalog::key(schema, object));
            self.delete_record(&database, removed.and_then(|(_, at)| at))?;
            self.drop_properties(&mut change, table.object_id)?;
            self.publish(change)?;
        }
        self.end_and_done()
    }

    fn drop_properties(&self, change: &mut Change, object_id: i32) -> SqlResult<()> {
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut change.catalog.properties)
            .into_iter()
            .partition(|(p, _)| p.class == 1 && p.major_id == object_id);
        change.catalog.properties = kept;
        for (_, at) in gone {
            self.delete_record(&change.database, at)?;
        }
        Ok(())
    }

    /// Takes a table for a change of its shape.
    pub(crate) fn lock_table(&self, table: &Table) -> SqlResult<()> {
        super::table::with_transaction(self.session, |t| {
            super::locking::table(
                self.session,
                &mut t.locks,
                table,
                labdb_storage::LockMode::SchM,
            )
        })
    }

    /// CREATE, ALTER PROCEDURE.
    pub(crate) fn create_procedure(
        &mut self,
        name: &ObjectName,
        parameters: &[ProcedureParameter],
        body: &[Statement],
        text: &str,
        create: bool,
        alter: bool,
    ) -> SqlResult<()> {
        let database = self.database_for(name)?;
        let mut change = self.change(&database)?;
        let schema = name.schema().unwrap_or("dbo").to_owned();
        let object = name.object().to_owned();
        if change.catalog.schema_id(&schema).is_none() {
            return Err(SqlError::new(
                2760,
                format!(
                    "The specified schema name \"{schema}\" either does not exist or you do not \
                     have permission to use it."
                ),
            ));
        }
        for parameter in parameters {
            types::resolve_type(
                &parameter.type_name.name,
                &parameter.type_name.arguments,
                parameter.type_name.max,
            )?;
        }
        let key = Catalog::key(&schema, &object);
        let known = change.catalog.objects.get(&key).cloned();
        let (object_id, created, at) = match known {
            Some((Object::Procedure(old), at)) if alter => (old.object_id, old.created.clone(), at),
            Some(_) => return Err(exists_already(&object)),
            None if create => (change.catalog.next_object_id(), now(), None),
            None => {
                return Err(SqlError::new(
                    208,
                    format!("Invalid object name '{}'.", name.parts.join(".")),
                )
                .state(6));
            }
        };
        let procedure = Procedure {
            object_id,
            schema,
            name: object,
            parameters: parameters.to_vec(),
            body: body.to_vec(),
            text: text.to_owned(),
            created,
        };
        let at = match at {
            Some(at) => self.rewrite_record(&database, at, &procedure.record())?,
            None => self.write_record(&database, &procedure.record())?,
        };
        change
            .catalog
            .objects
            .insert(key, (Object::Procedure(Arc::new(procedure)), Some(at)));
        self.publish(change)?;
        self.end_and_done()
    }

    /// DROP PROCEDURE.
    pub(crate) fn drop_procedures(
        &mut self,
        names: &[ObjectName],
        if_exists: bool,
    ) -> SqlResult<()> {
        for name in names {
            let database = self.database_for(name)?;
            let schema = name.schema().unwrap_or("dbo");
            let mut change = self.change(&database)?;
            let key = Catalog::key(schema, name.object());
            match change.catalog.objects.get(&key) {
                Some((Object::Procedure(_), at)) => {
                    let at = *at;
                    change.catalog.objects.remove(&key);
                    self.delete_record(&database, at)?;
                    self.publish(change)?;
                }
                _ if if_exists => {}
                _ => return Err(cannot_drop("procedure", name.object())),
            }
        }
        self.end_and_done()
    }

    /// CREATE SCHEMA.
    pub(crate) fn create_schema(&mut self, name: &str) -> SqlResult<()> {
        let mut change = self.change(&self.session.database())?;
        if change.catalog.schema_id(name).is_some() {
            return Err(exists_already(name));
        }
        let at = self.write_record(
            &change.database,
            &ObjectRecord::Schema {
                name: name.to_owned(),
            },
        )?;
        change.catalog.schemas.push((name.to_owned(), Some(at)));
        self.publish(change)?;
        self.end_and_done()
    }

    /// DROP SCHEMA.
    pub(crate) fn drop_schema(&mut self, name: &str, if_exists: bool) -> SqlResult<()> {
        let mut change = self.change(&self.session.database())?;
        let wanted = fold(name);
        let Some(place) = change
            .catalog
            .schemas
            .iter()
            .position(|(n, _)| fold(n) == wanted)
        else {
            if if_exists {
                return self.end_and_done();
            }
            return Err(SqlError::new(
                15151,
                format!(
                    "Cannot drop the schema '{name}', because it does not exist or you do not \
                     have permission."
                ),
            ));
        };
        if let Some((object, _)) = change
            .catalog
            .objects
            .values()
            .find(|(o, _)| fold(o.schema()) == wanted)
        {
            return Err(SqlError::new(
                3729,
                format!(
                    "Cannot drop schema '{name}' because it is being referenced by object '{}'.",
                    object.name()
                ),
            ));
        }
        let (_, at) = change.catalog.schemas.remove(place);
        self.delete_record(&change.database, at)?;
        self.publish(change)?;
        self.end_and_done()
    }
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
        sequential_key: key
            .options
            .iter()
            .any(|o| o.name == "OPTIMIZE_FOR_SEQUENTIAL_KEY" && o.value == "ON"),
        keys,
        include: Vec::new(),
        entries: RwLock::new(BTreeMap::new()),
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
        text: format!("({})", labdb_tsql::print_expression(expression)?),
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
        text: format!("({})", labdb_tsql::print_expression(condition)?),
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

fn build(
    catalog: &mut Catalog,
    database_id: i32,
    schema: &str,
    name: &str,
    definitions: &[ColumnDefinition],
    constraints: &[TableConstraint],
    store: Store,
) -> SqlResult<Table> {
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
                    sequential_key: options
                        .iter()
                        .any(|o| o.name == "OPTIMIZE_FOR_SEQUENTIAL_KEY" && o.value == "ON"),
                    keys,
                    include: Vec::new(),
                    entries: RwLock::new(BTreeMap::new()),
                }));
            }
        }
    }
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
