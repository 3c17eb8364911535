//! What CATCH asks for, and other facts of the session.

use super::{Call, Scalar, int, sysname};
use crate::plan::Typed;
use labdb_types::{Decimal, Length, SqlError, SqlResult, SqlType, Value};

fn caught(call: &Call<'_>, pick: impl Fn(&SqlError) -> Value) -> SqlResult<Value> {
    Ok(call
        .ctx
        .frame
        .caught
        .borrow()
        .last()
        .map_or(Value::Null, pick))
}

fn xact_state(call: &Call<'_>) -> SqlResult<Value> {
    let session = call.ctx.session;
    let doomed = session
        .transaction
        .borrow()
        .as_ref()
        .is_some_and(|t| t.doomed);
    Ok(Value::SmallInt(if session.tran_count.get() == 0 {
        0
    } else if doomed {
        -1
    } else {
        1
    }))
}

/// 1 open, 0 open without rows, -1 closed, -3 not there.
fn cursor_status(call: &Call<'_>) -> SqlResult<Value> {
    let name = crate::catalog::fold(call.text(1));
    let cursors = match call.text(0).to_ascii_lowercase().as_str() {
        "local" => &call.ctx.frame.cursors,
        "global" => &call.ctx.session.cursors,
        _ => return Ok(Value::SmallInt(-3)),
    };
    Ok(Value::SmallInt(
        cursors
            .borrow()
            .get(&name)
            .map_or(-3, crate::session::cursor::Cursor::status),
    ))
}

/// An identity value as `numeric(38,0)`.
pub(super) fn identity(value: Option<i64>) -> Value {
    value.map_or(Value::Null, |n| {
        Value::Decimal(Decimal::new(i128::from(n), 0))
    })
}

/// `numeric(38,0)`, the type of identity functions.
pub(super) const IDENTITY_TYPE: SqlType = SqlType::Decimal {
    precision: 38,
    scale: 0,
};

fn message(_: &[Typed]) -> SqlType {
    SqlType::NVarChar(Length::Limited(4000))
}

macro_rules! plain {
    ($name:literal, $min:literal, $max:literal, $parameters:expr, $result:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: $min,
            max: $max,
            parameters: $parameters,
            result: $result,
            null_in_null_out: false,
            run: $run,
        }
    };
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    plain!("ERROR_NUMBER", 0, 0, &[], int, |c| caught(c, |e| {
        Value::Int(e.number)
    })),
    plain!("ERROR_SEVERITY", 0, 0, &[], int, |c| caught(c, |e| {
        Value::Int(i32::from(e.severity))
    })),
    plain!("ERROR_STATE", 0, 0, &[], int, |c| caught(
        c,
        |e| Value::Int(i32::from(e.state))
    )),
    plain!("ERROR_LINE", 0, 0, &[], int, |c| caught(c, |e| Value::Int(
        e.line as i32
    ))),
    plain!("ERROR_MESSAGE", 0, 0, &[], message, |c| caught(c, |e| {
        Value::text(&e.message)
    })),
    plain!("ERROR_PROCEDURE", 0, 0, &[], sysname, |c| caught(c, |e| e
        .procedure
        .as_ref()
        .map_or(Value::Null, Value::text))),
    plain!(
        "CURSOR_STATUS",
        2,
        2,
        &[super::Parameter::Name, super::Parameter::Name],
        |_| SqlType::SmallInt,
        cursor_status
    ),
    plain!("XACT_STATE", 0, 0, &[], |_| SqlType::SmallInt, xact_state),
    plain!("SCOPE_IDENTITY", 0, 0, &[], |_| IDENTITY_TYPE, |c| Ok(
        identity(c.ctx.frame.scope_identity.get())
    )),
    plain!("ROWCOUNT_BIG", 0, 0, &[], super::bigint, |c| Ok(
        Value::BigInt(c.ctx.session.row_count.get())
    )),
    plain!(
        "CONTEXT_INFO",
        0,
        0,
        &[],
        |_| SqlType::VarBinary(Length::Limited(128)),
        |c| Ok(c.ctx.session.context_info.borrow().clone())
    ),
    plain!("CURRENT_TRANSACTION_ID", 0, 0, &[], super::bigint, |c| Ok(
        Value::BigInt(
            c.ctx
                .session
                .transaction
                .borrow()
                .as_ref()
                .map_or(0, |t| t.number as i64)
        )
    )),
    plain!("HOST_NAME", 0, 0, &[], sysname, |c| Ok(Value::text(
        &c.ctx.session.shared.host_name
    ))),
    plain!("APP_NAME", 0, 0, &[], sysname, |c| Ok(Value::text(
        &c.ctx.session.shared.program_name
    ))),
    plain!("HOST_ID", 0, 0, &[], |_| SqlType::Char(10), |c| Ok(
        Value::text(format!("{:<10}", c.ctx.session.shared.host_process_id))
    )),
];
