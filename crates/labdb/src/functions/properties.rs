//! SERVERPROPERTY, DATABASEPROPERTYEX, CONNECTIONPROPERTY.

use super::Parameter::Name;
use super::{Call, SYSNAME, Scalar, variant};
use crate::instance::{
    EDITION, EDITION_ID, ENGINE_EDITION, PRODUCT_LEVEL, PRODUCT_VERSION, UserAccess,
};
use labdb_types::{Length, SqlResult, SqlType, Value};
use std::sync::atomic::Ordering;

fn text(value: impl AsRef<str>) -> Value {
    Value::Variant(Box::new((SYSNAME, Value::text(value))))
}

fn number(value: i32) -> Value {
    Value::Variant(Box::new((SqlType::Int, Value::Int(value))))
}

/// The collation of everything.
pub(crate) const COLLATION: &str = "SQL_Latin1_General_CP1_CI_AS";

fn server_property(call: &Call<'_>) -> SqlResult<Value> {
    let instance = &call.ctx.session.instance;
    let folder = || text(format!("{}/", instance.options.data.display()));
    Ok(
        match call.text(0).trim_end().to_ascii_lowercase().as_str() {
            "productversion" | "resourceversion" => text(PRODUCT_VERSION),
            "productmajorversion" => text("16"),
            "productminorversion" => text("0"),
            "productbuild" => text("1000"),
            "productlevel" => text(PRODUCT_LEVEL),
            "edition" => text(EDITION),
            "labdbfaults" => {
                let faults = &instance.options.faults;
                if faults.is_empty() {
                    Value::Null
                } else {
                    text(faults)
                }
            }
            "editionid" => Value::Variant(Box::new((SqlType::BigInt, Value::BigInt(EDITION_ID)))),
            "engineedition" => number(ENGINE_EDITION),
            "machinename" | "computernamephysicalnetbios" => text(machine_name()),
            "servername" => text(&instance.options.server_name),
            "processid" => number(std::process::id() as i32),
            "isclustered"
            | "ishadrenabled"
            | "issingleuser"
            | "islocaldb"
            | "isfulltextinstalled"
            | "isxtpsupported"
            | "isadvancedanalyticsinstalled"
            | "ispolybaseinstalled"
            | "isintegratedsecurityonly"
            | "filestreamconfiguredlevel" => number(0),
            "collation" => text(COLLATION),
            "lcid" => number(1033),
            "instancedefaultdatapath" | "instancedefaultlogpath" | "instancedefaultbackuppath" => {
                folder()
            }
            _ => Value::Null,
        },
    )
}

/// The machine's name.
pub(crate) fn machine_name() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

fn database_property(call: &Call<'_>) -> SqlResult<Value> {
    let Some(database) = call
        .optional_text(0)
        .and_then(|n| call.ctx.session.instance.database(n))
    else {
        return Ok(restoring_property(call));
    };
    let settings = database.settings.read().clone();
    let switch = |name: &str| number(i32::from(settings.switches.iter().any(|s| s == name)));
    Ok(
        match call.text(1).trim_end().to_ascii_lowercase().as_str() {
            "collation" => text(COLLATION),
            "recovery" => text(database.storage.recovery_model().description()),
            "status" => text("ONLINE"),
            "updateability" => text(if database.read_only.load(Ordering::Relaxed) {
                "READ_ONLY"
            } else {
                "READ_WRITE"
            }),
            "useraccess" => text(match database.user_access() {
                UserAccess::Multi => "MULTI_USER",
                UserAccess::Single => "SINGLE_USER",
                UserAccess::Restricted => "RESTRICTED_USER",
            }),
            "isautoclose" => switch("AUTO_CLOSE"),
            "isautoshrink" => switch("AUTO_SHRINK"),
            "isautocreatestatistics" => switch("AUTO_CREATE_STATISTICS"),
            "isautoupdatestatistics" => switch("AUTO_UPDATE_STATISTICS"),
            "isinstandby" | "ispublished" | "issubscribed" | "ismergepublished"
            | "isfulltextenabled" => number(0),
            "version" => number(957),
            "sqlsortorder" => Value::Variant(Box::new((SqlType::TinyInt, Value::TinyInt(52)))),
            _ => Value::Null,
        },
    )
}

