//! labdb against a Rust client that others wrote: mssql-client, without and with TLS.

use integration_tests::Labdb;
use mssql_client::{
    BulkColumn, BulkInsertBuilder, Client, Config, Error, IsolationLevel, Ready, SqlValue, ToSql,
};
use std::time::Duration;

async fn connect(labdb: &Labdb, encrypt: &str, password: &str) -> Result<Client<Ready>, Error> {
    let server = labdb.environment("SQLCMDSERVER");
    let text = format!(
        "Server={server};Database=master;User Id=sa;Password={password};\
         TrustServerCertificate=true;Encrypt={encrypt}"
    );
    Client::connect(Config::from_connection_string(&text)?).await
}

/// The first column of the first row.
async fn one(client: &mut Client<Ready>, text: &str, values: &[&(dyn ToSql + Sync)]) -> SqlValue {
    let rows = client.query(text, values).await;
    let rows = rows.unwrap_or_else(|e| panic!("{text}: {e}"));
    let rows = rows.collect_all().await.expect("rows");
    rows[0].get_raw(0).expect("a column")
}

fn number<T>(outcome: Result<T, Error>) -> (i32, u8, u8, u32) {
    match outcome {
        Err(Error::Server {
            number,
            class,
            state,
            line,
            ..
        }) => (number, class, state, line),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("no error"),
    }
}

#[test]
fn mssql_client_works() {
    let labdb = Labdb::start();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(async {
            for encrypt in ["no_tls", "true"] {
                let password = labdb.environment("SQLCMDPASSWORD");
                let Err(refused) = connect(&labdb, encrypt, "wrong").await else {
                    panic!("{encrypt}: a wrong password is accepted");
                };
                let refused = refused.to_string();
                assert!(refused.contains("Login failed"), "{refused}");
                let client = connect(&labdb, encrypt, password).await;
                let mut client = client.unwrap_or_else(|e| panic!("{encrypt}: {e}"));
                values(&mut client).await;
                results_and_errors(&mut client).await;
                procedures(&mut client).await;
                bulk(&mut client).await;
                cancellation(&mut client).await;
                transactions(client).await;
            }
        });
}

async fn values(client: &mut Client<Ready>) {
    let long = "漢😀".repeat(200_000);
    let bytes: Vec<u8> = (0..=255).collect();
    let echoes: [(&str, &(dyn ToSql + Sync), SqlValue); 9] = [
        ("int", &i32::MIN, SqlValue::Int(i32::MIN)),
        ("bigint", &i64::MAX, SqlValue::BigInt(i64::MAX)),
        ("smallint", &i16::MIN, SqlValue::SmallInt(i16::MIN)),
        ("bit", &true, SqlValue::Bool(true)),
        ("float", &-0.1_f64, SqlValue::Double(-0.1)),
        ("nvarchar(20)", &"é漢😀", SqlValue::String("é漢😀".into())),
        (
            "nvarchar(max)",
            &long.as_str(),
            SqlValue::String(long.clone()),
        ),
        (
            "varbinary(300)",
            &bytes.as_slice(),
            SqlValue::Binary(bytes.clone().into()),
        ),
        ("int", &None::<i32>, SqlValue::Null),
    ];
    for (sql_type, value, expected) in echoes {
        let text = format!("SELECT CAST(@p1 AS {sql_type})");
        assert_eq!(one(client, &text, &[value]).await, expected, "{sql_type}");
    }
}

