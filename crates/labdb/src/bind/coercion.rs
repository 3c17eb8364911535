//! Types that have to agree: an operator's two sides, values of one result, rows of VALUES.

use crate::eval::arithmetic::arithmetic_types;
use crate::eval::types::{self, common_type, is_temporal, is_text};
use crate::plan::{Condition, Node, Typed};
use labdb_tsql::ast::BinaryOp;
use labdb_types::{SqlError, SqlResult, SqlType, Value};

/// Binds `a op b` for an arithmetic operator.
pub(crate) fn arithmetic(op: BinaryOp, a: Typed, b: Typed) -> SqlResult<Typed> {
    // An untyped NULL takes the other side's type; a literal number enters decimal arithmetic
    // with the digits that it has.
    let (left, right) = match (a.is_null_literal(), b.is_null_literal()) {
        (true, false) => (b.sql_type, b.sql_type),
        (false, true) => (a.sql_type, a.sql_type),
        _ => (literal_shape(&a, b.sql_type), literal_shape(&b, a.sql_type)),
    };
    let plan = arithmetic_types(op, left, right)?;
    let nullable = a.nullable || b.nullable;
    let (a, b) = (a.coerced(plan.left)?, b.coerced(plan.right)?);
    if let (Some(x), Some(y)) = (a.known(), b.known())
        && let Ok(value) = crate::eval::arithmetic::apply(op, x, y, plan.result)
    {
        return Ok(Typed {
            node: Node::Constant(value),
            sql_type: plan.result,
            nullable,
        });
    }
    Ok(Typed {
        node: Node::Arithmetic(op, Box::new(a), Box::new(b)),
        sql_type: plan.result,
        nullable,
    })
}

fn literal_shape(side: &Typed, other: SqlType) -> SqlType {
    match (&side.node, other) {
        (Node::Literal(Value::Int(n)), SqlType::Decimal { .. }) => SqlType::Decimal {
            precision: n.unsigned_abs().to_string().len() as u8,
            scale: 0,
        },
        _ => side.sql_type,
    }
}

/// Binds `a op b` for a comparison.
pub(crate) fn compare(op: BinaryOp, a: Typed, b: Typed) -> SqlResult<Condition> {
    if is_text(a.sql_type) && is_text(b.sql_type) {
        // Lengths do not matter to a comparison, and converting would hide a column from seeks.
        return Ok(Condition::Compare(op, a, b));
    }
    let common = if a.is_null_literal() {
        b.sql_type
    } else if b.is_null_literal() {
        a.sql_type
    } else {
        comparison_type(op, a.sql_type, b.sql_type)?
    };
    Ok(Condition::Compare(
        op,
        a.coerced(common)?,
        b.coerced(common)?,
    ))
}

fn comparison_type(op: BinaryOp, a: SqlType, b: SqlType) -> SqlResult<SqlType> {
    common_type(a, b).map_err(|e| {
        if e.number == 206 && is_temporal(a) && is_temporal(b) {
            SqlError::new(
                402,
                format!(
                    "The data types {} and {} are incompatible in the {} operator.",
                    types::type_name(a),
                    types::type_name(b),
                    crate::eval::arithmetic::operator_name(op)
                ),
            )
        } else {
            e
        }
    })
}

/// Converts all to their common type; untyped NULLs take it.
pub(crate) fn unify(values: Vec<Typed>) -> SqlResult<(Vec<Typed>, SqlType)> {
    let mut common: Option<SqlType> = None;
    for value in values.iter().filter(|v| !v.is_null_literal()) {
        common = Some(match common {
            Some(so_far) => common_type(so_far, value.sql_type)?,
            None => value.sql_type,
        });
    }
    let sql_type = common.unwrap_or(SqlType::Int);
    let values = values
        .into_iter()
        .map(|v| v.coerced(sql_type))
        .collect::<SqlResult<Vec<_>>>()?;
    Ok((values, sql_type))
}

/// For VALUES tables: one type per column.
pub(super) fn unify_rows(rows: Vec<Vec<Typed>>) -> SqlResult<(Vec<Vec<Typed>>, Vec<SqlType>)> {
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|r| r.len() != width) {
        return Err(SqlError::new(
            10709,
            "The number of columns for each row in a table value constructor must be the same.",
        )
        .severity(15));
    }
    let mut by_column: Vec<Vec<Typed>> =
        (0..width).map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        for (column, value) in by_column.iter_mut().zip(row) {
            column.push(value);
        }
    }
    let mut types = Vec::with_capacity(width);
    let mut unified = Vec::with_capacity(width);
    for column in by_column {
        let (values, sql_type) = unify(column)?;
        types.push(sql_type);
        unified.push(values.into_iter());
    }
    let count = unified.first().map_or(0, ExactSizeIterator::len);
    let rows = (0..count)
        .map(|_| unified.iter_mut().filter_map(Iterator::next).collect())
        .collect();
    Ok((rows, types))
}
