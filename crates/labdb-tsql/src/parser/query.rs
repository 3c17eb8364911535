//! Query expressions: CTEs, set operators, ORDER BY, OPTION.

use super::Parser;
use crate::ast::{CommonTable, Expr, Query, QueryBody, SetOp};
use crate::errors;
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// What OPTION takes, up to its number, text or parentheses.
const QUERY_HINTS: [&[&str]; 28] = [
    &["CONCAT", "UNION"],
    &["DISABLE", "EXTERNALPUSHDOWN"],
    &["ENABLE", "EXTERNALPUSHDOWN"],
    &["EXPAND", "VIEWS"],
    &["FAST"],
    &["FORCE", "ORDER"],
    &["HASH", "GROUP"],
    &["HASH", "JOIN"],
    &["HASH", "UNION"],
    &["IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX"],
    &["KEEP", "PLAN"],
    &["KEEPFIXED", "PLAN"],
    &["LABEL"],
    &["LOOP", "JOIN"],
    &["MAXDOP"],
    &["MAXRECURSION"],
    &["MAX_GRANT_PERCENT"],
    &["MERGE", "JOIN"],
    &["MERGE", "UNION"],
    &["MIN_GRANT_PERCENT"],
    &["NO_PERFORMANCE_SPOOL"],
    &["OPTIMIZE", "FOR", "UNKNOWN"],
    &["OPTIMIZE", "FOR"],
    &["ORDER", "GROUP"],
    &["QUERYTRACEON"],
    &["RECOMPILE"],
    &["ROBUST", "PLAN"],
    &["USE", "HINT"],
];

