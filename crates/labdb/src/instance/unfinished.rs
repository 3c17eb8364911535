//! Files of databases that are being made or dropped.
//!
//! They are written down before the first file is touched. A server that is killed meanwhile
//! removes them when it starts: otherwise the database's name could not be used again (5170) until
//! somebody deleted them by hand.

use super::Instance;
use labdb_types::SqlResult;
use std::path::{Path, PathBuf};

impl Instance {
    /// Writes down that these files belong to no database unless one with its primary file among
    /// them is registered. Call [`Instance::files_settled`] with the same list afterwards.
    ///
    /// # Errors
    /// When the instance's state cannot be written.
    pub(crate) fn files_unsettled(&self, files: &[PathBuf]) -> SqlResult<()> {
        let mut state = self.state.lock();
        state.unsettled.push(files.to_vec());
        state.save(&self.options.data)
    }

    /// The database is there, or its files are gone.
    ///
    /// # Errors
    /// When the instance's state cannot be written.
    pub(crate) fn files_settled(&self, files: &[PathBuf]) -> SqlResult<()> {
        let mut state = self.state.lock();
        let place = state.unsettled.iter().position(|group| group == files);
        if let Some(place) = place {
            state.unsettled.remove(place);
        }
        state.save(&self.options.data)
    }

    /// At the start: removes what an earlier server left of databases that do not exist.
    pub(super) fn remove_unsettled(&self) -> SqlResult<()> {
        let mut state = self.state.lock();
        if state.unsettled.is_empty() {
            return Ok(());
        }
        let belongs = |path: &Path| {
            let mut records = state.databases.iter();
            records.any(|record| record.primary == path)
        };
        for group in &state.unsettled {
            if group.iter().any(|path| belongs(path)) {
                continue;
            }
            for path in group.iter().filter(|path| path.exists()) {
                let said = match self.options.files.remove(path) {
                    Ok(()) => "was removed".to_owned(),
                    Err(error) => format!("cannot be removed: {error}"),
                };
                let text = format!(
                    "The file '{}' {said}: the server ended while its database was being created \
                     or dropped.",
                    path.display()
                );
                self.log_error(0, &text);
            }
        }
        state.unsettled.clear();
        state.save(&self.options.data)
    }
}

#[cfg(test)]
mod tests {
    use crate::instance::{Instance, InstanceOptions};
    use labdb_storage::{Options, SystemFiles};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    fn open(folder: &Path) -> Arc<Instance> {
        Instance::open(InstanceOptions {
            data: folder.to_owned(),
            server_name: "labtest".into(),
            storage: Options::default(),
            files: Arc::new(SystemFiles),
            faults: String::new(),
            max_connections: 10,
        })
        .unwrap()
    }

    #[test]
    fn files_of_a_database_that_was_not_finished_are_gone_after_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let group = |name: &str| -> Vec<PathBuf> {
            [format!("{name}.mdf"), format!("{name}_log.ldf")]
                .map(|file| folder.path().join(file))
                .to_vec()
        };
        let instance = open(folder.path());
        for path in group("half")
            .iter()
            .chain(&group("whole"))
            .chain(&group("other"))
        {
            std::fs::write(path, "pages").unwrap();
        }
        instance.files_unsettled(&group("half")).unwrap();
        instance.files_unsettled(&group("settled")).unwrap();
        instance.files_settled(&group("settled")).unwrap();
        // As if it had been registered, and the server killed before the list was written anew.
        instance.files_unsettled(&group("whole")).unwrap();
        let record = crate::instance::DatabaseRecord {
            id: 9,
            name: "whole".into(),
            primary: group("whole").remove(0),
            created: (0, 0),
            owner: 1,
            restoring: None,
        };
        instance.state.lock().databases.push(record);
        instance.files_unsettled(&group("none")).unwrap();
        instance.close();
        drop(instance);

        let instance = open(folder.path());
        let there = |name: &str| {
            group(name)
                .iter()
                .map(|path| path.exists())
                .collect::<Vec<_>>()
        };
        assert_eq!(there("half"), [false, false]);
        assert_eq!(there("whole"), [true, true], "it belongs to a database");
        assert_eq!(there("other"), [true, true], "nobody said anything of it");
        assert!(instance.state.lock().unsettled.is_empty());
        instance.close();
    }
}
