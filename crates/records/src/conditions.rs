//! What decides a round's result besides the setting under test.

use crate::{FileSettings, Unavailable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What decides a round's result besides the setting under test, as read from the server before
/// the round (a restored database: after it). A value is null where the server does not have it or
/// the login may not read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Conditions {
    /// `is_read_committed_snapshot_on`.
    pub read_committed_snapshot: Option<bool>,
    /// `is_accelerated_database_recovery_on`; null before SQL Server 2019.
    pub accelerated_database_recovery: Option<bool>,
    /// The compatibility level.
    pub compatibility_level: Option<u32>,
    /// `target_recovery_time_in_seconds`.
    pub target_recovery_time_s: Option<i64>,
    /// Virtual log files.
    pub vlf_count: Option<i64>,
    /// `instant_file_initialization_enabled` of `sys.dm_server_services`.
    pub instant_file_initialization: Option<bool>,
    /// Trace flags that are on for the whole server (`DBCC TRACESTATUS(-1)`), in ascending order.
    pub global_trace_flags: Option<Vec<i32>>,
    /// Whether the database is a replica of an availability group.
    pub availability_group: Option<bool>,
    /// The group and its replicas; null where the database is in none.
    pub availability: Option<Availability>,
    /// Logical processors that the server schedules on.
    pub server_cpus: Option<i32>,
    /// The memory of the machine that the server sees (`physical_memory_kb`), in bytes.
    pub server_memory_bytes: Option<i64>,
    /// `max server memory (MB)`, in bytes; 2,147,483,647 MB is no limit.
    pub max_server_memory_bytes: Option<i64>,
    /// The files: layout, sizes, growth.
    pub files: Option<Vec<FileSettings>>,
    /// What other sessions did during the round.
    pub others: Option<OtherActivity>,
    /// In a round: which of these are null, and why; a snapshot says it in its own `unavailable`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
}

/// The availability group of a database, as the server that was asked sees it: a primary sees all
/// replicas, a secondary itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Availability {
    /// The group's name.
    pub group: String,
    /// The database's replicas, by the names of their servers.
    pub replicas: Vec<AvailabilityReplica>,
}

/// A replica of a database in an availability group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AvailabilityReplica {
    /// `replica_server_name`.
    pub server: String,
    /// Whether it is the one that was asked.
    pub is_local: bool,
    /// `role_desc`: `PRIMARY`, `SECONDARY`, `RESOLVING`; null where it could not be seen.
    pub role: Option<String>,
    /// `availability_mode_desc`: `SYNCHRONOUS_COMMIT`, `ASYNCHRONOUS_COMMIT`, `CONFIGURATION_ONLY`.
    pub commit_mode: String,
    /// `synchronization_state_desc`: `SYNCHRONIZED`, `SYNCHRONIZING`, `NOT SYNCHRONIZING`, …
    pub synchronization: Option<String>,
    /// `is_commit_participant`: whether a commit waits for this replica. Only a primary knows.
    pub is_commit_participant: Option<bool>,
}

/// What others did on the server during a round. A value is null where it could not be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OtherActivity {
    /// User sessions that are not writelog's, at the snapshot that saw more of them.
    pub sessions: Option<i64>,
    /// CPU time that those sessions used between the snapshots, in milliseconds; what a session
    /// used that had left by the second snapshot is not in it.
    pub cpu_ms: Option<i64>,
    /// Bytes that were read from and written to the files of other databases between the
    /// snapshots, tempdb left out, which the load itself may use.
    pub other_databases_bytes: Option<i64>,
}

/// What a snapshot saw of others: totals, of which two snapshots give an [`OtherActivity`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OthersReading {
    /// User sessions that are not writelog's.
    pub session_count: Option<i64>,
    /// Those of them that used CPU time.
    pub sessions: Option<Vec<OtherSession>>,
    /// Bytes read from and written to the files of other databases but tempdb, since the server
    /// started.
    pub other_databases_bytes: Option<i64>,
}

/// A session of somebody else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherSession {
    /// `session_id`; the server gives it again once it is free.
    pub session_id: i32,
    /// `login_time`, in the server's local time, as text.
    pub login_time: String,
    /// `cpu_time`, in milliseconds.
    pub cpu_ms: i64,
}

