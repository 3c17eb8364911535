//! CREATE TABLE and DROP TABLE.

use super::Executor;
use super::catalog_change::{Change, cannot_drop, exists_already};
use super::failure::storage_error;
use super::permission::has_role;
use super::table_definition::build;
use crate::bind::Binder;
use crate::catalog::{
    Catalog, DatabaseRole, Identity, MemoryRows, Object, Store, Table, TableColumn, fold,
    is_global_temporary, is_temporary, table_record,
};
use crate::eval::{calendar, types};
use crate::instance::Database;
use crate::session::Undo;
use labdb_storage::HeapId;
use labdb_tsql::ast::{ObjectName, TableDefinition};
use labdb_types::{Column, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

pub(super) fn now() -> Value {
    calendar::value_from_moment(calendar::now_local(), SqlType::DateTime).unwrap_or(Value::Null)
}

impl Executor<'_> {
    /// CREATE TABLE.
    pub(crate) fn create_table(&mut self, definition: &TableDefinition) -> SqlResult<()> {
        let name = definition.name.object();
        if is_temporary(name) {
            let table = self.temporary(name, &definition.columns, &definition.constraints)?;
            self.add_temporary(name, table)?;
            return self.end_and_done();
        }
        let database = self.database_for(&definition.name)?;
        let mut change = self.change_for_table(&database, name)?;
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
        super::large::check_columns(&table)?;
        self.add_table(change, table)?;
        self.end_and_done()
    }

    /// Begins CREATE TABLE. Everybody may make temporary tables.
    fn change_for_table(&self, database: &Arc<Database>, name: &str) -> SqlResult<Change> {
        if is_global_temporary(name) {
            self.begin_change(database)
        } else {
            self.change(database, "CREATE TABLE")
        }
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
        if is_global_temporary(&table.name) {
            let mut mine = self.session.global_temp_tables.borrow_mut();
            mine.push((table.name.clone(), table.object_id));
        }
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
        if is_temporary(object) {
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
        let mut change = self.change_for_table(&database, object)?;
        let schema = name.schema().unwrap_or("dbo").to_owned();
        if change.catalog.get(&schema, object).is_some() {
            return Err(exists_already(object));
        }
        let heap = self.new_heap(&database)?;
        let id = change.catalog.next_object_id();
        self.add_table(change, plain(id, database.id, &schema, Store::Heap(heap)))
    }

    /// DROP TABLE.
    pub(crate) fn drop_tables(&mut self, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
        for name in names {
            let object = name.object();
            if is_temporary(object) {
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
                    None => return Err(cannot_drop("table", &name.parts.join("."))),
                }
                continue;
            }
            let database = self.database_for(name)?;
            let schema = name.schema().unwrap_or("dbo");
            let Some(table) = database.catalog().table(schema, object).cloned() else {
                if if_exists {
                    continue;
                }
                return Err(cannot_drop("table", &name.parts.join(".")));
            };
            if !is_global_temporary(object)
                && !has_role(self.session, &database, DatabaseRole::DdlAdmin)
            {
                return Err(cannot_drop("table", &name.parts.join(".")));
            }
            let mut change = self.begin_change(&database)?;
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
            if let Some((_, identity)) = table.identity() {
                let kept = identity.kept.lock().at;
                self.delete_record(&database, kept)?;
            }
            self.drop_properties(&mut change, table.object_id)?;
            self.forget_permissions(&mut change, table.object_id)?;
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
}
