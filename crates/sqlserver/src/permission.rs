//! Which GRANT a reading needs. Permissions are tried, not derived: these texts are the advice
//! where a reading was refused.

use crate::names::quote_name;
use crate::texts::{AZURE_SQL_DATABASE, has};
use records::Server;

/// What a reading looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A view of the server's state.
    ServerState,
    /// A view of the server's state that counts as security from SQL Server 2022 on.
    ServerSecurity,
    /// A view of the current database's state.
    DatabaseState,
    /// The catalogue's rows of databases, which are filtered and not refused.
    Catalogue,
}

/// The GRANT that makes a refused reading possible.
///
/// From SQL Server 2022 the narrower permissions do; `VIEW SERVER STATE`, which implies them,
/// does on every version.
#[must_use]
pub fn grant(scope: Scope, server: &Server, login: &str) -> String {
    let login = quote_name(login).unwrap_or_else(|_| "[login]".to_owned());
    let azure = server.engine_edition == Some(AZURE_SQL_DATABASE);
    match scope {
        Scope::Catalogue => format!("In master: GRANT VIEW ANY DATABASE TO {login};"),
        _ if azure => format!(
            "In the database: GRANT VIEW DATABASE STATE TO {login}; (on Basic, S0, S1 and elastic \
             pools, in master: ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER {login};)"
        ),
        Scope::ServerState if has(server, 16) => format!(
            "In master: GRANT VIEW SERVER PERFORMANCE STATE TO {login}; (or GRANT VIEW SERVER STATE)"
        ),
        Scope::ServerSecurity if has(server, 16) => format!(
            "In master: GRANT VIEW SERVER SECURITY STATE TO {login}; (or GRANT VIEW SERVER STATE)"
        ),
        Scope::DatabaseState if has(server, 16) => format!(
            "In the database: GRANT VIEW DATABASE PERFORMANCE STATE TO {login}; or, in master: \
             GRANT VIEW SERVER STATE TO {login};"
        ),
        Scope::ServerState | Scope::ServerSecurity | Scope::DatabaseState => {
            format!("In master: GRANT VIEW SERVER STATE TO {login};")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scope, grant};
    use records::Server;

    fn server(major: u32, engine_edition: i32) -> Server {
        Server {
            product: "Microsoft SQL Server".into(),
            version: String::new(),
            major_version: Some(major),
            edition: String::new(),
            engine_edition: Some(engine_edition),
            host_platform: None,
            injected_faults: None,
        }
    }

    #[test]
    fn the_grant_is_the_one_of_the_version_and_quotes_the_login() {
        let old = grant(Scope::ServerState, &server(15, 3), "a]b");
        assert_eq!(old, "In master: GRANT VIEW SERVER STATE TO [a]]b];");
        let new = grant(Scope::ServerState, &server(16, 3), "lab");
        assert!(new.contains("GRANT VIEW SERVER PERFORMANCE STATE TO [lab]"));
        let log = grant(Scope::DatabaseState, &server(17, 2), "lab");
        assert!(log.contains("GRANT VIEW DATABASE PERFORMANCE STATE TO [lab]"));
        let azure = grant(Scope::ServerState, &server(12, 5), "lab");
        assert!(azure.contains("GRANT VIEW DATABASE STATE TO [lab]"));
        assert!(azure.contains("##MS_ServerStateReader##"));
    }
}
