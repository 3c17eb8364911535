//! What counts up: file statistics, waits, performance counters, and the clock beside them.

use super::gather::{Reading, gather, one};
use super::{file_kind, page_bytes, unavailable};
use crate::connection::Connection;
use crate::error::SqlError;
use crate::permission::Scope;
use crate::row::Columns;
use crate::texts::readings as texts;
use jiff::{Timestamp, civil, tz};
use records::{FileReading, PerformanceCounter, Server, Unavailable, WaitReading};
use tiberius::Row;

/// The counters of the current database and its server.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The server's clock, UTC.
    pub server_time: Timestamp,
    /// When the server started, in its local time.
    pub server_start_time: Option<String>,
    /// The files of the database.
    pub files: Option<Vec<FileReading>>,
    /// The waits of the whole server.
    pub waits: Option<Vec<WaitReading>>,
    /// The log's performance counters of the database.
    pub performance_counters: Option<Vec<PerformanceCounter>>,
    /// What could not be read, and why.
    pub unavailable: Vec<Unavailable>,
}

/// Reads the counters.
///
/// # Errors
/// The connection is gone, or an answer could not be read. What the login may not read is none,
/// with its reason.
pub async fn counters(connection: &mut Connection, server: &Server) -> Result<Counters, SqlError> {
    let [files, waits, counters, clock, start] = gather(
        connection,
        [
            texts::files(),
            texts::waits(),
            texts::performance_counters(),
            texts::clock(),
            texts::start_time(),
        ],
    )
    .await?;
    let login = connection.settings().user.as_str();
    let mut missing = Vec::new();
    let mut rows = |field: &str, reading: Reading| match reading {
        Ok(rows) => Some(rows),
        Err(error) => {
            missing.push(unavailable(
                field,
                Scope::ServerState,
                &error,
                server,
                login,
            ));
            None
        }
    };
    let start = rows("server_start_time", start).and_then(|rows| rows.into_iter().next());
    let files = rows("files", files);
    let waits = rows("waits", waits);
    let counters = rows("performance_counters", counters);
    Ok(Counters {
        server_time: utc(&one(clock, "the server's clock")?.some_text("server_time")?)?,
        server_start_time: start.map_or(Ok(None), |row| row.text("server_start_time"))?,
        files: each(files, file)?,
        waits: each(waits, wait)?,
        performance_counters: each(counters, counter)?,
        unavailable: missing,
    })
}

fn each<T>(
    rows: Option<Vec<Row>>,
    read: impl Fn(&Row) -> Result<T, SqlError>,
) -> Result<Option<Vec<T>>, SqlError> {
    rows.map(|rows| rows.iter().map(read).collect()).transpose()
}

fn file(row: &Row) -> Result<FileReading, SqlError> {
    Ok(FileReading {
        database_id: row.some_int("database_id")?,
        file_id: row.some_int("file_id")?,
        kind: file_kind(row.some_int("file_type")?),
        logical_name: row.some_text("logical_name")?,
        physical_name: row.some_text("physical_name")?,
        size_bytes: page_bytes(row.some_big("size_pages")?)?,
        sample_ms: row.some_big("sample_ms")?,
        reads: row.some_big("reads")?,
        bytes_read: row.some_big("bytes_read")?,
        read_stall_ms: row.some_big("read_stall_ms")?,
        queued_read_stall_ms: row.big("queued_read_stall_ms")?,
        writes: row.some_big("writes")?,
        bytes_written: row.some_big("bytes_written")?,
        write_stall_ms: row.some_big("write_stall_ms")?,
        queued_write_stall_ms: row.big("queued_write_stall_ms")?,
        stall_ms: row.some_big("stall_ms")?,
        size_on_disk_bytes: row.some_big("size_on_disk_bytes")?,
        file_handle: row.hexadecimal("file_handle")?,
    })
}

fn wait(row: &Row) -> Result<WaitReading, SqlError> {
    Ok(WaitReading {
        wait_type: row.some_text("wait_type")?,
        waiting_tasks: row.some_big("waiting_tasks")?,
        wait_ms: row.some_big("wait_ms")?,
        max_wait_ms: row.some_big("max_wait_ms")?,
        signal_wait_ms: row.some_big("signal_wait_ms")?,
    })
}

fn counter(row: &Row) -> Result<PerformanceCounter, SqlError> {
    Ok(PerformanceCounter {
        counter_name: row.some_text("counter_name")?.trim_end().to_owned(),
        value: row.some_big("value")?,
        cntr_type: row.some_int("cntr_type")?,
    })
}

/// A `datetime2` of UTC, as CONVERT style 126 writes it.
fn utc(text: &str) -> Result<Timestamp, SqlError> {
    text.parse::<civil::DateTime>()
        .and_then(|time| time.to_zoned(tz::TimeZone::UTC))
        .map(|time| time.timestamp())
        .map_err(|error| SqlError::Unreadable(format!("the server's clock `{text}`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn the_servers_clock_is_read_as_utc_to_100_ns() {
        let time = utc("2026-02-28T23:59:59.1234567").unwrap();
        assert_eq!(time.to_string(), "2026-02-28T23:59:59.1234567Z");
        assert_eq!(
            utc("2026-02-28T23:59:59").unwrap().to_string(),
            "2026-02-28T23:59:59Z"
        );
        assert!(utc("28.02.2026").is_err());
    }
}
