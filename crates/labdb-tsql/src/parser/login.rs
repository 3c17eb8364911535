//! CREATE, ALTER and DROP of logins and users; members of roles.

use super::Parser;
use crate::ast::{CreateLogin, LoginChange, Password, RoleChange, StatementKind};
use crate::errors;
use crate::lexer::Symbol;
use labdb_types::SqlResult;

/// What WITH gives a login.
#[derive(Default)]
struct LoginOptions {
    password: Option<Password>,
    default_database: Option<String>,
}

impl Parser<'_> {
    /// With the cursor behind CREATE LOGIN.
    pub(super) fn create_login(&mut self) -> SqlResult<StatementKind> {
        let name = self.name()?;
        if self.at("FROM") {
            let construct = format!("CREATE LOGIN … FROM {}", self.word(1).to_uppercase());
            return Err(self.unsupported(&construct));
        }
        self.expect("WITH")?;
        if !self.at("PASSWORD") {
            return Err(self.syntax_error());
        }
        let options = self.login_options("CREATE LOGIN")?;
        let Some(password) = options.password else {
            return Err(self.syntax_error());
        };
        Ok(StatementKind::CreateLogin(Box::new(CreateLogin {
            name,
            password,
            default_database: options.default_database,
        })))
    }

    /// With the cursor behind ALTER LOGIN.
    pub(super) fn alter_login(&mut self) -> SqlResult<StatementKind> {
        let name = self.name()?;
        if self.at_words(&["ADD", "CREDENTIAL"]) || self.at_words(&["DROP", "CREDENTIAL"]) {
            return Err(self.unsupported("ALTER LOGIN … CREDENTIAL"));
        }
        let change = match self.expect_any(&["ENABLE", "DISABLE", "WITH"])? {
            "ENABLE" => LoginChange::Enabled(true),
            "DISABLE" => LoginChange::Enabled(false),
            _ => {
                let options = self.login_options("ALTER LOGIN")?;
                LoginChange::With {
                    password: options.password,
                    default_database: options.default_database,
                }
            }
        };
        Ok(StatementKind::AlterLogin { name, change })
    }

    fn login_options(&mut self, statement: &str) -> SqlResult<LoginOptions> {
        let mut options = LoginOptions::default();
        self.comma_separated(|parser| parser.login_option(statement, &mut options))?;
        Ok(options)
    }

    fn login_option(&mut self, statement: &str, options: &mut LoginOptions) -> SqlResult<()> {
        const OTHERS: [&str; 6] = [
            "DEFAULT_LANGUAGE",
            "SID",
            "CREDENTIAL",
            "NAME",
            "NO",
            "OLD_PASSWORD",
        ];
        if self.at_any(&OTHERS) {
            let construct = format!("{statement} … WITH {}", self.word(0).to_uppercase());
            return Err(self.unsupported(&construct));
        }
        let option = self.expect_any(&[
            "PASSWORD",
            "DEFAULT_DATABASE",
            "CHECK_POLICY",
            "CHECK_EXPIRATION",
        ])?;
        // A message says what it stands near: not a password that lacks its equal sign.
        if !self.eat_symbol(Symbol::Equal) {
            return Err(errors::incorrect_syntax(option, self.line()));
        }
        match option {
            "PASSWORD" => {
                if !self.at_text() {
                    return Err(self.unsupported(&format!("{statement} … a hashed PASSWORD")));
                }
                options.password = Some(Password::new(self.text()?));
                for other in ["HASHED", "MUST_CHANGE", "OLD_PASSWORD", "UNLOCK"] {
                    if self.at(other) {
                        return Err(self.unsupported(&format!("{statement} … {other}")));
                    }
                }
            }
            "DEFAULT_DATABASE" => options.default_database = Some(self.name()?),
            _ => {
                if self.switch()? {
                    return Err(self.unsupported(&format!("{statement} … {option} = ON")));
                }
            }
        }
        Ok(())
    }

    /// With the cursor behind CREATE USER.
    pub(super) fn create_user(&mut self) -> SqlResult<StatementKind> {
        let name = self.name()?;
        let mut login = None;
        if self.eat_any(&["FOR", "FROM"]).is_some() {
            if !self.at("LOGIN") {
                let construct = format!("CREATE USER … FOR {}", self.word(0).to_uppercase());
                return Err(self.unsupported(&construct));
            }
            self.advance();
            login = Some(self.name()?);
        } else if self.at("WITHOUT") {
            return Err(self.unsupported("CREATE USER … WITHOUT LOGIN"));
        }
        if self.eat("WITH") {
            let dbo = self.eat("DEFAULT_SCHEMA")
                && self.eat_symbol(Symbol::Equal)
                && self.at_name()
                && self.name()?.eq_ignore_ascii_case("dbo");
            if !dbo {
                return Err(self.unsupported("CREATE USER … WITH"));
            }
        }
        Ok(StatementKind::CreateUser { name, login })
    }

    /// `role ADD MEMBER principal`.
    pub(super) fn role_change(&mut self, statement: &str) -> SqlResult<RoleChange> {
        let role = self.name()?;
        if self.at("WITH") {
            return Err(self.unsupported(&format!("{statement} … WITH NAME")));
        }
        let add = self.expect_any(&["ADD", "DROP"])? == "ADD";
        self.expect("MEMBER")?;
        let member = self.name()?;
        Ok(RoleChange { role, member, add })
    }
}
