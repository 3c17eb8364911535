//! Table functions whose rows follow from their arguments alone: `STRING_SPLIT`, `GENERATE_SERIES`.

use super::rows::Sink;
use super::{Context, Env, Flow, Typed};
use crate::eval::{arithmetic, compare, convert};
use labdb_tsql::ast::BinaryOp;
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::cmp::Ordering;

/// Which function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rowset {
    /// The pieces of a text between separators, with their places if wanted.
    Split {
        /// Whether there is a column `ordinal`.
        ordinal: bool,
    },
    /// The numbers from a start to an end by a step.
    Series(SqlType),
}

impl Rowset {
    /// Pushes the rows.
    ///
    /// # Errors
    /// 214 for a separator that is not one character, 4199 for a step of 0, and the arguments' own.
    pub fn run(
        self,
        arguments: &[Typed],
        ctx: &Context<'_>,
        env: &Env<'_>,
        sink: Sink<'_>,
    ) -> SqlResult<Flow> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(argument.eval(ctx, env)?);
        }
        match self {
            Self::Split { ordinal } => split(&values, ordinal, ctx, sink),
            Self::Series(sql_type) => series(&values, sql_type, ctx, sink),
        }
    }
}

fn split(values: &[Value], ordinal: bool, ctx: &Context<'_>, sink: Sink<'_>) -> SqlResult<Flow> {
    let separator = match values.get(1) {
        Some(Value::Text(text)) if text.chars().count() == 1 => text.chars().next(),
        _ => None,
    };
    let Some(separator) = separator else {
        return Err(SqlError::new(
            214,
            "Procedure expects parameter 'separator' of type 'nchar(1)/nvarchar(1)'.",
        )
        .state(11));
    };
    let Some(Value::Text(text)) = values.first() else {
        return Ok(Flow::More);
    };
    for (at, piece) in text.split(separator).enumerate() {
        if at % 1024 == 1023 {
            ctx.check_cancelled()?;
        }
        let mut row = vec![Value::text(piece)];
        if ordinal {
            row.push(Value::BigInt(at as i64 + 1));
        }
        if sink(row)? == Flow::Enough {
            return Ok(Flow::Enough);
        }
    }
    Ok(Flow::More)
}

fn series(
    values: &[Value],
    sql_type: SqlType,
    ctx: &Context<'_>,
    sink: Sink<'_>,
) -> SqlResult<Flow> {
    let [start, last, step] = values else {
        return Ok(Flow::More);
    };
    if values.iter().any(Value::is_null) {
        return Ok(Flow::More);
    }
    let zero = convert::convert(&Value::Int(0), SqlType::Int, sql_type, None)?;
    let direction = match compare::compare(step, &zero) {
        Some(Ordering::Greater) => Ordering::Greater,
        Some(Ordering::Less) => Ordering::Less,
        _ => {
            return Err(SqlError::new(
                4199,
                "Argument value 0 is invalid for argument 3 of generate_series function.",
            ));
        }
    };
    let mut value = start.clone();
    let mut count = 0_u64;
    while compare::compare(&value, last).is_some_and(|order| order != direction) {
        count += 1;
        if count.is_multiple_of(1024) {
            ctx.check_cancelled()?;
        }
        if sink(vec![value.clone()])? == Flow::Enough {
            return Ok(Flow::Enough);
        }
        // The end of the type's range ends the series, too.
        match arithmetic::apply(BinaryOp::Add, &value, step, sql_type) {
            Ok(next) => value = next,
            Err(_) => break,
        }
    }
    Ok(Flow::More)
}
