//! The trees of logins, users and permissions.

use crate::ast::{LoginChange, PermissionVerb, StatementKind};
use crate::parse_batch;

fn one(text: &str) -> StatementKind {
    parse_batch(text).unwrap().statements.pop().unwrap().kind
}

#[test]
fn a_password_is_in_the_tree_and_in_nothing_that_shows_it() {
    let create = one("CREATE LOGIN [a b] WITH PASSWORD = N'quiet''s', DEFAULT_DATABASE = lab");
    assert!(!format!("{create:?}").contains("quiet"));
    let StatementKind::CreateLogin(create) = create else {
        panic!("{create:?}")
    };
    assert_eq!(create.name, "a b");
    assert_eq!(create.password.reveal(), "quiet's");
    assert_eq!(create.default_database.as_deref(), Some("lab"));
    let StatementKind::AlterLogin { name, change } = one("ALTER LOGIN l WITH PASSWORD = 'loud'")
    else {
        panic!("no ALTER LOGIN")
    };
    assert_eq!(name, "l");
    assert!(!format!("{change:?}").contains("loud"));
    assert!(matches!(change, LoginChange::With { password: Some(p), .. } if p.reveal() == "loud"));
    for text in [
        "CREATE LOGIN l WITH PASSWORD 'quiet'",
        "ALTER LOGIN l WITH PASSWORD N'quiet'",
    ] {
        let error = parse_batch(text).unwrap_err();
        assert_eq!(error.number, 102);
        assert!(!error.message.contains("quiet"), "{error}");
    }
}

#[test]
fn a_permission_keeps_its_words_its_securable_and_its_principals() {
    let StatementKind::Permission(p) =
        one("grant view  server state, Control Server to [a], b cascade")
    else {
        panic!("no GRANT")
    };
    assert_eq!(p.verb, PermissionVerb::Grant);
    assert_eq!(p.permissions, ["VIEW SERVER STATE", "CONTROL SERVER"]);
    assert_eq!(p.principals, ["a", "b"]);
    assert!(p.securable.is_none() && p.options.is_empty());
    let StatementKind::Permission(p) =
        one("REVOKE GRANT OPTION FOR SELECT (a) ON SCHEMA::dbo FROM u CASCADE")
    else {
        panic!("no REVOKE")
    };
    assert_eq!(p.verb, PermissionVerb::Revoke);
    assert_eq!(p.options, ["GRANT OPTION FOR", "(columns)"]);
    let on = p.securable.unwrap();
    assert_eq!(
        (on.class.as_deref(), on.name.object()),
        (Some("SCHEMA"), "dbo")
    );
    let StatementKind::Permission(p) = one("DENY INSERT ON lab..t TO u") else {
        panic!("no DENY")
    };
    let on = p.securable.unwrap();
    assert_eq!(on.class, None);
    assert_eq!(on.name.database(), Some("lab"));
}

#[test]
fn members_come_and_go() {
    let StatementKind::AlterRole(change) = one("ALTER ROLE db_owner DROP MEMBER u") else {
        panic!("no ALTER ROLE")
    };
    assert!(!change.add);
    assert_eq!(
        (change.role.as_str(), change.member.as_str()),
        ("db_owner", "u")
    );
    let StatementKind::AlterServerRole(change) = one("ALTER SERVER ROLE [sysadmin] ADD MEMBER l")
    else {
        panic!("no ALTER SERVER ROLE")
    };
    assert!(change.add);
}
