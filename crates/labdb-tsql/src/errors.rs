//! SQL Server's messages for texts that do not parse.

use crate::ast::SetOp;
use labdb_types::SqlError;

/// How much of a text a message repeats.
const SHOWN: usize = 128;

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn error(number: i32, line: u32, message: String) -> SqlError {
    SqlError::new(number, message).severity(15).at_line(line)
}

/// 102: a token that cannot stand here.
pub(crate) fn incorrect_syntax(near: &str, line: u32) -> SqlError {
    error(
        102,
        line,
        format!("Incorrect syntax near '{}'.", shown(near)),
    )
}

/// 156: a reserved word that cannot stand here.
pub(crate) fn incorrect_keyword(near: &str, line: u32) -> SqlError {
    error(
        156,
        line,
        format!("Incorrect syntax near the keyword '{}'.", shown(near)),
    )
}

/// 195: SET of an option that there is not.
pub(crate) fn unknown_option(name: &str, line: u32) -> SqlError {
    error(
        195,
        line,
        format!("'{}' is not a recognized SET option.", shown(name)),
    )
    .state(5)
}

/// 103.
pub(crate) fn identifier_too_long(name: &str, line: u32) -> SqlError {
    error(
        103,
        line,
        format!(
            "The identifier that starts with '{}' is too long. Maximum length is 128.",
            shown(name)
        ),
    )
}

/// 105.
pub(crate) fn unclosed_quotation_mark(text: &str, line: u32) -> SqlError {
    error(
        105,
        line,
        format!(
            "Unclosed quotation mark after the character string '{}'.",
            shown(text)
        ),
    )
}

/// 111.
pub(crate) fn must_be_first(statement: &str, line: u32) -> SqlError {
    error(
        111,
        line,
        format!("'{statement}' must be the first statement in a query batch."),
    )
}

/// 113.
pub(crate) fn missing_end_comment(line: u32) -> SqlError {
    error(113, line, "Missing end comment mark '*/'.".to_owned())
}

/// 168.
pub(crate) fn float_out_of_range(text: &str, line: u32) -> SqlError {
    error(
        168,
        line,
        format!(
            "The floating point value '{}' is out of the range of computer representation (8 bytes).",
            shown(text)
        ),
    )
}

/// 191.
pub(crate) fn nested_too_deeply(line: u32) -> SqlError {
    error(
        191,
        line,
        "Some part of your SQL statement is nested too deeply. Rewrite the query or break it up into smaller queries."
            .to_owned(),
    )
}

/// 10738.
pub(crate) fn too_many_rows(limit: usize, line: u32) -> SqlError {
    error(
        10738,
        line,
        format!(
            "The number of row value expressions in the INSERT statement exceeds the maximum allowed number of {limit} row values."
        ),
    )
}

/// 180.
pub(crate) fn too_many_parameters(limit: usize, line: u32) -> SqlError {
    error(
        180,
        line,
        format!(
            "There are too many parameters in this CREATE PROCEDURE statement. The maximum number is {limit}."
        ),
    )
}

/// 701, for a text of more tokens than it may have.
pub(crate) fn too_long(line: u32) -> SqlError {
    error(
        701,
        line,
        "There is insufficient system memory in resource pool 'default' to run this query."
            .to_owned(),
    )
    .severity(17)
}

/// 319.
pub(crate) fn with_needs_semicolon(line: u32) -> SqlError {
    error(
        319,
        line,
        "Incorrect syntax near the keyword 'with'. If this statement is a common table expression, an xmlnamespaces clause or a change tracking context clause, the previous statement must be terminated with a semicolon."
            .to_owned(),
    )
}

/// 324.
pub(crate) fn all_not_supported(op: SetOp, line: u32) -> SqlError {
    let operator = format!("{op:?}").to_uppercase();
    error(
        324,
        line,
        format!("The 'ALL' version of the {operator} operator is not supported."),
    )
}

/// 1007.
pub(crate) fn number_too_long(text: &str, line: u32) -> SqlError {
    error(
        1007,
        line,
        format!(
            "The number '{}' is out of the range for numeric representation (maximum precision 38).",
            shown(text)
        ),
    )
}

/// 1038.
pub(crate) fn empty_name(line: u32) -> SqlError {
    error(
        1038,
        line,
        "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a name. For other statements, look for empty alias names. Aliases defined as \"\" or [] are not allowed. Change the alias to a valid name."
            .to_owned(),
    )
}

/// 4145: a value where a condition is wanted.
pub(crate) fn not_a_condition(near: &str, line: u32) -> SqlError {
    error(
        4145,
        line,
        format!(
            "An expression of non-boolean type specified in a context where a condition is expected, near '{}'.",
            shown(near)
        ),
    )
}

/// 40510: valid T-SQL outside the subset. The number is Azure SQL Database's for statements it
/// does not have; the text is labdb's own.
pub(crate) fn not_in_the_subset(construct: &str, line: u32) -> SqlError {
    SqlError::new(
        40510,
        format!("'{construct}' is not supported: labdb's subset of T-SQL does not have it."),
    )
    .at_line(line)
}
