//! Function calls and their windows.

use super::Parser;
use crate::ast::{Expr, FrameBound, FunctionCall, ObjectName, OrderItem, Over};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// Functions whose names are reserved words.
const RESERVED_FUNCTIONS: [&str; 4] = ["COALESCE", "LEFT", "NULLIF", "RIGHT"];

/// Functions that are written without parentheses.
const WITHOUT_PARENTHESES: [&str; 5] = [
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "SESSION_USER",
    "SYSTEM_USER",
    "USER",
];

/// Calls with a grammar of their own that is not in the subset.
const OTHER_GRAMMAR: [&str; 14] = [
    "CONTAINS",
    "CONTAINSTABLE",
    "FREETEXT",
    "FREETEXTTABLE",
    "IDENTITY",
    "JSON_ARRAY",
    "JSON_ARRAYAGG",
    "JSON_OBJECT",
    "JSON_OBJECTAGG",
    "OPENDATASOURCE",
    "PARSE",
    "REGEXP_LIKE",
    "TRY_PARSE",
    "UPDATE",
];

impl Parser<'_> {
    /// A call whose name is a reserved word or whose arguments are no plain list. The cursor is
    /// on a word with a parenthesis behind it.
    #[inline(never)]
    pub(super) fn special_call(&mut self, conditions: bool) -> SqlResult<Option<Expr>> {
        if self.at_any(&OTHER_GRAMMAR) {
            return Err(self.unsupported(&self.written(0).to_uppercase()));
        }
        if conditions && self.eat("EXISTS") {
            let query = self.query_in_parentheses()?;
            return Ok(Some(Expr::Exists(Box::new(query))));
        }
        let call = match self.eat_any(&["CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT"]) {
            Some("CAST") => self.cast(false)?,
            Some("TRY_CAST") => self.cast(true)?,
            Some("CONVERT") => self.convert(false)?,
            Some(_) => self.convert(true)?,
            None => {
                let Some(name) = self.eat_any(&RESERVED_FUNCTIONS) else {
                    return Ok(None);
                };
                let parts = vec![name.to_owned()];
                Expr::Function(self.function(ObjectName { parts })?)
            }
        };
        Ok(Some(call))
    }

    pub(super) fn call_without_parentheses(&mut self) -> Option<FunctionCall> {
        let name = self.eat_any(&WITHOUT_PARENTHESES)?;
        Some(plain_call(
            ObjectName {
                parts: vec![name.to_owned()],
            },
            Vec::new(),
        ))
    }

    /// The arguments and the window, with the cursor on the parenthesis.
    #[inline(never)]
    pub(super) fn function(&mut self, name: ObjectName) -> SqlResult<FunctionCall> {
        let iif = name.parts.len() == 1 && name.object().eq_ignore_ascii_case("IIF");
        let mut call = self.arguments(name, iif)?;
        if self.at_any(&["IGNORE", "RESPECT"]) && self.at_ahead(1, "NULLS") {
            return Err(self.unsupported("IGNORE NULLS"));
        }
        if self.eat_words(&["WITHIN", "GROUP"]) {
            self.expect_symbol(Symbol::LeftParenthesis)?;
            call.within_group = self.order_by()?;
            self.expect_symbol(Symbol::RightParenthesis)?;
        }
        if self.eat("OVER") {
            call.over = Some(self.over()?);
        }
        Ok(call)
    }

    /// `( [DISTINCT] argument, … )` or `(*)`; IIF's first argument is a condition.
    fn arguments(&mut self, name: ObjectName, iif: bool) -> SqlResult<FunctionCall> {
        let mut call = plain_call(name, Vec::new());
        self.expect_symbol(Symbol::LeftParenthesis)?;
        if self.eat_symbol(Symbol::Star) {
            call.star = true;
        } else if iif {
            call.arguments.push(self.condition()?);
            self.expect_symbol(Symbol::Comma)?;
            call.arguments.push(self.value()?);
            self.expect_symbol(Symbol::Comma)?;
            call.arguments.push(self.value()?);
        } else if !self.at_symbol(Symbol::RightParenthesis) {
            call.distinct = self.eat("DISTINCT");
            if !call.distinct {
                self.eat("ALL");
            }
            call.arguments = self.comma_separated(Self::value_or_default)?;
            if self.at("FROM") && call.name.object().eq_ignore_ascii_case("TRIM") {
                return Err(self.unsupported("TRIM(… FROM …)"));
            }
        }
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(call)
    }

    /// `ORDER BY item, …`.
    pub(super) fn order_by(&mut self) -> SqlResult<Vec<OrderItem>> {
        self.expect("ORDER")?;
        self.expect("BY")?;
        self.comma_separated(|parser| {
            let key = parser.value()?;
            let descending = parser.eat_any(&["ASC", "DESC"]) == Some("DESC");
            Ok(OrderItem { key, descending })
        })
    }

    #[inline(never)]
    fn over(&mut self) -> SqlResult<Over> {
        if !self.at_symbol(Symbol::LeftParenthesis) {
            return Err(if self.at_name() {
                self.unsupported("OVER window_name")
            } else {
                self.syntax_error()
            });
        }
        self.advance();
        let mut over = Over::default();
        if self.eat_words(&["PARTITION", "BY"]) {
            over.partition_by = self.comma_separated(Self::value)?;
        }
        if self.at("ORDER") {
            over.order_by = self.order_by()?;
        }
        if self.at_any(&["ROWS", "RANGE"]) {
            over.rows = self.frame()?;
        } else if over == Over::default() && self.at_name() && self.at_window_end(1) {
            return Err(self.unsupported("OVER window_name"));
        }
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(over)
    }

    /// Whether what may follow a window's name stands there.
    fn at_window_end(&self, ahead: usize) -> bool {
        self.at_symbol_ahead(ahead, Symbol::RightParenthesis)
            || self.at_any_ahead(ahead, &["PARTITION", "ORDER", "ROWS", "RANGE"])
    }

    /// A RANGE frame is in the subset only as the frame that holds where none is written.
    fn frame(&mut self) -> SqlResult<Option<(FrameBound, FrameBound)>> {
        let range = self.expect_any(&["ROWS", "RANGE"])? == "RANGE";
        let frame = if self.eat("BETWEEN") {
            let start = self.frame_bound()?;
            self.expect("AND")?;
            (start, self.frame_bound()?)
        } else {
            (self.frame_bound()?, FrameBound::CurrentRow)
        };
        if !range {
            return Ok(Some(frame));
        }
        if frame == (FrameBound::UnboundedPreceding, FrameBound::CurrentRow) {
            return Ok(None);
        }
        Err(self.unsupported("RANGE"))
    }

    fn frame_bound(&mut self) -> SqlResult<FrameBound> {
        if self.eat_words(&["CURRENT", "ROW"]) {
            return Ok(FrameBound::CurrentRow);
        }
        if self.eat("UNBOUNDED") {
            return Ok(match self.expect_any(&["PRECEDING", "FOLLOWING"])? {
                "PRECEDING" => FrameBound::UnboundedPreceding,
                _ => FrameBound::UnboundedFollowing,
            });
        }
        if *self.kind() != TokenKind::Integer {
            return Err(self.syntax_error());
        }
        let rows = self.integer()?;
        Ok(match self.expect_any(&["PRECEDING", "FOLLOWING"])? {
            "PRECEDING" => FrameBound::Preceding(rows),
            _ => FrameBound::Following(rows),
        })
    }
}

fn plain_call(name: ObjectName, arguments: Vec<Expr>) -> FunctionCall {
    FunctionCall {
        name,
        arguments,
        star: false,
        distinct: false,
        within_group: Vec::new(),
        over: None,
    }
}
