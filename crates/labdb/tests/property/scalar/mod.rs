//! Scalar expressions: labdb's value, type and error against those of an evaluator that was
//! written from the T-SQL reference alone, with exact arithmetic.

mod convert;
mod dates;
mod evaluate;
mod generate;
mod tree;
mod types;
mod typing;
mod value;

use crate::choices::{Choices, check};
use crate::engine::{Engine, run};
use generate::Generator;
use std::cell::Cell;
use value::{Fail, Out};

/// A query of one value, and what the reference says of it.
struct Case {
    query: String,
    ty: types::Ty,
    expected: Out,
}

fn make(sequence: &[u16]) -> Option<Case> {
    let mut choices = Choices::new(sequence);
    let mut generator = Generator {
        choices: &mut choices,
        variables: Vec::new(),
    };
    let expression = if generator.choices.once_in(4) {
        let condition = Box::new(generator.predicate(3));
        let constant = |n: i32| {
            Box::new(tree::Expr::Constant(
                types::Ty::Int,
                value::Val::Exact(value::whole(n)),
                n.to_string(),
            ))
        };
        tree::Expr::Iif(condition, constant(1), constant(0))
    } else {
        generator.any(4)
    };
    typing::check(&expression).ok()?;
    let ty = typing::of(&expression).ok()?;
    let mut query = String::new();
    for (at, (ty, v)) in generator.variables.iter().enumerate() {
        let constant = tree::text(&generate::constant_of(v, *ty));
        query += &format!("DECLARE @v{} {ty} = {constant};\n", at + 1);
    }
    query += &format!("SELECT {}", tree::text(&expression));
    let expected = match evaluate::value(&expression) {
        Err(Fail::Open(_)) => return None,
        other => other,
    };
    Some(Case {
        query,
        ty,
        expected,
    })
}

fn hold(session: &labdb::session::Session, case: &Case) -> Result<(), String> {
    let answer = run(session, &case.query);
    let complain = |got: String| {
        let expected = match &case.expected {
            Ok(v) => format!("{v} as {}", case.ty),
            Err(e) => format!("{e:?}"),
        };
        Err(format!("{}\nexpected {expected}\ngot {got}", case.query))
    };
    match (&case.expected, answer.errors.first()) {
        (Err(Fail::Error(numbers)), Some(e)) if numbers.contains(&e.number) => Ok(()),
        (_, Some(e)) => complain(e.to_string()),
        (Err(_), None) => complain(format!("{:?}", answer.rows)),
        (Ok(expected), None) => {
            let sql_type = answer.columns[0].sql_type;
            let value = &answer.rows[0][0];
            let same = types::from_engine(sql_type).is_some_and(|ty| {
                ty == case.ty && value::from_engine(value, ty).as_ref() == Some(expected)
            });
            if same {
                Ok(())
            } else {
                complain(format!("{value:?} as {sql_type:?}"))
            }
        }
    }
}

#[test]
fn expressions_have_the_value_type_and_error_of_an_evaluator_made_from_the_reference() {
    let engine = Engine::start();
    let session = engine.session("tempdb");
    let (tried, held) = (Cell::new(0_u32), Cell::new(0_u32));
    check(10_000, 120, |sequence| {
        tried.set(tried.get() + 1);
        match make(sequence) {
            None => Ok(()),
            Some(case) => {
                held.set(held.get() + 1);
                hold(&session, &case)
            }
        }
    });
    println!(
        "{} of {} cases are settled by the reference",
        held.get(),
        tried.get()
    );
    assert!(held.get() > tried.get() / 3, "too few cases are settled");
}
