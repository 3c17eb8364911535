//! What CREATE, ALTER and DROP define, and schemas.

use super::Parser;
use crate::ast::StatementKind;
use crate::errors;
use labdb_types::SqlResult;

impl Parser<'_> {
    pub(super) fn definition(&mut self) -> SqlResult<StatementKind> {
        if self.at_procedure_definition() {
            return Err(errors::must_be_first("CREATE/ALTER PROCEDURE", self.line()));
        }
        if let Some(construct) = self.other_definition() {
            return Err(self.unsupported(&construct));
        }
        match self.expect_any(&["CREATE", "ALTER", "DROP"])? {
            "CREATE" => self.create(),
            "ALTER" => self.alter(),
            _ => self.drop(),
        }
    }

    fn create(&mut self) -> SqlResult<StatementKind> {
        if self.at_any(&["UNIQUE", "CLUSTERED", "NONCLUSTERED", "INDEX"]) {
            return self.create_index();
        }
        match self.expect_any(&["DATABASE", "TABLE", "SCHEMA", "LOGIN", "USER"])? {
            "DATABASE" => self.create_database(),
            "TABLE" => self.create_table(),
            "LOGIN" => self.create_login(),
            "USER" => self.create_user(),
            _ => self.create_schema(),
        }
    }

    fn alter(&mut self) -> SqlResult<StatementKind> {
        if self.eat_words(&["SERVER", "ROLE"]) {
            return self
                .role_change("ALTER SERVER ROLE")
                .map(StatementKind::AlterServerRole);
        }
        match self.expect_any(&["DATABASE", "TABLE", "INDEX", "LOGIN", "ROLE"])? {
            "DATABASE" => self.alter_database(),
            "TABLE" => self.alter_table(),
            "LOGIN" => self.alter_login(),
            "ROLE" => self.role_change("ALTER ROLE").map(StatementKind::AlterRole),
            _ => self.alter_index(),
        }
    }

    fn drop(&mut self) -> SqlResult<StatementKind> {
        if self.at_any(&["PROC", "PROCEDURE"]) {
            return self.drop_procedure();
        }
        if self.eat("LOGIN") {
            return self.name().map(StatementKind::DropLogin);
        }
        let what = self.expect_any(&["DATABASE", "TABLE", "INDEX", "SCHEMA", "USER"])?;
        let if_exists = self.eat_words(&["IF", "EXISTS"]);
        match what {
            "DATABASE" => {
                let names = self.comma_separated(Self::name)?;
                Ok(StatementKind::DropDatabase { names, if_exists })
            }
            "TABLE" => {
                let names = self.comma_separated(Self::object_name)?;
                Ok(StatementKind::DropTable { names, if_exists })
            }
            "INDEX" => self.drop_index(if_exists),
            "USER" => {
                let name = self.name()?;
                Ok(StatementKind::DropUser { name, if_exists })
            }
            _ => {
                let name = self.name()?;
                Ok(StatementKind::DropSchema { name, if_exists })
            }
        }
    }

    /// There is one owner, `dbo`; another is not in the subset.
    fn create_schema(&mut self) -> SqlResult<StatementKind> {
        if self.at("AUTHORIZATION") {
            return Err(self.unsupported("CREATE SCHEMA AUTHORIZATION"));
        }
        let name = self.name()?;
        if self.eat("AUTHORIZATION") && self.name()?.to_lowercase() != "dbo" {
            return Err(self.unsupported("CREATE SCHEMA … AUTHORIZATION"));
        }
        Ok(StatementKind::CreateSchema(name))
    }
}
