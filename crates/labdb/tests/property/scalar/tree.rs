//! Expressions, and their text with as few parentheses as "Operator precedence" of the T-SQL
//! reference lets stand, or more.

use super::types::Ty;
use super::value::Val;

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// An unsigned constant: an integer, a number with a point, a text, or NULL.
    Constant(Ty, Val, String),
    /// A variable's number and type, declared before the query.
    Variable(usize, Ty, Val),
    Cast(Box<Expr>, Ty),
    TryCast(Box<Expr>, Ty),
    /// `-`, `+` or `~`.
    Unary(char, Box<Expr>),
    /// `* / % + - & ^ |`.
    Binary(char, Box<Expr>, Box<Expr>),
    Case(Vec<(Pred, Expr)>, Option<Box<Expr>>),
    SimpleCase(Box<Expr>, Vec<(Expr, Expr)>, Option<Box<Expr>>),
    Coalesce(Vec<Expr>),
    IsNull(Box<Expr>, Box<Expr>),
    NullIf(Box<Expr>, Box<Expr>),
    Iif(Box<Pred>, Box<Expr>, Box<Expr>),
    DateAdd(&'static str, Box<Expr>, Box<Expr>),
    DateDiff(&'static str, Box<Expr>, Box<Expr>),
    DatePart(&'static str, Box<Expr>),
    /// Parentheses that change nothing.
    Parentheses(Box<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) enum Pred {
    Compare(&'static str, Expr, Expr),
    /// `IS NULL`, or `IS NOT NULL`.
    IsNull(Expr, bool),
    Between(Expr, Expr, Expr, bool),
    In(Expr, Vec<Expr>, bool),
    Not(Box<Pred>),
    And(Box<Pred>, Box<Pred>),
    Or(Box<Pred>, Box<Pred>),
    Parentheses(Box<Pred>),
}

impl Expr {
    /// What it is made of.
    pub(crate) fn parts(&self) -> (Vec<&Expr>, Vec<&Pred>) {
        match self {
            Expr::Constant(..) | Expr::Variable(..) => (vec![], vec![]),
            Expr::Cast(e, _)
            | Expr::TryCast(e, _)
            | Expr::Unary(_, e)
            | Expr::Parentheses(e)
            | Expr::DatePart(_, e) => (vec![e], vec![]),
            Expr::Binary(_, a, b)
            | Expr::IsNull(a, b)
            | Expr::NullIf(a, b)
            | Expr::DateAdd(_, a, b)
            | Expr::DateDiff(_, a, b) => (vec![a, b], vec![]),
            Expr::Coalesce(some) => (some.iter().collect(), vec![]),
            Expr::Iif(p, a, b) => (vec![a, b], vec![p]),
            Expr::Case(arms, other) => (
                arms.iter()
                    .map(|(_, e)| e)
                    .chain(other.as_deref())
                    .collect(),
                arms.iter().map(|(p, _)| p).collect(),
            ),
            Expr::SimpleCase(subject, arms, other) => {
                let mut parts = vec![&**subject];
                parts.extend(arms.iter().flat_map(|(when, e)| [when, e]));
                parts.extend(other.as_deref());
                (parts, vec![])
            }
        }
    }
}

impl Pred {
    /// What it is made of.
    pub(crate) fn parts(&self) -> (Vec<&Expr>, Vec<&Pred>) {
        match self {
            Pred::Compare(_, a, b) => (vec![a, b], vec![]),
            Pred::IsNull(e, _) => (vec![e], vec![]),
            Pred::Between(e, a, b, _) => (vec![e, a, b], vec![]),
            Pred::In(e, some, _) => (std::iter::once(e).chain(some).collect(), vec![]),
            Pred::Not(p) | Pred::Parentheses(p) => (vec![], vec![p]),
            Pred::And(a, b) | Pred::Or(a, b) => (vec![], vec![a, b]),
        }
    }
}

/// The level of an operator, from 1, as the reference numbers them; 0 binds closest.
fn level(e: &Expr) -> u32 {
    match e {
        Expr::Unary('~', _) => 1,
        Expr::Binary('*' | '/' | '%', ..) => 2,
        Expr::Unary(..) | Expr::Binary(..) => 3,
        _ => 0,
    }
}

fn is_sign(e: &Expr) -> bool {
    matches!(e, Expr::Unary('-' | '+', _))
}

/// The text of an operand whose operator binds down to `highest`. A sign may stand bare as the
/// right operand of anything, because nothing else can be meant, unless a multiplication
/// `follows`: the sign binds less than that and would take it in.
fn operand(e: &Expr, highest: u32, sign_may_stand: bool, follows: bool) -> String {
    let bare = if is_sign(e) && sign_may_stand {
        !follows
    } else {
        level(e) <= highest
    };
    if bare {
        text_before(e, follows)
    } else {
        format!("({})", text_before(e, false))
    }
}

fn text_before(e: &Expr, follows: bool) -> String {
    match e {
        Expr::Unary('~', inner) => format!("~{}", operand(inner, 1, false, follows)),
        Expr::Unary(sign, inner) => {
            let inner = operand(inner, 2, true, follows);
            // Two minus signs in a row begin a comment.
            let space = if inner.starts_with('-') { " " } else { "" };
            format!("{sign}{space}{inner}")
        }
        Expr::Binary(operator, left, right) => {
            let own = level(e);
            let left = operand(left, own, own == 3, own == 2);
            let right = operand(right, own - 1, true, follows && own == 2);
            format!("{left} {operator} {right}")
        }
        other => primary(other),
    }
}

fn primary(e: &Expr) -> String {
    match e {
        Expr::Constant(_, _, text) => text.clone(),
        Expr::Variable(n, ..) => format!("@v{n}"),
        Expr::Cast(inner, ty) => format!("CAST({} AS {ty})", text(inner)),
        Expr::TryCast(inner, ty) => format!("TRY_CAST({} AS {ty})", text(inner)),
        Expr::Case(branches, other) => {
            let branches: String = branches
                .iter()
                .map(|(p, e)| format!(" WHEN {} THEN {}", condition(p), text(e)))
                .collect();
            format!("CASE{branches}{} END", otherwise(other.as_deref()))
        }
        Expr::SimpleCase(subject, branches, other) => {
            let branches: String = branches
                .iter()
                .map(|(w, e)| format!(" WHEN {} THEN {}", text(w), text(e)))
                .collect();
            format!(
                "CASE {}{branches}{} END",
                text(subject),
                otherwise(other.as_deref())
            )
        }
        Expr::Coalesce(some) => format!("COALESCE({})", list(some)),
        Expr::IsNull(a, b) => format!("ISNULL({}, {})", text(a), text(b)),
        Expr::NullIf(a, b) => format!("NULLIF({}, {})", text(a), text(b)),
        Expr::Iif(p, a, b) => format!("IIF({}, {}, {})", condition(p), text(a), text(b)),
        Expr::DateAdd(part, n, d) => format!("DATEADD({part}, {}, {})", text(n), text(d)),
        Expr::DateDiff(part, a, b) => format!("DATEDIFF({part}, {}, {})", text(a), text(b)),
        Expr::DatePart(part, d) => format!("DATEPART({part}, {})", text(d)),
        Expr::Parentheses(inner) => format!("({})", text(inner)),
        Expr::Unary(..) | Expr::Binary(..) => text(e),
    }
}

fn otherwise(e: Option<&Expr>) -> String {
    e.map(|e| format!(" ELSE {}", text(e))).unwrap_or_default()
}

fn list(some: &[Expr]) -> String {
    some.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// An expression's text.
pub(crate) fn text(e: &Expr) -> String {
    text_before(e, false)
}

fn predicate_level(p: &Pred) -> u32 {
    match p {
        Pred::Not(_) => 5,
        Pred::And(..) => 6,
        Pred::Or(..) => 7,
        _ => 0,
    }
}

fn part(p: &Pred, highest: u32) -> String {
    if predicate_level(p) <= highest {
        condition(p)
    } else {
        format!("({})", condition(p))
    }
}

/// A predicate's text.
pub(crate) fn condition(p: &Pred) -> String {
    let not = |negated: &bool| if *negated { "NOT " } else { "" };
    match p {
        Pred::Compare(operator, a, b) => format!("{} {operator} {}", text(a), text(b)),
        Pred::IsNull(e, negated) => format!("{} IS {}NULL", text(e), not(negated)),
        Pred::Between(e, a, b, negated) => format!(
            "{} {}BETWEEN {} AND {}",
            text(e),
            not(negated),
            text(a),
            text(b)
        ),
        Pred::In(e, some, negated) => format!("{} {}IN ({})", text(e), not(negated), list(some)),
        Pred::Not(inner) => format!("NOT {}", part(inner, 5)),
        Pred::And(a, b) => format!("{} AND {}", part(a, 6), part(b, 5)),
        Pred::Or(a, b) => format!("{} OR {}", part(a, 7), part(b, 6)),
        Pred::Parentheses(inner) => format!("({})", condition(inner)),
    }
}
