//! CREATE SCHEMA and DROP SCHEMA.

use super::Executor;
use super::catalog_change::exists_already;
use crate::catalog::{ObjectRecord, fold};
use labdb_types::{SqlError, SqlResult};

impl Executor<'_> {
    /// CREATE SCHEMA.
    pub(crate) fn create_schema(&mut self, name: &str) -> SqlResult<()> {
        let mut change = self.change(&self.session.database(), "CREATE SCHEMA")?;
        if change.catalog.schema_id(name).is_some() {
            return Err(exists_already(name));
        }
        let at = self.write_record(
            &change.database,
            &ObjectRecord::Schema {
                name: name.to_owned(),
            },
        )?;
        change.catalog.schemas.push((name.to_owned(), Some(at)));
        self.publish(change)?;
        self.end_and_done()
    }

    /// DROP SCHEMA.
    pub(crate) fn drop_schema(&mut self, name: &str, if_exists: bool) -> SqlResult<()> {
        let mut change = self.change(&self.session.database(), "DROP SCHEMA")?;
        let wanted = fold(name);
        let Some(place) = change
            .catalog
            .schemas
            .iter()
            .position(|(n, _)| fold(n) == wanted)
        else {
            if if_exists {
                return self.end_and_done();
            }
            return Err(SqlError::new(
                15151,
                format!(
                    "Cannot drop the schema '{name}', because it does not exist or you do not \
                     have permission."
                ),
            ));
        };
        if let Some((object, _)) = change
            .catalog
            .objects
            .values()
            .find(|(o, _)| fold(o.schema()) == wanted)
        {
            return Err(SqlError::new(
                3729,
                format!(
                    "Cannot drop schema '{name}' because it is being referenced by object '{}'.",
                    object.name()
                ),
            ));
        }
        let (_, at) = change.catalog.schemas.remove(place);
        self.delete_record(&change.database, at)?;
        self.publish(change)?;
        self.end_and_done()
    }
}
