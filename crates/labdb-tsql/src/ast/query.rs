//! Queries: SELECT and what can stand in FROM.

use super::{Expr, FunctionCall, ObjectName};

/// A whole query expression: CTEs, a body, ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// WITH …; may see itself and the ones before it.
    pub with: Vec<CommonTable>,
    /// SELECT, UNION and so on.
    pub body: QueryBody,
    /// ORDER BY, empty where not written.
    pub order_by: Vec<OrderItem>,
    /// OFFSET … ROWS.
    pub offset: Option<Expr>,
    /// FETCH NEXT … ROWS ONLY.
    pub fetch: Option<Expr>,
    /// OPTION (MAXDOP n, RECOMPILE …): names upper case, with their number.
    pub options: Vec<(String, Option<u64>)>,
    /// The line it began on, from 1.
    pub line: u32,
}

/// One WITH table.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonTable {
    /// Its name.
    pub name: String,
    /// Its column names, where written.
    pub columns: Vec<String>,
    /// What it stands for.
    pub query: Query,
}

/// The body of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryBody {
    /// One SELECT.
    Select(Box<SelectQuery>),
    /// Two bodies joined.
    Set {
        /// How.
        op: SetOp,
        /// UNION ALL.
        all: bool,
        /// The left side.
        left: Box<QueryBody>,
        /// The right side.
        right: Box<QueryBody>,
    },
    /// `( query )`.
    Nested(Box<Query>),
}

/// UNION, EXCEPT, INTERSECT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SetOp {
    Union,
    Except,
    Intersect,
}

/// SELECT … FROM … WHERE … GROUP BY … HAVING.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectQuery {
    /// DISTINCT.
    pub distinct: bool,
    /// TOP.
    pub top: Option<Top>,
    /// The select list.
    pub items: Vec<SelectItem>,
    /// INTO.
    pub into: Option<ObjectName>,
    /// FROM, comma-separated; empty where not written.
    pub from: Vec<TableSource>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// GROUP BY.
    pub group_by: Vec<Expr>,
    /// HAVING.
    pub having: Option<Expr>,
    /// The line it began on.
    pub line: u32,
}

/// TOP (n) [PERCENT] [WITH TIES].
#[derive(Clone, Debug, PartialEq)]
pub struct Top {
    /// How many.
    pub count: Expr,
    /// Whether `count` is a percentage.
    pub percent: bool,
    /// WITH TIES.
    pub with_ties: bool,
}

/// One entry of the select list.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// `*` or `t.*`.
    Star(Option<ObjectName>),
    /// An expression, with the name it is given.
    Expr {
        /// The value.
        value: Expr,
        /// `AS name`, `name = value`.
        alias: Option<String>,
    },
    /// `@v = e` (also `@v += e`).
    Assign {
        /// The variable, with the `@`.
        variable: String,
        /// `=` or a compound operator.
        op: super::AssignOp,
        /// The value.
        value: Expr,
    },
}

/// One entry of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    /// The key; an integer literal is a position.
    pub key: Expr,
    /// DESC.
    pub descending: bool,
}

/// What can stand in FROM.
#[derive(Clone, Debug, PartialEq)]
pub enum TableSource {
    /// A table or view, or a CTE.
    Table {
        /// Its name.
        name: ObjectName,
        /// AS.
        alias: Option<String>,
        /// WITH (…).
        hints: Vec<TableHint>,
    },
    /// A table variable.
    Variable {
        /// With the `@`.
        name: String,
        /// AS.
        alias: Option<String>,
    },
    /// A table function.
    Function {
        /// The call.
        call: FunctionCall,
        /// AS.
        alias: Option<String>,
        /// The column names, where written.
        columns: Vec<String>,
    },
    /// `(query) AS t (columns)`.
    Derived {
        /// The query.
        query: Box<Query>,
        /// AS.
        alias: Option<String>,
        /// The column names, where written.
        columns: Vec<String>,
    },
    /// `(VALUES (…), (…)) AS t (columns)`.
    Values {
        /// The rows.
        rows: Vec<Vec<Expr>>,
        /// AS.
        alias: Option<String>,
        /// The column names.
        columns: Vec<String>,
    },
    /// A join.
    Join {
        /// INNER and so on.
        kind: JoinKind,
        /// The left side.
        left: Box<TableSource>,
        /// The right side.
        right: Box<TableSource>,
        /// ON; none for CROSS JOIN.
        on: Option<Expr>,
    },
    /// CROSS APPLY, OUTER APPLY.
    Apply {
        /// Which.
        kind: Apply,
        /// The left side.
        left: Box<TableSource>,
        /// The right side, which sees the left.
        right: Box<TableSource>,
    },
}

/// A join's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// CROSS or OUTER APPLY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Apply {
    Cross,
    Outer,
}

/// A table hint, upper case: NOLOCK, TABLOCK, UPDLOCK, HOLDLOCK, ROWLOCK, READPAST ….
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableHint(pub String);
