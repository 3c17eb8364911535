//! `@@` functions.

use super::{Call, SYSNAME, Scalar};
use crate::instance::version_text;
use labdb_types::{Length, SqlResult, SqlType, Value};

macro_rules! global {
    ($name:literal, $type:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: 0,
            max: 0,
            parameters: &[],
            result: |_| $type,
            null_in_null_out: false,
            run: $run,
        }
    };
}

fn io_total(call: &Call<'_>, pick: impl Fn(&labdb_storage::IoStats) -> u64) -> SqlResult<Value> {
    let total: u64 = call
        .ctx
        .session
        .instance
        .databases()
        .iter()
        .flat_map(|d| d.storage.file_stats())
        .map(|row| pick(&row.io))
        .sum();
    Ok(Value::Int(i32::try_from(total).unwrap_or(i32::MAX)))
}

/// The `@@` functions.
pub const GLOBALS: &[Scalar] = &[
    global!(
        "@@VERSION",
        SqlType::NVarChar(Length::Limited(300)),
        |c| Ok(c.give(version_text(&c.ctx.session.instance)))
    ),
    global!("@@SERVERNAME", SYSNAME, |c| Ok(Value::text(
        &c.ctx.session.instance.options.server_name
    ))),
    global!("@@SERVICENAME", SYSNAME, |_| Ok(Value::text("LABDB"))),
    global!("@@SPID", SqlType::SmallInt, |c| Ok(Value::SmallInt(
        c.ctx.session.id()
    ))),
    global!("@@ROWCOUNT", SqlType::Int, |c| Ok(Value::Int(
        i32::try_from(c.ctx.session.row_count.get()).unwrap_or(i32::MAX)
    ))),
    global!("@@ERROR", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.last_error.get()
    ))),
    global!("@@TRANCOUNT", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.tran_count.get() as i32
    ))),
    global!("@@IDENTITY", super::errors::IDENTITY_TYPE, |c| Ok(
        super::errors::identity(c.ctx.session.last_identity.get())
    )),
    global!("@@NESTLEVEL", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.nesting.get() as i32
    ))),
    global!("@@PROCID", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.frame.procedure_id.unwrap_or(0)
    ))),
    global!("@@FETCH_STATUS", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.fetch_status.get()
    ))),
    global!("@@CURSOR_ROWS", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.cursor_rows.get()
    ))),
    global!("@@MAX_PRECISION", SqlType::TinyInt, |_| Ok(Value::TinyInt(
        38
    ))),
    global!("@@MAX_CONNECTIONS", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.instance.options.max_connections as i32
    ))),
    global!("@@LANGUAGE", SYSNAME, |c| Ok(Value::text(
        &c.ctx.session.options.borrow().language
    ))),
    global!("@@LANGID", SqlType::SmallInt, |_| Ok(Value::SmallInt(0))),
    global!("@@OPTIONS", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.options.borrow().bits()
    ))),
    global!("@@TEXTSIZE", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.options.borrow().text_size
    ))),
    global!("@@LOCK_TIMEOUT", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.options.borrow().lock_timeout
    ))),
    global!("@@DATEFIRST", SqlType::TinyInt, |c| Ok(Value::TinyInt(
        c.ctx.session.options.borrow().date_first
    ))),
    global!("@@MICROSOFTVERSION", SqlType::Int, |_| Ok(Value::Int(
        0x1000_03E8
    ))),
    global!("@@CONNECTIONS", SqlType::Int, |c| Ok(Value::Int(
        c.ctx.session.instance.sessions().len() as i32
    ))),
    global!("@@TOTAL_READ", SqlType::Int, |c| io_total(c, |io| io.reads)),
    global!("@@TOTAL_WRITE", SqlType::Int, |c| io_total(c, |io| io
        .writes)),
];

/// The `@@` function of an upper-case name.
pub fn global(name: &str) -> Option<&'static Scalar> {
    GLOBALS.iter().find(|f| f.name.eq_ignore_ascii_case(name))
}
