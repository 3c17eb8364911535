//! `ALL_HEADERS`, which stand before every request from TDS 7.2 on (\[MS-TDS\] 2.2.5.3).

use crate::wire::Reader;
use crate::{Error, Result};

const TRANSACTION_DESCRIPTOR: u16 = 2;

/// Reads the headers and gives the transaction descriptor, or 0 if none is there.
pub(crate) fn read_all_headers(reader: &mut Reader<'_>) -> Result<u64> {
    let total = reader.u32()?;
    let length = usize::try_from(total)
        .ok()
        .and_then(|total| total.checked_sub(4))
        .ok_or_else(|| Error::protocol("ALL_HEADERS is shorter than its own length field"))?;
    let mut headers = Reader::new(reader.bytes(length)?);
    let mut transaction = 0;
    while !headers.is_empty() {
        let header_length = headers.u32()?;
        let kind = headers.u16()?;
        let data_length = usize::try_from(header_length)
            .ok()
            .and_then(|length| length.checked_sub(6))
            .ok_or_else(|| Error::protocol("a header is shorter than its own length field"))?;
        let mut data = Reader::new(headers.bytes(data_length)?);
        if kind == TRANSACTION_DESCRIPTOR {
            transaction = data.u64()?;
        }
    }
    Ok(transaction)
}
