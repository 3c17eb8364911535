//! Several single-SELECT texts in one round trip, or each by itself where one of them fails.

use crate::connection::Connection;
use crate::error::SqlError;
use crate::texts::Text;
use tiberius::Row;

/// One text's rows, or why there are none.
pub(super) type Reading = Result<Vec<Row>, SqlError>;

/// The rows of `N` texts that give one result set each.
///
/// # Errors
/// The connection is gone. A text that fails by itself fails in its place.
pub(super) async fn gather<const N: usize>(
    connection: &mut Connection,
    texts: [Text; N],
) -> Result<[Reading; N], SqlError> {
    let all: Vec<&str> = texts.iter().map(|text| text.sql.as_str()).collect();
    match connection.batch(&all.join("\n")).await {
        Ok(results) => {
            let readings: Vec<Reading> = results.into_iter().map(Ok).collect();
            if let Ok(readings) = readings.try_into() {
                return Ok(readings);
            }
        }
        Err(error) if error.ends_connection() => return Err(error),
        // One of them cannot be had; which, only each by itself can say.
        Err(_) => {}
    }
    let mut readings = Vec::with_capacity(N);
    for text in &texts {
        let reading = match connection.batch(&text.sql).await {
            Ok(results) => Ok(results.into_iter().next().unwrap_or_default()),
            Err(error) if error.ends_connection() => return Err(error),
            Err(error) => Err(error),
        };
        readings.push(reading);
    }
    readings
        .try_into()
        .map_err(|_| SqlError::Unreadable("a reading is missing".to_owned()))
}

/// The one row of a reading that must be there.
pub(super) fn one(reading: Reading, what: &str) -> Result<Row, SqlError> {
    reading?
        .into_iter()
        .next()
        .ok_or_else(|| SqlError::Unreadable(format!("{what} has no row")))
}
