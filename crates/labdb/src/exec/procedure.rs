//! CREATE, ALTER and DROP of procedures.

use super::Executor;
use super::catalog_change::{cannot_drop, exists_already};
use super::create_table::now;
use super::permission::has_role;
use crate::catalog::{
    Catalog, DatabaseRole, Object, Procedure, fold, is_global_temporary, is_temporary,
};
use crate::eval::types;
use crate::session::{Frame, Undo};
use labdb_tsql::ast::{ObjectName, ProcedureParameter, Statement};
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;

impl Executor<'_> {
    /// CREATE, ALTER PROCEDURE.
    pub(crate) fn create_procedure(
        &mut self,
        name: &ObjectName,
        parameters: &[ProcedureParameter],
        body: &[Statement],
        text: &str,
        create: bool,
        alter: bool,
    ) -> SqlResult<()> {
        if is_global_temporary(name.object()) {
            return Err(SqlError::new(
                40510,
                "Global temporary procedures (##name) are outside labdb's subset.",
            ));
        }
        if is_temporary(name.object()) {
            return self.create_temporary(name, parameters, body, text, (create, alter));
        }
        let database = self.database_for(name)?;
        let mut change = self.change(&database, "CREATE PROCEDURE")?;
        let schema = name.schema().unwrap_or("dbo").to_owned();
        let object = name.object().to_owned();
        if change.catalog.schema_id(&schema).is_none() {
            return Err(SqlError::new(
                2760,
                format!(
                    "The specified schema name \"{schema}\" either does not exist or you do not \
                     have permission to use it."
                ),
            ));
        }
        self.compile_body(&object, parameters, body)?;
        let key = Catalog::key(&schema, &object);
        let known = change.catalog.objects.get(&key).cloned();
        let (object_id, created, at) = match known {
            Some((Object::Procedure(old), at)) if alter => (old.object_id, old.created.clone(), at),
            Some(_) => return Err(exists_already(&object)),
            None if create => (change.catalog.next_object_id(), now(), None),
            None => {
                return Err(SqlError::new(
                    208,
                    format!("Invalid object name '{}'.", name.parts.join(".")),
                )
                .state(6));
            }
        };
        let procedure = Procedure {
            object_id,
            schema,
            name: object,
            parameters: parameters.to_vec(),
            body: body.to_vec(),
            text: text.to_owned(),
            created,
        };
        let at = match at {
            Some(at) => self.rewrite_record(&database, at, &procedure.record())?,
            None => self.write_record(&database, &procedure.record())?,
        };
        change
            .catalog
            .objects
            .insert(key, (Object::Procedure(Arc::new(procedure)), Some(at)));
        self.publish(change)?;
        self.end_and_done()
    }

    /// CREATE, ALTER PROCEDURE of one that is this session's own.
    fn create_temporary(
        &mut self,
        name: &ObjectName,
        parameters: &[ProcedureParameter],
        body: &[Statement],
        text: &str,
        (create, alter): (bool, bool),
    ) -> SqlResult<()> {
        let object = name.object().to_owned();
        self.compile_body(&object, parameters, body)?;
        let key = fold(&object);
        let known = self.session.temp_procedures.borrow().get(&key).cloned();
        let (object_id, created) = match &known {
            Some(old) if alter => (old.object_id, old.created.clone()),
            Some(_) => return Err(exists_already(&object)),
            None if create => (self.session.take_temp_id(), now()),
            None => {
                return Err(
                    SqlError::new(208, format!("Invalid object name '{object}'.")).state(6),
                );
            }
        };
        let procedure = Procedure {
            object_id,
            schema: "dbo".to_owned(),
            name: object,
            parameters: parameters.to_vec(),
            body: body.to_vec(),
            text: text.to_owned(),
            created,
        };
        self.put_temporary(key, Some(Arc::new(procedure)))?;
        self.end_and_done()
    }

    /// Puts a temporary procedure in place or takes it away; a rollback undoes it.
    fn put_temporary(&self, key: String, procedure: Option<Arc<Procedure>>) -> SqlResult<()> {
        let mut procedures = self.session.temp_procedures.borrow_mut();
        let before = match procedure {
            Some(procedure) => procedures.insert(key.clone(), procedure),
            None => procedures.remove(&key),
        };
        super::table::with_transaction(self.session, |t| {
            t.push(Undo::TempProcedure(key, before));
            Ok(())
        })
    }

    /// Checks a body as SQL Server does when it makes a procedure: missing objects may come later,
    /// missing columns of objects that are there may not.
    fn compile_body(
        &mut self,
        name: &str,
        parameters: &[ProcedureParameter],
        body: &[Statement],
    ) -> SqlResult<()> {
        let frame = Frame::called(Some((name.to_owned(), 0)), self.frame.level + 1, 0);
        for parameter in parameters {
            let sql_type = types::resolve_type(
                &parameter.type_name.name,
                &parameter.type_name.arguments,
                parameter.type_name.max,
            )?;
            frame.declare_once(&parameter.name, sql_type)?;
        }
        Executor::new(
            self.session,
            &frame,
            &mut *self.client,
            Arc::clone(&self.owner),
        )
        .compile(body)
        .map_err(|e| SqlError {
            procedure: Some(name.to_owned()),
            ..e
        })
    }

    /// DROP PROCEDURE.
    pub(crate) fn drop_procedures(
        &mut self,
        names: &[ObjectName],
        if_exists: bool,
    ) -> SqlResult<()> {
        for name in names {
            if is_temporary(name.object()) {
                let key = fold(name.object());
                if self.session.temp_procedures.borrow().contains_key(&key) {
                    self.put_temporary(key, None)?;
                } else if !if_exists {
                    return Err(cannot_drop("procedure", &name.parts.join(".")));
                }
                continue;
            }
            let database = self.database_for(name)?;
            let schema = name.schema().unwrap_or("dbo");
            if !has_role(self.session, &database, DatabaseRole::DdlAdmin) {
                return Err(cannot_drop("procedure", &name.parts.join(".")));
            }
            let mut change = self.begin_change(&database)?;
            let key = Catalog::key(schema, name.object());
            match change.catalog.objects.get(&key) {
                Some((Object::Procedure(procedure), at)) => {
                    let (at, id) = (*at, procedure.object_id);
                    change.catalog.objects.remove(&key);
                    self.delete_record(&database, at)?;
                    self.forget_permissions(&mut change, id)?;
                    self.publish(change)?;
                }
                _ if if_exists => {}
                _ => return Err(cannot_drop("procedure", &name.parts.join("."))),
            }
        }
        self.end_and_done()
    }
}
