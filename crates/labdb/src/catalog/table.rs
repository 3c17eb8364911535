//! A table with its columns, keys and where its rows are.

use super::KeyMap;
use crate::eval::key;
use crate::session::memory::Grant;
use labdb_storage::HeapId;
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A name as it is compared: case does not count.
pub fn fold(name: &str) -> String {
    name.trim_end_matches(' ').to_lowercase()
}

/// Whether a name is that of a temporary object of one session's own: `#t`, and not `##t`.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('#') && !is_global_temporary(name)
}

/// Whether a name is that of a table in tempdb that goes with its session: `##t`.
pub fn is_global_temporary(name: &str) -> bool {
    name.starts_with("##")
}

/// An identity column's counter. Values that a rolled-back transaction took are not given again.
#[derive(Debug)]
pub struct Identity {
    /// The first value.
    pub seed: i64,
    /// The step.
    pub increment: i64,
    /// The value that comes next.
    pub next: AtomicI64,
    /// Whether a value was given since the table was made or truncated.
    pub used: std::sync::atomic::AtomicBool,
    /// How far it has come according to the catalog heap.
    pub kept: Mutex<KeptIdentity>,
}

/// What the catalog heap says of an identity counter.
#[derive(Debug, Default)]
pub struct KeptIdentity {
    /// The value that comes next; `None` where it is not known.
    pub next: Option<i64>,
    /// The record.
    pub at: Option<labdb_storage::RowId>,
}

impl Identity {
    /// A counter that has given nothing.
    pub fn new(seed: i64, increment: i64) -> Self {
        Self {
            seed,
            increment,
            next: AtomicI64::new(seed),
            used: std::sync::atomic::AtomicBool::new(false),
            kept: Mutex::default(),
        }
    }

    /// Takes the next value; `None` where it would leave 64 bits.
    pub fn take(&self) -> Option<i64> {
        self.used.store(true, Ordering::Relaxed);
        self.next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
                n.checked_add(self.increment)
            })
            .ok()
    }

    /// Makes sure that a value is not given again.
    pub fn note(&self, value: i64) {
        self.used.store(true, Ordering::Relaxed);
        let _ = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                let after = value.checked_add(self.increment)?;
                let further = if self.increment > 0 {
                    after > next
                } else {
                    after < next
                };
                further.then_some(after)
            });
    }

    /// Whether this value is not given again after a restart, even when its row is gone.
    pub fn is_kept(&self, value: i64) -> bool {
        self.kept.lock().next.is_some_and(|next| {
            if self.increment > 0 {
                value < next
            } else {
                value > next
            }
        })
    }

    /// Goes on where the catalog heap says that it was.
    pub fn resume(&self, next: i64, at: labdb_storage::RowId) {
        *self.kept.lock() = KeptIdentity {
            next: Some(next),
            at: Some(at),
        };
        if next != self.seed {
            self.note(next.saturating_sub(self.increment));
        }
    }

    /// Starts again at the seed (TRUNCATE) or elsewhere (DBCC CHECKIDENT).
    pub fn reset(&self, next: i64) {
        self.used.store(false, Ordering::Relaxed);
        self.next.store(next, Ordering::Relaxed);
    }

    /// The last value given; NULL's stand-in `None` where none was.
    pub fn last(&self) -> Option<i64> {
        self.used
            .load(Ordering::Relaxed)
            .then(|| self.next.load(Ordering::Relaxed) - self.increment)
    }
}

/// A column's DEFAULT.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultConstraint {
    /// The constraint's object id.
    pub object_id: i32,
    /// Its name.
    pub name: String,
    /// Whether the name was made up.
    pub system_named: bool,
    /// The expression as text, in parentheses.
    pub text: String,
    /// The expression.
    pub expression: labdb_tsql::ast::Expr,
}

/// A CHECK.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckConstraint {
    /// The constraint's object id.
    pub object_id: i32,
    /// Its name.
    pub name: String,
    /// Whether the name was made up.
    pub system_named: bool,
    /// The condition as text, in parentheses.
    pub text: String,
    /// The condition.
    pub condition: labdb_tsql::ast::Expr,
}

/// A column.
#[derive(Clone, Debug)]
pub struct TableColumn {
    /// From 1; never used again in the table.
    pub column_id: i32,
    /// Its name.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
    /// The name the type was declared with, for types that are aliases (`sysname`).
    pub declared: String,
    /// Whether it takes NULL.
    pub nullable: bool,
    /// IDENTITY.
    pub identity: Option<Arc<Identity>>,
    /// DEFAULT.
    pub default: Option<DefaultConstraint>,
}

/// Whether an index is a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum KeyKind {
    /// PRIMARY KEY.
    Primary,
    /// UNIQUE.
    Unique,
    /// CREATE INDEX.
    Plain,
}

/// One column of an index's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexKey {
    /// The place in the table's columns.
    pub column: usize,
    /// DESC.
    pub descending: bool,
}

/// Options of an index that the catalog shows; labdb's indexes have no pages that they could shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexSettings {
    /// `OPTIMIZE_FOR_SEQUENTIAL_KEY`.
    pub sequential_key: bool,
    /// FILLFACTOR in percent, 0 where none was declared.
    pub fill_factor: u8,
    /// `PAD_INDEX`.
    pub padded: bool,
}

