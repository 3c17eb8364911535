//! SET of the session's options.

use super::Parser;
use crate::ast::{OptionValue, StatementKind};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// Options that are ON or OFF; several may share one value.
const SWITCHES: [&str; 27] = [
    "ANSI_DEFAULTS",
    "ANSI_NULLS",
    "ANSI_NULL_DFLT_OFF",
    "ANSI_NULL_DFLT_ON",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "ARITHABORT",
    "ARITHIGNORE",
    "CONCAT_NULL_YIELDS_NULL",
    "CURSOR_CLOSE_ON_COMMIT",
    "DISABLE_DEF_CNST_CHK",
    "FMTONLY",
    "FORCEPLAN",
    "IMPLICIT_TRANSACTIONS",
    "NOCOUNT",
    "NOEXEC",
    "NO_BROWSETABLE",
    "NUMERIC_ROUNDABORT",
    "PARSEONLY",
    "QUOTED_IDENTIFIER",
    "REMOTE_PROC_TRANSACTIONS",
    "RESULT_SET_CACHING",
    "SHOWPLAN_ALL",
    "SHOWPLAN_TEXT",
    "SHOWPLAN_XML",
    "XACT_ABORT",
    "XACT_ABORT_DISTRIBUTED",
];

/// Options with a value of their own.
const VALUES: [&str; 6] = [
    "CONTEXT_INFO",
    "DATEFIRST",
    "DATEFORMAT",
    "DEADLOCK_PRIORITY",
    "LANGUAGE",
    "LOCK_TIMEOUT",
];

const ISOLATION_LEVELS: [&[&str]; 5] = [
    &["READ", "UNCOMMITTED"],
    &["READ", "COMMITTED"],
    &["REPEATABLE", "READ"],
    &["SNAPSHOT"],
    &["SERIALIZABLE"],
];

const DATE_FORMATS: [&str; 6] = ["MDY", "DMY", "YMD", "YDM", "MYD", "DYM"];

impl Parser<'_> {
    pub(super) fn set(&mut self) -> SqlResult<StatementKind> {
        self.expect("SET")?;
        if self.at_variable() {
            return self.set_variable();
        }
        if self.eat("IDENTITY_INSERT") {
            let table = Some(self.object_name()?);
            let value = OptionValue::Switch(self.switch()?);
            return Ok(StatementKind::SetOption {
                names: vec!["IDENTITY_INSERT".to_owned()],
                table,
                value,
            });
        }
        if self.eat_any(&["TRAN", "TRANSACTION"]).is_some() {
            return self.set_isolation_level();
        }
        if self.eat("STATISTICS") {
            let names = self.comma_separated(|parser| {
                let what = parser.expect_any(&["IO", "TIME", "PROFILE", "XML"])?;
                Ok(format!("STATISTICS {what}"))
            })?;
            let value = OptionValue::Switch(self.switch()?);
            return Ok(option(names, value));
        }
        if self.at_any(&SWITCHES) {
            let names = self.comma_separated(|parser| {
                let name = parser.expect_any(&SWITCHES)?;
                Ok(name.to_owned())
            })?;
            let value = OptionValue::Switch(self.switch()?);
            return Ok(option(names, value));
        }
        self.set_value()
    }

    fn set_isolation_level(&mut self) -> SqlResult<StatementKind> {
        self.expect("ISOLATION")?;
        self.expect("LEVEL")?;
        for level in ISOLATION_LEVELS {
            if self.eat_words(level) {
                return Ok(option(
                    vec!["TRANSACTION ISOLATION LEVEL".to_owned()],
                    OptionValue::Words(level.join(" ")),
                ));
            }
        }
        Err(self.syntax_error())
    }

    fn set_value(&mut self) -> SqlResult<StatementKind> {
        for other in ["OFFSETS", "FIPS_FLAGGER", "QUERY_GOVERNOR_COST_LIMIT"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("SET {other}")));
            }
        }
        let name = match self.eat_any(&["ROWCOUNT", "TEXTSIZE"]) {
            Some(name) => name,
            None if self.at_any(&VALUES) || !self.at_word() => self.expect_any(&VALUES)?,
            None => return Err(self.unknown_option()),
        };
        let value = if self.at_variable() {
            OptionValue::Expr(crate::ast::Expr::Variable(self.variable()?))
        } else {
            self.option_value(name)?
        };
        Ok(option(vec![name.to_owned()], value))
    }

    fn option_value(&mut self, name: &str) -> SqlResult<OptionValue> {
        let words = match name {
            "DATEFORMAT" => self.expect_any(&DATE_FORMATS)?.to_owned(),
            "LANGUAGE" => self.name_or_text()?.to_uppercase(),
            "DEADLOCK_PRIORITY" if self.at_word() => {
                self.expect_any(&["LOW", "NORMAL", "HIGH"])?.to_owned()
            }
            "CONTEXT_INFO" => {
                if !matches!(self.kind(), TokenKind::Binary(_)) {
                    return Err(self.syntax_error());
                }
                return self.signed_literal().map(OptionValue::Expr);
            }
            _ => {
                let signed = matches!(name, "TEXTSIZE" | "LOCK_TIMEOUT" | "DEADLOCK_PRIORITY");
                let ahead = usize::from(signed && self.at_symbol(Symbol::Minus));
                if self.token(ahead).kind != TokenKind::Integer {
                    return Err(self.syntax_error());
                }
                return self.signed_literal().map(OptionValue::Expr);
            }
        };
        Ok(OptionValue::Words(words))
    }
}

fn option(names: Vec<String>, value: OptionValue) -> StatementKind {
    StatementKind::SetOption {
        names,
        table: None,
        value,
    }
}
