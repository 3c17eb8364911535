//! CREATE, ALTER and DROP INDEX.

use super::Executor;
use super::catalog_change::cannot_drop;
use super::table_definition::{key_columns, next_index_id};
use crate::bind::{Binder, TableUse};
use crate::catalog::{Index, IndexSettings, KeyKind, KeyMap, Table, fold, is_temporary};
use crate::eval::format;
use crate::plan::Flow;
use crate::plan::source::{Access, ReadMode};
use labdb_tsql::ast::{Expr, IndexColumn, IndexOption, ObjectName};
use labdb_types::{SqlError, SqlResult, Value};
use parking_lot::RwLock;
use std::sync::Arc;

/// Refuses the options that would change what an index does and that labdb does not have. The
/// others say how pages are filled and how the index is built, which nobody can see here.
pub(super) fn check_options(options: &[IndexOption]) -> SqlResult<()> {
    let refused = options.iter().find(|o| match o.name.as_str() {
        "DATA_COMPRESSION" => !o.value.eq_ignore_ascii_case("NONE"),
        "IGNORE_DUP_KEY" | "DROP_EXISTING" | "XML_COMPRESSION" | "RESUMABLE" => {
            o.value.eq_ignore_ascii_case("ON")
        }
        _ => false,
    });
    match refused {
        None => Ok(()),
        Some(option) => Err(SqlError::new(
            40510,
            format!(
                "The index option {} = {} is outside labdb's subset.",
                option.name, option.value
            ),
        )),
    }
}