impl Availability {
    /// What decides how long a commit takes, in words: `ag1: PRIMARY here, commits wait for b,
    /// not for c`.
    #[must_use]
    pub fn commits(&self) -> String {
        let local = self.replicas.iter().find(|replica| replica.is_local);
        let role = local
            .and_then(|replica| replica.role.as_deref())
            .unwrap_or("role unknown");
        let mut words = format!("{}: {role} here", self.group);
        let mut others = |waited_for: bool, head: &str| {
            let names: Vec<&str> = self
                .replicas
                .iter()
                .filter(|replica| !replica.is_local && replica.is_waited_for() == waited_for)
                .map(|replica| replica.server.as_str())
                .collect();
            if !names.is_empty() {
                words.push_str(head);
                words.push_str(&names.join(" and "));
            }
        };
        others(true, ", commits wait for ");
        others(false, ", not for ");
        words
    }
}

impl AvailabilityReplica {
    /// Whether a commit on the primary waits for this replica.
    #[must_use]
    pub fn is_waited_for(&self) -> bool {
        self.is_commit_participant.unwrap_or_else(|| {
            self.commit_mode == "SYNCHRONOUS_COMMIT"
                && self.synchronization.as_deref() == Some("SYNCHRONIZED")
        })
    }
}

impl OtherActivity {
    /// What others did between two readings of one run of the server.
    #[must_use]
    pub fn between(old: &OthersReading, new: &OthersReading) -> Self {
        Self {
            sessions: old
                .session_count
                .zip(new.session_count)
                .map(|(old, new)| old.max(new)),
            cpu_ms: cpu_ms(old, new),
            // Totals of all files: they fall where a database was dropped or taken offline.
            other_databases_bytes: old
                .other_databases_bytes
                .zip(new.other_databases_bytes)
                .and_then(|(old, new)| new.checked_sub(old))
                .filter(|bytes| *bytes >= 0),
        }
    }
}

/// What the sessions of the second reading used since the first: all of it where a session is
/// new, or where its total is lower than it was (a pool had it reset).
fn cpu_ms(old: &OthersReading, new: &OthersReading) -> Option<i64> {
    let (old, new) = (old.sessions.as_ref()?, new.sessions.as_ref()?);
    let before: BTreeMap<(i32, &str), i64> = old
        .iter()
        .map(|session| {
            (
                (session.session_id, session.login_time.as_str()),
                session.cpu_ms,
            )
        })
        .collect();
    let used = new.iter().map(|session| {
        let key = (session.session_id, session.login_time.as_str());
        let earlier = before.get(&key).copied().unwrap_or(0);
        session
            .cpu_ms
            .checked_sub(earlier)
            .filter(|used| *used >= 0)
            .unwrap_or(session.cpu_ms)
    });
    Some(used.fold(0, i64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::{Availability, AvailabilityReplica};

    fn replica(server: &str, mode: &str, waits: Option<bool>) -> AvailabilityReplica {
        AvailabilityReplica {
            server: server.into(),
            is_local: server == "a",
            role: Some(
                if server == "a" {
                    "PRIMARY"
                } else {
                    "SECONDARY"
                }
                .into(),
            ),
            commit_mode: mode.into(),
            synchronization: Some("SYNCHRONIZED".into()),
            is_commit_participant: waits,
        }
    }

    #[test]
    fn who_a_commit_waits_for_is_what_the_server_says_and_else_what_the_mode_means() {
        let of = |replicas: Vec<AvailabilityReplica>| {
            Availability {
                group: "ag".into(),
                replicas,
            }
            .commits()
        };
        let (sync, lazy) = ("SYNCHRONOUS_COMMIT", "ASYNCHRONOUS_COMMIT");
        let three = vec![
            replica("a", sync, Some(true)),
            replica("b", sync, Some(true)),
            replica("c", lazy, Some(false)),
        ];
        assert_eq!(of(three), "ag: PRIMARY here, commits wait for b, not for c");
        // A secondary that fell behind is not waited for, whatever its mode.
        let behind = vec![replica("a", sync, None), replica("b", sync, Some(false))];
        assert_eq!(of(behind), "ag: PRIMARY here, not for b");
        let unsaid = vec![replica("a", sync, None), replica("b", sync, None)];
        assert_eq!(of(unsaid), "ag: PRIMARY here, commits wait for b");
    }
}
