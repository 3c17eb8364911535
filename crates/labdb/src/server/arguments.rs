//! The command line.

use super::faults::Fault;
use clap::{Parser, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A small server that speaks TDS and runs a subset of T-SQL on a real write-ahead log. It is not
/// Microsoft SQL Server.
///
/// The password of the first login comes from `LABDB_PASSWORD`. Where that is not set, one is made
/// at the first start and written to DIR/password, which only the owner can read.
///
/// It runs until SIGTERM or SIGINT and then closes its databases. Exit codes: 0 it was told to
/// stop and did, 1 it could not start or run, 2 the command line is wrong.
#[derive(Debug, Parser)]
#[command(name = "labdb", version)]
pub struct Arguments {
    /// The folder with all databases; made where it does not exist.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:1433")]
    pub listen: SocketAddr,
    /// Writes the port to this file once connections are taken.
    #[arg(long, value_name = "FILE")]
    pub port_file: Option<PathBuf>,
    /// Makes this empty file once connections are taken.
    #[arg(long, value_name = "FILE")]
    pub ready_file: Option<PathBuf>,
    /// The name of the login that may do everything.
    #[arg(long, value_name = "NAME", default_value = "sa")]
    pub login: String,
    /// A further login without rights, NAME, or with one, NAME:view-server-state. Its password
    /// comes from `LABDB_PASSWORD_NAME` (upper case). May be given several times.
    #[arg(long, value_name = "NAME[:RIGHT]")]
    pub user: Vec<String>,
    /// Whether connections are encrypted.
    #[arg(long, value_enum, default_value = "optional")]
    pub encrypt: EncryptArgument,
    /// The certificate, PEM; without it one is made in DIR.
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The certificate's private key, PEM.
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// The size of each database's buffer pool.
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 256,
        value_parser = clap::value_parser!(u64).range(4..=1_048_576)
    )]
    pub buffer_pool_mb: u64,
    /// What statements may use of memory, all together: sorts, hashes, temporary tables, table
    /// variables and long values. Beyond it they get error 701.
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u64).range(16..=1_048_576)
    )]
    pub statement_memory_mb: u64,
    /// Whether new data files are left unzeroed.
    #[arg(long, value_enum, default_value = "off")]
    pub instant_file_initialization: Switch,
    /// Log after which a checkpoint of its database starts by itself, under SIMPLE also when the
    /// log is 70 % full; 0 for never.
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 64,
        value_parser = clap::value_parser!(u64).range(0..=1_048_576)
    )]
    pub checkpoint_log_mb: u64,
    /// The most connections at a time.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub max_connections: usize,
    /// What @@SERVERNAME says.
    #[arg(long, value_name = "NAME", default_value = "labdb")]
    pub server_name: String,
    /// A fault on purpose; named in @@VERSION and in every record. May be given several times.
    ///
    /// flush-delay=2ms: each log flush takes so much longer.
    /// flush-delay=exponential(2ms)@7: so much is drawn for each, with seed 7; the others are
    /// uniform(LEAST,MOST), normal(MEAN,DEVIATION) without its part below 0,
    /// lognormal(MEDIAN,SIGMA) and pareto(SCALE,SHAPE).
    /// stall=500ms@10s: a log flush that begins in the half second from 10 s after the start ends
    /// behind it; stall=500ms@every:10s: again and again. stall-io: the same for each read, write
    /// and flush of a database file.
    /// refuse-connection=3: the third connection is closed before it can say anything.
    /// drop-connection=3@2s: the third is closed 2 s after its log-in; drop-connection=3@10requests:
    /// at its eleventh request.
    /// disk-full=64mb: the files of user databases cannot grow beyond that, all together.
    /// clock-step=+1h@5s: the wall clock jumps, 5 s after the start.
    #[arg(long, value_name = "NAME=VALUE", verbatim_doc_comment)]
    pub fault: Vec<Fault>,
}

/// `--encrypt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncryptArgument {
    /// Plain text only.
    Off,
    /// As the client asks.
    Optional,
    /// Encrypted only.
    Required,
}

/// `on` or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}
