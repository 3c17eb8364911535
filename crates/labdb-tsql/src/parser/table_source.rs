//! What stands in FROM: tables, functions, derived tables, joins.

use super::Parser;
use crate::ast::{Apply, Expr, JoinKind, ObjectName, Query, TableHint, TableSource};
use crate::lexer::Symbol;
use labdb_types::SqlResult;

/// Every table hint of SQL Server.
const TABLE_HINTS: [&str; 25] = [
    "FASTFIRSTROW",
    "FORCESCAN",
    "FORCESEEK",
    "HOLDLOCK",
    "IGNORE_CONSTRAINTS",
    "IGNORE_TRIGGERS",
    "INDEX",
    "KEEPDEFAULTS",
    "KEEPIDENTITY",
    "NOEXPAND",
    "NOLOCK",
    "NOWAIT",
    "PAGLOCK",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "READPAST",
    "READUNCOMMITTED",
    "REPEATABLEREAD",
    "ROWLOCK",
    "SERIALIZABLE",
    "SNAPSHOT",
    "TABLOCK",
    "TABLOCKX",
    "UPDLOCK",
    "XLOCK",
];

/// The words that begin a join.
const JOIN_WORDS: [&str; 7] = ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "OUTER"];

/// Sources of rows outside the server, or with a grammar of their own.
const OTHER_SOURCES: [&str; 6] = [
    "CONTAINSTABLE",
    "FREETEXTTABLE",
    "OPENDATASOURCE",
    "OPENQUERY",
    "OPENROWSET",
    "OPENXML",
];

/// What parentheses in FROM turned out to hold.
enum Parenthesized {
    Query(Box<Query>),
    Values(Vec<Vec<Expr>>),
    Source(TableSource),
}

