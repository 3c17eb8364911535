//! FROM `STRING_SPLIT(…)` and `GENERATE_SERIES(…)`: the types of their columns follow from the
//! arguments.

use super::from::{Bound, output_columns};
use super::{Binder, Scope, common_table::named};
use crate::catalog::fold;
use crate::eval::types;
use crate::plan::rowset::Rowset;
use crate::plan::{Node, Plan, Typed};
use labdb_tsql::ast::{Expr, FunctionCall};
use labdb_types::{Column, SqlError, SqlResult, SqlType, Value};

/// The functions of this module.
pub const ROWSETS: &[&str] = &["GENERATE_SERIES", "STRING_SPLIT"];

fn wrong_count(name: &str, too_few: bool) -> SqlError {
    if too_few {
        SqlError::new(
            313,
            format!(
                "An insufficient number of arguments were supplied for the procedure or function \
                 {name}."
            ),
        )
        .state(3)
    } else {
        SqlError::new(
            8144,
            format!("Procedure or function {name} has too many arguments specified."),
        )
        .state(3)
    }
}

impl Binder<'_> {
    /// A table function of this module; `None` where the name is none of them.
    pub(super) fn rowset(
        &self,
        call: &FunctionCall,
        alias: Option<&str>,
        columns: &[String],
        scope: &Scope<'_>,
    ) -> SqlResult<Option<Bound>> {
        if call.name.parts.len() > 1 {
            return Ok(None);
        }
        let name = call.name.object().to_ascii_uppercase();
        let (rowset, arguments, output) = match name.as_str() {
            "STRING_SPLIT" => self.string_split(&call.arguments, scope)?,
            "GENERATE_SERIES" => self.generate_series(&call.arguments, scope)?,
            _ => return Ok(None),
        };
        let shown = alias.unwrap_or(call.name.object());
        let output = named(output, columns, shown)?;
        Ok(Some(Bound {
            plan: Plan::Rowset(rowset, arguments),
            columns: output_columns(&output, shown),
            tables: vec![fold(shown)],
        }))
    }

    fn string_split(
        &self,
        arguments: &[Expr],
        scope: &Scope<'_>,
    ) -> SqlResult<(Rowset, Vec<Typed>, Vec<Column>)> {
        if arguments.len() < 2 || arguments.len() > 3 {
            return Err(wrong_count("string_split", arguments.len() < 2));
        }
        let mut bound = self.expressions(arguments, scope)?;
        let ordinal = match bound.get(2) {
            None => false,
            Some(argument) => match argument.known() {
                Some(value) => crate::eval::convert::as_i64(value) == Some(1),
                None => {
                    return Err(SqlError::new(
                        8748,
                        "The enable_ordinal argument for string_split only supports constant \
                         values (not variables or columns).",
                    ));
                }
            },
        };
        bound.truncate(2);
        let mut list = Vec::with_capacity(2);
        for (at, argument) in bound.into_iter().enumerate() {
            if types::is_text(argument.sql_type) || argument.is_null_literal() {
                list.push(argument);
            } else {
                return Err(SqlError::new(
                    8116,
                    format!(
                        "Argument data type {} is invalid for argument {} of string_split \
                         function.",
                        types::type_name(argument.sql_type),
                        at + 1
                    ),
                ));
            }
        }
        let unicode = list.iter().any(|a| types::is_unicode(a.sql_type));
        let length = list
            .first()
            .and_then(|a| types::text_length(a.sql_type))
            .map(u32::from);
        let text = match list.first() {
            Some(a) if types::is_text(a.sql_type) => types::text_type(unicode, length),
            _ => types::text_type(unicode, Some(1)),
        };
        let mut output = vec![Column::new("value", text)];
        if ordinal {
            output.push(Column::new("ordinal", SqlType::BigInt));
        }
        Ok((Rowset::Split { ordinal }, list, output))
    }

    fn generate_series(
        &self,
        arguments: &[Expr],
        scope: &Scope<'_>,
    ) -> SqlResult<(Rowset, Vec<Typed>, Vec<Column>)> {
        if arguments.len() < 2 || arguments.len() > 3 {
            return Err(wrong_count("generate_series", arguments.len() < 2));
        }
        let bound = self.expressions(arguments, scope)?;
        let first = bound.first().map_or(SqlType::Int, |a| a.sql_type);
        let fits = |a: &Typed| {
            a.sql_type == first
                || matches!(
                    (a.sql_type, first),
                    (SqlType::Decimal { .. }, SqlType::Decimal { .. })
                )
                || a.known().is_some() && types::is_integer(a.sql_type)
        };
        let numeric = types::is_integer(first) && first != SqlType::Bit
            || matches!(first, SqlType::Decimal { .. });
        if !numeric || !bound.iter().all(fits) {
            return Err(SqlError::new(
                5373,
                "All the input parameters should be of the same type. Supported types are \
                 tinyint, smallint, int, bigint, decimal and numeric.",
            ));
        }
        let common = bound.iter().try_fold(first, |t, a| {
            if types::is_integer(first) {
                Ok(first)
            } else {
                types::common_type(t, a.sql_type)
            }
        })?;
        let mut list = bound
            .into_iter()
            .map(|a| a.coerced(common))
            .collect::<SqlResult<Vec<_>>>()?;
        if let (2, Some(start), Some(stop)) = (list.len(), list.first(), list.get(1)) {
            // The default step leads from the start to the end.
            let number = |n: i32| Typed::constant(Value::Int(n), SqlType::Int).coerced(common);
            let down = crate::plan::Condition::Compare(
                labdb_tsql::ast::BinaryOp::Greater,
                start.clone(),
                stop.clone(),
            );
            list.push(Typed {
                node: Node::Case {
                    arms: vec![(down, number(-1)?)],
                    otherwise: Some(Box::new(number(1)?)),
                },
                sql_type: common,
                nullable: false,
            });
        }
        Ok((
            Rowset::Series(common),
            list,
            vec![Column::new("value", common)],
        ))
    }
}
