//! Expressions as text: the way SQL Server shows the definitions of defaults and checks
//! (`sys.default_constraints.definition` and its like). Names get brackets, numbers parentheses,
//! built-in functions small letters; BETWEEN and IN become the comparisons that they stand for.

use crate::ast::{BinaryOp, Expr, FunctionCall, Literal, TypeName, UnaryOp};
use labdb_types::{SqlError, SqlResult};
use std::fmt::Write as _;

/// Writes an expression as SQL Server stores a definition: `((0))`, `('text')`, `([a]>(0))`.
/// What it gives can be parsed again to an expression with the same meaning.
///
/// # Errors
/// 1046 for a subquery, 4108 for a window: a definition may hold neither.
pub fn print_expression(expression: &Expr) -> SqlResult<String> {
    let mut text = String::from("(");
    write(&mut text, expression, Tightness::Or)?;
    text.push(')');
    Ok(text)
}

/// How tight the operator at the top of an expression binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Or,
    And,
    Not,
    Predicate,
    Sum,
    Product,
    Operand,
}

fn tightness(expression: &Expr) -> Tightness {
    match expression {
        Expr::Binary(op, ..) => operator(*op).1,
        Expr::Unary(UnaryOp::Not, _) => Tightness::Not,
        Expr::Unary(_, operand) if is_number(operand) => Tightness::Operand,
        Expr::Unary(..) => Tightness::Sum,
        Expr::Between { negated: false, .. } => Tightness::And,
        Expr::InList {
            negated: false,
            list,
            ..
        } if list.len() > 1 => Tightness::Or,
        Expr::IsNull { .. }
        | Expr::InList { negated: false, .. }
        | Expr::Like { negated: false, .. } => Tightness::Predicate,
        Expr::Between { .. } | Expr::InList { .. } | Expr::Like { .. } => Tightness::Not,
        _ => Tightness::Operand,
    }
}

fn operator(op: BinaryOp) -> (&'static str, Tightness) {
    match op {
        BinaryOp::Add => ("+", Tightness::Sum),
        BinaryOp::Subtract => ("-", Tightness::Sum),
        BinaryOp::Multiply => ("*", Tightness::Product),
        BinaryOp::Divide => ("/", Tightness::Product),
        BinaryOp::Modulo => ("%", Tightness::Product),
        BinaryOp::BitAnd => ("&", Tightness::Sum),
        BinaryOp::BitOr => ("|", Tightness::Sum),
        BinaryOp::BitXor => ("^", Tightness::Sum),
        BinaryOp::And => (" AND ", Tightness::And),
        BinaryOp::Or => (" OR ", Tightness::Or),
        BinaryOp::Equal => ("=", Tightness::Predicate),
        BinaryOp::NotEqual => ("<>", Tightness::Predicate),
        BinaryOp::Less => ("<", Tightness::Predicate),
        BinaryOp::LessOrEqual => ("<=", Tightness::Predicate),
        BinaryOp::Greater => (">", Tightness::Predicate),
        BinaryOp::GreaterOrEqual => (">=", Tightness::Predicate),
    }
}

fn is_number(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Literal(Literal::Integer(_) | Literal::Decimal(_) | Literal::Float(_))
    )
}

/// Writes an expression, in parentheses where it binds looser than its place needs.
fn write(text: &mut String, expression: &Expr, needed: Tightness) -> SqlResult<()> {
    let parentheses = tightness(expression) < needed;
    if parentheses {
        text.push('(');
    }
    write_bare(text, expression)?;
    if parentheses {
        text.push(')');
    }
    Ok(())
}

fn write_bare(text: &mut String, expression: &Expr) -> SqlResult<()> {
    match expression {
        Expr::Literal(literal) => write_literal(text, literal),
        Expr::Variable(name) => text.push_str(name),
        Expr::GlobalVariable(name) => text.push_str(&name.to_lowercase()),
        Expr::Column(name) => write_names(text, &name.parts),
        Expr::Default => text.push_str("DEFAULT"),
        Expr::Unary(op, operand) => write_unary(text, *op, operand)?,
        Expr::Binary(op, left, right) => {
            let (sign, level) = operator(*op);
            // Chains go to the left; a comparison has no operand that compares.
            let (left_level, right_level) = match level {
                Tightness::Or => (Tightness::Or, Tightness::And),
                Tightness::And => (Tightness::And, Tightness::Not),
                Tightness::Sum => (Tightness::Sum, Tightness::Product),
                Tightness::Product => (Tightness::Product, Tightness::Operand),
                _ => (Tightness::Sum, Tightness::Sum),
            };
            write(text, left, left_level)?;
            text.push_str(sign);
            write(text, right, right_level)?;
        }
        Expr::Function(call) => write_call(text, call)?,
        Expr::Cast {
            value,
            target,
            style,
            or_null,
        } => write_cast(text, value, target, style.as_deref(), *or_null)?,
        Expr::Case { .. } => write_case(text, expression)?,
        Expr::IsNull { .. } | Expr::Between { .. } | Expr::InList { .. } | Expr::Like { .. } => {
            write_predicate(text, expression)?;
        }
        Expr::Collate(value, collation) => {
            write(text, value, Tightness::Operand)?;
            let _ = write!(text, " collate {collation}");
        }
        Expr::InQuery { .. } | Expr::Exists(_) | Expr::Subquery(_) | Expr::Quantified { .. } => {
            return Err(SqlError::new(
                1046,
                "Subqueries are not allowed in this context. Only scalar expressions are allowed.",
            )
            .severity(15));
        }
    }
    Ok(())
}