impl Parser<'_> {
    /// `FROM source, …`; nothing where FROM does not stand here.
    pub(super) fn optional_from(&mut self) -> SqlResult<Vec<TableSource>> {
        if self.eat("FROM") {
            self.comma_separated(Self::table_source)
        } else {
            Ok(Vec::new())
        }
    }

    fn table_source(&mut self) -> SqlResult<TableSource> {
        self.nest(|parser| {
            let first = parser.single_source()?;
            parser.joins(first)
        })
    }

    fn joins(&mut self, first: TableSource) -> SqlResult<TableSource> {
        let mut left = first;
        while self.at_any(&JOIN_WORDS) {
            left = self.join(left)?;
            self.grow()?;
        }
        Ok(left)
    }

    /// One join, with the source before it. Joins may nest to the right: `a JOIN b JOIN c ON … ON …`.
    fn join(&mut self, left: TableSource) -> SqlResult<TableSource> {
        let left = Box::new(left);
        if self.at_any(&["CROSS", "OUTER"]) && self.at_ahead(1, "APPLY") {
            let kind = match self.expect_any(&["CROSS", "OUTER"])? {
                "CROSS" => Apply::Cross,
                _ => Apply::Outer,
            };
            self.advance();
            let right = Box::new(self.nest(Self::single_source)?);
            return Ok(TableSource::Apply { kind, left, right });
        }
        if self.eat("CROSS") {
            self.expect("JOIN")?;
            let right = Box::new(self.nest(Self::single_source)?);
            return Ok(TableSource::Join {
                kind: JoinKind::Cross,
                left,
                right,
                on: None,
            });
        }
        let kind = self.join_kind()?;
        let right = self.nest(|parser| {
            let mut right = parser.single_source()?;
            while parser.at_any(&JOIN_WORDS) {
                right = parser.join(right)?;
                parser.grow()?;
            }
            Ok(right)
        })?;
        self.expect("ON")?;
        let on = Some(self.condition()?);
        Ok(TableSource::Join {
            kind,
            left,
            right: Box::new(right),
            on,
        })
    }

    /// The words up to JOIN. A join hint (LOOP, HASH, MERGE, REMOTE) says how to find the rows,
    /// not which, and is not kept.
    fn join_kind(&mut self) -> SqlResult<JoinKind> {
        if self.eat("JOIN") {
            return Ok(JoinKind::Inner);
        }
        let kind = match self.expect_any(&["INNER", "LEFT", "RIGHT", "FULL"])? {
            "INNER" => JoinKind::Inner,
            "LEFT" => JoinKind::Left,
            "RIGHT" => JoinKind::Right,
            _ => JoinKind::Full,
        };
        if kind != JoinKind::Inner {
            self.eat("OUTER");
        }
        self.eat_any(&["LOOP", "HASH", "MERGE", "REMOTE"]);
        self.expect("JOIN")?;
        Ok(kind)
    }

    fn single_source(&mut self) -> SqlResult<TableSource> {
        let source = if self.at_symbol(Symbol::LeftParenthesis) {
            let inner = self.parenthesized_source()?;
            self.derived(inner)?
        } else if self.at_variable() {
            let name = self.variable()?;
            if self.at_symbol(Symbol::Dot) {
                return Err(self.unsupported("method call"));
            }
            let alias = self.optional_alias()?;
            TableSource::Variable { name, alias }
        } else if self.at_any(&OTHER_SOURCES) {
            return Err(self.unsupported(&self.word(0).to_uppercase()));
        } else {
            self.named_source()?
        };
        for construct in ["PIVOT", "UNPIVOT", "TABLESAMPLE"] {
            if self.at(construct) {
                return Err(self.unsupported(construct));
            }
        }
        Ok(source)
    }

    /// A table or a table function.
    fn named_source(&mut self) -> SqlResult<TableSource> {
        let name = self.object_name()?;
        if self.at_symbol(Symbol::LeftParenthesis) && !self.at_hints(0) {
            return self.function_source(name);
        }
        if self.at_words(&["FOR", "SYSTEM_TIME"]) {
            return Err(self.unsupported("FOR SYSTEM_TIME"));
        }
        let mut hints = self.optional_hints()?;
        let alias = self.optional_alias()?;
        if self.at("TABLESAMPLE") {
            return Err(self.unsupported("TABLESAMPLE"));
        }
        hints.extend(self.optional_hints()?);
        Ok(TableSource::Table { name, alias, hints })
    }

    fn function_source(&mut self, name: ObjectName) -> SqlResult<TableSource> {
        let call = self.function(name)?;
        if self.at("WITH") && self.at_symbol_ahead(1, Symbol::LeftParenthesis) && !self.at_hints(1)
        {
            return Err(self.unsupported("OPENJSON … WITH"));
        }
        let alias = self.optional_alias()?;
        let columns = if alias.is_some() {
            self.optional_columns()?
        } else {
            Vec::new()
        };
        Ok(TableSource::Function {
            call,
            alias,
            columns,
        })
    }

    /// Parentheses may hold a query, rows or a join, and which one shows only inside: after the
    /// inner parentheses have been read.
    fn parenthesized_source(&mut self) -> SqlResult<Parenthesized> {
        self.nest(|parser| {
            parser.expect_symbol(Symbol::LeftParenthesis)?;
            let inner = parser.in_source_parentheses()?;
            parser.expect_symbol(Symbol::RightParenthesis)?;
            Ok(inner)
        })
    }

    fn in_source_parentheses(&mut self) -> SqlResult<Parenthesized> {
        if self.at("SELECT") {
            return Ok(Parenthesized::Query(Box::new(self.query()?)));
        }
        if self.at("VALUES") {
            return self.row_values().map(Parenthesized::Values);
        }
        for statement in ["INSERT", "UPDATE", "DELETE", "MERGE"] {
            if self.at(statement) {
                return Err(self.unsupported(&format!("{statement} in FROM")));
            }
        }
        let first = if self.at_symbol(Symbol::LeftParenthesis) {
            let inner = self.parenthesized_source()?;
            if let Parenthesized::Query(query) = inner {
                if self.at_query_continuation() || self.at_symbol(Symbol::RightParenthesis) {
                    let query = self.continue_query(*query)?;
                    return Ok(Parenthesized::Query(Box::new(query)));
                }
                self.derived(Parenthesized::Query(query))?
            } else {
                self.derived(inner)?
            }
        } else {
            self.single_source()?
        };
        self.joins(first).map(Parenthesized::Source)
    }

    /// The name behind the parentheses; a join in parentheses has none.
    fn derived(&mut self, inner: Parenthesized) -> SqlResult<TableSource> {
        let source = match inner {
            Parenthesized::Source(source) => return Ok(source),
            other => other,
        };
        let alias = self.optional_alias()?;
        if alias.is_none() {
            return Err(self.syntax_error());
        }
        let columns = self.optional_columns()?;
        Ok(match source {
            Parenthesized::Query(query) => TableSource::Derived {
                query,
                alias,
                columns,
            },
            Parenthesized::Values(rows) => TableSource::Values {
                rows,
                alias,
                columns,
            },
            Parenthesized::Source(source) => source,
        })
    }

    /// `VALUES (…), (…)`.
    pub(super) fn row_values(&mut self) -> SqlResult<Vec<Vec<Expr>>> {
        self.expect("VALUES")?;
        self.comma_separated(|parser| parser.parenthesized(Self::value_or_default))
    }

    fn optional_alias(&mut self) -> SqlResult<Option<String>> {
        let implicit = self.at_name() && !self.at_symbol_ahead(1, Symbol::Colon);
        if self.eat("AS") || implicit {
            self.name().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Whether `( hint` stands some tokens ahead.
    fn at_hints(&self, ahead: usize) -> bool {
        self.at_symbol_ahead(ahead, Symbol::LeftParenthesis)
            && self.at_any_ahead(ahead + 1, &TABLE_HINTS)
    }

    /// `WITH ( hint, … )` or the old form without WITH, where it is written.
    pub(super) fn optional_hints(&mut self) -> SqlResult<Vec<TableHint>> {
        let with = self.at("WITH") && self.at_hints(1);
        if !with && !self.at_hints(0) {
            return Ok(Vec::new());
        }
        if with {
            self.advance();
        }
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let mut hints = Vec::new();
        loop {
            let hint = self.expect_any(&TABLE_HINTS)?;
            hints.push(TableHint(hint.to_owned()));
            if self.at_symbol(Symbol::LeftParenthesis) {
                self.skip_parentheses()?;
            } else if hint == "INDEX" && self.eat_symbol(Symbol::Equal) {
                self.name()?;
            }
            self.eat_symbol(Symbol::Comma);
            if self.eat_symbol(Symbol::RightParenthesis) {
                return Ok(hints);
            }
        }
    }

    /// The target of INSERT, UPDATE, DELETE: a table (or an alias of one) or a table variable.
    pub(super) fn target(&mut self) -> SqlResult<TableSource> {
        if self.at_variable() {
            let name = self.variable()?;
            return Ok(TableSource::Variable { name, alias: None });
        }
        if self.at_any(&OTHER_SOURCES) {
            return Err(self.unsupported(&self.word(0).to_uppercase()));
        }
        let name = self.object_name()?;
        // Without WITH, parentheses hold the columns of an INSERT.
        let hints = if self.at("WITH") {
            self.optional_hints()?
        } else {
            Vec::new()
        };
        Ok(TableSource::Table {
            name,
            alias: None,
            hints,
        })
    }
}
