//! The reference evaluator.

use super::convert::{convert, fits, round, to_float, truncate};
use super::dates;
use super::tree::{Expr, Pred};
use super::types::Ty;
use super::typing::{self, is_null_constant};
use super::value::{Fail, Out, Val, error, open, whole};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::cmp::Ordering;

/// Both failed: the order of evaluation is not documented.
fn either(a: Fail, b: Fail) -> Fail {
    match (a, b) {
        (Fail::Error(mut a), Fail::Error(b)) => {
            a.extend(b);
            Fail::Error(a)
        }
        (Fail::Open(why), _) | (_, Fail::Open(why)) => Fail::Open(why),
    }
}

fn both<A, B>(a: Result<A, Fail>, b: Result<B, Fail>) -> Result<(A, B), Fail> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(a), Err(b)) => Err(either(a, b)),
        (Err(e), _) | (_, Err(e)) => Err(e),
    }
}

/// An expression's value.
pub(crate) fn value(e: &Expr) -> Out {
    match e {
        Expr::Constant(_, v, _) | Expr::Variable(_, _, v) => Ok(v.clone()),
        Expr::Parentheses(inner) => value(inner),
        Expr::Cast(inner, ty) => converted(inner, *ty),
        Expr::TryCast(inner, ty) => {
            let v = value(inner)?;
            match convert(&v, typing::of(inner)?, *ty) {
                Err(Fail::Error(_)) => Ok(Val::Null),
                other => other,
            }
        }
        Expr::Unary(sign, inner) => unary(*sign, inner),
        Expr::Binary(operator, a, b) => binary(*operator, a, b, typing::of(e)?),
        Expr::Case(branches, other) => {
            let ty = typing::of(e)?;
            for (condition, result) in branches {
                if predicate(condition)? == Some(true) {
                    return converted(result, ty);
                }
            }
            other.as_ref().map_or(Ok(Val::Null), |e| converted(e, ty))
        }
        Expr::SimpleCase(subject, branches, other) => {
            let ty = typing::of(e)?;
            for (when, result) in branches {
                if compare(subject, when)? == Some(Ordering::Equal) {
                    return converted(result, ty);
                }
            }
            other.as_ref().map_or(Ok(Val::Null), |e| converted(e, ty))
        }
        Expr::Coalesce(some) => {
            let ty = typing::of(e)?;
            for one in some {
                if value(one)? != Val::Null {
                    return converted(one, ty);
                }
            }
            Ok(Val::Null)
        }
        Expr::IsNull(a, b) => {
            let ty = typing::of(a)?;
            match value(a)? {
                Val::Null => converted(b, ty),
                v => converted(b, ty).map_or(open("whether the second is evaluated"), |_| Ok(v)),
            }
        }
        Expr::NullIf(a, b) => match compare(a, b)? {
            Some(Ordering::Equal) => Ok(Val::Null),
            _ => value(a),
        },
        Expr::Iif(condition, a, b) => {
            let ty = typing::of(e)?;
            let one = if predicate(condition)? == Some(true) {
                a
            } else {
                b
            };
            converted(one, ty)
        }
        Expr::DateAdd(part, n, date) => {
            let ty = typing::of(date)?;
            match both(converted(n, Ty::Int), value(date))? {
                (Val::Exact(n), Val::Time(t)) => dates::add(part, n.to_i64().unwrap(), t, ty),
                // Whether a part that the type has not is refused before a NULL is seen.
                _ => open("DATEADD of NULL"),
            }
        }
        Expr::DateDiff(part, a, b) => match both(value(a), value(b))? {
            (Val::Time(a), Val::Time(b)) => dates::difference(part, a, b),
            _ => Ok(Val::Null),
        },
        Expr::DatePart(part, date) => match value(date)? {
            Val::Time(t) => dates::part(part, t, typing::of(date)?),
            _ => open("DATEPART of NULL"),
        },
    }
}