impl Parser<'_> {
    /// A query with no WITH before it and no OPTION behind it.
    pub(super) fn query(&mut self) -> SqlResult<Query> {
        self.nest(|parser| {
            let line = parser.line();
            let first = parser.query_term()?;
            let body = parser.set_operators(first, 1)?;
            parser.query_end(body, line)
        })
    }

    /// `( query )`, with any number of parentheses.
    pub(super) fn query_in_parentheses(&mut self) -> SqlResult<Query> {
        self.nest(|parser| {
            parser.expect_symbol(Symbol::LeftParenthesis)?;
            let query = if parser.at_symbol(Symbol::LeftParenthesis) {
                let inner = parser.query_in_parentheses()?;
                parser.continue_query(inner)?
            } else {
                parser.query()?
            };
            parser.expect_symbol(Symbol::RightParenthesis)?;
            Ok(query)
        })
    }

    pub(super) fn at_query_continuation(&self) -> bool {
        self.at_any(&["UNION", "EXCEPT", "INTERSECT", "ORDER"])
    }

    /// What follows a query that stood in parentheses of its own.
    pub(super) fn continue_query(&mut self, first: Query) -> SqlResult<Query> {
        if !self.at_query_continuation() {
            return Ok(first);
        }
        let line = first.line;
        let body = self.set_operators(QueryBody::Nested(Box::new(first)), 1)?;
        self.query_end(body, line)
    }

    fn query_term(&mut self) -> SqlResult<QueryBody> {
        if self.at_symbol(Symbol::LeftParenthesis) {
            let query = self.query_in_parentheses()?;
            return Ok(QueryBody::Nested(Box::new(query)));
        }
        Ok(QueryBody::Select(Box::new(self.select()?)))
    }

    /// INTERSECT binds tighter than UNION and EXCEPT, which go from left to right.
    fn set_operators(&mut self, first: QueryBody, loosest: u8) -> SqlResult<QueryBody> {
        let mut left = first;
        loop {
            let (op, level) = match self.word(0).to_ascii_uppercase().as_str() {
                "UNION" => (SetOp::Union, 1),
                "EXCEPT" => (SetOp::Except, 1),
                "INTERSECT" => (SetOp::Intersect, 2),
                _ => return Ok(left),
            };
            if level < loosest {
                return Ok(left);
            }
            self.advance();
            let all = self.eat("ALL");
            if all && op != SetOp::Union {
                return Err(errors::all_not_supported(op, self.line()));
            }
            let right = self.nest(|parser| {
                let first = parser.query_term()?;
                parser.set_operators(first, level + 1)
            })?;
            left = QueryBody::Set {
                op,
                all,
                left: Box::new(left),
                right: Box::new(right),
            };
            self.grow()?;
        }
    }

    fn query_end(&mut self, body: QueryBody, line: u32) -> SqlResult<Query> {
        let mut query = Query {
            with: Vec::new(),
            body,
            order_by: Vec::new(),
            offset: None,
            fetch: None,
            options: Vec::new(),
            line,
        };
        if self.at("ORDER") {
            query.order_by = self.order_by()?;
            if self.eat("OFFSET") {
                query.offset = Some(self.row_count()?);
                if self.eat("FETCH") {
                    self.expect_any(&["NEXT", "FIRST"])?;
                    query.fetch = Some(self.row_count()?);
                    self.expect("ONLY")?;
                }
            }
        }
        if self.at("FOR") && self.at_any_ahead(1, &["XML", "JSON", "BROWSE"]) {
            let construct = format!("FOR {}", self.word(1).to_uppercase());
            return Err(self.unsupported(&construct));
        }
        Ok(query)
    }

    fn row_count(&mut self) -> SqlResult<Expr> {
        let count = self.value()?;
        self.expect_any(&["ROW", "ROWS"])?;
        Ok(count)
    }

    /// `WITH name (columns) AS (query), …`; nothing where WITH does not stand here.
    pub(super) fn common_tables(&mut self) -> SqlResult<Vec<CommonTable>> {
        if !self.eat("WITH") {
            return Ok(Vec::new());
        }
        if self.at_any(&["XMLNAMESPACES", "CHANGE_TRACKING_CONTEXT"]) {
            let construct = format!("WITH {}", self.word(0).to_uppercase());
            return Err(self.unsupported(&construct));
        }
        self.comma_separated(|parser| {
            let name = parser.name()?;
            let columns = parser.optional_columns()?;
            parser.expect("AS")?;
            let query = parser.query_in_parentheses()?;
            Ok(CommonTable {
                name,
                columns,
                query,
            })
        })
    }

    /// `(name, …)`, where it is written.
    pub(super) fn optional_columns(&mut self) -> SqlResult<Vec<String>> {
        if self.at_symbol(Symbol::LeftParenthesis) {
            self.parenthesized(Self::name)
        } else {
            Ok(Vec::new())
        }
    }

    /// A query as a statement: all of it, with the tables of a WITH that has been read.
    pub(super) fn query_statement(&mut self, with: Vec<CommonTable>) -> SqlResult<Query> {
        let mut query = self.query()?;
        query.with = with;
        query.options = self.query_options()?;
        Ok(query)
    }

    /// `OPTION ( hint, … )`, where it is written.
    pub(super) fn query_options(&mut self) -> SqlResult<Vec<(String, Option<u64>)>> {
        if !self.eat("OPTION") {
            return Ok(Vec::new());
        }
        self.parenthesized(|parser| {
            for other in [
                &["PARAMETERIZATION"][..],
                &["TABLE", "HINT"],
                &["USE", "PLAN"],
            ] {
                if parser.at_words(other) {
                    return Err(parser.unsupported(&format!("OPTION ({})", other.join(" "))));
                }
            }
            let Some(words) = QUERY_HINTS.iter().find(|words| parser.at_words(words)) else {
                return Err(parser.syntax_error());
            };
            parser.skip(words.len());
            parser.eat_symbol(Symbol::Equal);
            let mut number = None;
            if *parser.kind() == TokenKind::Integer {
                number = Some(parser.integer()?);
            } else if parser.at_text() {
                parser.text()?;
            } else if parser.at_symbol(Symbol::LeftParenthesis) {
                parser.skip_parentheses()?;
            }
            Ok((words.join(" "), number))
        })
    }

    /// Passes over `( … )` with everything in it: details that no plan of ours can follow.
    pub(super) fn skip_parentheses(&mut self) -> SqlResult<()> {
        let mut open = 0_usize;
        loop {
            if self.at_end() {
                return Err(self.syntax_error());
            }
            if self.at_symbol(Symbol::LeftParenthesis) {
                open += 1;
            } else if self.at_symbol(Symbol::RightParenthesis) {
                open = open.saturating_sub(1);
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
    }
}
