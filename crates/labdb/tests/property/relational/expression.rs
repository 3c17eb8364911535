//! Random expressions and predicates over the columns that are in scope.

use super::dialect::Sql;
use super::query::Generator;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Number,
    Text,
}

/// A column that an expression may name.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// What an expression may hold.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) columns: &'a [Column],
    /// Whether it may hold queries, which see the columns.
    pub(crate) queries: bool,
}

impl Generator<'_, '_> {
    pub(crate) fn kind(&mut self) -> Kind {
        self.choices.of(&[Kind::Number, Kind::Number, Kind::Text])
    }

    pub(crate) fn expression(&mut self, kind: Kind, scope: Scope<'_>, depth: u32) -> Sql {
        if depth == 0 || self.choices.below(3) < 2 {
            return self.leaf(kind, scope);
        }
        let depth = depth - 1;
        let two = |g: &mut Self| {
            let a = g.expression(kind, scope, depth);
            (a, g.expression(kind, scope, depth))
        };
        match self.choices.below(7) {
            0 | 1 => {
                let (a, b) = two(self);
                match kind {
                    Kind::Number => {
                        let operator = self.choices.of(&["+", "-", "*"]);
                        Sql::fill(&format!("({{}} {operator} {{}})"), &[&a, &b])
                    }
                    Kind::Text => Sql::two("({} + {})", "({} || {})").filled(&[&a, &b]),
                }
            }
            2 => {
                let (a, b) = two(self);
                let p = self.predicate(scope, depth);
                Sql::fill("CASE WHEN {} THEN {} ELSE {} END", &[&p, &a, &b])
            }
            3 => {
                let (a, b) = two(self);
                Sql::fill("COALESCE({}, {})", &[&a, &b])
            }
            4 => {
                let (a, b) = two(self);
                Sql::fill("NULLIF({}, {})", &[&a, &b])
            }
            5 if kind == Kind::Number => {
                let text = self.expression(Kind::Text, scope, depth);
                Sql::two("LEN({})", "LENGTH({})").filled(&[&text])
            }
            5 => {
                let text = self.expression(Kind::Text, scope, depth);
                Sql::two("SUBSTRING({}, 1, 1)", "SUBSTR({}, 1, 1)").filled(&[&text])
            }
            _ if scope.queries => self.scalar_query(kind, scope),
            _ => {
                let p = self.predicate(scope, depth);
                let a = self.leaf(kind, scope);
                Sql::fill("CASE WHEN {} THEN {} END", &[&p, &a])
            }
        }
    }

    fn leaf(&mut self, kind: Kind, scope: Scope<'_>) -> Sql {
        let columns: Vec<&Column> = scope.columns.iter().filter(|c| c.kind == kind).collect();
        if !columns.is_empty() && self.choices.below(4) < 3 {
            return Sql::same(self.choices.of(&columns).name.clone());
        }
        self.constant(kind)
    }

    pub(crate) fn constant(&mut self, kind: Kind) -> Sql {
        match kind {
            Kind::Number => Sql::same(self.choices.of(&["1", "0", "2", "(-1)", "3"])),
            Kind::Text => Sql::same(self.choices.of(&["'a'", "'b'", "''", "'ab'"])),
        }
    }

    pub(crate) fn predicate(&mut self, scope: Scope<'_>, depth: u32) -> Sql {
        if depth > 0 && self.choices.once_in(3) {
            let a = self.predicate(scope, depth - 1);
            return match self.choices.below(3) {
                0 => Sql::fill("(NOT {})", &[&a]),
                1 => {
                    let b = self.predicate(scope, depth - 1);
                    Sql::fill("({} AND {})", &[&a, &b])
                }
                _ => {
                    let b = self.predicate(scope, depth - 1);
                    Sql::fill("({} OR {})", &[&a, &b])
                }
            };
        }
        let kind = self.kind();
        let depth = depth.min(1);
        let a = self.expression(kind, scope, depth);
        let not = if self.choices.once_in(2) { "NOT " } else { "" };
        match self.choices.below(9) {
            0 => Sql::fill(&format!("({{}} IS {not}NULL)"), &[&a]),
            1 => {
                let (low, high) = (self.leaf(kind, scope), self.leaf(kind, scope));
                let pattern = format!("({{}} {not}BETWEEN {{}} AND {{}})");
                Sql::fill(&pattern, &[&a, &low, &high])
            }
            2 => {
                let mut some = vec![self.leaf(kind, scope)];
                for _ in 0..self.choices.below(3) {
                    some.push(self.leaf(kind, scope));
                }
                if self.choices.once_in(4) {
                    some.push(Sql::same("NULL"));
                }
                let list = Sql::joined(&some, ", ");
                Sql::fill(&format!("({{}} {not}IN ({{}}))"), &[&a, &list])
            }
            3 if scope.queries => {
                let query = self.column_query(kind, scope);
                Sql::fill(&format!("({{}} {not}IN ({{}}))"), &[&a, &query])
            }
            4 if scope.queries => {
                let query = self.column_query(kind, scope);
                Sql::fill(&format!("({not}EXISTS ({{}}))"), &[&query])
            }
            5 if kind == Kind::Text => {
                let pattern = self.choices.of(&["'a%'", "'%b'", "'_'", "''", "'a_'"]);
                Sql::fill(&format!("({{}} {not}LIKE {pattern})"), &[&a])
            }
            _ => {
                let operator = self.choices.of(&["=", "=", "<", ">", "<>", "<=", ">="]);
                let b = self.expression(kind, scope, depth);
                Sql::fill(&format!("({{}} {operator} {{}})"), &[&a, &b])
            }
        }
    }
}
