//! `sp_describe_first_result_set`: the columns that a batch would answer with, without running it.

use super::Executor;
use super::parameters::{Argument, Returned};
use super::properties::text;
use crate::eval::types as eval_types;
use crate::functions::COLLATION;
use crate::session::{Command, Frame};
use crate::views::types;
use labdb_tsql::ast::{Query, Statement, StatementKind};
use labdb_types::{Column, Length, SqlError, SqlResult, SqlType, Value};
use std::any::Any;
use std::sync::Arc;

const NAME: SqlType = SqlType::NVarChar(Length::Limited(128));

/// Name and type of the procedure's own columns, as documented.
const COLUMNS: [(&str, SqlType); 39] = [
    ("is_hidden", SqlType::Bit),
    ("column_ordinal", SqlType::Int),
    ("name", NAME),
    ("is_nullable", SqlType::Bit),
    ("system_type_id", SqlType::Int),
    ("system_type_name", SqlType::NVarChar(Length::Limited(256))),
    ("max_length", SqlType::SmallInt),
    ("precision", SqlType::TinyInt),
    ("scale", SqlType::TinyInt),
    ("collation_name", NAME),
    ("user_type_id", SqlType::Int),
    ("user_type_database", NAME),
    ("user_type_schema", NAME),
    ("user_type_name", NAME),
    (
        "assembly_qualified_type_name",
        SqlType::NVarChar(Length::Limited(4000)),
    ),
    ("xml_collection_id", SqlType::Int),
    ("xml_collection_database", NAME),
    ("xml_collection_schema", NAME),
    ("xml_collection_name", NAME),
    ("is_xml_document", SqlType::Bit),
    ("is_case_sensitive", SqlType::Bit),
    ("is_fixed_length_clr_type", SqlType::Bit),
    ("source_server", NAME),
    ("source_database", NAME),
    ("source_schema", NAME),
    ("source_table", NAME),
    ("source_column", NAME),
    ("is_identity_column", SqlType::Bit),
    ("is_part_of_unique_key", SqlType::Bit),
    ("is_updateable", SqlType::Bit),
    ("is_computed_column", SqlType::Bit),
    ("is_sparse_column_set", SqlType::Bit),
    ("ordinal_in_order_by_list", SqlType::SmallInt),
    ("order_by_is_descending", SqlType::SmallInt),
    ("order_by_list_length", SqlType::SmallInt),
    ("tds_type_id", SqlType::Int),
    ("tds_length", SqlType::Int),
    ("tds_collation_id", SqlType::Int),
    ("tds_collation_sort_id", SqlType::TinyInt),
];

/// `SQL_Latin1_General_CP1_CI_AS` on the wire: LCID and flags, and the sort order.
const COLLATION_ID: i32 = 0x00D0_0409;
const SORT_ID: u8 = 52;

/// Runs the procedure.
pub(super) fn run(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    let batch = text(arguments, "@tsql", 0)?.unwrap_or_default();
    let parameters = text(arguments, "@params", 1)?.unwrap_or_default();
    let parameters = super::system_procedures::declared(&parameters)?;
    let batch = executor.session.plans.borrow_mut().batch(&batch)?;
    let frame = Frame::called(None, executor.frame.level + 1, 0);
    for parameter in &parameters {
        let t = &parameter.type_name;
        let sql_type = eval_types::resolve_type(&t.name, &t.arguments, t.max)?;
        frame.declare_once(&parameter.name, sql_type)?;
    }
    let owner = Arc::clone(&batch) as Arc<dyn Any + Send + Sync>;
    let columns = {
        let mut inner = Executor::new(executor.session, &frame, &mut *executor.client, owner);
        inner.compile(&batch.statements)?;
        match first_query(&batch.statements)? {
            Some(query) => inner.query_plan(query)?.columns.clone(),
            None => Vec::new(),
        }
    };
    let own: Vec<Column> = COLUMNS.iter().map(|(n, t)| Column::new(*n, *t)).collect();
    executor.client.columns(&own)?;
    for (column, ordinal) in columns.iter().zip(1..) {
        executor.client.row(&row(column, ordinal))?;
    }
    executor.finish(Command::Select, columns.len() as u64)?;
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}

/// The first query whose rows go to the client, in the order of the text.
fn first_query(statements: &[Statement]) -> SqlResult<Option<&Query>> {
    for statement in statements {
        let found = match &statement.kind {
            StatementKind::Select(query) if super::query::gives_rows(query)? => Some(query),
            StatementKind::Block(inner) => first_query(inner)?,
            StatementKind::If {
                then, otherwise, ..
            } => match first_query(std::slice::from_ref(then))? {
                Some(query) => Some(query),
                None => match otherwise {
                    Some(otherwise) => first_query(std::slice::from_ref(otherwise))?,
                    None => None,
                },
            },
            StatementKind::While { body, .. } => first_query(std::slice::from_ref(body))?,
            StatementKind::TryCatch { body, handler } => match first_query(body)? {
                Some(query) => Some(query),
                None => first_query(handler)?,
            },
            StatementKind::Execute(_) => {
                return Err(SqlError::new(
                    40510,
                    "Describing the results of an EXECUTE is outside labdb's subset.",
                ));
            }
            _ => None,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The type's number in the protocol.
fn wire_type(sql_type: SqlType, nullable: bool, system: u8) -> i32 {
    let (fixed, variable) = match sql_type {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => (system, 38),
        SqlType::Bit => (50, 104),
        SqlType::Money | SqlType::SmallMoney => (system, 110),
        SqlType::Real | SqlType::Float => (system, 109),
        SqlType::DateTime | SqlType::SmallDateTime => (system, 111),
        _ => (system, system),
    };
    i32::from(if nullable { variable } else { fixed })
}

fn row(column: &Column, ordinal: i32) -> Vec<Value> {
    let sql_type = column.sql_type;
    let name = types::catalog_name(sql_type, "");
    let system = types::TYPES
        .iter()
        .find(|(n, ..)| *n == name)
        .map_or(0, |t| t.1);
    let is_text = eval_types::is_text(sql_type);
    let length = types::max_length(sql_type);
    let or_null = |known: bool, value: Value| if known { value } else { Value::Null };
    let mut row = vec![
        Value::Bit(false),
        Value::Int(ordinal),
        or_null(!column.name.is_empty(), Value::text(&column.name)),
        Value::Bit(column.nullable),
        Value::Int(i32::from(system)),
        Value::text(eval_types::declaration(sql_type).replacen("decimal", name, 1)),
        Value::SmallInt(length),
        Value::TinyInt(types::precision(sql_type) as u8),
        Value::TinyInt(types::scale(sql_type) as u8),
        or_null(is_text, Value::text(COLLATION)),
    ];
    // Types of the user's, assemblies and XML.
    row.extend(std::iter::repeat_n(Value::Null, 9));
    row.extend([Value::Bit(false), Value::Bit(false), Value::Bit(false)]);
    // Sources are told in browse mode only.
    row.extend(std::iter::repeat_n(Value::Null, 5));
    row.extend([
        Value::Bit(column.identity),
        Value::Null,
        Value::Bit(false),
        Value::Bit(false),
        Value::Bit(false),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Int(wire_type(sql_type, column.nullable, system)),
        Value::Int(match sql_type {
            SqlType::Decimal { .. } => 17,
            _ if length == -1 => 65_535,
            _ => i32::from(length),
        }),
        or_null(is_text, Value::Int(COLLATION_ID)),
        or_null(is_text, Value::TinyInt(SORT_ID)),
    ]);
    row
}
