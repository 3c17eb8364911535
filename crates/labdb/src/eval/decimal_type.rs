//! What decimals become in operations: "Precision, scale, and length (Transact-SQL)".

use super::types::MAX_PRECISION;
use labdb_types::SqlType;

/// The shape of a decimal result that would need more than 38 digits; see "Precision, scale,
/// and length (Transact-SQL)".
fn fit_product(precision: u16, scale: u16) -> SqlType {
    if precision <= u16::from(MAX_PRECISION) {
        return SqlType::Decimal {
            precision: precision as u8,
            scale: scale as u8,
        };
    }
    let integral = precision - scale;
    let scale = if integral < 32 {
        scale.min(38 - integral)
    } else {
        scale.min(6)
    };
    SqlType::Decimal {
        precision: MAX_PRECISION,
        scale: scale as u8,
    }
}

/// The four decimal operations and the modulo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalOp {
    /// `+` and `-`.
    Add,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
}

/// The result type of a decimal operation, after "Precision, scale, and length".
pub fn decimal_result(op: DecimalOp, a: (u8, u8), b: (u8, u8)) -> SqlType {
    let (p1, s1, p2, s2) = (
        u16::from(a.0),
        u16::from(a.1),
        u16::from(b.0),
        u16::from(b.1),
    );
    match op {
        DecimalOp::Add => {
            let scale = s1.max(s2);
            let integral = (p1 - s1).max(p2 - s2);
            let precision = integral + scale + 1;
            if precision <= 38 {
                SqlType::Decimal {
                    precision: precision as u8,
                    scale: scale as u8,
                }
            } else {
                SqlType::Decimal {
                    precision: MAX_PRECISION,
                    scale: scale.min(38 - integral) as u8,
                }
            }
        }
        DecimalOp::Multiply => fit_product(p1 + p2 + 1, s1 + s2),
        DecimalOp::Divide => {
            let scale = (s1 + p2 + 1).max(6);
            fit_product(p1 - s1 + s2 + scale, scale)
        }
        DecimalOp::Modulo => {
            let scale = s1.max(s2);
            fit_product((p1 - s1).min(p2 - s2) + scale, scale)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DecimalOp, decimal_result};
    use labdb_types::SqlType;

    #[test]
    fn division_of_decimals_keeps_the_documented_scale() {
        // "Precision, scale, and length": p = p1 - s1 + s2 + max(6, s1 + p2 + 1).
        assert_eq!(
            decimal_result(DecimalOp::Divide, (5, 2), (3, 1)),
            SqlType::Decimal {
                precision: 10,
                scale: 6
            }
        );
    }

    #[test]
    fn a_product_beyond_38_digits_gives_up_scale_down_to_six() {
        assert_eq!(
            decimal_result(DecimalOp::Multiply, (38, 10), (38, 10)),
            SqlType::Decimal {
                precision: 38,
                scale: 6
            }
        );
    }
}