async fn results_and_errors(client: &mut Client<Ready>) {
    let mut results = client
        .query_multiple("SELECT 1 AS a; SELECT 'x' AS b UNION ALL SELECT 'y'", &[])
        .await
        .expect("two results");
    let row = results.next_row().await.expect("a row").expect("a row");
    assert_eq!(row.get::<i32>(0).expect("a"), 1);
    assert!(results.next_row().await.expect("the end").is_none());
    assert!(results.next_result().await.expect("a second result"));
    for expected in ["x", "y"] {
        let row = results.next_row().await.expect("a row").expect("a row");
        assert_eq!(row.get::<String>(0).expect("b"), expected);
    }
    assert!(!results.next_result().await.expect("the end"));
    drop(results);
    let outcome = client.execute("\n\nRAISERROR('here', 13, 9)", &[]).await;
    assert_eq!(number(outcome), (50_000, 13, 9, 3));
    let outcome = client.execute("SELECT * FROM nowhere", &[]).await;
    assert_eq!(number(outcome).0, 208);
    let create = "CREATE TABLE #counted (v int)";
    client.simple_query(create).await.expect("a table");
    let insert = "INSERT INTO #counted VALUES (@p1), (@p2)";
    let count = client.execute(insert, &[&1, &2]).await.expect("two rows");
    assert_eq!(count, 2);
}

async fn procedures(client: &mut Client<Ready>) {
    let create = "CREATE OR ALTER PROCEDURE dbo.of_rust @in int, @twice int OUTPUT AS \
                  SELECT @in AS v; SET @twice = 2 * @in; RETURN 7";
    client.simple_query(create).await.expect("a procedure");
    let result = client
        .procedure("dbo.of_rust")
        .expect("a name")
        .input("@in", &21)
        .output_int("@twice")
        .execute()
        .await
        .expect("a call");
    assert_eq!(result.get_return_value(), 7);
    let twice = result.get_output("@twice").expect("an OUTPUT value");
    assert_eq!(twice.value, SqlValue::Int(42));
    assert!(result.has_result_sets());
}

async fn bulk(client: &mut Client<Ready>) {
    let create = "CREATE TABLE #bulk (id int NOT NULL, name nvarchar(100) NULL)";
    client.simple_query(create).await.expect("a table");
    let columns = [("id", "INT"), ("name", "NVARCHAR(100)")];
    let columns = columns
        .into_iter()
        .enumerate()
        .map(|(at, (name, sql_type))| BulkColumn::new(name, sql_type, at).expect("a column"));
    let builder = BulkInsertBuilder::new("#bulk").with_typed_columns(columns.collect());
    let mut writer = client.bulk_insert(&builder).await.expect("a bulk load");
    for id in 0..1000 {
        let name = SqlValue::String(format!("Zeile {id} é"));
        writer
            .send_row_values(&[SqlValue::Int(id), name])
            .expect("a row");
    }
    let loaded = writer.finish().await.expect("the rows");
    assert_eq!(loaded.rows_affected, 1000);
    let text = "SELECT CONCAT(COUNT(*), '/', SUM(id), '/', MAX(name)) FROM #bulk";
    let expected = SqlValue::String("1000/499500/Zeile 999 é".into());
    assert_eq!(one(client, text, &[]).await, expected);
}

async fn cancellation(client: &mut Client<Ready>) {
    let soon = Duration::from_millis(300);
    let wait = "WAITFOR DELAY '00:00:50'";
    let outcome = client.execute_with_timeout(wait, &[], soon).await;
    assert!(outcome.is_err());
    assert_eq!(one(client, "SELECT 5", &[]).await, SqlValue::Int(5));
}

async fn transactions(mut client: Client<Ready>) {
    let create = "CREATE TABLE #done (v int)";
    client.simple_query(create).await.expect("a table");
    let mut open = client
        .begin_transaction_with_isolation(IsolationLevel::Serializable)
        .await
        .expect("a transaction");
    let insert = "INSERT INTO #done VALUES (@p1)";
    open.execute(insert, &[&1]).await.expect("a row");
    let point = open.save_point("here").await.expect("a savepoint");
    open.execute(insert, &[&2]).await.expect("a row");
    open.rollback_to(&point).await.expect("a rollback to it");
    let client = open.commit().await.expect("a commit");
    let mut open = client.begin_transaction().await.expect("a transaction");
    open.execute(insert, &[&4]).await.expect("a row");
    let mut client = open.rollback().await.expect("a rollback");
    let sum = "SELECT SUM(v) + 10 * @@TRANCOUNT FROM #done";
    assert_eq!(one(&mut client, sum, &[]).await, SqlValue::Int(1));
    client.close().await.expect("a close");
}