fn write_literal(text: &mut String, literal: &Literal) {
    let _ = match literal {
        Literal::Null => write!(text, "NULL"),
        Literal::Integer(digits) | Literal::Decimal(digits) => write!(text, "({digits})"),
        Literal::Float(value) => write!(text, "({value:e})"),
        Literal::Money(digits) => write!(text, "(${digits})"),
        Literal::Varchar(content) => write!(text, "'{}'", content.replace('\'', "''")),
        Literal::NVarchar(content) => write!(text, "N'{}'", content.replace('\'', "''")),
        Literal::Binary(bytes) => {
            text.push_str("0x");
            bytes.iter().try_for_each(|byte| write!(text, "{byte:02X}"))
        }
    };
}

fn write_name(text: &mut String, name: &str) {
    let _ = write!(text, "[{}]", name.replace(']', "]]"));
}

fn write_names(text: &mut String, parts: &[String]) {
    for (position, part) in parts.iter().enumerate() {
        if position > 0 {
            text.push('.');
        }
        if !part.is_empty() {
            write_name(text, part);
        }
    }
}

fn write_unary(text: &mut String, op: UnaryOp, operand: &Expr) -> SqlResult<()> {
    match op {
        UnaryOp::Not => {
            text.push_str("NOT ");
            return write(text, operand, Tightness::Not);
        }
        UnaryOp::BitNot => text.push('~'),
        UnaryOp::Plus => text.push('+'),
        UnaryOp::Minus => {
            if let Expr::Literal(Literal::Integer(digits) | Literal::Decimal(digits)) = operand {
                let _ = write!(text, "(-{digits})");
                return Ok(());
            }
            text.push('-');
        }
    }
    write(text, operand, Tightness::Operand)
}

fn write_list(text: &mut String, items: &[Expr]) -> SqlResult<()> {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        write(text, item, Tightness::Or)?;
    }
    Ok(())
}

fn write_call(text: &mut String, call: &FunctionCall) -> SqlResult<()> {
    if call.over.is_some() || !call.within_group.is_empty() {
        return Err(SqlError::new(
            4108,
            "Windowed functions can only appear in the SELECT or ORDER BY clauses.",
        )
        .severity(15));
    }
    match call.name.parts.as_slice() {
        [built_in] => text.push_str(match built_in.as_str() {
            "CURRENT_TIMESTAMP" => "getdate",
            "CURRENT_USER" | "SESSION_USER" | "USER" => "user_name",
            "SYSTEM_USER" => "suser_sname",
            other => return write_arguments(text, &other.to_lowercase(), call),
        }),
        parts => write_names(text, parts),
    }
    write_arguments(text, "", call)
}

fn write_arguments(text: &mut String, name: &str, call: &FunctionCall) -> SqlResult<()> {
    text.push_str(name);
    text.push('(');
    if call.star {
        text.push('*');
    }
    if call.distinct {
        text.push_str("distinct ");
    }
    write_list(text, &call.arguments)?;
    text.push(')');
    Ok(())
}

fn write_cast(
    text: &mut String,
    value: &Expr,
    target: &TypeName,
    style: Option<&Expr>,
    or_null: bool,
) -> SqlResult<()> {
    text.push_str(if or_null { "TRY_CONVERT(" } else { "CONVERT(" });
    write_name(text, &target.name);
    if target.max {
        text.push_str("(max)");
    } else if !target.arguments.is_empty() {
        let arguments: Vec<String> = target.arguments.iter().map(u32::to_string).collect();
        let _ = write!(text, "({})", arguments.join(","));
    }
    text.push(',');
    write(text, value, Tightness::Or)?;
    if let Some(style) = style {
        text.push(',');
        write(text, style, Tightness::Or)?;
    }
    text.push(')');
    Ok(())
}

fn write_case(text: &mut String, case: &Expr) -> SqlResult<()> {
    let Expr::Case {
        operand,
        arms,
        otherwise,
    } = case
    else {
        return Ok(());
    };
    text.push_str("case");
    if let Some(operand) = operand {
        text.push(' ');
        write(text, operand, Tightness::Or)?;
    }
    for arm in arms {
        text.push_str(" when ");
        write(text, &arm.when, Tightness::Or)?;
        text.push_str(" then ");
        write(text, &arm.then, Tightness::Or)?;
    }
    if let Some(otherwise) = otherwise {
        text.push_str(" else ");
        write(text, otherwise, Tightness::Or)?;
    }
    text.push_str(" end");
    Ok(())
}

