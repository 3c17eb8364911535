//! Expressions and conditions (one type: T-SQL has no boolean values, the binder tells them
//! apart).

use super::{ObjectName, OrderItem, Query, TypeName};

/// An expression or a search condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Literal(Literal),
    /// `@name`, with the `@`.
    Variable(String),
    /// `@@NAME`, with both `@@`, upper case.
    GlobalVariable(String),
    /// A column: `c`, `t.c`, `s.t.c`.
    Column(ObjectName),
    /// `DEFAULT`, only inside VALUES, SET and EXEC arguments.
    Default,
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator, AND, OR or comparison.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A function, built in or not; `method` calls are not in the subset.
    Function(FunctionCall),
    /// `CAST(e AS t)`, `TRY_CAST`, `CONVERT(t, e, style)`, `TRY_CONVERT`.
    Cast {
        /// The value.
        value: Box<Expr>,
        /// The target.
        target: TypeName,
        /// CONVERT's style.
        style: Option<Box<Expr>>,
        /// Whether a failure gives NULL.
        or_null: bool,
    },
    /// CASE; `operand` is there in the simple form.
    Case {
        /// The operand of the simple form.
        operand: Option<Box<Expr>>,
        /// The arms, in order.
        arms: Vec<WhenThen>,
        /// ELSE.
        otherwise: Option<Box<Expr>>,
    },
    /// `e IS [NOT] NULL`.
    IsNull {
        /// The tested expression.
        value: Box<Expr>,
        /// IS NOT NULL.
        negated: bool,
    },
    /// `e [NOT] BETWEEN low AND high`.
    Between {
        /// The tested expression.
        value: Box<Expr>,
        /// Lower end, included.
        low: Box<Expr>,
        /// Upper end, included.
        high: Box<Expr>,
        /// NOT BETWEEN.
        negated: bool,
    },
    /// `e [NOT] IN (list)`.
    InList {
        /// The tested expression.
        value: Box<Expr>,
        /// The candidates.
        list: Vec<Expr>,
        /// NOT IN.
        negated: bool,
    },
    /// `e [NOT] IN (query)`.
    InQuery {
        /// The tested expression.
        value: Box<Expr>,
        /// The query, of one column.
        query: Box<Query>,
        /// NOT IN.
        negated: bool,
    },
    /// `e [NOT] LIKE pattern [ESCAPE c]`.
    Like {
        /// The tested expression.
        value: Box<Expr>,
        /// The pattern.
        pattern: Box<Expr>,
        /// The escape character.
        escape: Option<Box<Expr>>,
        /// NOT LIKE.
        negated: bool,
    },
    /// `EXISTS (query)`.
    Exists(Box<Query>),
    /// `(query)` as a value.
    Subquery(Box<Query>),
    /// `e op ANY|ALL (query)`.
    Quantified {
        /// The tested expression.
        value: Box<Expr>,
        /// One of the comparisons.
        op: BinaryOp,
        /// ANY or ALL.
        quantifier: ComparisonQuantifier,
        /// The query, of one column.
        query: Box<Query>,
    },
    /// `e COLLATE name`.
    Collate(Box<Expr>, String),
}

/// ANY (also SOME) or ALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonQuantifier {
    /// ANY, SOME.
    Any,
    /// ALL.
    All,
}

/// A literal as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// NULL.
    Null,
    /// A whole number: digits only, no sign. Up to 2147483647 it is an `int`, beyond it a
    /// `numeric(n,0)`.
    Integer(String),
    /// Digits with a point, as written (`1.`, `.5`): a `numeric`.
    Decimal(String),
    /// With an exponent: a `float`.
    Float(f64),
    /// `$1.50`, kept as `1.50`; `$` alone is `0`.
    Money(String),
    /// `'…'`: `varchar`.
    Varchar(String),
    /// `N'…'`: `nvarchar`.
    NVarchar(String),
    /// `0x…`.
    Binary(Vec<u8>),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+e`.
    Plus,
    /// `-e`.
    Minus,
    /// `~e`.
    BitNot,
    /// `NOT e`.
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// WHEN … THEN ….
#[derive(Clone, Debug, PartialEq)]
pub struct WhenThen {
    /// The condition, or the value compared with the operand.
    pub when: Expr,
    /// The result.
    pub then: Expr,
}

/// A function call.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// The name; a built-in has one part.
    pub name: ObjectName,
    /// The arguments. `COUNT(*)` has none and `star` set. A date part (`DATEDIFF(ms, …)`) is an
    /// [`Expr::Column`] of one part.
    pub arguments: Vec<Expr>,
    /// `*` as the argument.
    pub star: bool,
    /// `COUNT(DISTINCT e)`.
    pub distinct: bool,
    /// `WITHIN GROUP (ORDER BY …)`; empty where not written.
    pub within_group: Vec<OrderItem>,
    /// `OVER (…)`.
    pub over: Option<Over>,
}

/// A window.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Over {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<OrderItem>,
    /// ROWS BETWEEN … AND …, where written.
    pub rows: Option<(FrameBound, FrameBound)>,
}

/// An end of a ROWS frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(u64),
    CurrentRow,
    Following(u64),
    UnboundedFollowing,
}
