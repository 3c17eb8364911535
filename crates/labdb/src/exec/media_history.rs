//! What msdb keeps of backups and restores, and the facts that a backup carries for it.

use super::Executor;
use super::media::{guid, whole_seconds};
use crate::instance::{BackupFileRow, BackupRow, Database, RestoreRow};
use labdb_storage::{BackupContents, BackupKind, BackupSet, FileKind};
use labdb_types::SqlResult;
use std::collections::BTreeMap;

const DATABASE: &str = "database";
const SERVER: &str = "server";
const USER: &str = "user";
const DESCRIPTION: &str = "description";
const CREATED: &str = "created";
const COMPATIBILITY: &str = "compatibility";
const MODEL: &str = "recovery model";
const COLLATION: &str = "collation";

/// The facts that a backup carries besides those of the storage engine.
pub(super) fn notes(
    executor: &Executor<'_>,
    database: &Database,
    description: Option<String>,
) -> BTreeMap<String, String> {
    let session = executor.session;
    let settings = database.settings.read();
    let mut notes: BTreeMap<String, String> = [
        (DATABASE, database.name()),
        (SERVER, session.instance.options.server_name.clone()),
        (USER, session.shared.login_name.clone()),
        (
            CREATED,
            format!("{} {}", settings.created.0, settings.created.1),
        ),
        (COMPATIBILITY, settings.compatibility_level.to_string()),
        (
            MODEL,
            database.storage.recovery_model().description().to_owned(),
        ),
        (COLLATION, crate::functions::COLLATION.to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    if let Some(text) = description {
        notes.insert(DESCRIPTION.to_owned(), text);
    }
    notes
}

/// The facts that came with a backup set.
pub(super) struct Notes<'a>(pub(super) &'a BackupSet);

impl Notes<'_> {
    fn get(&self, name: &str) -> Option<String> {
        self.0.notes.get(name).cloned()
    }

    pub(super) fn database(&self) -> String {
        self.get(DATABASE).unwrap_or_default()
    }

    pub(super) fn server(&self) -> Option<String> {
        self.get(SERVER)
    }

    pub(super) fn user(&self) -> Option<String> {
        self.get(USER)
    }

    pub(super) fn description(&self) -> Option<String> {
        self.get(DESCRIPTION)
    }

    pub(super) fn created(&self) -> (i32, u32) {
        self.get(CREATED)
            .and_then(|text| {
                let (days, ticks) = text.split_once(' ')?;
                Some((days.parse().ok()?, ticks.parse().ok()?))
            })
            .unwrap_or((0, 0))
    }

    pub(super) fn compatibility(&self) -> u8 {
        self.get(COMPATIBILITY)
            .and_then(|t| t.parse().ok())
            .unwrap_or(0)
    }

    pub(super) fn recovery_model(&self) -> String {
        self.get(MODEL).unwrap_or_default()
    }

    pub(super) fn collation(&self) -> Option<String> {
        self.get(COLLATION)
    }
}

/// `type` of msdb.dbo.backupset.
pub(super) fn kind_letter(kind: BackupKind) -> &'static str {
    match kind {
        BackupKind::Full => "D",
        BackupKind::Differential => "I",
        BackupKind::Log => "L",
    }
}

fn row(set: &BackupSet, device: &str, files: Vec<BackupFileRow>) -> BackupRow {
    let notes = Notes(set);
    let numeric = |lsn: labdb_storage::Lsn| lsn.to_numeric().to_string();
    BackupRow {
        id: 0,
        database: notes.database(),
        kind: kind_letter(set.kind).to_owned(),
        name: set.name.clone(),
        started: whole_seconds(set.started),
        finished: whole_seconds(set.finished),
        size: set.backup_size,
        copy_only: set.copy_only,
        begins_log_chain: set.begins_log_chain,
        recovery_model: notes.recovery_model(),
        lsns: [
            Some(numeric(set.first_lsn)),
            Some(numeric(set.last_lsn)),
            Some(numeric(set.checkpoint_lsn)),
            Some(set.database_backup_lsn.map_or("0".to_owned(), numeric)),
        ],
        device: device.to_owned(),
        uuid: guid(set.backup_set_guid),
        database_guid: guid(set.database_guid),
        fork_guid: guid(set.recovery_fork_guid),
        user: notes.user().unwrap_or_default(),
        stored: set.stored_size,
        compression: set.compressed.then(|| "LZ4".to_owned()),
        checksums: set.has_checksums,
        description: notes.description(),
        position: set.position,
        media: guid(set.media_set_guid),
        family_guid: guid(set.family_guid),
        base: set
            .differential_base
            .map(|(lsn, base)| (numeric(lsn), guid(base))),
        created: notes.created(),
        compatibility: notes.compatibility(),
        files,
    }
}

/// Bytes of a file that are in a backup set.
pub(super) fn backed_up(set: &BackupSet, file_id: u16, first_log: bool) -> u64 {
    let pages = set.file_pages.iter().find(|(id, _)| *id == file_id);
    match pages {
        Some((_, pages)) => pages * 8192,
        None if first_log => set.log_bytes,
        None => 0,
    }
}

/// The history row of a backup that was taken.
pub(super) fn backup_row(database: &Database, set: &BackupSet, device: &str) -> BackupRow {
    let files = database.storage.files();
    let files = files.iter().map(|file| BackupFileRow {
        id: file.file_id,
        log: file.kind == FileKind::Log,
        name: file.name.clone(),
        path: file.path.display().to_string(),
        size: file.size,
        backed_up: backed_up(set, file.file_id, file.file_id == 2),
    });
    row(set, device, files.collect())
}

/// A restore that is to be remembered.
pub(super) struct RestoreFacts<'a> {
    pub(super) contents: &'a BackupContents,
    pub(super) device: &'a str,
    pub(super) database: &'a str,
    pub(super) started: (i32, u32),
    pub(super) replace: bool,
    pub(super) recovery: bool,
    pub(super) stop_at: Option<(i32, u32)>,
}

impl Executor<'_> {
    /// Writes a restore into msdb, with its backup set where that is not known yet.
    pub(super) fn remember_restore(&self, facts: &RestoreFacts<'_>) -> SqlResult<()> {
        let set = &facts.contents.set;
        let uuid = guid(set.backup_set_guid);
        let mut state = self.session.instance.state.lock();
        let known = state.backups.iter().find(|b| b.uuid == uuid).map(|b| b.id);
        let backup_set_id = if let Some(id) = known {
            id
        } else {
            state.last_backup_id += 1;
            let id = state.last_backup_id;
            let files = facts.contents.files.iter().map(|file| BackupFileRow {
                id: file.file_id,
                log: file.kind == FileKind::Log,
                name: file.spec.name.clone(),
                path: file.spec.path.display().to_string(),
                size: file.spec.size,
                backed_up: backed_up(set, file.file_id, file.file_id == 2),
            });
            let row = row(set, facts.device, files.collect());
            state.backups.push(BackupRow { id, ..row });
            id
        };
        let id = state.restores.last().map_or(1, |r| r.id + 1);
        state.restores.push(RestoreRow {
            id,
            at: facts.started,
            database: facts.database.to_owned(),
            backup_set_id,
            kind: kind_letter(set.kind).to_owned(),
            replace: facts.replace,
            user: self.session.shared.login_name.clone(),
            recovery: facts.recovery,
            stop_at: facts.stop_at,
        });
        state.save(&self.session.instance.options.data)
    }
}
