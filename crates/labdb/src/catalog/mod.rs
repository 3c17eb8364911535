//! What a database knows about itself: schemas, tables, procedures, extended properties. The
//! catalog is kept as rows of the storage engine's catalog heap, so that DDL is logged and
//! rolled back like data.

mod key_leaf;
mod key_map;
mod persist;
mod table;
mod user;

pub use key_map::KeyMap;
pub(crate) use persist::parse_type;
pub use persist::{ObjectRecord, load, table_record};
pub use table::{
    CheckConstraint, DefaultConstraint, Identity, Index, IndexKey, IndexSettings, KeyKind,
    MemoryRows, Store, Table, TableColumn, fold, is_global_temporary, is_temporary,
};

pub use user::{
    DATA_PERMISSIONS, DATABASE_ROLES, DataPermission, DatabaseRole, DatabaseUser, Securable,
    UserPermission,
};

use labdb_storage::RowId;
use labdb_tsql::ast::{ProcedureParameter, Statement};
use labdb_types::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stored procedure.
#[derive(Debug)]
pub struct Procedure {
    /// Its object id.
    pub object_id: i32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<ProcedureParameter>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// The text of CREATE PROCEDURE.
    pub text: String,
    /// When it was made, as `datetime`.
    pub created: Value,
}

/// An object with the place of its record in the catalog heap.
#[derive(Clone, Debug)]
pub enum Object {
    /// A table.
    Table(Arc<Table>),
    /// A procedure.
    Procedure(Arc<Procedure>),
}

impl Object {
    /// Its object id.
    pub fn id(&self) -> i32 {
        match self {
            Self::Table(t) => t.object_id,
            Self::Procedure(p) => p.object_id,
        }
    }

    /// Its schema.
    pub fn schema(&self) -> &str {
        match self {
            Self::Table(t) => &t.schema,
            Self::Procedure(p) => &p.schema,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Table(t) => &t.name,
            Self::Procedure(p) => &p.name,
        }
    }
}

/// An extended property; `class` 0 is the database, 1 an object or column.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtendedProperty {
    /// `class`.
    pub class: u8,
    /// The object's id; 0 for the database.
    pub major_id: i32,
    /// The column's id; 0 for the object itself.
    pub minor_id: i32,
    /// Its name.
    pub name: String,
    /// Its value, as text where it was text.
    pub value: Value,
}

/// The catalog at one moment. Changed by cloning: sessions keep the one they bound against.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Objects by folded `schema.name`.
    pub objects: BTreeMap<String, (Object, Option<RowId>)>,
    /// Schemas beyond the built-in ones: name and record.
    pub schemas: Vec<(String, Option<RowId>)>,
    /// Extended properties and their records.
    pub properties: Vec<(ExtendedProperty, Option<RowId>)>,
    /// Users made by CREATE USER.
    pub users: Vec<(DatabaseUser, Option<RowId>)>,
    /// The last object id given out.
    pub last_object_id: i32,
}

/// The built-in schemas with their ids.
pub const SCHEMAS: &[(&str, i32)] = &[
    ("dbo", 1),
    ("guest", 2),
    ("INFORMATION_SCHEMA", 3),
    ("sys", 4),
];

impl Catalog {
    /// The key of an object.
    pub fn key(schema: &str, name: &str) -> String {
        format!("{}.{}", fold(schema), fold(name))
    }

    /// An object of a schema.
    pub fn get(&self, schema: &str, name: &str) -> Option<&Object> {
        self.objects
            .get(&Self::key(schema, name))
            .map(|(object, _)| object)
    }

    /// A table of a schema.
    pub fn table(&self, schema: &str, name: &str) -> Option<&Arc<Table>> {
        match self.get(schema, name) {
            Some(Object::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// A procedure of a schema.
    pub fn procedure(&self, schema: &str, name: &str) -> Option<&Arc<Procedure>> {
        match self.get(schema, name) {
            Some(Object::Procedure(procedure)) => Some(procedure),
            _ => None,
        }
    }

    /// An object by its id.
    pub fn by_id(&self, id: i32) -> Option<&Object> {
        self.objects
            .values()
            .map(|(object, _)| object)
            .find(|object| object.id() == id)
    }

    /// A fresh object id; constraints take theirs from here too.
    pub fn next_object_id(&mut self) -> i32 {
        // SQL Server's ids of user objects are spread the same way: steps of 16 million and a bit.
        let next = i64::from(self.last_object_id.max(100)) + 16_000_057;
        self.last_object_id = if next > i64::from(i32::MAX) {
            (next % 2_147_483_647) as i32 + 101
        } else {
            next as i32
        };
        self.last_object_id
    }

    /// A schema's id.
    pub fn schema_id(&self, name: &str) -> Option<i32> {
        let built_in = SCHEMAS
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, id)| *id);
        built_in.or_else(|| {
            self.schemas
                .iter()
                .position(|(n, _)| fold(n) == fold(name))
                .map(|at| at as i32 + 5)
        })
    }

    /// All schemas with their ids.
    pub fn schema_list(&self) -> Vec<(String, i32)> {
        let built_in = SCHEMAS.iter().map(|(n, id)| ((*n).to_owned(), *id));
        built_in
            .chain(
                self.schemas
                    .iter()
                    .enumerate()
                    .map(|(at, (n, _))| (n.clone(), at as i32 + 5)),
            )
            .collect()
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.objects
            .values()
            .filter_map(|(object, _)| match object {
                Object::Table(table) => Some(table),
                Object::Procedure(_) => None,
            })
    }

    /// All procedures.
    pub fn procedures(&self) -> impl Iterator<Item = &Arc<Procedure>> {
        self.objects
            .values()
            .filter_map(|(object, _)| match object {
                Object::Procedure(procedure) => Some(procedure),
                Object::Table(_) => None,
            })
    }
}
