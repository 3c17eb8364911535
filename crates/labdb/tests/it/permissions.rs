//! What a login and its user may do, as T-SQL grants it.

use super::harness::{Lab, Session};

fn lab_with(setup: &str) -> Lab {
    let lab = Lab::start();
    let mut s = lab.connect();
    for batch in setup.split("GO\n") {
        s.exec(batch);
    }
    drop(s);
    lab
}

const TABLE: &str = "CREATE LOGIN [worker] WITH PASSWORD = N'first word';
    CREATE DATABASE shop;
GO
    USE shop;
    CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NULL);
    INSERT t VALUES (1, 10), (2, 20);
GO
    USE shop; EXEC('CREATE PROCEDURE raise_all AS UPDATE t SET v = v + 1')";

fn worker<'l>(lab: &'l Lab, database: &str) -> Session<'l> {
    lab.session(lab.connect_as("worker", "first word", database).unwrap())
}

fn refused(lab: &Lab, password: &str, database: &str) -> Option<u32> {
    lab.connect_as("worker", password, database)
        .err()
        .and_then(|e| e.code())
}

#[test]
fn a_login_opens_a_database_once_it_has_a_user_there() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    assert_eq!(refused(&lab, "first word", "shop"), Some(4060));
    let mut w = worker(&lab, "master");
    assert_eq!(w.error("USE shop"), 916);
    assert_eq!(w.error("SELECT * FROM shop.dbo.t"), 916);
    assert_eq!(w.int("SELECT HAS_DBACCESS('shop')"), 0);
    s.exec("USE shop; CREATE USER worker_user FOR LOGIN worker");
    w.exec("USE shop");
    assert_eq!(w.text("USER_NAME()"), "worker_user");
    assert_eq!(w.int("SELECT HAS_DBACCESS('shop')"), 1);
    assert_eq!(w.error("SELECT * FROM t"), 229);
    assert_eq!(s.error("CREATE USER worker_user"), 15007);
    assert_eq!(s.error("CREATE USER other FOR LOGIN worker"), 15063);
    s.exec("DROP USER worker_user");
    assert_eq!(w.error("SELECT COUNT(*) FROM shop.dbo.t"), 229);
    assert_eq!(s.error("DROP USER worker_user"), 15151);
    s.exec("DROP USER IF EXISTS worker_user");
}

#[test]
fn each_verb_needs_its_own_permission_and_a_denial_wins() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("USE shop; CREATE USER worker; GRANT INSERT ON dbo.t TO worker");
    let mut w = worker(&lab, "shop");
    w.exec("INSERT t VALUES (3, 30)");
    assert_eq!(w.error("SELECT id FROM t"), 229);
    assert_eq!(w.error("INSERT t SELECT id + 10, v FROM t"), 229);
    s.exec("GRANT UPDATE ON SCHEMA::dbo TO worker");
    w.exec("UPDATE t SET v = 0");
    // Its WHERE reads the table.
    assert_eq!(w.error("UPDATE t SET v = 0 WHERE id = 1"), 229);
    s.exec("GRANT SELECT TO worker");
    w.exec("UPDATE t SET v = 5 WHERE id = 1");
    assert_eq!(w.int("SELECT SUM(v) FROM t"), 5);
    s.exec("DENY SELECT ON OBJECT::dbo.t TO worker");
    assert_eq!(w.error("SELECT SUM(v) FROM t"), 229);
    s.exec("REVOKE SELECT ON dbo.t FROM worker");
    assert_eq!(w.int("SELECT SUM(v) FROM t"), 5);
    assert_eq!(w.error("DELETE t WHERE id = 1"), 229);
    s.exec("ALTER ROLE db_datawriter ADD MEMBER worker");
    w.exec("DELETE t WHERE id = 1");
    assert_eq!(w.error("TRUNCATE TABLE t"), 4701);
    assert_eq!(w.error("ALTER TABLE t ADD w int NULL"), 4902);
    assert_eq!(w.error("DROP TABLE t"), 3701);
    assert_eq!(w.error("CREATE TABLE u (a int)"), 262);
    assert_eq!(w.error("GRANT SELECT TO worker"), 4613);
    assert_eq!(s.error("GRANT SELECT ON nothing TO worker"), 15151);
    assert_eq!(s.error("GRANT SELECT TO nobody"), 15151);
    // An object of the same name later on starts with nothing granted.
    s.exec("ALTER ROLE db_datawriter DROP MEMBER worker; REVOKE UPDATE ON SCHEMA::dbo TO worker");
    s.exec("DROP TABLE t; CREATE TABLE t (id int)");
    assert_eq!(w.error("INSERT t VALUES (1)"), 229);
}

