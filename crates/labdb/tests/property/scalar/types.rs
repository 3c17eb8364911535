//! The data types, their order of precedence and what decimals become in operations:
//! "Data type precedence" and "Precision, scale, and length" of the T-SQL reference.

use labdb_types::{Length, SqlType};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Bit,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Money,
    Dec(u32, u32),
    Float,
    VarChar(u32),
    NVarChar(u32),
    Date,
    DateTime2(u32),
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bit => write!(f, "bit"),
            Ty::TinyInt => write!(f, "tinyint"),
            Ty::SmallInt => write!(f, "smallint"),
            Ty::Int => write!(f, "int"),
            Ty::BigInt => write!(f, "bigint"),
            Ty::Money => write!(f, "money"),
            Ty::Dec(p, s) => write!(f, "decimal({p},{s})"),
            Ty::Float => write!(f, "float"),
            Ty::VarChar(n) => write!(f, "varchar({n})"),
            Ty::NVarChar(n) => write!(f, "nvarchar({n})"),
            Ty::Date => write!(f, "date"),
            Ty::DateTime2(s) => write!(f, "datetime2({s})"),
        }
    }
}

impl Ty {
    /// A higher number takes precedence.
    pub(crate) fn rank(self) -> u32 {
        match self {
            Ty::VarChar(_) => 1,
            Ty::NVarChar(_) => 2,
            Ty::Bit => 3,
            Ty::TinyInt => 4,
            Ty::SmallInt => 5,
            Ty::Int => 6,
            Ty::BigInt => 7,
            Ty::Money => 8,
            Ty::Dec(..) => 9,
            Ty::Float => 10,
            Ty::Date => 11,
            Ty::DateTime2(_) => 12,
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(
            self,
            Ty::Bit | Ty::TinyInt | Ty::SmallInt | Ty::Int | Ty::BigInt
        )
    }

    pub(crate) fn is_number(self) -> bool {
        self.is_integer() || matches!(self, Ty::Money | Ty::Dec(..) | Ty::Float)
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Ty::VarChar(_) | Ty::NVarChar(_))
    }

    pub(crate) fn is_time(self) -> bool {
        matches!(self, Ty::Date | Ty::DateTime2(_))
    }

    /// Precision and scale of an exact number.
    pub(crate) fn digits(self) -> Option<(u32, u32)> {
        Some(match self {
            Ty::Bit => (1, 0),
            Ty::TinyInt => (3, 0),
            Ty::SmallInt => (5, 0),
            Ty::Int => (10, 0),
            Ty::BigInt => (19, 0),
            Ty::Money => (19, 4),
            Ty::Dec(p, s) => (p, s),
            _ => return None,
        })
    }

    /// The type that CASE, COALESCE, IIF and comparisons give to two of them; `None` where the
    /// documentation leaves it open or there is no implicit conversion.
    pub(crate) fn common(self, other: Ty) -> Option<Ty> {
        let (high, low) = if self.rank() >= other.rank() {
            (self, other)
        } else {
            (other, self)
        };
        match (high, low) {
            (Ty::Dec(p1, s1), Ty::Dec(p2, s2)) => union(p1, s1, p2, s2),
            (Ty::Dec(p1, s1), low) if low.is_number() => {
                let (p2, s2) = low.digits()?;
                union(p1, s1, p2, s2)
            }
            (Ty::Dec(..), _) => None,
            (Ty::VarChar(a), Ty::VarChar(b)) => Some(Ty::VarChar(a.max(b))),
            (Ty::NVarChar(a), Ty::VarChar(b) | Ty::NVarChar(b)) => Some(Ty::NVarChar(a.max(b))),
            (Ty::DateTime2(a), Ty::DateTime2(b)) => Some(Ty::DateTime2(a.max(b))),
            (high, low) if high.is_time() && low.is_number() => None,
            (Ty::DateTime2(_), Ty::VarChar(_) | Ty::NVarChar(_)) => None,
            (high, _) => Some(high),
        }
    }
}

fn union(p1: u32, s1: u32, p2: u32, s2: u32) -> Option<Ty> {
    let scale = s1.max(s2);
    let precision = scale + (p1 - s1).max(p2 - s2);
    // Beyond 38 the documentation does not say which digits go.
    (precision <= 38).then_some(Ty::Dec(precision, scale))
}

/// The decimal that `operator` gives.
pub(crate) fn decimal_result(operator: char, (p1, s1): (u32, u32), (p2, s2): (u32, u32)) -> Ty {
    let whole = (p1 - s1).max(p2 - s2);
    let (precision, scale) = match operator {
        '+' | '-' => (s1.max(s2) + whole + 1, s1.max(s2)),
        '*' => (p1 + p2 + 1, s1 + s2),
        '/' => {
            let scale = 6.max(s1 + p2 + 1);
            (p1 - s1 + s2 + scale, scale)
        }
        _ => {
            let scale = s1.max(s2);
            ((p1 - s1).min(p2 - s2) + scale, scale)
        }
    };
    if precision <= 38 {
        return Ty::Dec(precision, scale);
    }
    if matches!(operator, '+' | '-') {
        // Room for the whole part, at the expense of the fraction.
        return Ty::Dec(38, scale.min(38 - whole));
    }
    let whole = precision - scale;
    let scale = if whole < 32 {
        scale.min(38 - whole)
    } else {
        scale.min(6)
    };
    Ty::Dec(38, scale)
}

/// A type as the engine says it, where it is one of those tested.
pub(crate) fn from_engine(sql_type: SqlType) -> Option<Ty> {
    Some(match sql_type {
        SqlType::Bit => Ty::Bit,
        SqlType::TinyInt => Ty::TinyInt,
        SqlType::SmallInt => Ty::SmallInt,
        SqlType::Int => Ty::Int,
        SqlType::BigInt => Ty::BigInt,
        SqlType::Money => Ty::Money,
        SqlType::Decimal { precision, scale } => Ty::Dec(precision.into(), scale.into()),
        SqlType::Float => Ty::Float,
        SqlType::VarChar(Length::Limited(n)) => Ty::VarChar(n.into()),
        SqlType::NVarChar(Length::Limited(n)) => Ty::NVarChar(n.into()),
        SqlType::Date => Ty::Date,
        SqlType::DateTime2(s) => Ty::DateTime2(s.into()),
        _ => return None,
    })
}

/// Microsoft's own examples of the rules, so that the reference is not only held to labdb.
#[test]
fn the_reference_gives_the_documented_examples() {
    assert_eq!(decimal_result('*', (30, 20), (30, 20)), Ty::Dec(38, 17));
    assert_eq!(decimal_result('*', (30, 10), (30, 10)), Ty::Dec(38, 6));
    assert_eq!(decimal_result('/', (2, 2), (3, 0)), Ty::Dec(6, 6));
    assert_eq!(decimal_result('/', (5, 2), (3, 0)), Ty::Dec(9, 6));
}