impl Executor<'_> {
    /// Fills a new index from the table's rows.
    pub(crate) fn fill_index(&self, table: &Arc<Table>, index: &Index) -> SqlResult<()> {
        let mut entries = KeyMap::default();
        super::table_read::read(
            &self.context(),
            table,
            &Access::Scan,
            &ReadMode {
                dirty: true,
                ..ReadMode::default()
            },
            true,
            None,
            &mut |mut row| {
                let Some(Value::BigInt(address)) = row.pop() else {
                    return Ok(Flow::More);
                };
                let key = index.entry_key(index.key_of(&row), address as u64);
                if entries.insert(&key, address as u64).is_some() {
                    let values: Vec<String> = index
                        .keys
                        .iter()
                        .filter_map(|k| {
                            Some(
                                format::text(
                                    row.get(k.column)?,
                                    table.columns.get(k.column)?.sql_type,
                                    None,
                                )
                                .unwrap_or_default(),
                            )
                        })
                        .collect();
                    return Err(SqlError::new(
                        1505,
                        format!(
                            "The CREATE UNIQUE INDEX statement terminated because a duplicate key \
                             was found for the object name '{}' and the index name '{}'. The \
                             duplicate key value is ({}).",
                            table.full_name(),
                            index.name,
                            values.join(", ")
                        ),
                    ));
                }
                Ok(Flow::More)
            },
        )?;
        *index.entries.write() = entries;
        Ok(())
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one for each clause of the statement"
    )]
    pub(crate) fn create_index(
        &mut self,
        name: &str,
        unique: bool,
        clustered: bool,
        table_name: &ObjectName,
        columns: &[IndexColumn],
        include: &[String],
        filter: Option<&Expr>,
        options: &[IndexOption],
    ) -> SqlResult<()> {
        check_options(options)?;
        if filter.is_some() {
            return Err(SqlError::new(
                40510,
                "Filtered indexes (CREATE INDEX … WHERE) are outside labdb's subset.",
            ));
        }
        let table = Binder::new(self.session, self.frame)
            .table(table_name, TableUse::Alter)
            .map_err(|e| {
                if e.number == 208 {
                    SqlError::new(
                        1088,
                        format!(
                            "Cannot find the object \"{}\" because it does not exist or you do \
                             not have permissions.",
                            table_name.parts.join(".")
                        ),
                    )
                    .state(12)
                } else {
                    e
                }
            })?;
        if table.indexes.iter().any(|i| fold(&i.name) == fold(name)) {
            return Err(SqlError::new(
                1913,
                format!(
                    "The operation failed because an index or statistics with name '{name}' \
                     already exists on table '{}'.",
                    table_name.parts.join(".")
                ),
            ));
        }
        if clustered && table.indexes.iter().any(|i| i.clustered) {
            return Err(SqlError::new(
                1902,
                format!(
                    "Cannot create more than one clustered index on table '{}'. Drop the existing \
                     clustered index before creating another.",
                    table.name
                ),
            )
            .state(3));
        }
        let keys = key_columns(&table.columns, &table.name, columns)?;
        let mut included = Vec::with_capacity(include.len());
        for column in include {
            included.push(table.column_index(column).ok_or_else(|| {
                SqlError::new(
                    1911,
                    format!("Column name '{column}' does not exist in the target table or view."),
                )
            })?);
        }
        let index = Index {
            index_id: next_index_id(&table.indexes, clustered),
            constraint_id: 0,
            name: name.to_owned(),
            system_named: false,
            kind: KeyKind::Plain,
            unique,
            clustered,
            settings: IndexSettings::default().with(options)?,
            keys,
            include: included,
            entries: RwLock::default(),
        };
        let mut altered = table.altered();
        if is_temporary(&altered.name) {
            self.fill_index(&table, &index)?;
            altered.indexes.push(Arc::new(index));
            altered.indexes.sort_by_key(|i| i.index_id);
            self.replace_temporary(altered)?;
            return self.end_and_done();
        }
        let database = self.database_for(table_name)?;
        let change = self.begin_change(&database)?;
        self.lock_table(&table)?;
        self.fill_index(&table, &index)?;
        altered.indexes.push(Arc::new(index));
        altered.indexes.sort_by_key(|i| i.index_id);
        self.replace_table(change, altered)?;
        self.end_and_done()
    }

    /// Puts an altered temporary table in the place of the old one.
    pub(crate) fn replace_temporary(&self, table: Table) -> SqlResult<()> {
        let key = fold(&table.name);
        let level = self
            .session
            .temp_tables
            .borrow()
            .get(&key)
            .map_or(0, |(_, level)| *level);
        let before = self
            .session
            .temp_tables
            .borrow_mut()
            .insert(key.clone(), (Arc::new(table), level));
        self.session.bump_temp();
        super::table::with_transaction(self.session, |t| {
            t.push(crate::session::Undo::TempTable(key, before));
            Ok(())
        })
    }

    pub(crate) fn alter_index(
        &mut self,
        name: Option<&str>,
        table_name: &ObjectName,
        action: &str,
        options: &[IndexOption],
    ) -> SqlResult<()> {
        check_options(options)?;
        let table = Binder::new(self.session, self.frame).table(table_name, TableUse::Alter)?;
        if let Some(name) = name
            && !table.indexes.iter().any(|i| fold(&i.name) == fold(name))
        {
            return Err(SqlError::new(2727, format!("Cannot find index '{name}'.")).severity(11));
        }
        let chosen = |index: &Index| name.is_none_or(|n| fold(n) == fold(&index.name));
        match action {
            "REBUILD" | "SET" | "REORGANIZE" => {
                let settings = |i: &Index| i.settings.with(options);
                if table
                    .indexes
                    .iter()
                    .try_fold(true, |same, i| Ok(same && settings(i)? == i.settings))?
                {
                    return self.end_and_done();
                }
                let database = self.database_for(table_name)?;
                let change = self.begin_change(&database)?;
                self.lock_table(&table)?;
                let mut altered = table.altered();
                altered.indexes = altered
                    .indexes
                    .iter()
                    .map(|i| {
                        if chosen(i) {
                            let (keys, include) = (i.keys.clone(), i.include.clone());
                            Ok(Arc::new(copy_index(i, keys, include, settings(i)?)))
                        } else {
                            Ok(Arc::clone(i))
                        }
                    })
                    .collect::<SqlResult<_>>()?;
                if is_temporary(&altered.name) {
                    self.replace_temporary(altered)?;
                    return self.end_and_done();
                }
                self.replace_table(change, altered)?;
                self.end_and_done()
            }
            other => Err(SqlError::new(
                40510,
                format!("ALTER INDEX … {other} is outside labdb's subset."),
            )),
        }
    }

    pub(crate) fn drop_index(
        &mut self,
        indexes: &[(String, ObjectName)],
        if_exists: bool,
    ) -> SqlResult<()> {
        for (name, table_name) in indexes {
            let table = Binder::new(self.session, self.frame).table(table_name, TableUse::Alter)?;
            let Some(index) = table.indexes.iter().find(|i| fold(&i.name) == fold(name)) else {
                if if_exists {
                    continue;
                }
                return Err(cannot_drop(
                    "index",
                    &format!("{}.{name}", table_name.parts.join(".")),
                ));
            };
            if index.kind != KeyKind::Plain {
                return Err(SqlError::new(
                    3723,
                    format!(
                        "An explicit DROP INDEX is not allowed on index '{}.{name}'. It is being \
                         used for {} constraint enforcement.",
                        table_name.parts.join("."),
                        if index.kind == KeyKind::Primary {
                            "PRIMARY KEY"
                        } else {
                            "UNIQUE KEY"
                        }
                    ),
                ));
            }
            let mut altered = table.altered();
            altered.indexes.retain(|i| fold(&i.name) != fold(name));
            if is_temporary(&altered.name) {
                self.replace_temporary(altered)?;
                continue;
            }
            let database = self.database_for(table_name)?;
            let change = self.begin_change(&database)?;
            self.lock_table(&table)?;
            self.replace_table(change, altered)?;
        }
        self.end_and_done()
    }
}

/// The same index with other column places, its entries copied.
pub(crate) fn copy_index(
    index: &Index,
    keys: Vec<crate::catalog::IndexKey>,
    include: Vec<usize>,
    settings: IndexSettings,
) -> Index {
    Index {
        index_id: index.index_id,
        constraint_id: index.constraint_id,
        name: index.name.clone(),
        system_named: index.system_named,
        kind: index.kind,
        unique: index.unique,
        clustered: index.clustered,
        settings,
        keys,
        include,
        entries: RwLock::new(index.entries.read().clone()),
    }
}
