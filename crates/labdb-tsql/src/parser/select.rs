//! SELECT … FROM … WHERE … GROUP BY … HAVING.

use super::Parser;
use crate::ast::{AssignOp, Expr, ObjectName, SelectItem, SelectQuery, Top};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

impl Parser<'_> {
    pub(super) fn select(&mut self) -> SqlResult<SelectQuery> {
        let line = self.line();
        self.expect("SELECT")?;
        let distinct = self.eat_any(&["ALL", "DISTINCT"]) == Some("DISTINCT");
        let top = self.top(true)?;
        let items = self.comma_separated(Self::select_item)?;
        let into = if self.eat("INTO") {
            let table = self.object_name()?;
            if self.at("ON") {
                return Err(self.unsupported("SELECT INTO … ON filegroup"));
            }
            Some(table)
        } else {
            None
        };
        let from = self.optional_from()?;
        let filter = self.optional_where()?;
        let group_by = self.group_by()?;
        let having = if self.eat("HAVING") {
            Some(self.condition()?)
        } else {
            None
        };
        if self.at("WINDOW") && self.at_name_ahead(1) && self.at_ahead(2, "AS") {
            return Err(self.unsupported("WINDOW"));
        }
        Ok(SelectQuery {
            distinct,
            top,
            items,
            into,
            from,
            filter,
            group_by,
            having,
            line,
        })
    }

    /// TOP, where it is written; only SELECT takes a bare number.
    pub(super) fn top(&mut self, bare_number: bool) -> SqlResult<Option<Top>> {
        if !self.eat("TOP") {
            return Ok(None);
        }
        let count = if self.eat_symbol(Symbol::LeftParenthesis) {
            let count = if self.at("SELECT") {
                Expr::Subquery(Box::new(self.query()?))
            } else {
                self.value()?
            };
            self.expect_symbol(Symbol::RightParenthesis)?;
            count
        } else if bare_number
            && matches!(
                self.kind(),
                TokenKind::Integer | TokenKind::Decimal | TokenKind::Float(_)
            )
        {
            Expr::Literal(self.literal()?)
        } else {
            return Err(self.syntax_error());
        };
        let percent = self.eat("PERCENT");
        let with_ties = bare_number && self.eat_words(&["WITH", "TIES"]);
        Ok(Some(Top {
            count,
            percent,
            with_ties,
        }))
    }

    pub(super) fn optional_where(&mut self) -> SqlResult<Option<Expr>> {
        if !self.eat("WHERE") {
            return Ok(None);
        }
        if self.at_words(&["CURRENT", "OF"]) {
            return Err(self.unsupported("WHERE CURRENT OF"));
        }
        self.condition().map(Some)
    }

    fn group_by(&mut self) -> SqlResult<Vec<Expr>> {
        if !self.eat("GROUP") {
            return Ok(Vec::new());
        }
        self.expect("BY")?;
        if self.eat("ALL") {
            return Err(self.unsupported("GROUP BY ALL"));
        }
        let items = self.comma_separated(|parser| {
            let grouping = parser.at_any(&["ROLLUP", "CUBE"])
                && parser.at_symbol_ahead(1, Symbol::LeftParenthesis);
            if grouping || parser.at_words(&["GROUPING", "SETS"]) {
                return Err(parser.unsupported(&parser.word(0).to_uppercase()));
            }
            if parser.at_symbol(Symbol::LeftParenthesis)
                && parser.at_symbol_ahead(1, Symbol::RightParenthesis)
            {
                return Err(parser.unsupported("GROUP BY ()"));
            }
            parser.value()
        })?;
        if self.at("WITH") && self.at_any_ahead(1, &["ROLLUP", "CUBE"]) {
            return Err(self.unsupported(&format!("WITH {}", self.word(1).to_uppercase())));
        }
        Ok(items)
    }

    pub(super) fn select_item(&mut self) -> SqlResult<SelectItem> {
        if self.eat_symbol(Symbol::Star) {
            return Ok(SelectItem::Star(None));
        }
        if let Some(name) = self.qualified_star()? {
            return Ok(SelectItem::Star(Some(name)));
        }
        if self.at_variable()
            && let Some(op) = self.assignment_operator_ahead(1)
        {
            let variable = self.variable()?;
            self.advance();
            let value = self.value()?;
            return Ok(SelectItem::Assign {
                variable,
                op,
                value,
            });
        }
        let named_first =
            (self.at_name() || self.at_text()) && self.at_symbol_ahead(1, Symbol::Equal);
        if named_first {
            let alias = Some(self.name_or_text()?);
            self.advance();
            let value = self.value()?;
            return Ok(SelectItem::Expr { value, alias });
        }
        let value = self.value()?;
        let implicit =
            self.at_text() || (self.at_name() && !self.at_symbol_ahead(1, Symbol::Colon));
        let alias = if self.eat("AS") || implicit {
            Some(self.name_or_text()?)
        } else {
            None
        };
        Ok(SelectItem::Expr { value, alias })
    }

    /// `t.*`, with at most four parts to look past.
    fn qualified_star(&mut self) -> SqlResult<Option<ObjectName>> {
        let mut ahead = 0;
        while self.at_name_ahead(ahead) && self.at_symbol_ahead(ahead + 1, Symbol::Dot) && ahead < 8
        {
            ahead += 2;
            // An empty part: `db..t.*`.
            if self.at_symbol_ahead(ahead, Symbol::Dot) {
                ahead += 1;
            }
        }
        if ahead == 0 || !self.at_symbol_ahead(ahead, Symbol::Star) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        while !self.eat_symbol(Symbol::Star) {
            if self.at_symbol(Symbol::Dot) {
                parts.push(String::new());
            } else {
                parts.push(self.name()?);
            }
            self.expect_symbol(Symbol::Dot)?;
        }
        Ok(Some(ObjectName { parts }))
    }

    pub(super) fn assignment_operator_ahead(&self, ahead: usize) -> Option<AssignOp> {
        let TokenKind::Symbol(symbol) = self.token(ahead).kind else {
            return None;
        };
        Some(match symbol {
            Symbol::Equal => AssignOp::Set,
            Symbol::PlusEqual => AssignOp::Add,
            Symbol::MinusEqual => AssignOp::Subtract,
            Symbol::StarEqual => AssignOp::Multiply,
            Symbol::SlashEqual => AssignOp::Divide,
            Symbol::PercentEqual => AssignOp::Modulo,
            Symbol::AmpersandEqual => AssignOp::BitAnd,
            Symbol::BarEqual => AssignOp::BitOr,
            Symbol::CaretEqual => AssignOp::BitXor,
            _ => return None,
        })
    }

    pub(super) fn assignment_operator(&mut self) -> SqlResult<AssignOp> {
        let op = self
            .assignment_operator_ahead(0)
            .ok_or_else(|| self.syntax_error())?;
        self.advance();
        Ok(op)
    }
}
