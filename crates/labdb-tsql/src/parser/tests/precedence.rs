//! Microsoft's table of operator precedence, and what is a condition and what a value.

use crate::ast::Expr;
use crate::parse_expression;

/// Every operator with its operands in parentheses, so that the tree shows.
fn tree(expression: &Expr) -> String {
    match expression {
        Expr::Binary(op, left, right) => format!("({} {op:?} {})", tree(left), tree(right)),
        Expr::Unary(op, operand) => format!("({op:?} {})", tree(operand)),
        Expr::Column(name) => name.parts.join("."),
        Expr::Literal(crate::ast::Literal::Integer(digits)) => digits.clone(),
        Expr::Between {
            value, low, high, ..
        } => format!("({} between {} {})", tree(value), tree(low), tree(high)),
        Expr::Like { value, pattern, .. } => format!("({} like {})", tree(value), tree(pattern)),
        Expr::IsNull { value, .. } => format!("({} is null)", tree(value)),
        Expr::Collate(value, name) => format!("({} collate {name})", tree(value)),
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_microsoft_documents() {
    for (text, expected) in [
        ("a + b * c", "(a Add (b Multiply c))"),
        ("a * b + c", "((a Multiply b) Add c)"),
        ("a / b * c % d", "(((a Divide b) Multiply c) Modulo d)"),
        ("a - b - c", "((a Subtract b) Subtract c)"),
        ("a & b + c", "((a BitAnd b) Add c)"),
        ("a | b & c ^ d", "(((a BitOr b) BitAnd c) BitXor d)"),
        ("a | b * c", "(a BitOr (b Multiply c))"),
        ("~a * b", "((BitNot a) Multiply b)"),
        ("~a + b", "((BitNot a) Add b)"),
        ("-a * b", "(Minus (a Multiply b))"),
        ("-a + b", "((Minus a) Add b)"),
        ("a / -b * c", "(a Divide (Minus (b Multiply c)))"),
        (
            "-100 / -100 * 10",
            "(Minus (100 Divide (Minus (100 Multiply 10))))",
        ),
        ("a = b + c", "(a Equal (b Add c))"),
        ("a & b = c", "((a BitAnd b) Equal c)"),
        ("NOT a = b", "(Not (a Equal b))"),
        ("NOT a = b AND c = d", "((Not (a Equal b)) And (c Equal d))"),
        (
            "a = 1 OR b = 2 AND c = 3",
            "((a Equal 1) Or ((b Equal 2) And (c Equal 3)))",
        ),
        (
            "a = 1 AND b = 2 OR c = 3",
            "(((a Equal 1) And (b Equal 2)) Or (c Equal 3))",
        ),
        (
            "(a = 1 OR b = 2) AND c = 3",
            "(((a Equal 1) Or (b Equal 2)) And (c Equal 3))",
        ),
        (
            "a BETWEEN 1 AND 2 + 3 AND b = 4",
            "((a between 1 (2 Add 3)) And (b Equal 4))",
        ),
        ("a + b LIKE c + d", "((a Add b) like (c Add d))"),
        ("a + b IS NULL", "((a Add b) is null)"),
        ("a + b COLLATE x", "(a Add (b collate x))"),
        ("a < = b", "(a LessOrEqual b)"),
        ("a !< b", "(a GreaterOrEqual b)"),
        ("a !> b", "(a LessOrEqual b)"),
        ("a ! = b", "(a NotEqual b)"),
        ("a - (b - c)", "(a Subtract (b Subtract c))"),
        ("((a)) * ((b + c))", "(a Multiply (b Add c))"),
    ] {
        assert_eq!(tree(&parse_expression(text).unwrap()), expected, "{text}");
    }
}

#[test]
fn conditions_and_values_do_not_mix() {
    for text in [
        "a = b = c",
        "(a = b) + 1",
        "1 + (a = b)",
        "a AND b",
        "NOT a",
        "a = 1 AND b",
        "a + NOT b",
        "f(a = 1)",
        "CASE WHEN a THEN 1 END",
        "a = EXISTS (SELECT 1)",
    ] {
        let error = parse_expression(text).unwrap_err();
        assert!(matches!(error.number, 102 | 156 | 4145), "{text}: {error}");
    }
}
