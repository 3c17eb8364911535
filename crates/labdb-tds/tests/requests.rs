//! Requests and responses with a real client.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod server;

use labdb_tds::{
    Connection, Done, EnvChange, ProcedureId, Request, RequestBody, Result, ReturnValue, RpcTarget,
    ServerConfig, TransactionRequest,
};
use labdb_types::{Column, Length, Message, SqlError, SqlType, Value};
use server::{Server, connect, plain};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tiberius::{ColumnData, EncryptionLevel, ToSql};

/// Answers an RPC with its parameters (behind those of `sp_executesql`) as one row.
fn echo(connection: &mut Connection, request: &Request) -> Result<()> {
    let mut response = connection.response();
    if let RequestBody::Rpc(calls) = &request.body {
        for call in calls {
            let skip = match call.target {
                RpcTarget::Id(ProcedureId::ExecuteSql) => 2,
                _ => 0,
            };
            let given = call.parameters.get(skip..).unwrap_or_default();
            let columns: Vec<Column> = given
                .iter()
                .map(|parameter| Column::new(&parameter.name[1..], parameter.sql_type))
                .collect();
            let values: Vec<Value> = given.iter().map(|found| found.value.clone()).collect();
            response.begin_procedure();
            response.columns(&columns)?;
            response.row(&values)?;
            response.statement_done(&Done {
                rows: Some(1),
                command: 0xC1,
                ..Done::default()
            })?;
            response.return_status(0)?;
            response.return_value(&ReturnValue {
                ordinal: 0,
                name: "@out",
                function_result: false,
                sql_type: SqlType::Int,
                value: &Value::Int(7),
            })?;
            response.end_procedure(&Done::default())?;
        }
    }
    response.finish()
}

/// A value in the driver's own form.
struct Raw(ColumnData<'static>);

impl ToSql for Raw {
    fn to_sql(&self) -> ColumnData<'_> {
        self.0.clone()
    }
}

#[tokio::test]
async fn parameters_of_every_type_go_to_the_server_and_back() {
    let server = Server::start(plain(), echo);
    let mut client = server.plain_client().await;
    let guid = tiberius::Uuid::from_bytes([
        0x6F, 0x96, 0x19, 0xFF, 0x8B, 0x86, 0xD0, 0x11, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9, 0x64, 0xFF,
    ]);
    let number = tiberius::numeric::Numeric::new_with_scale(-123_456_789_012_345_678, 5);
    let date = tiberius::time::Date::new(730_178);
    let time = tiberius::time::Time::new(863_999_999_999, 7);
    let stamp = tiberius::time::DateTime2::new(date, time);
    let offset = tiberius::time::DateTimeOffset::new(stamp, 330);
    let date = Raw(ColumnData::Date(Some(date)));
    let time = Raw(ColumnData::Time(Some(time)));
    let stamp = Raw(ColumnData::DateTime2(Some(stamp)));
    let offset = Raw(ColumnData::DateTimeOffset(Some(offset)));
    let text = "Grüße, \u{1F600}";
    let none: Option<i32> = None;
    let row = client
        .query(
            "SELECT",
            &[
                &true,
                &200_u8,
                &-2_i16,
                &-3_i32,
                &i64::MIN,
                &1.5_f32,
                &-2.25_f64,
                &text,
                &guid,
                &number,
                &date,
                &time,
                &stamp,
                &offset,
                &[0_u8, 255, 7].as_slice(),
                &none,
            ],
        )
        .await
        .unwrap()
        .into_row()
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.get::<bool, _>(0), Some(true));
    assert_eq!(row.get::<u8, _>(1), Some(200));
    assert_eq!(row.get::<i16, _>(2), Some(-2));
    assert_eq!(row.get::<i32, _>(3), Some(-3));
    assert_eq!(row.get::<i64, _>(4), Some(i64::MIN));
    assert_eq!(row.get::<f32, _>(5), Some(1.5));
    assert_eq!(row.get::<f64, _>(6), Some(-2.25));
    assert_eq!(row.get::<&str, _>(7), Some(text));
    assert_eq!(row.get::<tiberius::Uuid, _>(8), Some(guid));
    assert_eq!(row.get::<tiberius::numeric::Numeric, _>(9), Some(number));
    for (position, sent) in [(10, &date), (11, &time), (12, &stamp), (13, &offset)] {
        assert_eq!(
            row.get::<ColumnData<'_>, _>(position).as_ref(),
            Some(&sent.0)
        );
    }
    assert_eq!(row.get::<&[u8], _>(14), Some([0, 255, 7].as_slice()));
    assert_eq!(row.get::<i32, _>(15), None);
}

