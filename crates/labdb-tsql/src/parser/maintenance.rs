//! Messages, waiting and maintenance: THROW, RAISERROR, RETURN, WAITFOR, DBCC, CHECKPOINT, KILL,
//! UPDATE STATISTICS, RECONFIGURE.

use super::Parser;
use crate::ast::{Expr, StatementKind, Waiting};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// What DBCC takes behind WITH.
const DBCC_OPTIONS: [&str; 17] = [
    "ALL_CONSTRAINTS",
    "ALL_ERRORMSGS",
    "ALL_INDEXES",
    "ALL_LEVELS",
    "COUNT_ROWS",
    "DATA_PURITY",
    "DENSITY_VECTOR",
    "ESTIMATEONLY",
    "EXTENDED_LOGICAL_CHECKS",
    "FAST",
    "HISTOGRAM",
    "NO_INFOMSGS",
    "PHYSICAL_ONLY",
    "STATS_STREAM",
    "STAT_HEADER",
    "TABLERESULTS",
    "TABLOCK",
];

impl Parser<'_> {
    pub(super) fn throw(&mut self) -> SqlResult<StatementKind> {
        self.expect("THROW")?;
        let arguments = matches!(self.kind(), TokenKind::Integer | TokenKind::Variable);
        if !arguments {
            return Ok(StatementKind::Throw(None));
        }
        let number = self.constant()?;
        self.expect_symbol(Symbol::Comma)?;
        let message = self.constant()?;
        self.expect_symbol(Symbol::Comma)?;
        let state = self.constant()?;
        Ok(StatementKind::Throw(Some((number, message, state))))
    }

    /// A literal or a variable.
    fn constant(&mut self) -> SqlResult<Expr> {
        if self.at_variable() {
            self.variable().map(Expr::Variable)
        } else {
            self.signed_literal()
        }
    }

    pub(super) fn raiserror(&mut self) -> SqlResult<StatementKind> {
        self.expect("RAISERROR")?;
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let message = self.constant()?;
        self.expect_symbol(Symbol::Comma)?;
        let severity = self.constant()?;
        self.expect_symbol(Symbol::Comma)?;
        let state = self.constant()?;
        let arguments = if self.eat_symbol(Symbol::Comma) {
            self.comma_separated(Self::constant)?
        } else {
            Vec::new()
        };
        self.expect_symbol(Symbol::RightParenthesis)?;
        let mut options = Vec::new();
        if self.eat("WITH") {
            options = self.comma_separated(|parser| {
                let option = parser.expect_any(&["LOG", "NOWAIT", "SETERROR"])?;
                Ok(option.to_owned())
            })?;
        }
        Ok(StatementKind::Raiserror {
            message,
            severity,
            state,
            arguments,
            options,
        })
    }

    pub(super) fn return_value(&mut self) -> SqlResult<StatementKind> {
        self.expect("RETURN")?;
        let value = if self.at_value() {
            Some(self.value()?)
        } else {
            None
        };
        Ok(StatementKind::Return(value))
    }

    /// Whether a value can begin here, rather than the next statement.
    fn at_value(&self) -> bool {
        match self.kind() {
            TokenKind::End => false,
            TokenKind::Symbol(symbol) => matches!(
                symbol,
                Symbol::LeftParenthesis | Symbol::Minus | Symbol::Plus | Symbol::Tilde
            ),
            TokenKind::Word if self.at_name() => {
                !self.at_symbol_ahead(1, Symbol::Colon) && !self.at("THROW")
            }
            TokenKind::Word => self.at_any(&[
                "NULL",
                "CASE",
                "COALESCE",
                "CONVERT",
                "CURRENT_TIMESTAMP",
                "LEFT",
                "NULLIF",
                "RIGHT",
                "TRY_CONVERT",
            ]),
            _ => true,
        }
    }

    pub(super) fn waitfor(&mut self) -> SqlResult<StatementKind> {
        self.expect("WAITFOR")?;
        if self.at_symbol(Symbol::LeftParenthesis) {
            return Err(self.unsupported("WAITFOR (statement)"));
        }
        let delay = self.expect_any(&["DELAY", "TIME"])? == "DELAY";
        if !self.at_text() && !self.at_variable() {
            return Err(self.syntax_error());
        }
        let time = self.constant()?;
        Ok(StatementKind::Waitfor(if delay {
            Waiting::Delay(time)
        } else {
            Waiting::Time(time)
        }))
    }

    pub(super) fn dbcc(&mut self) -> SqlResult<StatementKind> {
        self.expect("DBCC")?;
        let command = self.name()?.to_uppercase();
        let mut arguments = Vec::new();
        if self.eat_symbol(Symbol::LeftParenthesis) {
            if !self.at_symbol(Symbol::RightParenthesis) {
                arguments = self.comma_separated(Self::constant_or_word)?;
            }
            self.expect_symbol(Symbol::RightParenthesis)?;
        }
        let mut options = Vec::new();
        if self.eat("WITH") {
            options = self.comma_separated(|parser| {
                let option = parser.expect_any(&DBCC_OPTIONS)?;
                Ok(option.to_owned())
            })?;
        }
        Ok(StatementKind::Dbcc {
            command,
            arguments,
            options,
        })
    }

    pub(super) fn checkpoint(&mut self) -> SqlResult<StatementKind> {
        self.expect("CHECKPOINT")?;
        if *self.kind() == TokenKind::Integer {
            self.advance();
        }
        Ok(StatementKind::Checkpoint)
    }

    pub(super) fn kill(&mut self) -> SqlResult<StatementKind> {
        self.expect("KILL")?;
        for other in ["STATS", "QUERY"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("KILL {other}")));
            }
        }
        let session = self.signed_literal()?;
        if self.at_words(&["WITH", "STATUSONLY"]) || self.at_words(&["WITH", "COMMIT"]) {
            return Err(self.unsupported(&format!("KILL … WITH {}", self.word(1).to_uppercase())));
        }
        Ok(StatementKind::Kill(session))
    }

    pub(super) fn reconfigure(&mut self) -> SqlResult<StatementKind> {
        self.expect("RECONFIGURE")?;
        self.eat_words(&["WITH", "OVERRIDE"]);
        Ok(StatementKind::Reconfigure)
    }

    pub(super) fn update_statistics(&mut self) -> SqlResult<StatementKind> {
        const WORDS: [&str; 7] = [
            "ALL",
            "COLUMNS",
            "FULLSCAN",
            "INDEX",
            "NORECOMPUTE",
            "RESAMPLE",
            "SAMPLE",
        ];
        self.expect("UPDATE")?;
        self.expect("STATISTICS")?;
        let table = self.object_name()?;
        if self.at_symbol(Symbol::LeftParenthesis) {
            self.parenthesized(Self::name)?;
        } else if self.at_name() && !self.at_symbol_ahead(1, Symbol::Colon) {
            self.name()?;
        }
        if self.eat("WITH") {
            self.comma_separated(|parser| {
                if parser
                    .eat_any(&[
                        "INCREMENTAL",
                        "MAXDOP",
                        "PERSIST_SAMPLE_PERCENT",
                        "AUTO_DROP",
                    ])
                    .is_some()
                {
                    parser.expect_symbol(Symbol::Equal)?;
                    parser.advance();
                    return Ok(());
                }
                if parser.expect_any(&WORDS)? == "SAMPLE" {
                    parser.signed_literal()?;
                    parser.expect_any(&["PERCENT", "ROWS"])?;
                }
                Ok(())
            })?;
        }
        Ok(StatementKind::UpdateStatistics(table))
    }
}
