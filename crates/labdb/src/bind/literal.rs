//! Literals and the types that they have.

use crate::eval::types;
use crate::eval::{convert, parse};
use crate::plan::Typed;
use labdb_tsql::ast::Literal;
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

pub(super) fn literal(literal: &Literal) -> SqlResult<Typed> {
    let overflow = || {
        SqlError::new(
            1007,
            "The number is out of the range for numeric representation (maximum precision 38).",
        )
        .severity(15)
    };
    Ok(match literal {
        Literal::Null => Typed::null(),
        Literal::Integer(digits) => match digits.parse::<i32>() {
            Ok(n) => Typed::literal(Value::Int(n), SqlType::Int),
            Err(_) => {
                let d = parse::decimal(digits).map_err(|_| overflow())?;
                let precision = d.mantissa.to_string().len().min(38) as u8;
                Typed::literal(
                    Value::Decimal(d),
                    SqlType::Decimal {
                        precision,
                        scale: 0,
                    },
                )
            }
        },
        Literal::Decimal(digits) => {
            let d = parse::decimal(digits).map_err(|_| overflow())?;
            let precision = d
                .mantissa
                .unsigned_abs()
                .to_string()
                .trim_start_matches('0')
                .len()
                .max(usize::from(d.scale))
                .max(1) as u8;
            Typed::literal(
                Value::Decimal(d),
                SqlType::Decimal {
                    precision,
                    scale: d.scale,
                },
            )
        }
        Literal::Float(f) => Typed::literal(Value::Float(*f), SqlType::Float),
        Literal::Money(text) => Typed::literal(
            Value::Money(parse::money(text).ok_or_else(overflow)?),
            SqlType::Money,
        ),
        Literal::Varchar(text) => {
            let length = convert::length_in(text, false) as u32;
            Typed::literal(
                Value::text(text),
                types::text_type(false, Some(length.max(1))),
            )
        }
        Literal::NVarchar(text) => {
            let length = convert::length_in(text, true) as u32;
            Typed::literal(
                Value::text(text),
                types::text_type(true, Some(length.max(1))),
            )
        }
        Literal::Binary(bytes) => {
            let length = if bytes.len() > 8000 {
                Length::Max
            } else {
                Length::Limited(bytes.len().max(1) as u16)
            };
            Typed::literal(
                Value::Binary(Arc::from(bytes.as_slice())),
                SqlType::VarBinary(length),
            )
        }
    })
}