#[tokio::test]
async fn long_values_cross_many_packets_of_any_size() {
    let server = Server::start(plain(), echo);
    let long: String = "äb\u{1F600}".repeat(100_000);
    let bytes = vec![0x5A_u8; 1_000_000];
    for packet_size in [512, 4096, 32767] {
        let mut config = server.client_config(EncryptionLevel::NotSupported);
        config.packet_size(packet_size);
        let mut client = connect(config).await.unwrap();
        for _ in 0..2 {
            let row = client
                .query("SELECT", &[&long.as_str(), &bytes.as_slice()])
                .await
                .unwrap()
                .into_row()
                .await
                .unwrap()
                .unwrap();
            assert!(row.get::<&str, _>(0) == Some(long.as_str()));
            assert!(row.get::<&[u8], _>(1) == Some(bytes.as_slice()));
        }
    }
}

#[tokio::test]
async fn a_large_result_comes_in_full_and_in_order() {
    const ROWS: i32 = 50_000;
    let server = Server::start(plain(), |connection, _| {
        let mut response = connection.response();
        response.columns(&[
            Column::new("n", SqlType::Int),
            Column::new("t", SqlType::Char(20)),
        ])?;
        for number in 0..ROWS {
            response.row(&[Value::Int(number), Value::text(number.to_string())])?;
        }
        response.statement_done(&Done {
            rows: Some(u64::from(ROWS.unsigned_abs())),
            ..Done::default()
        })?;
        response.finish()
    });
    let mut client = server.plain_client().await;
    let results = client
        .simple_query("x")
        .await
        .unwrap()
        .into_results()
        .await
        .unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].len(), 50_000);
    for (number, row) in (0..ROWS).zip(&results[0]) {
        assert_eq!(row.get::<i32, _>(0), Some(number));
        assert_eq!(
            row.get::<&str, _>(1),
            Some(format!("{number:<20}").as_str())
        );
    }
}