/// An expression's value as another type.
fn converted(e: &Expr, ty: Ty) -> Out {
    if is_null_constant(e) {
        return Ok(Val::Null);
    }
    convert(&value(e)?, typing::of(e)?, ty)
}

fn unary(sign: char, inner: &Expr) -> Out {
    let ty = typing::of(inner)?;
    match (value(inner)?, sign) {
        (Val::Null, _) => Ok(Val::Null),
        (v, '+') => Ok(v),
        (Val::Float(x), '-') => Ok(Val::Float(-x)),
        (Val::Exact(n), '-') => {
            let ty = if ty == Ty::TinyInt { Ty::SmallInt } else { ty };
            in_range(-n, ty)
        }
        (Val::Exact(n), _) => Ok(Val::Exact(match ty {
            Ty::Bit => whole(1) - n,
            Ty::TinyInt => whole(255) - n,
            _ => -n - whole(1),
        })),
        _ => open("a sign before that"),
    }
}

fn in_range(n: BigRational, ty: Ty) -> Out {
    if fits(&n, ty) {
        Ok(Val::Exact(n))
    } else {
        error(8115)
    }
}

fn binary(operator: char, a: &Expr, b: &Expr, ty: Ty) -> Out {
    // Decimals keep their own digits; everything else becomes the result's type first.
    let (a, b) = match ty {
        Ty::Dec(..) => both(value(a), value(b))?,
        Ty::VarChar(_) | Ty::NVarChar(_) => both(value(a), value(b))?,
        _ => both(converted(a, ty), converted(b, ty))?,
    };
    match (a, b) {
        (Val::Null, _) | (_, Val::Null) => Ok(Val::Null),
        (Val::Text(a), Val::Text(b)) => Ok(Val::Text(a + &b)),
        (Val::Float(a), Val::Float(b)) => float(operator, a, b),
        (Val::Exact(a), Val::Exact(b)) => exact(operator, &a, &b, ty),
        _ => open("operands of different kinds"),
    }
}

fn float(operator: char, a: f64, b: f64) -> Out {
    let x = match operator {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        _ if b == 0.0 => return error(8134),
        _ => a / b,
    };
    if x.is_finite() {
        Ok(Val::Float(x))
    } else {
        error(8115)
    }
}

fn exact(operator: char, a: &BigRational, b: &BigRational, ty: Ty) -> Out {
    if matches!(operator, '/' | '%') && b.is_zero() {
        return error(8134);
    }
    if ty.is_integer() && operator == '%' && *b == whole(-1) && !fits(&-a, ty) {
        return open("the remainder of the least integer by -1");
    }
    let n = match operator {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        '/' => a / b,
        '%' => a - b * (a / b).trunc(),
        _ => return Ok(Val::Exact(bits(operator, a, b))),
    };
    let n = match ty {
        Ty::Dec(precision, scale) if operator == '/' => {
            let cut = truncate(&n, scale);
            if precision == 38 && cut != n {
                return open("whether a quotient of reduced scale is rounded");
            }
            cut
        }
        Ty::Dec(_, scale) => round(&n, scale),
        Ty::Money => {
            if round(&n, 4) != n {
                return open("how money is rounded in arithmetic");
            }
            n
        }
        _ => n.trunc(),
    };
    in_range(n, ty)
}

fn bits(operator: char, a: &BigRational, b: &BigRational) -> BigRational {
    let (a, b) = (a.to_integer(), b.to_integer());
    let n: BigInt = match operator {
        '&' => a & b,
        '|' => a | b,
        _ => a ^ b,
    };
    whole(n)
}

/// How a text compares: without case and without the blanks at its end. The texts are of blanks,
/// digits and letters, which every collation orders so.
fn key(text: &str) -> String {
    text.trim_end_matches(' ').to_ascii_lowercase()
}

