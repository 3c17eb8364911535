//! The server process is killed under load, again and again, on the same files, and held to what
//! it had acknowledged to its clients.

use super::harness::{Connection, PASSWORD};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tiberius::{AuthMethod, Client, Config, EncryptionLevel, Row};
use tokio::net::TcpStream;
use tokio_util::compat::TokioAsyncWriteCompatExt;

/// Workers whose commits are durable; the one after them commits with delayed durability, and the
/// last one changes databases, tables and indexes, and takes checkpoints and backups.
const DURABLE: i32 = 3;
const DELAYED: i32 = DURABLE;

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let port = folder.join("port");
        let _ = std::fs::remove_file(&port);
        let log = std::fs::File::create(folder.join("stderr")).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_labdb"))
            .arg("--data")
            .arg(folder.join("data"))
            .args(["--listen", "127.0.0.1:0", "--port-file"])
            .arg(&port)
            .env("LABDB_PASSWORD", PASSWORD)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            if let Ok(text) = std::fs::read_to_string(&port)
                && !text.trim().is_empty()
            {
                let address = format!("127.0.0.1:{}", text.trim());
                return Self { process, address };
            }
            let ended = process.try_wait().unwrap();
            assert!(
                ended.is_none() && Instant::now() < deadline,
                "labdb did not start: {}",
                std::fs::read_to_string(folder.join("stderr")).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client with a runtime of its own, which waits for each answer.
struct Wire {
    runtime: tokio::runtime::Runtime,
    client: Connection,
}

impl Wire {
    fn connect(address: &str, database: &str) -> tiberius::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = runtime.block_on(async {
            let mut config = Config::new();
            config.authentication(AuthMethod::sql_server("sa", PASSWORD));
            config.encryption(EncryptionLevel::NotSupported);
            config.database(database);
            config.command_timeout(None);
            let socket = TcpStream::connect(address).await?;
            socket.set_nodelay(true)?;
            Box::pin(Client::connect(config, socket.compat_write())).await
        })?;
        Ok(Self { runtime, client })
    }

    fn rows(&mut self, sql: &str) -> tiberius::Result<Vec<Row>> {
        let client = &mut self.client;
        self.runtime.block_on(async {
            let sets = client.simple_query(sql).await?.into_results().await?;
            Ok(sets.into_iter().next_back().unwrap_or_default())
        })
    }

    fn must(&mut self, sql: &str) -> Vec<Row> {
        self.rows(sql).unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    fn int(&mut self, sql: &str) -> i32 {
        self.must(sql)[0].get::<i32, _>(0).unwrap()
    }
}

/// What was acknowledged.
#[derive(Default)]
struct Acknowledged {
    /// Transactions that must be there: round, worker, number.
    transactions: BTreeSet<(i32, i32, i32)>,
    /// Delayed ones, which a flush may yet promote.
    delayed: Vec<(i32, i32, i32)>,
    /// Tables and databases by name: whether they must be there, or must not.
    objects: BTreeMap<String, bool>,
}

/// Rows of a transaction: two of one table, an indexed key of the row before, and a counter.
fn transaction(round: i32, worker: i32, n: i32) -> String {
    let end = match (worker, n % 7) {
        (_, 6) => "ROLLBACK",
        (DELAYED, _) => "COMMIT WITH (DELAYED_DURABILITY = ON)",
        _ => "COMMIT",
    };
    format!(
        "BEGIN TRAN; INSERT dbo.w VALUES ({round}, {worker}, {n}, 0, 'new {round} {worker} {n}'), \
         ({round}, {worker}, {n}, 1, REPLICATE('x', {})); UPDATE dbo.w SET k = 'old {round} \
         {worker} ' + CAST(n AS varchar(9)) WHERE worker = {worker} AND round = {round} AND n = \
         {} AND twin = 0; UPDATE dbo.c SET round = {round}, n = {n} WHERE worker = {worker}; {end}",
        n % 50 * 20,
        n - 1,
    )
}

fn work(
    address: &str,
    round: i32,
    worker: i32,
    said: &Mutex<Acknowledged>,
) -> tiberius::Result<()> {
    let mut wire = Wire::connect(address, "k")?;
    wire.rows("SET NOCOUNT ON")?;
    for n in 0.. {
        wire.rows(&transaction(round, worker, n))?;
        if n % 7 == 6 {
            continue;
        }
        let name = (round, worker, n);
        if worker == DELAYED {
            said.lock().unwrap().delayed.push(name);
            if n % 200 == 150 {
                let before = said.lock().unwrap().delayed.len();
                wire.rows("EXEC sys.sp_flush_log")?;
                let mut said = said.lock().unwrap();
                let flushed: Vec<_> = said.delayed.drain(..before).collect();
                said.transactions.extend(flushed);
            }
        } else {
            said.lock().unwrap().transactions.insert(name);
        }
    }
    Ok(())
}

/// Changes of databases, tables and indexes, checkpoints and backups, one after the other.
fn maintain(
    address: &str,
    round: i32,
    folder: &Path,
    first: usize,
    said: &Mutex<Acknowledged>,
) -> tiberius::Result<()> {
    let mut wire = Wire::connect(address, "k")?;
    let backup = |n: usize| folder.join(format!("{round}_{n}.bak"));
    for n in first.. {
        let table = format!("x{round}_{n}");
        let database = format!("d{round}_{n}");
        // While it is under way it may be there or not.
        let note = |name: &str, there: Option<bool>| {
            let mut said = said.lock().unwrap();
            match there {
                Some(there) => said.objects.insert(name.to_owned(), there),
                None => said.objects.remove(name),
            };
        };
        match n % 8 {
            0 => drop(wire.rows("CHECKPOINT")?),
            1 => {
                wire.rows(&format!(
                    "CREATE TABLE dbo.{table} (id int NOT NULL, v int NOT NULL); INSERT \
                     dbo.{table} SELECT TOP (300) ROW_NUMBER() OVER (ORDER BY (SELECT 1)), 7 FROM \
                     sys.all_columns"
                ))?;
                note(&table, Some(true));
                wire.rows(&format!("CREATE UNIQUE INDEX ix ON dbo.{table} (id)"))?;
                wire.rows(&format!(
                    "ALTER TABLE dbo.{table} ADD u int NOT NULL DEFAULT 3"
                ))?;
            }
            2 => drop(wire.rows("BACKUP DATABASE k TO DISK = 'NUL'")?),
            3 => match wire.rows("BACKUP LOG k TO DISK = 'NUL'") {
                // The change of the recovery model below ended the chain.
                Err(error) if matches!(error.code(), Some(4208 | 4214)) => {}
                done => drop(done?),
            },
            4 => {
                let step = 64 * (1 + n % 5);
                wire.rows(&format!(
                    "ALTER DATABASE k MODIFY FILE (NAME = k_log, FILEGROWTH = {step}KB)"
                ))?;
                wire.rows("ALTER DATABASE k SET RECOVERY SIMPLE")?;
                wire.rows("ALTER DATABASE k SET RECOVERY FULL")?;
            }
            5 => {
                wire.rows(&format!(
                    "CREATE DATABASE {database} ON (NAME = {database}, FILENAME = \
                     '{0}/{database}.mdf', SIZE = 2MB) LOG ON (NAME = {database}_log, FILENAME = \
                     '{0}/{database}.ldf', SIZE = 512KB)",
                    folder.display()
                ))?;
                note(&database, Some(true));
                wire.rows(&format!(
                    "CREATE TABLE {database}.dbo.t (a int); INSERT {database}.dbo.t VALUES (5)"
                ))?;
                note(&database, None);
                wire.rows(&format!("DROP DATABASE {database}"))?;
                note(&database, Some(false));
            }
            6 => {
                let path = backup(n);
                wire.rows(&format!("BACKUP DATABASE k TO DISK = '{}'", path.display()))?;
                let _ = std::fs::remove_file(path);
            }
            _ => {
                let made = format!("x{round}_{}", n - 6);
                if n >= first + 6 {
                    note(&made, None);
                    wire.rows(&format!("DROP TABLE dbo.{made}"))?;
                    note(&made, Some(false));
                }
            }
        }
    }
    Ok(())
}

type Key = (i32, i32, i32, i32);

/// All rows of the table by a scan.
fn scanned(wire: &mut Wire) -> BTreeMap<Key, String> {
    let rows = wire.must("SELECT round, worker, n, twin, k FROM dbo.w");
    rows.iter()
        .map(|row| {
            let int = |at: usize| row.get::<i32, _>(at).unwrap();
            let key = row.get::<&str, _>(4).unwrap().to_owned();
            ((int(0), int(1), int(2), int(3)), key)
        })
        .collect()
}

fn check_rows(wire: &mut Wire, said: &Acknowledged, random: &mut StdRng, context: &str) {
    let rows = scanned(wire);
    assert_eq!(
        i32::try_from(rows.len()).unwrap(),
        wire.int("SELECT COUNT(*) FROM dbo.w"),
        "{context}: a key is there twice"
    );
    let names: BTreeSet<(i32, i32, i32)> = rows.keys().map(|k| (k.0, k.1, k.2)).collect();
    for name in &said.transactions {
        assert!(names.contains(name), "{context}: {name:?} was acknowledged");
    }
    for &(round, worker, n) in &names {
        assert_ne!(n % 7, 6, "{context}: it was rolled back");
        assert!(
            rows.contains_key(&(round, worker, n, 0)) && rows.contains_key(&(round, worker, n, 1)),
            "{context}: half of {:?}",
            (round, worker, n)
        );
        // Every commit before it is there: delayed ones end in a prefix, too.
        let before = if n % 7 == 0 { n - 2 } else { n - 1 };
        assert!(
            before < 0 || names.contains(&(round, worker, before)),
            "{context}: {:?} without the one before",
            (round, worker, n)
        );
    }
    // The counter and the key of the row before were changed by the same transaction.
    for row in wire.must("SELECT worker, round, n FROM dbo.c WHERE round >= 0") {
        let int = |at: usize| row.get::<i32, _>(at).unwrap();
        let (worker, round, n) = (int(0), int(1), int(2));
        let last = names
            .range((round, worker, 0)..=(round, worker, i32::MAX))
            .next_back();
        if let Some(last) = last {
            assert_eq!(last.2, n, "{context}: the counter of worker {worker}");
        }
    }
    for (&(round, worker, n, twin), key) in &rows {
        if twin == 0 {
            let next = names.contains(&(round, worker, n + 1));
            let word = if next { "old" } else { "new" };
            assert_eq!(key, &format!("{word} {round} {worker} {n}"), "{context}");
        }
    }
    // By seek as by scan.
    let all: Vec<_> = rows.iter().collect();
    for _ in 0..15.min(all.len()) {
        let (&(round, worker, n, twin), key) = all[random.random_range(0..all.len())];
        let by_key = wire.must(&format!(
            "SELECT k FROM dbo.w WHERE worker = {worker} AND round = {round} AND n = {n} AND twin \
             = {twin}"
        ));
        let found: Vec<&str> = by_key.iter().filter_map(|r| r.get(0)).collect();
        assert_eq!(found, [key.as_str()], "{context}");
        let same = all.iter().filter(|(_, k)| *k == key).count();
        assert_eq!(
            usize::try_from(wire.int(&format!("SELECT COUNT(*) FROM dbo.w WHERE k = '{key}'")))
                .unwrap(),
            same,
            "{context}: {key}"
        );
    }
}

fn check_objects(wire: &mut Wire, said: &Acknowledged, context: &str) {
    let names: BTreeSet<String> = wire
        .must("SELECT name FROM sys.tables UNION ALL SELECT name FROM sys.databases")
        .iter()
        .map(|r| r.get::<&str, _>(0).unwrap().to_owned())
        .collect();
    for (name, &there) in &said.objects {
        assert_eq!(names.contains(name), there, "{context}: {name}");
    }
    for name in &names {
        if name.starts_with('x') {
            // CREATE TABLE and the INSERT behind it are two transactions.
            let by_scan = wire.int(&format!("SELECT COUNT(*) FROM dbo.{name}"));
            let by_seek = wire.int(&format!("SELECT COUNT(*) FROM dbo.{name} WHERE id = 299"));
            assert!(
                (by_scan == 300 && by_seek == 1) || (by_scan == 0 && by_seek == 0),
                "{context}: {name} has {by_scan} rows, {by_seek} by seek"
            );
            wire.must(&format!("DROP TABLE dbo.{name}"));
        } else if name.starts_with('d') && name.contains('_') {
            wire.must(&format!(
                "SELECT COUNT(*) FROM {name}.sys.tables; DROP DATABASE {name}"
            ));
        }
    }
}

fn set_up(server: &Server, folder: &Path) {
    let mut wire = Wire::connect(&server.address, "master").unwrap();
    wire.must(&format!(
        "CREATE DATABASE k ON (NAME = k, FILENAME = '{0}/k.mdf', SIZE = 4MB, FILEGROWTH = 1MB) LOG \
         ON (NAME = k_log, FILENAME = '{0}/k.ldf', SIZE = 1MB, FILEGROWTH = 256KB)",
        folder.display()
    ));
    wire.must("ALTER DATABASE k SET DELAYED_DURABILITY = ALLOWED");
    wire.must("BACKUP DATABASE k TO DISK = 'NUL'");
    wire.must(
        "USE k; CREATE TABLE dbo.w (round int NOT NULL, worker int NOT NULL, n int NOT NULL, twin \
         int NOT NULL, k varchar(1000) NOT NULL, PRIMARY KEY (worker, round, n, twin)); CREATE \
         INDEX ix ON dbo.w (k); CREATE TABLE dbo.c (worker int PRIMARY KEY, round int NOT NULL, n \
         int NOT NULL); INSERT dbo.c VALUES (0, -1, 0), (1, -1, 0), (2, -1, 0), (3, -1, 0)",
    );
}

#[test]
fn a_killed_server_has_every_acknowledged_commit_and_no_half_change_when_it_is_back() {
    // KILLS=500 makes a long run of it.
    let kills: i32 = std::env::var("KILLS").map_or(25, |s| s.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let files: PathBuf = folder.path().join("files");
    std::fs::create_dir(&files).unwrap();
    let mut random = StdRng::seed_from_u64(11);
    let mut server = Server::start(folder.path());
    set_up(&server, &files);
    let mut all = 0;
    let mut said = Acknowledged::default();
    for round in 0..kills {
        let before = said.transactions.len();
        let shared = Mutex::new(std::mem::take(&mut said));
        let first = random.random_range(0..8);
        let moment = Duration::from_millis(random.random_range(20..350));
        let address = server.address.clone();
        std::thread::scope(|scope| {
            let (address, shared, files) = (&address, &shared, &files);
            let workers: Vec<_> = (0..=DELAYED)
                .map(|worker| scope.spawn(move || work(address, round, worker, shared)))
                .chain([scope.spawn(move || maintain(address, round, files, first, shared))])
                .collect();
            std::thread::sleep(moment);
            server.kill();
            for worker in workers {
                let error = worker.join().unwrap().unwrap_err();
                assert!(error.code().is_none(), "round {round}: {error}");
            }
        });
        said = shared.into_inner().unwrap();
        said.delayed.clear();
        all += said.transactions.len() - before;
        // A database whose creation was not acknowledged leaves files in the way of nobody.
        server = Server::start(folder.path());
        let context = format!("round {round}");
        let mut wire = Wire::connect(&server.address, "k").unwrap();
        check_rows(&mut wire, &said, &mut random, &context);
        check_objects(&mut wire, &said, &context);
        said.objects.clear();
        if round % 5 == 4 {
            wire.must("TRUNCATE TABLE dbo.w; UPDATE dbo.c SET round = -1");
            said.transactions.clear();
        }
    }
    assert!(all > 100, "the load never got going: {all} commits");
}

#[test]
fn the_identity_value_of_a_deleted_row_is_not_given_again_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    let mut wire = Wire::connect(&server.address, "master").unwrap();
    wire.must("CREATE TABLE dbo.t (id int IDENTITY, v int); INSERT dbo.t (v) VALUES (1), (2), (3)");
    wire.must("DELETE dbo.t WHERE id = 3");
    server.kill();
    let server = Server::start(folder.path());
    let mut wire = Wire::connect(&server.address, "master").unwrap();
    wire.must("INSERT dbo.t (v) VALUES (4)");
    assert_eq!(wire.int("SELECT MAX(id) FROM dbo.t"), 4);
}