impl IndexSettings {
    /// These settings as options change them.
    ///
    /// # Errors
    /// 129 for a fill factor that is no percentage.
    pub fn with(mut self, options: &[labdb_tsql::ast::IndexOption]) -> SqlResult<Self> {
        for option in options {
            match option.name.as_str() {
                "OPTIMIZE_FOR_SEQUENTIAL_KEY" => {
                    self.sequential_key = option.value.eq_ignore_ascii_case("ON");
                }
                "PAD_INDEX" => self.padded = option.value.eq_ignore_ascii_case("ON"),
                "FILLFACTOR" => {
                    let percent = option.value.parse().ok();
                    self.fill_factor =
                        percent.filter(|p| (1..=100).contains(p)).ok_or_else(|| {
                            SqlError::new(
                                129,
                                format!(
                                    "Fillfactor {} is not a valid percentage; fillfactor must be \
                                     between 1 and 100.",
                                    option.value
                                ),
                            )
                            .severity(15)
                        })?;
                }
                _ => {}
            }
        }
        Ok(self)
    }
}

/// An index: keys in memory, sorted, each with the address of its row.
#[derive(Debug)]
pub struct Index {
    /// `index_id`: 1 for the clustered one, 2 and up for the others.
    pub index_id: i32,
    /// The constraint's object id, 0 where it is none.
    pub constraint_id: i32,
    /// Its name.
    pub name: String,
    /// Whether the name was made up.
    pub system_named: bool,
    /// Constraint or not.
    pub kind: KeyKind,
    /// UNIQUE.
    pub unique: bool,
    /// CLUSTERED.
    pub clustered: bool,
    /// What was declared beside the key.
    pub settings: IndexSettings,
    /// The key.
    pub keys: Vec<IndexKey>,
    /// INCLUDE: places in the table's columns.
    pub include: Vec<usize>,
    /// The entries: key (with the address behind it unless unique) to address.
    pub entries: RwLock<KeyMap>,
}

impl Index {
    /// The key of a row, without address.
    pub fn key_of(&self, row: &[Value]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.keys.len() * 10);
        for part in &self.keys {
            key::push(
                &mut out,
                row.get(part.column).unwrap_or(&Value::Null),
                part.descending,
            );
        }
        out
    }

    /// The key under which a row is filed: unique keys as they are, others with the address.
    pub fn entry_key(&self, mut key: Vec<u8>, address: u64) -> Vec<u8> {
        if !self.unique {
            key.extend_from_slice(&address.to_be_bytes());
        }
        key
    }

    /// The addresses of the rows whose key begins with these bytes.
    pub fn seek(&self, prefix: &[u8]) -> Vec<u64> {
        self.entries.read().with_prefix(prefix)
    }
}

/// Rows that live in memory: table variables and temporary tables.
#[derive(Debug, Default)]
pub struct MemoryRows {
    /// The rows by address.
    pub rows: Mutex<BTreeMap<u64, Vec<Value>>>,
    /// The address given last.
    pub last: AtomicU64,
    /// The memory that they take.
    pub grant: Mutex<Grant>,
    /// Whether ROLLBACK takes changes back: yes for `#t`, no for `@t`.
    pub transactional: bool,
}

impl MemoryRows {
    /// Forgets all rows and gives their memory back.
    pub fn forget(&self) {
        self.rows.lock().clear();
        *self.grant.lock() = Grant::default();
    }
}

/// Where a table's rows are.
#[derive(Debug)]
pub enum Store {
    /// In a heap of the database's files.
    Heap(HeapId),
    /// In memory.
    Memory(MemoryRows),
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its object id.
    pub object_id: i32,
    /// The id of its database.
    pub database_id: i32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<TableColumn>,
    /// Its indexes; a clustered one first.
    pub indexes: Vec<Arc<Index>>,
    /// Its CHECK constraints.
    pub checks: Vec<CheckConstraint>,
    /// Where its rows are.
    pub store: Arc<Store>,
    /// The number of rows, committed or not.
    pub row_count: Arc<AtomicI64>,
    /// When it was made, as `datetime`.
    pub created: Value,
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.object_id == other.object_id && Arc::ptr_eq(&self.store, &other.store)
    }
}

impl Table {
    /// The place of a column.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        let wanted = fold(name);
        self.columns.iter().position(|c| fold(&c.name) == wanted)
    }

    /// The place and the counter of the identity column.
    pub fn identity(&self) -> Option<(usize, &Arc<Identity>)> {
        self.columns
            .iter()
            .enumerate()
            .find_map(|(at, c)| Some((at, c.identity.as_ref()?)))
    }

    /// A copy that shares rows and counters, for ALTER.
    #[must_use]
    pub fn altered(&self) -> Self {
        Self {
            object_id: self.object_id,
            database_id: self.database_id,
            schema: self.schema.clone(),
            name: self.name.clone(),
            columns: self.columns.clone(),
            indexes: self.indexes.clone(),
            checks: self.checks.clone(),
            store: Arc::clone(&self.store),
            row_count: Arc::clone(&self.row_count),
            created: self.created.clone(),
        }
    }

    /// `schema.name` as errors give it.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }
}
