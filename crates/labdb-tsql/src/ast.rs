//! What a batch is once it is parsed.
//!
//! Statements and queries know the line they began on, because errors report it.

mod backup;
mod bulk;
mod cursor;
mod expression;
mod query;
mod schema;
mod security;
mod statement;

pub use backup::{Backup, BackupKind, Device, Restore, RestoreKind, WithOption};
pub use bulk::{BulkColumn, InsertBulk};
pub use cursor::{CursorName, DeclareCursor};
pub use expression::{
    BinaryOp, ComparisonQuantifier, Expr, FrameBound, FunctionCall, Literal, Over, UnaryOp,
    WhenThen,
};
pub use query::{
    Apply, CommonTable, JoinKind, OrderItem, Query, QueryBody, SelectItem, SelectQuery, SetOp,
    TableHint, TableSource, Top,
};
pub use schema::{
    AlterDatabase, ColumnDefinition, CreateDatabase, DatabaseOption, FileOptions, FileSize,
    IdentitySpec, IndexColumn, IndexOption, KeyConstraint, ProcedureParameter, SizeUnit,
    TableConstraint, TableDefinition, Termination,
};
pub use security::{
    CreateLogin, LoginChange, Password, Permission, PermissionVerb, RoleChange, Securable,
};
pub use statement::{
    AssignOp, Assignment, Batch, Delete, Execute, ExecuteArgument, ExecuteTarget, Insert,
    InsertSource, OptionValue, OutputClause, Statement, StatementKind, TransactionName, Update,
    VariableDeclaration, Waiting,
};

/// A name of one to four parts, as written and unquoted; empty parts (`db..t`) are empty texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// From the server or database (leftmost) to the object (last). Never empty.
    pub parts: Vec<String>,
}

impl ObjectName {
    /// The last part: the object's own name.
    #[must_use]
    pub fn object(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// The schema, where one is written and not empty.
    #[must_use]
    pub fn schema(&self) -> Option<&str> {
        self.part_before_the_object(1)
    }

    /// The database, where one is written and not empty.
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        self.part_before_the_object(2)
    }

    fn part_before_the_object(&self, distance: usize) -> Option<&str> {
        let index = self.parts.len().checked_sub(distance + 1)?;
        Some(self.parts.get(index)?.as_str()).filter(|part| !part.is_empty())
    }
}

/// A data type as written: `varchar(500)`, `decimal(10, 2)`, `sysname`, `nvarchar(max)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The type's name; `sys.` before it is dropped; two-part user types keep only the object.
    pub name: String,
    /// The whole numbers in parentheses.
    pub arguments: Vec<u32>,
    /// Whether `max` stood in the parentheses.
    pub max: bool,
}
