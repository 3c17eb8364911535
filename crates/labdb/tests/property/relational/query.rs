//! Random queries over three small tables.

use super::dialect::Sql;
use super::expression::{Column, Kind, Scope};
use super::tables::COLUMNS;
use crate::choices::Choices;

pub(crate) struct Generator<'a, 'c> {
    pub(crate) choices: &'a mut Choices<'c>,
    /// The tables' names.
    pub(crate) tables: Vec<String>,
    /// Common tables: their text, name and columns.
    pub(crate) common: Vec<(Sql, String, Vec<Kind>)>,
    /// For names that nothing else has.
    pub(crate) names: u32,
}

/// A query and the kinds of its columns, which are named c0, c1 and so on.
pub(crate) struct Query {
    pub(crate) text: Sql,
    pub(crate) kinds: Vec<Kind>,
}

impl Generator<'_, '_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("q{}", self.names)
    }

    /// A whole statement: common tables, a query and its order. Rows that the order leaves equal
    /// are equal.
    pub(crate) fn statement(&mut self) -> Sql {
        let mut query = if self.choices.once_in(4) {
            self.set_operation(2)
        } else {
            self.select(2)
        };
        if self.choices.once_in(3) {
            query = self.first_rows(query);
        }
        let order = self.order(query.kinds.len());
        let common: Vec<Sql> = self.common.iter().map(|(text, ..)| text.clone()).collect();
        let mut text = Sql::default();
        if !common.is_empty() {
            text.push(&Sql::two("WITH ", "WITH RECURSIVE "));
            text.push(&Sql::joined(&common, ", "));
            text.push(&Sql::same(" "));
        }
        text.push(&query.text);
        text.push(&Sql::same(format!(" ORDER BY {order}")));
        text
    }

    /// Every column, in some directions.
    fn order(&mut self, columns: usize) -> String {
        let parts: Vec<String> = (1..=columns)
            .map(|at| format!("{at}{}", self.choices.of(&["", " DESC"])))
            .collect();
        parts.join(", ")
    }

    /// The first rows of a query, as a query.
    fn first_rows(&mut self, query: Query) -> Query {
        let alias = self.name();
        let order = self.order(query.kinds.len());
        let n = self.choices.below(4) + 1;
        let skip = self.choices.below(3);
        let columns = names(&alias, query.kinds.len());
        let pattern = if skip == 0 {
            Sql::two(
                format!("SELECT TOP ({n}) {columns} FROM ({{}}) {alias} ORDER BY {order}"),
                format!("SELECT {columns} FROM ({{}}) {alias} ORDER BY {order} LIMIT {n}"),
            )
        } else {
            Sql::two(
                format!(
                    "SELECT {columns} FROM ({{}}) {alias} ORDER BY {order} OFFSET {skip} ROWS \
                     FETCH NEXT {n} ROWS ONLY"
                ),
                format!(
                    "SELECT {columns} FROM ({{}}) {alias} ORDER BY {order} LIMIT {n} OFFSET {skip}"
                ),
            )
        };
        let inner = pattern.filled(&[&query.text]);
        let outer = self.name();
        let columns = names(&outer, query.kinds.len());
        Query {
            text: Sql::fill(&format!("SELECT {columns} FROM ({{}}) {outer}"), &[&inner]),
            kinds: query.kinds,
        }
    }

    fn set_operation(&mut self, depth: u32) -> Query {
        let a = self.select(depth.saturating_sub(1));
        let b = self.select_kinds(&a.kinds, depth.saturating_sub(1));
        let operator = self
            .choices
            .of(&["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]);
        let mut text = Sql::fill(&format!("{{}} {operator} {{}}"), &[&a.text, &b]);
        if operator != "INTERSECT" && self.choices.once_in(3) {
            // From left to right in both dialects, as long as there is no INTERSECT.
            let c = self.select_kinds(&a.kinds, 0);
            let operator = self.choices.of(&["UNION ALL", "UNION", "EXCEPT"]);
            text = Sql::fill(&format!("{{}} {operator} {{}}"), &[&text, &c]);
        }
        Query {
            text,
            kinds: a.kinds,
        }
    }

    pub(crate) fn select(&mut self, depth: u32) -> Query {
        let kinds: Vec<Kind> = (0..=self.choices.below(3)).map(|_| self.kind()).collect();
        let text = self.select_kinds(&kinds, depth);
        Query { text, kinds }
    }

    fn select_kinds(&mut self, kinds: &[Kind], depth: u32) -> Sql {
        let (from, columns) = self.from(depth);
        let scope = Scope {
            columns: &columns,
            queries: true,
        };
        let filter = if self.choices.below(3) > 0 {
            let p = self.predicate(scope, 2);
            Sql::fill(" WHERE {}", &[&p])
        } else {
            Sql::default()
        };
        let (list, tail) = match self.choices.below(4) {
            0 | 1 => (self.list(kinds, scope), Sql::default()),
            2 => self.grouped(kinds, &columns),
            _ => (self.windows(kinds, &columns), Sql::default()),
        };
        let distinct = if self.choices.once_in(5) {
            "DISTINCT "
        } else {
            ""
        };
        let pattern = format!("SELECT {distinct}{{}} FROM {{}}{{}}{{}}");
        Sql::fill(&pattern, &[&list, &from, &filter, &tail])
    }

    fn list(&mut self, kinds: &[Kind], scope: Scope<'_>) -> Sql {
        let parts: Vec<Sql> = kinds
            .iter()
            .map(|kind| self.expression(*kind, scope, 2))
            .collect();
        named(&parts)
    }

    fn grouped(&mut self, kinds: &[Kind], columns: &[Column]) -> (Sql, Sql) {
        let mut keys: Vec<Column> = Vec::new();
        for _ in 0..self.choices.below(3) {
            let key = self.choices.of(columns);
            if keys.iter().all(|k| k.name != key.name) {
                keys.push(key);
            }
        }
        let over = Scope {
            columns: &keys,
            queries: true,
        };
        let parts: Vec<Sql> = kinds
            .iter()
            .map(|kind| {
                // Without keys it is the aggregates that make it one row.
                if !keys.is_empty() && self.choices.once_in(2) {
                    self.expression(*kind, over, 1)
                } else {
                    self.aggregate(*kind, columns)
                }
            })
            .collect();
        let mut tail = Sql::default();
        if !keys.is_empty() {
            let names: Vec<&str> = keys.iter().map(|k| k.name.as_str()).collect();
            tail.push(&Sql::same(format!(" GROUP BY {}", names.join(", "))));
        }
        let list = named(&parts);
        if self.choices.once_in(3) {
            let a = self.aggregate(Kind::Number, columns);
            let operator = self.choices.of(&[">", "<", "="]);
            let b = self.constant(Kind::Number);
            tail.push(&Sql::fill(
                &format!(" HAVING {{}} {operator} {{}}"),
                &[&a, &b],
            ));
        }
        (list, tail)
    }

    fn aggregate(&mut self, kind: Kind, columns: &[Column]) -> Sql {
        let scope = Scope {
            columns,
            queries: false,
        };
        let e = self.expression(kind, scope, 1);
        if kind == Kind::Text {
            let function = self.choices.of(&["MIN", "MAX"]);
            return Sql::fill(&format!("{function}({{}})"), &[&e]);
        }
        let any = self.kind();
        let counted = self.expression(any, scope, 1);
        match self.choices.below(8) {
            0 => Sql::same("COUNT(*)"),
            1 => Sql::fill("COUNT({})", &[&counted]),
            2 => Sql::fill("COUNT(DISTINCT {})", &[&counted]),
            3 => Sql::fill("SUM({})", &[&e]),
            4 => Sql::fill("SUM(DISTINCT {})", &[&e]),
            5 => Sql::fill("MIN({})", &[&e]),
            6 => Sql::fill("MAX({})", &[&e]),
            // The average of whole numbers is one, cut off as their quotient is.
            _ => Sql::two("AVG({})", "(SUM({}) / COUNT({}))").filled(&[&e, &e]),
        }
    }

    /// A list with window functions. Where rows have to be told apart, all columns order them:
    /// those that stay equal are equal.
    fn windows(&mut self, kinds: &[Kind], columns: &[Column]) -> Sql {
        let scope = Scope {
            columns,
            queries: false,
        };
        let parts: Vec<Sql> = kinds
            .iter()
            .map(|kind| {
                let e = self.expression(*kind, scope, 1);
                if self.choices.once_in(3) {
                    return e;
                }
                let one = self.choices.of(columns).name;
                let partition = if self.choices.once_in(2) {
                    format!("PARTITION BY {} ", self.choices.of(columns).name)
                } else {
                    String::new()
                };
                let direction = self.choices.of(&["", " DESC"]);
                let all: Vec<String> = columns
                    .iter()
                    .map(|c| format!("{}{direction}", c.name))
                    .collect();
                let by_one = format!("OVER ({partition}ORDER BY {one}{direction})");
                let by_all = format!("{partition}ORDER BY {}", all.join(", "));
                let frame = self.choices.of(&[
                    "ROWS UNBOUNDED PRECEDING",
                    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
                    "RANGE UNBOUNDED PRECEDING",
                ]);
                let number = *kind == Kind::Number;
                match self.choices.below(9) {
                    0 if number => Sql::same(format!("ROW_NUMBER() OVER ({by_all})")),
                    1 if number => Sql::same(format!("RANK() {by_one}")),
                    2 if number => Sql::same(format!("DENSE_RANK() {by_one}")),
                    3 if number => Sql::fill(&format!("SUM({{}}) {by_one}"), &[&e]),
                    4 if number => Sql::fill(&format!("SUM({{}}) OVER ({partition})"), &[&e]),
                    5 if number => Sql::fill(&format!("COUNT({{}}) {by_one}"), &[&e]),
                    6 if number => Sql::same(format!("NTILE(2) OVER ({by_all})")),
                    2 => Sql::fill(&format!("FIRST_VALUE({{}}) OVER ({by_all} {frame})"), &[&e]),
                    5 => Sql::fill(&format!("MIN({{}}) OVER ({by_all} {frame})"), &[&e]),
                    6 => Sql::fill(&format!("MAX({{}}) {by_one}"), &[&e]),
                    7 => Sql::fill(&format!("LAG({{}}) OVER ({by_all})"), &[&e]),
                    8 => Sql::fill(&format!("LAST_VALUE({{}}) OVER ({by_all} {frame})"), &[&e]),
                    _ => Sql::fill(&format!("LEAD({{}}, 2) OVER ({by_all})"), &[&e]),
                }
            })
            .collect();
        named(&parts)
    }

    /// Sources and their joins, with all their columns.
    fn from(&mut self, depth: u32) -> (Sql, Vec<Column>) {
        let (mut text, mut columns) = self.source(depth);
        for _ in 0..self.choices.below(3) {
            let (right, more) = self.source(depth.saturating_sub(1));
            columns.extend(more);
            // No RIGHT JOIN: in a part of a UNION ALL under a LIMIT, SQLite's has wrong rows.
            let join = self
                .choices
                .of(&["INNER JOIN", "LEFT JOIN", "FULL JOIN", "CROSS JOIN"]);
            let scope = Scope {
                columns: &columns,
                queries: false,
            };
            text = if join == "CROSS JOIN" {
                Sql::fill("{} CROSS JOIN {}", &[&text, &right])
            } else {
                let on = self.predicate(scope, 1);
                Sql::fill(&format!("{{}} {join} {{}} ON {{}}"), &[&text, &right, &on])
            };
        }
        (text, columns)
    }

    fn source(&mut self, depth: u32) -> (Sql, Vec<Column>) {
        let alias = self.name();
        let derived = |kinds: &[Kind], alias: &str| {
            kinds
                .iter()
                .enumerate()
                .map(|(at, kind)| Column {
                    name: format!("{alias}.c{at}"),
                    kind: *kind,
                })
                .collect::<Vec<_>>()
        };
        match if depth == 0 { 0 } else { self.choices.below(8) } {
            5 => {
                let query = self.select(depth - 1);
                let columns = derived(&query.kinds, &alias);
                (
                    Sql::fill(&format!("({{}}) {alias}"), &[&query.text]),
                    columns,
                )
            }
            6 => {
                let (name, kinds) = self.common_table(depth);
                let columns = derived(&kinds, &alias);
                (Sql::same(format!("{name} {alias}")), columns)
            }
            7 => {
                let query = self.set_operation(depth - 1);
                let query = self.first_rows(query);
                let columns = derived(&query.kinds, &alias);
                (
                    Sql::fill(&format!("({{}}) {alias}"), &[&query.text]),
                    columns,
                )
            }
            _ => {
                let table = self.choices.of(&self.tables.clone());
                let columns = COLUMNS
                    .iter()
                    .map(|(name, kind)| Column {
                        name: format!("{alias}.{name}"),
                        kind: *kind,
                    })
                    .collect();
                (Sql::same(format!("{table} {alias}")), columns)
            }
        }
    }

    /// A common table, a new one or one that is there already.
    fn common_table(&mut self, depth: u32) -> (String, Vec<Kind>) {
        if !self.common.is_empty() && self.choices.once_in(2) {
            let (_, name, kinds) = self.choices.of(&self.common.clone());
            return (name, kinds);
        }
        let name = self.name();
        let (text, kinds) = match self.choices.below(3) {
            0 => {
                let query = self.select(depth - 1);
                (query.text, query.kinds)
            }
            1 => {
                let most = self.choices.below(5);
                let text = format!(
                    "SELECT 1 AS c0 UNION ALL SELECT {name}.c0 + 1 FROM {name} WHERE {name}.c0 < \
                     {most}"
                );
                (Sql::same(text), vec![Kind::Number])
            }
            _ => {
                // Along the edges a to b of a table, a few steps.
                let (from, edges) = (
                    self.choices.of(&self.tables.clone()),
                    self.choices.of(&self.tables.clone()),
                );
                let text = format!(
                    "SELECT f.a AS c0, 0 AS c1 FROM {from} f UNION ALL SELECT e.b, {name}.c1 + 1 \
                     FROM {name} INNER JOIN {edges} e ON e.a = {name}.c0 WHERE {name}.c1 < 3"
                );
                (Sql::same(text), vec![Kind::Number, Kind::Number])
            }
        };
        let columns: Vec<String> = (0..kinds.len()).map(|at| format!("c{at}")).collect();
        let text = Sql::fill(
            &format!("{name} ({}) AS ({{}})", columns.join(", ")),
            &[&text],
        );
        self.common.push((text, name.clone(), kinds.clone()));
        (name, kinds)
    }

    /// A query of one row, which sees the columns around it.
    pub(crate) fn scalar_query(&mut self, kind: Kind, outer: Scope<'_>) -> Sql {
        let (from, inner) = self.source(0);
        let filter = self.correlation(&inner, outer);
        let aggregate = self.aggregate(kind, &inner);
        Sql::fill(
            "(SELECT {} FROM {} WHERE {})",
            &[&aggregate, &from, &filter],
        )
    }

    /// A query of one column, which sees the columns around it.
    pub(crate) fn column_query(&mut self, kind: Kind, outer: Scope<'_>) -> Sql {
        let (from, inner) = self.source(0);
        let scope = Scope {
            columns: &inner,
            queries: false,
        };
        let e = self.expression(kind, scope, 1);
        if self.choices.once_in(3) {
            return Sql::fill("SELECT {} FROM {}", &[&e, &from]);
        }
        let filter = self.correlation(&inner, outer);
        Sql::fill("SELECT {} FROM {} WHERE {}", &[&e, &from, &filter])
    }

    fn correlation(&mut self, inner: &[Column], outer: Scope<'_>) -> Sql {
        let mut columns = inner.to_vec();
        columns.extend(outer.columns.iter().cloned());
        let scope = Scope {
            columns: &columns,
            queries: false,
        };
        self.predicate(scope, 1)
    }
}

fn names(alias: &str, columns: usize) -> String {
    let parts: Vec<String> = (0..columns).map(|at| format!("{alias}.c{at}")).collect();
    parts.join(", ")
}

fn named(parts: &[Sql]) -> Sql {
    let parts: Vec<Sql> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| Sql::fill(&format!("{{}} AS c{at}"), &[part]))
        .collect();
    Sql::joined(&parts, ", ")
}
