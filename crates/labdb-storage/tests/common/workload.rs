//! Random transactions against a model of what was asked for and what was acknowledged.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use labdb_storage::{Database, HeapId, NoWaits, Options, RowId, StorageError, Transaction};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::sim_disk::{Fate, SimDisk};
use super::{rows, small_spec};

pub(crate) type Model = BTreeMap<HeapId, BTreeMap<RowId, Vec<u8>>>;

pub(crate) const FATES: [Fate; 4] = [Fate::Kept, Fate::Lost, Fate::Reordered, Fate::Torn];

pub(crate) fn options() -> Options {
    Options {
        buffer_pool_bytes: 1 << 20,
        checkpoint_log_bytes: 0,
        lazy_flush_interval: Duration::from_hours(1),
        ..Options::default()
    }
}

pub(crate) fn open(disk: &SimDisk) -> Result<Arc<Database>, StorageError> {
    Database::open(Path::new("/small.mdf"), &options(), Arc::new(disk.clone()))
}

pub(crate) fn created() -> SimDisk {
    let disk = SimDisk::default();
    let mut spec = small_spec(Path::new("/"));
    spec.log[0].size = 512 << 10;
    let db = Database::create(&spec, &options(), Arc::new(disk.clone())).unwrap();
    db.close().unwrap();
    disk
}

/// What was asked for and what was acknowledged.
#[derive(Default)]
pub(crate) struct History {
    /// The state after each commit, from the empty one on.
    pub(crate) states: Vec<Model>,
    /// The number of the last state that must be there.
    pub(crate) durable: usize,
    /// A commit failed in a way that says neither yes nor no.
    pub(crate) in_doubt: bool,
}

/// Rows as `page:slot=length*byte`.
pub(crate) fn brief(rows: &BTreeMap<RowId, Vec<u8>>) -> String {
    let row =
        |(id, bytes): (&RowId, &Vec<u8>)| format!("{id}={}*{:?} ", bytes.len(), bytes.first());
    rows.iter().map(row).collect()
}

pub(crate) fn bytes(random: &mut StdRng, longest: usize) -> Vec<u8> {
    let length = random.random_range(0..longest);
    vec![random.random(); length]
}

/// Runs random transactions until one fails, noting what was acknowledged.
pub(crate) fn work(
    db: &Arc<Database>,
    history: &mut History,
    random: &mut StdRng,
    transactions: usize,
) -> Result<(), StorageError> {
    for _ in 0..transactions {
        transact(db, history, random, 0.3)?;
    }
    Ok(())
}

/// Runs one random transaction, with long rows so often, and perhaps a checkpoint or a flush.
pub(crate) fn transact(
    db: &Arc<Database>,
    history: &mut History,
    random: &mut StdRng,
    long: f64,
) -> Result<(), StorageError> {
    {
        let mut model = history.states.last().unwrap().clone();
        let mut txn = db.begin(Arc::new(NoWaits));
        // Long rows now and then, so that the log goes round its four VLFs.
        let longest = if random.random_bool(long) { 7000 } else { 100 };
        let mut saved = None;
        for _ in 0..random.random_range(1..8) {
            let heap = *model.keys().choose(random).unwrap();
            let row = model[&heap].keys().copied().choose(random);
            match (random.random_range(0..20), row) {
                (0, _) if model.len() < 4 => {
                    let heap = db.create_heap(&mut txn)?;
                    model.insert(heap, BTreeMap::new());
                }
                (1, _) => {
                    db.truncate(&mut txn, heap)?;
                    model.insert(heap, BTreeMap::new());
                }
                (2, _) if heap != HeapId::CATALOG => {
                    db.drop_heap(&mut txn, heap)?;
                    model.remove(&heap);
                }
                (3, _) => {
                    db.savepoint(&mut txn, "s");
                    saved = Some(model.clone());
                }
                (4, _) if saved.is_some() => {
                    db.rollback_to_savepoint(&mut txn, "s")?;
                    model = saved.clone().unwrap();
                }
                (5..=8, Some(row)) => {
                    let new = bytes(random, longest);
                    let id = db.update(&mut txn, heap, row, &new)?;
                    let heap = model.get_mut(&heap).unwrap();
                    heap.remove(&row);
                    heap.insert(id, new);
                }
                (9..=11, Some(row)) => {
                    db.delete(&mut txn, heap, row)?;
                    model.get_mut(&heap).unwrap().remove(&row);
                }
                _ => {
                    let new = bytes(random, longest);
                    let id = db.insert(&mut txn, heap, &new)?;
                    model.get_mut(&heap).unwrap().insert(id, new);
                }
            }
        }
        match random.random_range(0..10) {
            0 | 1 => {
                db.rollback(txn)?;
                model = history.states.last().unwrap().clone();
            }
            2..=4 => {
                history.states.push(model.clone());
                commit(db, history, txn, false)?;
            }
            _ => {
                history.states.push(model.clone());
                if commit(db, history, txn, true)? {
                    history.durable = history.states.len() - 1;
                }
            }
        }
        for (&heap, rows_of_model) in &model {
            // A database that has stopped shows nothing: it could not take back what it had begun.
            let seen: BTreeMap<RowId, Vec<u8>> = db
                .scan(heap)
                .filter(|row| !row.as_ref().is_ok_and(|row| row.ghost))
                .map(|row| row.map(|row| (row.id, row.bytes)))
                .collect::<Result<_, _>>()?;
            assert!(
                &seen == rows_of_model,
                "heap {heap}: {}, expected {}",
                brief(&seen),
                brief(rows_of_model)
            );
        }
        match random.random_range(0..12) {
            0 => db.checkpoint()?,
            1 => {
                db.flush_log(&NoWaits)?;
                history.durable = history.states.len() - 1;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Commits; says whether that wrote anything. A commit that found no log space was rolled back.
fn commit(
    db: &Arc<Database>,
    history: &mut History,
    txn: Transaction,
    durable: bool,
) -> Result<bool, StorageError> {
    match db.commit(txn, durable) {
        Ok(commit) => Ok(commit.lsn.is_some()),
        Err(error) => {
            // A log that could not be written stops everything; one that could not grow does not.
            if db.flush_log(&NoWaits).is_ok() {
                history.states.pop();
            } else {
                history.in_doubt = true;
            }
            Err(error)
        }
    }
}

/// The number of the state that the database is in, among those that it may be in.
pub(crate) fn check(db: &Arc<Database>, history: &History, context: &str) -> usize {
    let found = (history.durable..history.states.len()).rev().find(|&at| {
        history.states[at]
            .iter()
            .all(|(&heap, model)| &rows(db, heap) == model)
    });
    found.unwrap_or_else(|| {
        let (first, end) = (history.durable, history.states.len());
        let seen: Vec<String> = history.states[first]
            .iter()
            .map(|(&heap, model)| {
                let (seen, model) = (brief(&rows(db, heap)), brief(model));
                format!("heap {heap}: {seen}, expected {model}")
            })
            .collect();
        panic!("{context}: in none of the states {first}..{end}; {seen:?}")
    })
}

pub(crate) fn start_of_history() -> History {
    History {
        states: vec![Model::from([(HeapId::CATALOG, BTreeMap::new())])],
        ..History::default()
    }
}