#[test]
fn a_procedure_does_for_its_caller_what_the_caller_may_not() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("USE shop; CREATE USER worker");
    let mut w = worker(&lab, "shop");
    assert_eq!(w.error("EXEC raise_all"), 229);
    s.exec("GRANT EXECUTE ON dbo.raise_all TO worker");
    w.exec("EXEC raise_all");
    assert_eq!(w.error("UPDATE t SET v = v + 1"), 229);
    assert_eq!(s.int("SELECT SUM(v) FROM t"), 32);
}

#[test]
fn an_owner_of_a_database_does_all_in_it_and_nothing_elsewhere() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("USE shop; CREATE USER worker; ALTER ROLE db_owner ADD MEMBER worker");
    let mut w = worker(&lab, "shop");
    w.exec("CREATE TABLE mine (a int); INSERT mine VALUES (1); DROP TABLE mine");
    w.exec("ALTER DATABASE shop SET RECOVERY FULL; BACKUP DATABASE shop TO DISK = 'NUL'");
    assert_eq!(w.int("SELECT IS_MEMBER('db_owner')"), 1);
    assert_eq!(w.error("ALTER DATABASE model SET RECOVERY SIMPLE"), 5011);
    assert_eq!(w.error("CREATE LOGIN x WITH PASSWORD = 'abc'"), 15247);
    assert_eq!(w.error("KILL 51"), 6102);
    w.exec("CREATE SCHEMA own");
    w.exec("DENY INSERT ON SCHEMA::own TO worker");
}

#[test]
fn server_rights_are_granted_in_master_and_held_in_all_databases() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    let mut w = worker(&lab, "master");
    assert_eq!(w.error("CREATE DATABASE own"), 262);
    assert_eq!(w.error("SELECT * FROM sys.dm_os_wait_stats"), 300);
    s.exec("USE shop");
    assert_eq!(s.error("GRANT VIEW SERVER STATE TO worker"), 4621);
    s.exec("USE master; GRANT VIEW SERVER PERFORMANCE STATE, CREATE ANY DATABASE TO worker");
    assert!(w.int("SELECT COUNT(*) FROM sys.dm_os_wait_stats") > 0);
    assert_eq!(w.error("SELECT * FROM sys.dm_exec_connections"), 300);
    s.exec("DENY VIEW SERVER STATE TO worker");
    assert_eq!(w.error("SELECT COUNT(*) FROM sys.dm_os_wait_stats"), 300);
    s.exec("REVOKE VIEW SERVER STATE FROM worker; GRANT VIEW SERVER STATE TO worker");
    assert!(w.int("SELECT COUNT(*) FROM sys.dm_exec_connections") > 0);
    w.exec("CREATE DATABASE own");
    w.exec("USE own; CREATE TABLE t (a int)");
    w.exec("USE master; DROP DATABASE own");
    assert_eq!(w.error("DROP DATABASE shop"), 3701);
    assert_eq!(s.error("GRANT ALTER ANY ENDPOINT TO worker"), 40510);
    assert_eq!(s.error("GRANT VIEW SERVER STATE TO nobody"), 15151);
    assert_eq!(s.error("GRANT CONTROL SERVER TO sa"), 4624);
    assert_eq!(w.error("GRANT VIEW SERVER STATE TO worker"), 4613);
    assert_eq!(
        w.error("ALTER SERVER ROLE sysadmin ADD MEMBER worker"),
        15151
    );
    s.exec("ALTER SERVER ROLE sysadmin ADD MEMBER worker");
    assert_eq!(w.int("SELECT COUNT(*) FROM shop.dbo.t"), 2);
    assert_eq!(w.int("SELECT IS_SRVROLEMEMBER('sysadmin')"), 1);
    assert_eq!(s.error("ALTER SERVER ROLE sysadmin DROP MEMBER sa"), 15405);
}

