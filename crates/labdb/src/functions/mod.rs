//! Built-in functions: a registry of names with their parameters, result types and code.

pub(crate) mod date;
pub(crate) mod date_part;
mod errors;
mod extreme;
mod format;
mod globals;
mod metadata;
mod number;
mod properties;
mod random_bytes;
mod security;
mod text;
mod truncate;

pub use globals::{GLOBALS, global};
pub(crate) use metadata::split_name;
pub(crate) use properties::{COLLATION, machine_name};

use crate::eval::types;
use crate::plan::{Context, Typed};
use labdb_types::{Length, SqlType, Value};

/// What a parameter is converted to before the function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Nothing: as it comes.
    Any,
    /// Text, of the kind it is or `varchar`.
    Text,
    /// `nvarchar`.
    Name,
    /// `int`.
    Int,
    /// `bigint`.
    BigInt,
    /// `float`.
    Float,
    /// A number; text becomes `float`.
    Number,
    /// A date or time; text and numbers become `datetime`.
    Moment,
    /// A date part, written as a bare word.
    DatePart,
}

/// A scalar function.
pub struct Scalar {
    /// Its name, upper case.
    pub name: &'static str,
    /// The fewest arguments.
    pub min: usize,
    /// The most arguments.
    pub max: usize,
    /// Its parameters; the last one stands for all further ones.
    pub parameters: &'static [Parameter],
    /// The result's type from the arguments.
    pub result: fn(&[Typed]) -> SqlType,
    /// Whether any NULL argument gives NULL without a call.
    pub null_in_null_out: bool,
    /// The code.
    pub run: fn(&Call<'_>) -> labdb_types::SqlResult<Value>,
}

impl std::fmt::Debug for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        // A call of NEWID or RAND equals no other, but that matters to nobody who compares plans.
        self.name == other.name
    }
}

/// One call.
pub struct Call<'a> {
    /// Session and variables.
    pub ctx: &'a Context<'a>,
    /// The arguments as bound, for their types.
    pub arguments: &'a [Typed],
    /// Their values.
    pub values: &'a [Value],
    /// The result's type.
    pub result: SqlType,
}

impl Call<'_> {
    /// An argument, NULL where it was left out.
    pub fn value(&self, at: usize) -> &Value {
        self.values.get(at).unwrap_or(&Value::Null)
    }

    /// An argument's text.
    pub fn text(&self, at: usize) -> &str {
        match self.value(at) {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// An argument's text, `None` for NULL.
    pub fn optional_text(&self, at: usize) -> Option<&str> {
        match self.value(at) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole-number argument; 0 where it is none.
    pub fn int(&self, at: usize) -> i64 {
        crate::eval::convert::as_i64(self.value(at)).unwrap_or(0)
    }

    /// A float argument.
    pub fn float(&self, at: usize) -> f64 {
        match self.value(at) {
            Value::Float(f) => *f,
            _ => 0.0,
        }
    }

    /// An argument's type.
    pub fn type_of(&self, at: usize) -> SqlType {
        self.arguments.get(at).map_or(SqlType::Int, |a| a.sql_type)
    }

    /// A text of the result's type.
    pub fn give(&self, text: impl AsRef<str>) -> Value {
        crate::eval::convert::sized_text(std::sync::Arc::from(text.as_ref()), self.result)
    }
}

/// `sysname`.
pub(crate) const SYSNAME: SqlType = SqlType::NVarChar(Length::Limited(128));

fn int(_: &[Typed]) -> SqlType {
    SqlType::Int
}
fn bigint(_: &[Typed]) -> SqlType {
    SqlType::BigInt
}
fn float(_: &[Typed]) -> SqlType {
    SqlType::Float
}
fn sysname(_: &[Typed]) -> SqlType {
    SYSNAME
}
fn variant(_: &[Typed]) -> SqlType {
    SqlType::SqlVariant
}
fn first(arguments: &[Typed]) -> SqlType {
    arguments.first().map_or(SqlType::Int, |a| a.sql_type)
}

/// The first argument's kind of text at its own length.
fn same_text(arguments: &[Typed]) -> SqlType {
    let from = first(arguments);
    if types::is_text(from) {
        types::text_type(
            types::is_unicode(from),
            types::text_length(from).map(u32::from),
        )
    } else {
        types::text_type(false, Some(8000))
    }
}

/// The first argument's kind of text at the longest that is not `max`.
fn long_text(arguments: &[Typed]) -> SqlType {
    let from = first(arguments);
    let unicode = types::is_unicode(from);
    let limit = if unicode { 4000 } else { 8000 };
    types::text_type(unicode, types::text_length(from).map(|_| limit))
}

/// All functions by module.
pub fn all() -> impl Iterator<Item = &'static Scalar> {
    [
        text::ALL,
        number::ALL,
        date::ALL,
        errors::ALL,
        extreme::ALL,
        format::ALL,
        random_bytes::ALL,
        truncate::ALL,
        metadata::ALL,
        properties::ALL,
        security::ALL,
    ]
    .into_iter()
    .flatten()
}

/// The function of a name in any case.
pub fn find(name: &str) -> Option<&'static Scalar> {
    all().find(|f| f.name.eq_ignore_ascii_case(name))
}

/// Functions with rules of their own, bound by the binder.
pub const SPECIAL: &[&str] = &["CHOOSE", "COALESCE", "IIF", "ISNULL", "NULLIF"];
