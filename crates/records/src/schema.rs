//! The record types as a JSON Schema.

use crate::Record;
use schemars::Schema;

/// The JSON Schema (draft 2020-12) of one line of a stream.
#[must_use]
pub fn json_schema() -> Schema {
    schemars::schema_for!(Record)
}