#[test]
fn logins_and_grants_are_there_after_a_restart() {
    let mut lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec(
        "GRANT VIEW SERVER STATE TO worker;
         USE shop; CREATE USER worker; GRANT SELECT ON dbo.t TO worker;
         ALTER ROLE db_datawriter ADD MEMBER worker",
    );
    drop(s);
    lab.restart();
    let mut w = worker(&lab, "shop");
    assert_eq!(w.int("SELECT COUNT(*) FROM t"), 2);
    w.exec("INSERT t VALUES (9, 9)");
    assert!(w.int("SELECT COUNT(*) FROM sys.dm_os_wait_stats") > 0);
    assert_eq!(w.error("EXEC raise_all"), 229);
    drop(w);
    let mut s = lab.connect();
    assert_eq!(
        s.column(
            "SELECT permission_name FROM shop.sys.database_permissions p
             JOIN shop.sys.database_principals u ON u.principal_id = p.grantee_principal_id
             WHERE u.name = 'worker' ORDER BY permission_name"
        ),
        "CONNECT,SELECT"
    );
    assert_eq!(
        s.column(
            "SELECT permission_name FROM sys.server_permissions p
             JOIN sys.server_principals l ON l.principal_id = p.grantee_principal_id
             WHERE l.name = 'worker' ORDER BY permission_name"
        ),
        "CONNECT SQL,VIEW SERVER STATE"
    );
}

#[test]
fn a_login_changes_its_password_is_disabled_and_goes() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("ALTER LOGIN worker WITH PASSWORD = N'second word', DEFAULT_DATABASE = shop");
    assert_eq!(refused(&lab, "first word", "master"), Some(18456));
    // The default database that the login has no user in.
    assert_eq!(refused(&lab, "second word", ""), Some(4064));
    s.exec("ALTER LOGIN worker DISABLE");
    assert_eq!(refused(&lab, "second word", "master"), Some(18456));
    s.exec("ALTER LOGIN worker ENABLE");
    let w = lab.connect_as("worker", "second word", "master").unwrap();
    assert_eq!(s.error("DROP LOGIN worker"), 15434);
    drop(w);
    let gone = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        s.try_all("DROP LOGIN worker").is_ok()
    });
    assert!(gone);
    assert_eq!(refused(&lab, "second word", "master"), Some(18456));
    assert_eq!(s.error("DROP LOGIN worker"), 15151);
    assert_eq!(s.error("DROP LOGIN sa"), 15405);
    assert_eq!(
        s.error("BEGIN TRAN; CREATE LOGIN y WITH PASSWORD = 'a'"),
        226
    );
}

#[test]
fn a_rolled_back_grant_was_never_given() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("USE shop; CREATE USER worker");
    s.exec("BEGIN TRAN; GRANT SELECT TO worker; ROLLBACK");
    let mut w = worker(&lab, "shop");
    assert_eq!(w.error("SELECT * FROM t"), 229);
}

#[test]
fn a_login_made_anew_is_not_the_old_one_s_user() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("USE shop; CREATE USER worker; ALTER ROLE db_owner ADD MEMBER worker");
    s.exec("DROP LOGIN worker; CREATE LOGIN worker WITH PASSWORD = N'first word'");
    assert_eq!(refused(&lab, "first word", "shop"), Some(4060));
}

#[test]
fn no_password_is_in_the_files_or_in_an_error() {
    let lab = lab_with(TABLE);
    let mut s = lab.connect();
    s.exec("CREATE LOGIN other WITH PASSWORD = N'Xylophone-77'");
    let error = s
        .try_all("CREATE LOGIN other WITH PASSWORD = N'Xylophone-77'")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("15025") && !error.contains("Xylophone"),
        "{error}"
    );
    let error = s
        .try_all("CREATE LOGIN more WITH PASSWORD N'Xylophone-77'")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("PASSWORD") && !error.contains("Xylophone"),
        "{error}"
    );
    for name in ["instance.json", "errorlog"] {
        let Ok(bytes) = std::fs::read(lab.folder.path().join(name)) else {
            continue;
        };
        assert!(
            !String::from_utf8_lossy(&bytes).contains("Xylophone"),
            "{name}"
        );
    }
}
