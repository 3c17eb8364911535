//! `sp_datatype_info`: what ODBC's `SQLGetTypeInfo` asks for.

use super::Executor;
use super::parameters::{Argument, Returned};
use super::properties::number;
use crate::session::Command;
use labdb_types::{Column, Length, SqlResult, SqlType, Value};

/// A type as the procedure lists it. Numbers of types are ODBC 3's. Clients take the first of a number
/// for the best.
struct Info {
    name: &'static str,
    data_type: i16,
    precision: i32,
    /// What stands before and behind a literal.
    quotes: (Option<&'static str>, Option<&'static str>),
    create_params: Option<&'static str>,
    /// 0 not, 2 all but LIKE, 3 all.
    searchable: i16,
    unsigned: Option<i16>,
    scales: Option<(i16, i16)>,
    /// The verbose type and the subcode of dates.
    verbose: (i16, Option<i16>),
    radix: Option<i32>,
    user_type: i16,
}

const fn integer(name: &'static str, data_type: i16, precision: i32, user_type: i16) -> Info {
    Info {
        name,
        data_type,
        precision,
        quotes: (None, None),
        create_params: None,
        searchable: 2,
        unsigned: Some(if data_type == -6 { 1 } else { 0 }),
        scales: Some((0, 0)),
        verbose: (data_type, None),
        radix: Some(10),
        user_type,
    }
}

const fn exact(name: &'static str, data_type: i16, user_type: i16) -> Info {
    Info {
        create_params: Some("precision,scale"),
        scales: Some((0, 38)),
        unsigned: Some(0),
        ..integer(name, data_type, 38, user_type)
    }
}

const fn approximate(name: &'static str, data_type: i16, bits: i32, user_type: i16) -> Info {
    Info {
        scales: None,
        unsigned: Some(0),
        radix: Some(2),
        ..integer(name, data_type, bits, user_type)
    }
}

const fn sized(
    name: &'static str,
    data_type: i16,
    precision: i32,
    prefix: &'static str,
    user_type: i16,
) -> Info {
    Info {
        quotes: (
            Some(prefix),
            if data_type == -2 || data_type == -3 {
                None
            } else {
                Some("'")
            },
        ),
        create_params: Some(if data_type == 12 || data_type == -9 || data_type == -3 {
            "max length"
        } else {
            "length"
        }),
        searchable: if data_type == -2 || data_type == -3 {
            2
        } else {
            3
        },
        unsigned: None,
        scales: None,
        radix: None,
        ..integer(name, data_type, precision, user_type)
    }
}

const fn moment(
    name: &'static str,
    data_type: i16,
    precision: i32,
    scale: i16,
    subcode: Option<i16>,
    user_type: i16,
) -> Info {
    Info {
        quotes: (Some("'"), Some("'")),
        create_params: if scale == 7 { Some("scale") } else { None },
        searchable: 3,
        unsigned: None,
        scales: Some((if scale == 3 { 3 } else { 0 }, scale)),
        verbose: (if subcode.is_some() { 9 } else { data_type }, subcode),
        radix: None,
        ..integer(name, data_type, precision, user_type)
    }
}

