//! Two sessions that take turns, against a model of rows and locks: with LOCK_TIMEOUT 0 whoever
//! would have to wait gets error 1222 at once, so that every step has one right outcome.

use crate::choices::{Choices, check};
use crate::engine::{Answer, Engine, run};
use labdb::session::Session;
use labdb_types::Value;
use std::collections::BTreeMap;

/// What a session has changed in its transaction: each row is locked, and its value is what the
/// row will have; `None` is no row.
type Changes = BTreeMap<i32, Option<i32>>;

#[derive(Default)]
struct Model {
    committed: BTreeMap<i32, i32>,
    /// The open transaction of each session.
    open: [Option<Changes>; 2],
}

#[derive(Debug, PartialEq)]
enum Outcome {
    /// The rows that the statement gave or changed.
    Values(Vec<i32>),
    Error(i32),
}

const WAITS: Outcome = Outcome::Error(1222);

impl Model {
    fn locked_by_other(&self, who: usize, id: i32) -> bool {
        let other = &self.open[1 - who];
        other.as_ref().is_some_and(|c| c.contains_key(&id))
    }

    fn seen(&self, who: usize, id: i32) -> Option<i32> {
        let own = self.open[who].as_ref().and_then(|c| c.get(&id));
        own.copied()
            .unwrap_or_else(|| self.committed.get(&id).copied())
    }

    fn write(&mut self, who: usize, id: i32, value: Option<i32>) {
        match &mut self.open[who] {
            Some(changes) => {
                changes.insert(id, value);
            }
            None => self.settle(&[(id, value)].into()),
        }
    }

    fn settle(&mut self, changes: &Changes) {
        for (id, value) in changes {
            match value {
                Some(v) => self.committed.insert(*id, *v),
                None => self.committed.remove(id),
            };
        }
    }

    /// The statement, and what it shall give.
    fn step(&mut self, who: usize, choices: &mut Choices<'_>) -> (String, Outcome) {
        let id = i32::try_from(choices.below(4)).unwrap();
        let none = Outcome::Values(Vec::new());
        match choices.below(9) {
            0 | 1 => {
                let text = format!("UPDATE pair SET v = v + 10 OUTPUT inserted.v WHERE id = {id}");
                if self.locked_by_other(who, id) {
                    return (text, WAITS);
                }
                match self.seen(who, id) {
                    Some(v) => {
                        self.write(who, id, Some(v + 10));
                        (text, Outcome::Values(vec![v + 10]))
                    }
                    None => (text, none),
                }
            }
            2 => {
                let text = format!("DELETE FROM pair OUTPUT deleted.v WHERE id = {id}");
                if self.locked_by_other(who, id) {
                    return (text, WAITS);
                }
                match self.seen(who, id) {
                    Some(v) => {
                        self.write(who, id, None);
                        (text, Outcome::Values(vec![v]))
                    }
                    None => (text, none),
                }
            }
            3 => {
                let text = format!("INSERT INTO pair (id, v) VALUES ({id}, {id})");
                let other = self.open[1 - who].as_ref().and_then(|c| c.get(&id));
                let there = match other {
                    // The key is there whatever becomes of the other transaction: waiting for it
                    // and refusing the row at once are both right.
                    Some(Some(_)) if self.committed.contains_key(&id) => true,
                    Some(_) => return (text, WAITS),
                    None => self.seen(who, id).is_some(),
                };
                if there {
                    // Which locks a refused row leaves is not documented: nothing is tried.
                    return ("SELECT 1 WHERE 1 = 0".to_owned(), none);
                }
                self.write(who, id, Some(id));
                (text, none)
            }
            4 => {
                let text = format!("SELECT v FROM pair WHERE id = {id}");
                if self.locked_by_other(who, id) {
                    return (text, WAITS);
                }
                let found = self.seen(who, id).into_iter().collect();
                (text, Outcome::Values(found))
            }
            5 => {
                let text = "SELECT v FROM pair ORDER BY id".to_owned();
                if (0..4).any(|id| self.locked_by_other(who, id)) {
                    return (text, WAITS);
                }
                let found = (0..4).filter_map(|id| self.seen(who, id)).collect();
                (text, Outcome::Values(found))
            }
            6 if self.open[who].is_none() => {
                self.open[who] = Some(Changes::new());
                ("BEGIN TRANSACTION".to_owned(), none)
            }
            7 if self.open[who].is_some() => {
                self.open[who] = None;
                ("ROLLBACK".to_owned(), none)
            }
            _ => match self.open[who].take() {
                Some(changes) => {
                    self.settle(&changes);
                    ("COMMIT".to_owned(), none)
                }
                None => {
                    self.open[who] = Some(Changes::new());
                    ("BEGIN TRANSACTION".to_owned(), none)
                }
            },
        }
    }
}

fn outcome(answer: &Answer) -> Outcome {
    if let Some(e) = answer.errors.first() {
        return Outcome::Error(e.number);
    }
    let value = |row: &Vec<Value>| match row.first() {
        Some(Value::Int(v)) => *v,
        other => panic!("{other:?}"),
    };
    Outcome::Values(answer.rows.iter().map(value).collect())
}

fn play(sessions: &[Session; 2], sequence: &[u16]) -> Result<(), String> {
    let mut choices = Choices::new(sequence);
    let mut model = Model::default();
    let mut history = String::new();
    for session in sessions {
        run(session, "IF @@TRANCOUNT > 0 ROLLBACK");
    }
    run(&sessions[0], "DELETE FROM pair");
    for id in 0..3 {
        run(
            &sessions[0],
            &format!("INSERT INTO pair (id, v) VALUES ({id}, {id})"),
        );
        model.committed.insert(id, id);
    }
    for _ in 0..choices.below(30) {
        let who = choices.below(2);
        let (text, expected) = model.step(who, &mut choices);
        history += &format!("{who}: {text}\n");
        let got = outcome(&run(&sessions[who], &text));
        if got != expected {
            return Err(format!("{history}expected {expected:?}, got {got:?}"));
        }
    }
    for session in sessions {
        run(session, "IF @@TRANCOUNT > 0 ROLLBACK");
    }
    let expected = Outcome::Values(model.committed.values().copied().collect());
    let got = outcome(&run(&sessions[0], "SELECT v FROM pair ORDER BY id"));
    if got == expected {
        Ok(())
    } else {
        Err(format!(
            "{history}in the end expected {expected:?}, got {got:?}"
        ))
    }
}

#[test]
fn two_sessions_see_and_leave_what_a_model_of_row_locks_says() {
    let engine = Engine::start();
    let sessions = [engine.session("master"), engine.session("master")];
    for text in [
        "CREATE DATABASE locking",
        "ALTER DATABASE locking SET DELAYED_DURABILITY = FORCED",
        "USE locking",
        "CREATE TABLE pair (id int NOT NULL PRIMARY KEY, v int NOT NULL)",
    ] {
        assert!(run(&sessions[0], text).errors.is_empty(), "{text}");
    }
    run(&sessions[1], "USE locking");
    for session in &sessions {
        run(session, "SET LOCK_TIMEOUT 0");
    }
    check(200, 100, |sequence| play(&sessions, sequence));
}
