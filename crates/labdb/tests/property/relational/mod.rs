//! Queries and changes of tables: labdb's rows against SQLite's.

mod dialect;
mod expression;
mod query;
mod tables;

use crate::choices::{Choices, check};
use dialect::Sql;
use expression::{Column, Kind, Scope};
use query::Generator;
use std::cell::Cell;
use tables::{Both, COLUMNS};

/// Numbers grow beyond int and texts beyond their column in T-SQL, but not in SQLite.
const BEYOND: [i32; 4] = [8115, 220, 2628, 8152];

fn contents(both: &Both, tables: &[String]) -> String {
    let mut text = String::new();
    for table in tables {
        let rows = both.ask_sqlite(&format!("SELECT * FROM {table}"));
        text += &format!("{table}: {:?}\n", rows.unwrap());
    }
    text
}

fn generator<'a, 'c>(choices: &'a mut Choices<'c>, tables: &[String]) -> Generator<'a, 'c> {
    Generator {
        choices,
        tables: tables.to_vec(),
        common: Vec::new(),
        names: 0,
    }
}

#[test]
fn queries_give_the_rows_that_sqlite_gives() {
    let both = Both::start();
    let (asked, beyond, rows) = (Cell::new(0_u32), Cell::new(0_u32), Cell::new(0_usize));
    check(100, 300, |sequence| {
        let mut choices = Choices::new(sequence);
        let tables = both.fill(&mut choices);
        for _ in 0..=choices.below(4) {
            let statement = generator(&mut choices, &tables).statement();
            asked.set(asked.get() + 1);
            let complain = |got: &str, expected: &str| {
                Err(format!(
                    "{}{}\n-- SQLite: {}\nlabdb:  {got}\nSQLite: {expected}",
                    contents(&both, &tables),
                    statement.tsql,
                    statement.sqlite
                ))
            };
            let Some(expected) = both.ask_sqlite(&statement.sqlite) else {
                continue;
            };
            match both.ask_labdb(&statement.tsql) {
                Ok(got) if got == expected => rows.set(rows.get() + got.len()),
                Ok(got) => return complain(&format!("{got:?}"), &format!("{expected:?}")),
                Err((number, _)) if BEYOND.contains(&number) => beyond.set(beyond.get() + 1),
                Err((_, error)) => return complain(&error, &format!("{expected:?}")),
            }
        }
        Ok(())
    });
    let (asked, beyond, rows) = (asked.get(), beyond.get(), rows.get());
    println!("{asked} queries, {beyond} beyond a type, {rows} rows");
    assert!(
        beyond < asked / 20 && rows > asked as usize,
        "too little was compared"
    );
}

/// A change of one table; what it asks comes from the others.
fn change(choices: &mut Choices<'_>, tables: &[String]) -> Sql {
    let at = choices.below(tables.len());
    let target = tables[at].clone();
    let others: Vec<String> = tables.iter().filter(|t| **t != target).cloned().collect();
    let columns: Vec<Column> = COLUMNS
        .iter()
        .map(|(name, kind)| Column {
            name: format!("{target}.{name}"),
            kind: *kind,
        })
        .collect();
    let mut g = generator(choices, &others);
    let scope = Scope {
        columns: &columns,
        queries: true,
    };
    match g.choices.below(4) {
        0 => {
            let kinds = [Kind::Number, Kind::Number, Kind::Text];
            let (from, inner) = ("x".to_owned(), g.choices.of(&others));
            let source: Vec<Column> = COLUMNS
                .iter()
                .map(|(name, kind)| Column {
                    name: format!("x.{name}"),
                    kind: *kind,
                })
                .collect();
            let over = Scope {
                columns: &source,
                queries: false,
            };
            let shift = g.choices.of(&[10, 0, 2]);
            let mut parts = vec![Sql::same(format!("{from}.id + {shift}"))];
            parts.extend(kinds.map(|kind| g.expression(kind, over, 1)));
            let list = Sql::joined(&parts, ", ");
            let filter = g.predicate(over, 1);
            Sql::fill(
                &format!(
                    "INSERT INTO {target} (id, a, b, s) SELECT {{}} FROM {inner} x WHERE {{}}"
                ),
                &[&list, &filter],
            )
        }
        1 => {
            let filter = g.predicate(scope, 2);
            Sql::fill(&format!("DELETE FROM {target} WHERE {{}}"), &[&filter])
        }
        _ => {
            let mut parts = Vec::new();
            for (name, kind) in &COLUMNS[1..] {
                if g.choices.once_in(2) || (parts.is_empty() && *name == "s") {
                    let e = g.expression(*kind, scope, 2);
                    parts.push(Sql::fill(&format!("{name} = {{}}"), &[&e]));
                }
            }
            let list = Sql::joined(&parts, ", ");
            let filter = g.predicate(scope, 2);
            Sql::fill(
                &format!("UPDATE {target} SET {{}} WHERE {{}}"),
                &[&list, &filter],
            )
        }
    }
}

#[test]
fn changes_leave_the_rows_that_sqlite_leaves() {
    let both = Both::start();
    check(150, 200, |sequence| {
        let mut choices = Choices::new(sequence);
        let tables = both.fill(&mut choices);
        let mut history = contents(&both, &tables);
        for _ in 0..=choices.below(5) {
            let statement = change(&mut choices, &tables);
            history += &format!("{}\n", statement.tsql);
            both.change(&statement.tsql, &statement.sqlite)
                .map_err(|e| format!("{history}{e}"))?;
            for table in &tables {
                let all = format!("SELECT id, a, b, s FROM {table} ORDER BY 1, 2, 3, 4");
                let expected = both.ask_sqlite(&all).unwrap();
                let got = both.ask_labdb(&all).unwrap();
                if got != expected {
                    return Err(format!(
                        "{history}{table}\nlabdb:  {got:?}\nSQLite: {expected:?}"
                    ));
                }
            }
        }
        Ok(())
    });
}
