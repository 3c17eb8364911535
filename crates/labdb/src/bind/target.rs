//! The table that UPDATE and DELETE change, with the rest of their FROM.

use super::from::{Bound, cross};
use super::{Binder, TableUse};
use crate::catalog::{DataPermission, Table, fold};
use labdb_tsql::ast::TableSource;
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;

impl Binder<'_> {
    /// Binds the target of UPDATE or DELETE: a plan whose rows have the address of the target's
    /// row at the returned place, the scope, and the table. It takes the permission for the
    /// change, and that for SELECT where the statement `reads` columns.
    pub(crate) fn target(
        &self,
        target: &TableSource,
        from: &[TableSource],
        permission: DataPermission,
        reads: bool,
    ) -> SqlResult<(Bound, usize, Arc<Table>)> {
        let (shown, table) = match target {
            TableSource::Variable { name, .. } => {
                (fold(name), Some(self.frame.table_variable(name)?))
            }
            TableSource::Table { name, .. } => {
                let direct = name.object();
                (fold(direct), None)
            }
            _ => {
                return Err(
                    SqlError::new(102, "Only a table or table variable can be changed.")
                        .severity(15),
                );
            }
        };
        let queried = matches!(target, TableSource::Table { name, .. }
            if name.parts.len() == 1 && self.common_source(name.object()).is_some());
        if queried || from.iter().any(|source| derives(source, &shown)) {
            return Err(SqlError::new(
                40510,
                format!(
                    "Changing rows through the common or derived table '{shown}' is outside \
                     labdb's subset: name the table itself and its key in WHERE."
                ),
            ));
        }
        let mut sources: Vec<TableSource> = from.to_vec();
        let alias = find_alias(from, &shown, target);
        let (wanted, table) = match (alias, table) {
            (Some((wanted, source)), _) => {
                let table = match &source {
                    TableSource::Variable { name, .. } => self.frame.table_variable(name)?,
                    TableSource::Table { name, .. } => {
                        self.table(name, TableUse::Data(permission))?
                    }
                    _ => {
                        return Err(SqlError::new(
                            4421,
                            "Derived table is not updatable because a column of the derived table \
                             is derived or constant.",
                        ));
                    }
                };
                (wanted, table)
            }
            (None, table) => {
                sources.push(target.clone());
                let table = match (table, target) {
                    (Some(table), _) => table,
                    (None, TableSource::Table { name, .. }) => {
                        self.table(name, TableUse::Data(permission))?
                    }
                    _ => {
                        return Err(SqlError::new(
                            102,
                            "Only a table or table variable can be changed.",
                        )
                        .severity(15));
                    }
                };
                (shown, table)
            }
        };
        let checked = TableUse::Data(if reads {
            DataPermission::Select
        } else {
            permission
        });
        let mut bound: Option<Bound> = None;
        for source in &sources {
            let next = self.table_source(source, None, Some((&wanted, checked)))?;
            bound = Some(match bound {
                None => next,
                Some(before) => cross(before, next)?,
            });
        }
        let bound = bound.ok_or_else(|| {
            SqlError::new(102, "Only a table or table variable can be changed.").severity(15)
        })?;
        let place = bound
            .columns
            .iter()
            .position(|c| c.hidden && c.table == wanted)
            .ok_or_else(|| SqlError::new(208, format!("Invalid object name '{wanted}'.")))?;
        Ok((bound, place, table))
    }
}

/// Whether FROM has a query of this alias.
fn derives(source: &TableSource, shown: &str) -> bool {
    match source {
        TableSource::Derived { alias, .. } => alias.as_deref().is_some_and(|a| fold(a) == shown),
        TableSource::Join { left, right, .. } | TableSource::Apply { left, right, .. } => {
            derives(left, shown) || derives(right, shown)
        }
        _ => false,
    }
}

/// The entry of FROM that UPDATE's or DELETE's target names, and the name it goes by.
fn find_alias(
    from: &[TableSource],
    shown: &str,
    target: &TableSource,
) -> Option<(String, TableSource)> {
    fn visit(
        source: &TableSource,
        shown: &str,
        target: &TableSource,
    ) -> Option<(String, TableSource)> {
        match source {
            TableSource::Table { name, alias, .. } => {
                let own = fold(alias.as_deref().unwrap_or(name.object()));
                let same_table = match target {
                    TableSource::Table { name: wanted, .. } => {
                        fold(wanted.object()) == fold(name.object())
                    }
                    _ => false,
                };
                let chosen =
                    own == shown || (same_table && alias.is_some() && fold(name.object()) == shown);
                chosen.then(|| (own, source.clone()))
            }
            TableSource::Variable { name, alias } => {
                let own = fold(alias.as_deref().unwrap_or(name));
                (own == shown || fold(name) == shown).then(|| (own, source.clone()))
            }
            TableSource::Join { left, right, .. } | TableSource::Apply { left, right, .. } => {
                visit(left, shown, target).or_else(|| visit(right, shown, target))
            }
            _ => None,
        }
    }
    from.iter().find_map(|s| visit(s, shown, target))
}