/// How two expressions compare, after the conversion of one to the other's type.
fn compare(a: &Expr, b: &Expr) -> Result<Option<Ordering>, Fail> {
    if is_null_constant(a) || is_null_constant(b) {
        let other = if is_null_constant(a) { b } else { a };
        if !is_null_constant(other) {
            value(other)?;
        }
        return Ok(None);
    }
    let (ta, tb) = (typing::of(a)?, typing::of(b)?);
    let Some(ty) = ta.common(tb) else {
        return open("a comparison between kinds");
    };
    let (va, vb) = match ty {
        Ty::Dec(..) => both(value(a), value(b))?,
        _ => both(
            value(a).and_then(|v| convert(&v, ta, ty)),
            value(b).and_then(|v| convert(&v, tb, ty)),
        )?,
    };
    Ok(match (va, vb) {
        (Val::Null, _) | (_, Val::Null) => None,
        (Val::Exact(a), Val::Exact(b)) => Some(a.cmp(&b)),
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(&b),
        (Val::Exact(a), Val::Float(b)) => to_float(&a).partial_cmp(&b),
        (Val::Text(a), Val::Text(b)) => {
            // A blank at the end counts as much as no character, one inside as a low one.
            let (a, b) = (key(&a), key(&b));
            Some(a.cmp(&b))
        }
        (Val::Time(a), Val::Time(b)) => Some(a.cmp(&b)),
        _ => return open("a comparison between kinds"),
    })
}

fn holds(operator: &str, order: Ordering) -> bool {
    match operator {
        "=" => order.is_eq(),
        "<>" | "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" | "!>" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }
}

type Truth = Result<Option<bool>, Fail>;

fn not(truth: Option<bool>, negated: bool) -> Option<bool> {
    truth.map(|t| t != negated)
}

/// AND: false where one is false, also beside an error, which may or may not be met.
fn and(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        (Err(a), Err(b)) => Err(either(a, b)),
        (Err(e), Ok(Some(true))) | (Ok(Some(true)), Err(e)) => Err(e),
        _ => open("whether AND and OR evaluate both"),
    }
}

fn or(a: Truth, b: Truth) -> Truth {
    let invert = |t: Truth| t.map(|t| t.map(|t| !t));
    invert(and(invert(a), invert(b)))
}

/// A predicate: true, false or unknown.
pub(crate) fn predicate(p: &Pred) -> Truth {
    match p {
        Pred::Compare(operator, a, b) => Ok(compare(a, b)?.map(|o| holds(operator, o))),
        Pred::IsNull(e, negated) => Ok(Some((value(e)? == Val::Null) != *negated)),
        Pred::Between(e, low, high, negated) => {
            let above = compare(e, low).map(|o| o.map(Ordering::is_ge));
            let below = compare(e, high).map(|o| o.map(Ordering::is_le));
            Ok(not(and(above, below)?, *negated))
        }
        Pred::In(e, some, negated) => {
            let mut types = Vec::new();
            for one in some.iter().chain([e]).filter(|e| !is_null_constant(e)) {
                types.push(typing::of(one)?);
            }
            let mixed = types.iter().any(|ty| *ty != types[0]);
            if mixed && types.iter().any(|ty| matches!(ty, Ty::Float | Ty::Money)) {
                return open("the common type of a list");
            }
            let common = |so_far: Option<Ty>, ty: &Ty| so_far?.common(*ty);
            if types.iter().fold(types.first().copied(), common).is_none() && mixed {
                return open("the digits of a list that needs more than 38");
            }
            let mut found: Truth = Ok(Some(false));
            for one in some {
                found = or(found, compare(e, one).map(|o| o.map(Ordering::is_eq)));
            }
            Ok(not(found?, *negated))
        }
        Pred::Not(inner) => Ok(not(predicate(inner)?, true)),
        Pred::And(a, b) => and(predicate(a), predicate(b)),
        Pred::Or(a, b) => or(predicate(a), predicate(b)),
        Pred::Parentheses(inner) => predicate(inner),
    }
}
