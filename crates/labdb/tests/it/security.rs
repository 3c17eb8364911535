//! Logins and permissions.

use super::harness::{Lab, PASSWORD};
use labdb::server::set_login;

#[test]
fn wrong_passwords_and_unknown_databases_are_refused() {
    let lab = Lab::start();
    assert_eq!(
        lab.connect_as("sa", "wrong", "master")
            .err()
            .and_then(|e| e.code()),
        Some(18456)
    );
    assert_eq!(
        lab.connect_as("nobody", PASSWORD, "master")
            .err()
            .and_then(|e| e.code()),
        Some(18456)
    );
    assert_eq!(
        lab.connect_as("sa", PASSWORD, "none")
            .err()
            .and_then(|e| e.code()),
        Some(4060)
    );
}

#[test]
fn a_login_without_view_server_state_is_told_300() {
    let lab = Lab::start();
    set_login(&lab.server().instance, "poor", "p1", false, false).unwrap();
    set_login(&lab.server().instance, "viewer", "p2", false, true).unwrap();
    let mut poor = lab.session(lab.connect_as("poor", "p1", "master").unwrap());
    assert_eq!(poor.error("SELECT * FROM sys.dm_os_wait_stats"), 300);
    assert_eq!(
        poor.int("SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')"),
        0
    );
    assert_eq!(poor.int("SELECT IS_SRVROLEMEMBER('sysadmin')"), 0);
    assert_eq!(poor.error("CREATE DATABASE x"), 262);
    assert_eq!(poor.int("SELECT COUNT(*) FROM sys.dm_exec_sessions"), 1);
    let mut viewer = lab.session(lab.connect_as("viewer", "p2", "master").unwrap());
    assert!(viewer.int("SELECT COUNT(*) FROM sys.dm_os_wait_stats") > 0);
}

#[test]
fn kill_ends_another_session() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let mut other = lab.connect();
    let id = i32::from(
        other.rows("SELECT @@SPID")[0]
            .try_get::<i16, _>(0)
            .unwrap()
            .unwrap(),
    );
    s.exec(&format!("KILL {id}"));
    assert!(other.try_all("SELECT 1").is_err());
    assert_eq!(s.error("KILL 9999"), 6106);
}
