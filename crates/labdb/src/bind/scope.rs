//! Which columns an expression can see.

use super::aggregates::Grouping;
use super::invalid_column;
use crate::catalog::fold;
use crate::plan::{Node, Typed};
use labdb_tsql::ast::ObjectName;
use labdb_types::{SqlError, SqlResult, SqlType};
use std::sync::Arc;

/// A column in FROM.
#[derive(Clone, Debug)]
pub struct ScopeColumn {
    /// The table's alias or name, folded; and its schema where the table has no alias.
    pub table: String,
    /// The table as FROM has it, for messages.
    pub shown: Arc<str>,
    /// The schema, folded, where it may be written.
    pub schema: Option<String>,
    /// The column's name.
    pub name: String,
    /// The name as it is compared.
    pub folded: String,
    /// Its type.
    pub sql_type: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Whether it is an identity column.
    pub identity: bool,
    /// Whether `*` leaves it out.
    pub hidden: bool,
}

/// Error 8120.
pub(super) fn not_grouped(column: &ScopeColumn) -> SqlError {
    let dot = if column.shown.is_empty() { "" } else { "." };
    SqlError::new(
        8120,
        format!(
            "Column '{}{dot}{}' is invalid in the select list because it is not contained in either an \
             aggregate function or the GROUP BY clause.",
            column.shown, column.name
        ),
    )
}

/// The columns of one query, and of the queries around it.
#[derive(Clone, Default)]
pub struct Scope<'a> {
    /// The columns of FROM, in the order of the row.
    pub columns: Vec<ScopeColumn>,
    /// The query around this one.
    pub parent: Option<&'a Scope<'a>>,
    /// What may be used after GROUP BY.
    pub(crate) grouping: Option<&'a Grouping>,
    /// Names of tables in FROM, folded, to tell a wrong prefix from a wrong column.
    pub tables: Vec<String>,
}

impl<'a> Scope<'a> {
    /// No columns at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// No columns of its own, those of another query around it.
    pub fn inside(parent: Option<&'a Scope<'a>>) -> Self {
        Self {
            parent,
            ..Self::default()
        }
    }

    /// Resolves a column; the number of queries it is away and its place.
    ///
    /// # Errors
    /// 209 where two columns have the name.
    pub fn find(&self, name: &ObjectName) -> SqlResult<Option<(usize, usize)>> {
        let wanted = fold(name.object());
        let prefix = name
            .parts
            .len()
            .checked_sub(2)
            .and_then(|at| name.parts.get(at))
            .map(|p| fold(p))
            .filter(|p| !p.is_empty());
        let schema = name
            .parts
            .len()
            .checked_sub(3)
            .and_then(|at| name.parts.get(at))
            .map(|p| fold(p))
            .filter(|p| !p.is_empty());
        let mut scope = Some(self);
        let mut depth = 0;
        while let Some(current) = scope {
            let mut found = None;
            for (at, column) in current.columns.iter().enumerate() {
                let table_fits = prefix.as_ref().is_none_or(|p| column.table == *p);
                let schema_fits = schema
                    .as_ref()
                    .is_none_or(|s| column.schema.as_ref().is_none_or(|own| own == s));
                if column.folded == wanted && table_fits && schema_fits {
                    if found.is_some() {
                        return Err(SqlError::new(
                            209,
                            format!("Ambiguous column name '{}'.", name.object()),
                        ));
                    }
                    found = Some(at);
                }
            }
            if let Some(at) = found {
                return Ok(Some((depth, at)));
            }
            scope = current.parent;
            depth += 1;
        }
        Ok(None)
    }

    /// A column as an expression.
    ///
    /// # Errors
    /// 207, 209 or 4104.
    pub fn column(&self, name: &ObjectName) -> SqlResult<Typed> {
        let Some((depth, index)) = self.find(name)? else {
            return Err(self.unknown(name));
        };
        let mut scope = self;
        for _ in 0..depth {
            let Some(parent) = scope.parent else { break };
            scope = parent;
        }
        let column = scope
            .columns
            .get(index)
            .ok_or_else(|| invalid_column(name.object()))?;
        // The row of a grouped query around this one has its keys, not the columns of FROM.
        let index = match scope.grouping {
            Some(grouping) if depth > 0 && grouping.grouped => grouping
                .keys
                .iter()
                .position(|key| key.node == (Node::Column { depth: 0, index }))
                .ok_or_else(|| not_grouped(column))?,
            _ => index,
        };
        Ok(Typed {
            node: Node::Column { depth, index },
            sql_type: column.sql_type,
            nullable: column.nullable,
        })
    }

    fn unknown(&self, name: &ObjectName) -> SqlError {
        if name.parts.len() > 1 {
            let prefix = name
                .parts
                .len()
                .checked_sub(2)
                .and_then(|at| name.parts.get(at))
                .map_or(String::new(), |p| fold(p));
            let mut scope = Some(self);
            while let Some(current) = scope {
                if current.tables.contains(&prefix) {
                    return invalid_column(name.object());
                }
                scope = current.parent;
            }
            return SqlError::new(
                4104,
                format!(
                    "The multi-part identifier \"{}\" could not be bound.",
                    name.parts.join(".")
                ),
            );
        }
        invalid_column(name.object())
    }
}