const TYPES: [Info; 26] = [
    moment("datetimeoffset", -155, 34, 7, None, 0),
    moment("time", -154, 16, 7, None, 0),
    Info {
        searchable: 2,
        unsigned: None,
        scales: Some((0, 0)),
        ..integer("sql_variant", -150, 8000, 0)
    },
    Info {
        quotes: (Some("'"), Some("'")),
        unsigned: None,
        scales: None,
        radix: None,
        ..integer("uniqueidentifier", -11, 36, 0)
    },
    sized("nvarchar", -9, 4000, "N'", 0),
    sized("sysname", -9, 128, "N'", 18),
    sized("nchar", -8, 4000, "N'", 0),
    Info {
        unsigned: None,
        radix: None,
        ..integer("bit", -7, 1, 16)
    },
    integer("tinyint", -6, 3, 5),
    integer("bigint", -5, 19, 0),
    sized("varbinary", -3, 8000, "0x", 4),
    sized("binary", -2, 8000, "0x", 3),
    sized("char", 1, 8000, "'", 1),
    exact("numeric", 2, 10),
    exact("decimal", 3, 24),
    Info {
        quotes: (Some("$"), None),
        scales: Some((4, 4)),
        unsigned: Some(0),
        ..integer("money", 3, 19, 11)
    },
    Info {
        quotes: (Some("$"), None),
        scales: Some((4, 4)),
        unsigned: Some(0),
        ..integer("smallmoney", 3, 10, 21)
    },
    integer("int", 4, 10, 7),
    integer("smallint", 5, 5, 6),
    approximate("float", 6, 53, 8),
    approximate("real", 7, 24, 23),
    sized("varchar", 12, 8000, "'", 2),
    moment("date", 91, 10, 0, Some(1), 0),
    moment("datetime2", 93, 27, 7, Some(3), 0),
    moment("datetime", 93, 23, 3, Some(3), 12),
    moment("smalldatetime", 93, 16, 0, Some(3), 22),
];

fn columns() -> Vec<Column> {
    let small = SqlType::SmallInt;
    let (name, short) = (
        SqlType::NVarChar(Length::Limited(128)),
        SqlType::VarChar(Length::Limited(32)),
    );
    [
        ("TYPE_NAME", name),
        ("DATA_TYPE", small),
        ("PRECISION", SqlType::Int),
        ("LITERAL_PREFIX", short),
        ("LITERAL_SUFFIX", short),
        ("CREATE_PARAMS", short),
        ("NULLABLE", small),
        ("CASE_SENSITIVE", small),
        ("SEARCHABLE", small),
        ("UNSIGNED_ATTRIBUTE", small),
        ("MONEY", small),
        ("AUTO_INCREMENT", small),
        ("LOCAL_TYPE_NAME", name),
        ("MINIMUM_SCALE", small),
        ("MAXIMUM_SCALE", small),
        ("SQL_DATA_TYPE", small),
        ("SQL_DATETIME_SUB", small),
        ("NUM_PREC_RADIX", SqlType::Int),
        ("INTERVAL_PRECISION", small),
        ("USERTYPE", small),
    ]
    .into_iter()
    .map(|(name, sql_type)| Column::new(name, sql_type))
    .collect()
}

fn row(info: &Info) -> Vec<Value> {
    let small = |n: Option<i16>| n.map_or(Value::Null, Value::SmallInt);
    let text = |t: Option<&str>| t.map_or(Value::Null, Value::text);
    vec![
        Value::text(info.name),
        Value::SmallInt(info.data_type),
        Value::Int(info.precision),
        text(info.quotes.0),
        text(info.quotes.1),
        text(info.create_params),
        Value::SmallInt(1),
        Value::SmallInt(0),
        Value::SmallInt(info.searchable),
        small(info.unsigned),
        Value::SmallInt(i16::from(info.name.ends_with("money"))),
        small(info.unsigned.map(|_| 0)),
        Value::text(info.name),
        small(info.scales.map(|(least, _)| least)),
        small(info.scales.map(|(_, most)| most)),
        Value::SmallInt(info.verbose.0),
        small(info.verbose.1),
        info.radix.map_or(Value::Null, Value::Int),
        Value::Null,
        Value::SmallInt(info.user_type),
    ]
}

/// Runs the procedure: all types, or those of one number.
pub(super) fn run(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    let wanted = number(arguments, "@data_type", 0)?.unwrap_or(0);
    executor.client.columns(&columns())?;
    let mut count = 0;
    for info in TYPES
        .iter()
        .filter(|info| wanted == 0 || i64::from(info.data_type) == wanted)
    {
        executor.client.row(&row(info))?;
        count += 1;
    }
    executor.finish(Command::Select, count)?;
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}