/// What is known of a database that is being restored.
fn restoring_property(call: &Call<'_>) -> Value {
    let instance = &call.ctx.session.instance;
    let record = call.optional_text(0).and_then(|n| instance.restoring(n));
    match record {
        Some(_) if call.text(1).trim_end().eq_ignore_ascii_case("status") => text("RESTORING"),
        _ => Value::Null,
    }
}

fn connection_property(call: &Call<'_>) -> SqlResult<Value> {
    let shared = &call.ctx.session.shared;
    Ok(match call.text(0).to_ascii_lowercase().as_str() {
        "net_transport" | "physical_net_transport" => text("TCP"),
        "protocol_type" => text("TSQL"),
        "auth_scheme" => text("SQL"),
        "client_net_address" => text(&shared.client_address),
        "local_net_address" => call
            .ctx
            .session
            .instance
            .listening
            .lock()
            .map_or(Value::Null, |a| text(a.ip().to_string())),
        "local_tcp_port" => call
            .ctx
            .session
            .instance
            .listening
            .lock()
            .map_or(Value::Null, |a| number(i32::from(a.port()))),
        _ => Value::Null,
    })
}

fn collation_property(call: &Call<'_>) -> SqlResult<Value> {
    if !call.text(0).eq_ignore_ascii_case(COLLATION) {
        return Ok(Value::Null);
    }
    Ok(match call.text(1).to_ascii_lowercase().as_str() {
        "codepage" => number(1252),
        "lcid" => number(1033),
        _ => Value::Null,
    })
}

fn variant_property(call: &Call<'_>) -> SqlResult<Value> {
    let base = match call.value(0) {
        Value::Null => return Ok(Value::Null),
        Value::Variant(inner) => inner.0,
        _ => call.type_of(0),
    };
    Ok(match call.text(1).to_ascii_lowercase().as_str() {
        "basetype" => text(match base {
            SqlType::Decimal { .. } => "numeric",
            other => crate::eval::types::type_name(other),
        }),
        "precision" => number(crate::views::types::precision(base)),
        "scale" => number(crate::views::types::scale(base)),
        "maxlength" => number(i32::from(crate::views::types::max_length(base))),
        _ => Value::Null,
    })
}

macro_rules! plain {
    ($name:literal, $min:literal, $max:literal, $parameters:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: $min,
            max: $max,
            parameters: $parameters,
            result: variant,
            null_in_null_out: false,
            run: $run,
        }
    };
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    plain!("SERVERPROPERTY", 1, 1, &[Name], server_property),
    plain!("DATABASEPROPERTYEX", 2, 2, &[Name], database_property),
    plain!("CONNECTIONPROPERTY", 1, 1, &[Name], connection_property),
    plain!("COLLATIONPROPERTY", 2, 2, &[Name], collation_property),
    plain!(
        "SQL_VARIANT_PROPERTY",
        2,
        2,
        &[super::Parameter::Any, Name],
        variant_property
    ),
    Scalar {
        name: "TRIGGER_NESTLEVEL",
        min: 0,
        max: 3,
        parameters: &[super::Parameter::Any],
        result: super::int,
        null_in_null_out: false,
        run: |_| Ok(Value::Int(0)),
    },
    Scalar {
        name: "GETANSINULL",
        min: 0,
        max: 1,
        parameters: &[Name],
        result: |_| SqlType::SmallInt,
        null_in_null_out: false,
        run: |_| Ok(Value::SmallInt(1)),
    },
    Scalar {
        name: "FORMATMESSAGE",
        min: 1,
        max: 21,
        parameters: &[super::Parameter::Any],
        result: |_| SqlType::NVarChar(Length::Limited(2048)),
        null_in_null_out: false,
        run: |c| {
            let format =
                crate::eval::format::text(c.value(0), c.type_of(0), None).unwrap_or_default();
            let rest = c.values.get(1..).unwrap_or(&[]);
            crate::exec::messages::format(&format, rest).map(Value::text)
        },
    },
];
