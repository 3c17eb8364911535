//! The type of an expression.

use super::tree::{Expr, Pred};
use super::types::{Ty, decimal_result};
use super::value::{Fail, Val, open};

/// A bare NULL takes the type of what it stands beside.
pub(crate) fn is_null_constant(e: &Expr) -> bool {
    matches!(e, Expr::Constant(_, Val::Null, _))
}

fn is_integer_constant(e: &Expr) -> bool {
    matches!(e, Expr::Constant(Ty::Int | Ty::BigInt, Val::Exact(_), _))
}

fn is_signed_constant(e: &Expr) -> bool {
    match e {
        Expr::Unary(_, inner) | Expr::Parentheses(inner) => {
            is_integer_constant(inner) || is_signed_constant(inner)
        }
        _ => false,
    }
}

/// The digits with which an operand takes part in decimal arithmetic: an integer constant is
/// just as long as it is written ("int, bigint, smallint, and tinyint").
pub(crate) fn digits(e: &Expr, ty: Ty) -> Option<(u32, u32)> {
    match e {
        Expr::Constant(Ty::Int | Ty::BigInt, Val::Exact(_), text) => {
            Some((u32::try_from(text.len()).unwrap(), 0))
        }
        // Whether the sign of a constant belongs to it is not documented.
        _ if is_signed_constant(e) => None,
        _ => ty.digits(),
    }
}

/// The type of a choice between expressions.
pub(crate) fn common(some: &[&Expr]) -> Result<Ty, Fail> {
    let mut result: Option<Ty> = None;
    for e in some.iter().filter(|e| !is_null_constant(e)) {
        let ty = of(e)?;
        result = Some(match result {
            None => ty,
            Some(before) => match before.common(ty) {
                Some(ty) => ty,
                None => return open("the common type"),
            },
        });
    }
    match result {
        Some(Ty::Dec(..)) if some.iter().any(|e| is_integer_constant(e)) => {
            open("the digits of a constant beside decimals")
        }
        Some(ty) => Ok(ty),
        None => open("nothing but NULL"),
    }
}

/// The type of an expression.
pub(crate) fn of(e: &Expr) -> Result<Ty, Fail> {
    match e {
        Expr::Constant(ty, ..) | Expr::Variable(_, ty, _) => Ok(*ty),
        Expr::Cast(inner, ty) | Expr::TryCast(inner, ty) => {
            of(inner)?;
            Ok(*ty)
        }
        Expr::Parentheses(inner) => of(inner),
        Expr::Unary(sign, inner) => match (sign, of(inner)?) {
            ('~', ty) if ty.is_integer() => Ok(ty),
            ('-', Ty::TinyInt) => Ok(Ty::SmallInt),
            ('-' | '+', ty) if ty.is_number() && ty != Ty::Bit => Ok(ty),
            _ => open("the operand of a sign"),
        },
        Expr::Binary(operator, a, b) => binary(*operator, a, b),
        Expr::Case(branches, other) => {
            let mut some: Vec<&Expr> = branches.iter().map(|(_, e)| e).collect();
            some.extend(other.as_deref());
            common(&some)
        }
        Expr::SimpleCase(_, branches, other) => {
            let mut some: Vec<&Expr> = branches.iter().map(|(_, e)| e).collect();
            some.extend(other.as_deref());
            common(&some)
        }
        Expr::Coalesce(some) => common(&some.iter().collect::<Vec<_>>()),
        Expr::IsNull(a, b) => {
            of(b)?;
            of(a)
        }
        Expr::NullIf(a, b) => {
            of(b)?;
            of(a)
        }
        Expr::Iif(_, a, b) => common(&[a, b]),
        Expr::DateAdd(_, _, date) => of(date),
        Expr::DateDiff(..) | Expr::DatePart(..) => Ok(Ty::Int),
    }
}

/// Whether everything in the expression has a type, what is never evaluated too: a query is
/// refused as a whole.
pub(crate) fn check(e: &Expr) -> Result<(), Fail> {
    of(e)?;
    let (parts, predicates) = e.parts();
    parts.into_iter().try_for_each(check)?;
    predicates.into_iter().try_for_each(check_predicate)
}

fn check_predicate(p: &Pred) -> Result<(), Fail> {
    let (parts, predicates) = p.parts();
    parts.into_iter().try_for_each(check)?;
    predicates.into_iter().try_for_each(check_predicate)
}

fn binary(operator: char, a: &Expr, b: &Expr) -> Result<Ty, Fail> {
    let (ta, tb) = (of(a)?, of(b)?);
    let high = if ta.rank() >= tb.rank() { ta } else { tb };
    if matches!(operator, '&' | '|' | '^') {
        return if ta.is_integer() && tb.is_integer() {
            Ok(high)
        } else {
            open("the operands of a bitwise operator")
        };
    }
    match (ta, tb) {
        (Ty::VarChar(m), Ty::VarChar(n)) if operator == '+' => Ok(Ty::VarChar(m + n)),
        (Ty::VarChar(m) | Ty::NVarChar(m), Ty::VarChar(n) | Ty::NVarChar(n)) if operator == '+' => {
            Ok(Ty::NVarChar(m + n))
        }
        _ if ta.is_text() && tb.is_text() || ta.is_time() || tb.is_time() => {
            open("arithmetic on texts or dates")
        }
        _ if high == Ty::Bit => open("arithmetic on bits"),
        _ if high == Ty::Float && operator == '%' => open("the remainder of floats"),
        _ if matches!(high, Ty::Dec(..)) => match (digits(a, ta), digits(b, tb)) {
            (Some(da), Some(db)) => Ok(decimal_result(operator, da, db)),
            _ => open("a text beside a decimal"),
        },
        _ => Ok(high),
    }
}
