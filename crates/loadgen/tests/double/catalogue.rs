//! The double's answers to what is no transaction.

use super::{Counts, Script, Session, WAIT_MS, WAITS_BEFORE, done};
use labdb_tds::{Done, Response, Result};
use labdb_types::{Column, Length, SqlError, SqlType, Value};
use std::sync::atomic::Ordering;

pub(super) fn answer(
    text: &str,
    response: Response<'_>,
    script: &Script,
    counts: &Counts,
    session: &Session,
) -> Result<()> {
    if text.contains("SET NOCOUNT ON") {
        counts.prepared.fetch_add(1, Ordering::SeqCst);
        return done(response);
    }
    if text.contains("dm_exec_session_wait_stats") {
        return waits(response, script, session);
    }
    if text.contains("sp_flush_log") {
        let received = counts.received.load(Ordering::SeqCst);
        counts.received_at_flush.store(received, Ordering::SeqCst);
        counts.flushes.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(script.flush_takes);
        return table(
            response,
            &[Column::new("result", SqlType::Int)],
            &[vec![Value::Int(i32::from(!script.flush_fails))]],
        );
    }
    if text.contains("COUNT_BIG") {
        let countings = counts.countings.fetch_add(1, Ordering::SeqCst);
        let rows = counts.rows.load(Ordering::SeqCst) + countings * script.strangers_rows;
        return table(
            response,
            &[Column::new("row_count", SqlType::BigInt)],
            &[vec![Value::BigInt(rows)]],
        );
    }
    if text.contains("@@SPID") {
        return table(
            response,
            &[
                Column::new("session_id", SqlType::Int),
                Column::new("database_name", nvarchar(128)),
            ],
            &[vec![Value::Int(session.id), Value::text("lab")]],
        );
    }
    if text.contains("@@VERSION") {
        return table(
            response,
            &[
                Column::new("banner", nvarchar(4000)),
                Column::new("product_version", nvarchar(128)),
                Column::new("edition", nvarchar(128)),
                Column::new("engine_edition", SqlType::Int),
                Column::new("injected_faults", nvarchar(4000)),
            ],
            &[vec![
                Value::text("test double, on Linux"),
                Value::text("16.0.1000.1"),
                Value::text("Test"),
                Value::Int(3),
                Value::Null,
            ]],
        );
    }
    if text.contains("extended_properties") {
        let mark = [vec![Value::text("0.1.0")]];
        let rows = if script.unmarked { &[][..] } else { &mark };
        return table(response, &[Column::new("mark", nvarchar(4000))], rows);
    }
    panic!("the double does not know this batch: {text}");
}

fn waits(mut response: Response<'_>, script: &Script, session: &Session) -> Result<()> {
    if script.no_waits {
        let error = SqlError::new(
            300,
            "VIEW SERVER PERFORMANCE STATE permission was denied on object 'server'.",
        )
        .severity(14);
        response.error(&error)?;
        response.statement_done(&Done {
            error: true,
            ..Done::default()
        })?;
        return response.finish();
    }
    let transactions = session.transactions.load(Ordering::SeqCst);
    let waits = WAITS_BEFORE + transactions;
    table(
        response,
        &[
            Column::new("wait_type", nvarchar(60)),
            Column::new("waiting_tasks", SqlType::BigInt),
            Column::new("wait_ms", SqlType::BigInt),
            Column::new("signal_wait_ms", SqlType::BigInt),
        ],
        &[
            vec![
                Value::text("WRITELOG"),
                Value::BigInt(waits),
                Value::BigInt(waits * WAIT_MS),
                Value::BigInt(waits),
            ],
            // Was there before and does not grow.
            vec![
                Value::text("MEMORY_ALLOCATION_EXT"),
                Value::BigInt(7),
                Value::BigInt(7),
                Value::BigInt(0),
            ],
        ],
    )
}

fn nvarchar(length: u16) -> SqlType {
    SqlType::NVarChar(Length::Limited(length))
}

fn table(mut response: Response<'_>, columns: &[Column], rows: &[Vec<Value>]) -> Result<()> {
    response.columns(columns)?;
    for row in rows {
        response.row(row)?;
    }
    response.statement_done(&Done {
        rows: Some(rows.len() as u64),
        command: 0xC1,
        ..Done::default()
    })?;
    response.finish()
}