fn write_predicate(text: &mut String, predicate: &Expr) -> SqlResult<()> {
    match predicate {
        Expr::IsNull { value, negated } => {
            write(text, value, Tightness::Sum)?;
            text.push_str(if *negated { " IS NOT NULL" } else { " IS NULL" });
        }
        Expr::Between {
            value,
            low,
            high,
            negated,
        } => {
            text.push_str(if *negated { "NOT (" } else { "" });
            write(text, value, Tightness::Sum)?;
            text.push_str(">=");
            write(text, low, Tightness::Sum)?;
            text.push_str(" AND ");
            write(text, value, Tightness::Sum)?;
            text.push_str("<=");
            write(text, high, Tightness::Sum)?;
            text.push_str(if *negated { ")" } else { "" });
        }
        Expr::InList {
            value,
            list,
            negated,
        } => {
            text.push_str(if *negated { "NOT (" } else { "" });
            // SQL Server shows the last one first.
            for (position, item) in list.iter().rev().enumerate() {
                text.push_str(if position > 0 { " OR " } else { "" });
                write(text, value, Tightness::Sum)?;
                text.push('=');
                write(text, item, Tightness::Sum)?;
            }
            text.push_str(if *negated { ")" } else { "" });
        }
        Expr::Like {
            value,
            pattern,
            escape,
            negated,
        } => {
            text.push_str(if *negated { "NOT " } else { "" });
            write(text, value, Tightness::Sum)?;
            text.push_str(" like ");
            write(text, pattern, Tightness::Sum)?;
            if let Some(escape) = escape {
                text.push_str(" escape ");
                write(text, escape, Tightness::Sum)?;
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::print_expression;
    use crate::parse_expression;

    fn printed(text: &str) -> String {
        print_expression(&parse_expression(text).unwrap()).unwrap()
    }

    /// Left what was written, right what SQL Server's documentation and catalog views show.
    #[test]
    fn definitions_look_as_sql_server_shows_them() {
        for (written, shown) in [
            ("0", "((0))"),
            ("-1", "((-1))"),
            ("'it''s'", "('it''s')"),
            ("N'x'", "(N'x')"),
            ("NULL", "(NULL)"),
            ("GETDATE()", "(getdate())"),
            ("CURRENT_TIMESTAMP", "(getdate())"),
            ("a > 0", "([a]>(0))"),
            ("a >= 0 AND b < 5", "([a]>=(0) AND [b]<(5))"),
            ("a BETWEEN 1 AND 5", "([a]>=(1) AND [a]<=(5))"),
            ("a IN ('x', 'y')", "([a]='y' OR [a]='x')"),
            ("a LIKE 'x%'", "([a] like 'x%')"),
            ("a IS NOT NULL", "([a] IS NOT NULL)"),
            ("LEN(a) + 1", "(len([a])+(1))"),
            ("CONVERT(varchar(10), a)", "(CONVERT([varchar](10),[a]))"),
            ("(1 + 2) * 3", "(((1)+(2))*(3))"),
            ("0xab", "(0xAB)"),
        ] {
            assert_eq!(printed(written), shown);
        }
    }

    #[test]
    fn a_printed_expression_parses_to_one_that_prints_the_same() {
        for text in [
            "a - (b - c) - d",
            "-(-a) * ~b % 3",
            "NOT (a = 1 OR b = 2) AND c <> 3",
            "a NOT IN (1, 2) OR NOT b BETWEEN 1 AND 2",
            "(a IN (1, 2)) AND (b IN (3))",
            "CASE a WHEN 1 THEN 'x' ELSE N'y' END + b COLLATE Latin1_General_BIN2",
            "CASE WHEN a IS NULL THEN 1e3 END",
            "dbo.f(a, -1.5, $2) / (b * c)",
            "TRY_CAST(a AS decimal(10, 2)) & 1 | 2 ^ 3",
            "a NOT LIKE '!%' ESCAPE '!'",
            "IIF(a > 1, @@SPID, CHOOSE(1, [x y], [z]]]))",
            "- (a * b) + (- a) * b",
        ] {
            let once = printed(text);
            assert_eq!(printed(&once), once, "{text}");
        }
    }

    #[test]
    fn a_definition_holds_no_query_and_no_window() {
        for (text, number) in [
            ("(SELECT 1)", 1046),
            ("EXISTS (SELECT 1)", 1046),
            ("ROW_NUMBER() OVER (ORDER BY a)", 4108),
        ] {
            let error = print_expression(&parse_expression(text).unwrap()).unwrap_err();
            assert_eq!(error.number, number, "{text}");
        }
    }
}