#[tokio::test]
async fn an_error_keeps_its_number_line_and_procedure_and_the_session_goes_on() {
    let server = Server::start(plain(), |connection, _| {
        let mut response = connection.response();
        let mut error = SqlError::new(8134, "Divide by zero error encountered.").at_line(70_000);
        error.procedure = Some("halve".into());
        response.info(&Message::new(0, "printed").severity(0))?;
        response.error(&error)?;
        response.statement_done(&Done {
            error: true,
            ..Done::default()
        })?;
        response.finish()
    });
    let mut client = server.plain_client().await;
    for _ in 0..2 {
        // The driver reports an error where it first looks at the response.
        let failed = match client.simple_query("x").await {
            Ok(stream) => stream.into_results().await.map(|_| ()),
            Err(error) => Err(error),
        };
        match failed {
            Err(tiberius::error::Error::Server(error)) => {
                assert_eq!(error.code(), 8134);
                assert_eq!(error.line(), 70_000);
                assert_eq!(error.procedure(), "halve");
                assert_eq!(error.server(), "labdb");
                assert_eq!(error.message(), "Divide by zero error encountered.");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_transaction_request_gives_a_descriptor_that_later_requests_carry() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&seen);
    let server = Server::start(plain(), move |connection, request| {
        let mut response = connection.response();
        match &request.body {
            RequestBody::TransactionManager(TransactionRequest::Begin { .. }) => {
                response.env_change(&EnvChange::BeginTransaction(0x1122_3344_5566_7788))?;
            }
            RequestBody::TransactionManager(TransactionRequest::Commit { .. }) => {
                response.env_change(&EnvChange::CommitTransaction(0x1122_3344_5566_7788))?;
            }
            _ => {}
        }
        recorder.lock().unwrap().push(request.clone());
        response.statement_done(&Done::default())?;
        response.finish()
    });
    let mut client = server.plain_client().await;
    client.begin_transaction().await.unwrap();
    client
        .simple_query("inside")
        .await
        .unwrap()
        .into_results()
        .await
        .unwrap();
    client.commit_transaction().await.unwrap();
    client
        .simple_query("after")
        .await
        .unwrap()
        .into_results()
        .await
        .unwrap();
    let seen = seen.lock().unwrap();
    let descriptors: Vec<u64> = seen.iter().map(|request| request.transaction).collect();
    assert_eq!(
        descriptors,
        [0, 0x1122_3344_5566_7788, 0x1122_3344_5566_7788, 0]
    );
    assert_eq!(seen[1].body, RequestBody::Batch("inside".into()));
}

/// Runs until the client cancels.
fn endless(connection: &mut Connection, request: &Request) -> Result<()> {
    let mut response = connection.response();
    response.columns(&[Column::new("n", SqlType::Int)])?;
    response.row(&[Value::Int(1)])?;
    if request.body == RequestBody::Batch("endless".into()) {
        response.flush()?;
        while !response.attention_pending()? {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    response.finish()
}

/// The driver sends an attention, and the server's thread sees it. (The driver expects the
/// acknowledgement inside of the interrupted response, where neither SQL Server nor labdb has it,
/// so its own result is of no interest.)
async fn is_cancelled(config: ServerConfig, level: EncryptionLevel) {
    let (sender, seen) = channel();
    let server = Server::start(config, move |connection, request| {
        endless(connection, request)?;
        let _ = sender.send(());
        Ok(())
    });
    let mut config = server.client_config(level);
    config.trust_cert();
    let mut client = connect(config).await.unwrap();
    drop(client.simple_query("endless").await.unwrap());
    assert!(seen.try_recv().is_err());
    let _ = client.cancel_query().await;
    seen.recv_timeout(Duration::from_mins(1)).unwrap();
}

#[tokio::test]
async fn an_attention_ends_a_running_request() {
    is_cancelled(plain(), EncryptionLevel::NotSupported).await;
}

#[tokio::test]
async fn an_attention_is_seen_through_tls() {
    let (config, _) = server::encrypting(labdb_tds::Encryption::Required);
    is_cancelled(config, EncryptionLevel::Required).await;
}

#[tokio::test]
async fn an_attention_that_comes_too_late_leaves_the_session_in_step() {
    let server = Server::start(plain(), endless);
    let mut client = server.plain_client().await;
    for _ in 0..3 {
        client.cancel_query().await.unwrap();
        let row = client.simple_query("x").await.unwrap().into_row().await;
        assert_eq!(row.unwrap().unwrap().get::<i32, _>(0), Some(1));
    }
}

#[tokio::test]
async fn a_client_that_goes_away_is_noticed_while_its_request_runs() {
    let server = Server::start(plain(), endless);
    let mut client = server.plain_client().await;
    drop(client.simple_query("endless").await.unwrap());
    drop(client);
    let end = server.ends.recv_timeout(Duration::from_mins(1)).unwrap();
    assert!(matches!(end, Err(labdb_tds::Error::Io(_))), "{end:?}");
}

#[tokio::test]
async fn a_value_that_does_not_fit_its_column_is_an_error_and_sends_no_half_row() {
    let server = Server::start(plain(), |connection, _| {
        let mut response = connection.response();
        response.columns(&[
            Column::new("a", SqlType::Int),
            Column::new("b", SqlType::VarChar(Length::Limited(2))),
        ])?;
        for (text, fits) in [("ab", true), ("abc", false), ("cd", true)] {
            let sent = response.row(&[Value::Int(1), Value::text(text)]);
            assert_eq!(sent.is_ok(), fits);
        }
        response.statement_done(&Done::default())?;
        response.finish()
    });
    let mut client = server.plain_client().await;
    let rows = client
        .simple_query("x")
        .await
        .unwrap()
        .into_first_result()
        .await
        .unwrap();
    let texts: Vec<_> = rows.iter().map(|row| row.get::<&str, _>(1)).collect();
    assert_eq!(texts, [Some("ab"), Some("cd")]);
}
