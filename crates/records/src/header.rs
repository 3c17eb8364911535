//! What every record carries: when, where, and which round it belongs to.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fields that every record has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// The version of the record types, a whole number.
    pub schema: u32,
    /// When the record was made: RFC 3339, UTC, by the clock of the machine that ran the program.
    pub at: Timestamp,
    /// The program that made it, with its version: `loadgen 0.1.0`.
    pub program: String,
    /// The round it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// Where the database is, without any secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// What answered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
}

impl Header {
    /// A header for a record made now by `program` (its name; the version is added).
    #[must_use]
    pub fn now(program: &str) -> Self {
        Self {
            schema: crate::SCHEMA,
            at: Timestamp::now(),
            program: format!("{program} {}", env!("CARGO_PKG_VERSION")),
            trial: None,
            target: None,
            server: None,
        }
    }

    /// The same with a trial.
    #[must_use]
    pub fn in_trial(mut self, trial: Option<Trial>) -> Self {
        self.trial = trial;
        self
    }

    /// The same with a target and what answered there.
    #[must_use]
    pub fn on(mut self, target: Option<Target>, server: Option<Server>) -> Self {
        self.target = target;
        self.server = server;
        self
    }
}

/// The round that a record belongs to, and the round's place in the order of the experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// The experiment: `recovery-model`.
    pub experiment: String,
    /// What is different in this round: `FULL`.
    pub variant: String,
    /// The round's number in the order in which rounds ran, from 1.
    pub round: u32,
    /// The block, from 1: the neighbouring rounds that are compared with each other, one of each
    /// variant. With two variants a block is a pair.
    pub block: u32,
    /// The place inside the block, from 1.
    pub slot: u32,
    /// An id that no other round has.
    pub id: String,
}

impl Trial {
    /// An id for a new round: a version-7 UUID.
    #[must_use]
    pub fn new_id() -> String {
        uuid::Uuid::now_v7().to_string()
    }
}

/// Where the database is. Never a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The server as `-S` takes it: `host,port` or `host\instance`.
    pub server: String,
    /// The database under test.
    pub database: String,
}

/// What answered at the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// `Microsoft SQL Server`, `labdb`, or what else `@@VERSION` begins with.
    pub product: String,
    /// `SERVERPROPERTY('ProductVersion')`; for a product that is not Microsoft's its own version,
    /// which `@@VERSION` names after the product.
    pub version: String,
    /// The major version in `ProductVersion`, also where that is not the product's own: whose
    /// dialect it speaks (13 is 2016, 16 is 2022); of no use on engine editions 5 and 8.
    pub major_version: Option<u32>,
    /// `SERVERPROPERTY('Edition')`.
    pub edition: String,
    /// `SERVERPROPERTY('EngineEdition')`: 2 Standard, 3 Enterprise, 4 Express, 5 Azure SQL
    /// Database, 8 Managed Instance.
    pub engine_edition: Option<i32>,
    /// The operating system, where it can be read: `Linux` or `Windows`.
    pub host_platform: Option<String>,
    /// Faults that the server says it was told to inject (labdb only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected_faults: Option<String>,
}

impl Server {
    /// Whether this is labdb, which is not SQL Server.
    #[must_use]
    pub fn is_labdb(&self) -> bool {
        self.product == "labdb"
    }
}
