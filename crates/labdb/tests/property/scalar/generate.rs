//! Random expressions that have a type.

use super::convert::{convert, fits};
use super::tree::{Expr, Pred};
use super::types::Ty;
use super::value::{Val, plain, power_of_ten, whole};
use crate::choices::Choices;
use jiff::civil;
use num_bigint::BigInt;
use num_rational::BigRational;

pub(crate) struct Generator<'a, 'c> {
    pub(crate) choices: &'a mut Choices<'c>,
    /// Variables made so far, in order.
    pub(crate) variables: Vec<(Ty, Val)>,
}

/// What an expression shall be.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Number,
    Integer,
    Text,
    Time,
}

const INTEGERS: [Ty; 5] = [Ty::Int, Ty::BigInt, Ty::SmallInt, Ty::TinyInt, Ty::Bit];
const LETTERS: [char; 8] = ['a', 'B', ' ', 'b', '1', 'A', 'z', '0'];
const DATE_PARTS: [&str; 11] = [
    "day",
    "month",
    "year",
    "week",
    "quarter",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
];
const READ_PARTS: [&str; 12] = [
    "day",
    "month",
    "year",
    "quarter",
    "dayofyear",
    "weekday",
    "iso_week",
    "hour",
    "minute",
    "second",
    "millisecond",
    "nanosecond",
];

impl Generator<'_, '_> {
    /// Any expression.
    pub(crate) fn any(&mut self, depth: u32) -> Expr {
        let want = self.choices.of(&[
            Want::Number,
            Want::Number,
            Want::Number,
            Want::Number,
            Want::Integer,
            Want::Text,
            Want::Time,
        ]);
        self.expression(want, depth)
    }

    fn expression(&mut self, want: Want, depth: u32) -> Expr {
        if depth == 0 || self.choices.below(8) == 0 {
            return self.leaf(want);
        }
        let e = match self.choices.below(10) {
            0..=5 => self.operation(want, depth - 1),
            6 | 7 => self.choice(want, depth - 1),
            _ => self.cast(want, depth - 1),
        };
        if self.choices.once_in(6) {
            Expr::Parentheses(Box::new(e))
        } else {
            e
        }
    }

    fn boxed(&mut self, want: Want, depth: u32) -> Box<Expr> {
        Box::new(self.expression(want, depth))
    }

    fn operation(&mut self, want: Want, depth: u32) -> Expr {
        match want {
            Want::Text => {
                let (a, b) = (self.boxed(want, depth), self.boxed(want, depth));
                Expr::Binary('+', a, b)
            }
            Want::Time => {
                let part = self.choices.of(&DATE_PARTS);
                let n = self.boxed(Want::Integer, depth.min(1));
                Expr::DateAdd(part, n, self.boxed(want, depth))
            }
            Want::Integer | Want::Number => self.arithmetic(want, depth),
        }
    }

    fn arithmetic(&mut self, want: Want, depth: u32) -> Expr {
        match self.choices.below(12) {
            0 | 1 => {
                let sign = self.choices.of(&['-', '-', '+']);
                Expr::Unary(sign, self.boxed(want, depth))
            }
            2 => Expr::Unary('~', self.boxed(Want::Integer, depth)),
            3 | 4 => {
                let operator = self.choices.of(&['&', '|', '^']);
                let (a, b) = (
                    self.boxed(Want::Integer, depth),
                    self.boxed(Want::Integer, depth),
                );
                Expr::Binary(operator, a, b)
            }
            5 => match self.choices.below(3) {
                0 => {
                    let part = self.choices.of(&READ_PARTS);
                    Expr::DatePart(part, self.boxed(Want::Time, depth))
                }
                _ => {
                    let part = self.choices.of(&DATE_PARTS);
                    let (a, b) = (self.boxed(Want::Time, depth), self.boxed(Want::Time, depth));
                    Expr::DateDiff(part, a, b)
                }
            },
            6 if want == Want::Number => {
                let text = self.number_text();
                let a = Box::new(text);
                Expr::Binary('+', a, self.boxed(Want::Integer, depth))
            }
            _ => {
                let operator = self.choices.of(&['+', '-', '*', '/', '%']);
                let (a, b) = (self.boxed(want, depth), self.boxed(want, depth));
                Expr::Binary(operator, a, b)
            }
        }
    }

    fn choice(&mut self, want: Want, depth: u32) -> Expr {
        match self.choices.below(6) {
            0 => {
                let mut branches = vec![(self.predicate(depth), self.expression(want, depth))];
                if self.choices.once_in(2) {
                    branches.push((self.predicate(depth), self.expression(want, depth)));
                }
                let other = (self.choices.below(3) > 0).then(|| self.boxed(want, depth));
                Expr::Case(branches, other)
            }
            1 => {
                let over = self.choices.of(&[Want::Number, Want::Text, Want::Time]);
                let subject = self.boxed(over, depth);
                let when = self.expression(over, depth);
                let result = self.expression(want, depth);
                let other = (self.choices.below(3) > 0).then(|| self.boxed(want, depth));
                Expr::SimpleCase(subject, vec![(when, result)], other)
            }
            2 => {
                let mut some = vec![self.expression(want, depth), self.expression(want, depth)];
                if self.choices.once_in(3) {
                    some.insert(self.choices.below(3), null());
                }
                Expr::Coalesce(some)
            }
            3 => Expr::IsNull(self.boxed(want, depth), self.boxed(want, depth)),
            4 => Expr::NullIf(self.boxed(want, depth), self.boxed(want, depth)),
            _ => {
                let condition = Box::new(self.predicate(depth));
                Expr::Iif(condition, self.boxed(want, depth), self.boxed(want, depth))
            }
        }
    }

    fn cast(&mut self, want: Want, depth: u32) -> Expr {
        let from = match want {
            Want::Time => Want::Time,
            Want::Text => self.choices.of(&[Want::Number, Want::Time, Want::Text]),
            _ => Want::Number,
        };
        let inner = if want != Want::Text && want != Want::Time && self.choices.once_in(4) {
            Box::new(self.number_text())
        } else {
            self.boxed(from, depth)
        };
        let ty = self.ty(want);
        if self.choices.once_in(5) {
            Expr::TryCast(inner, ty)
        } else {
            Expr::Cast(inner, ty)
        }
    }

    pub(crate) fn predicate(&mut self, depth: u32) -> Pred {
        if depth > 0 && self.choices.once_in(2) {
            let depth = depth - 1;
            let p = match self.choices.below(3) {
                0 => Pred::Not(Box::new(self.predicate(depth))),
                1 => Pred::And(
                    Box::new(self.predicate(depth)),
                    Box::new(self.predicate(depth)),
                ),
                _ => Pred::Or(
                    Box::new(self.predicate(depth)),
                    Box::new(self.predicate(depth)),
                ),
            };
            return if self.choices.once_in(5) {
                Pred::Parentheses(Box::new(p))
            } else {
                p
            };
        }
        let over = self
            .choices
            .of(&[Want::Number, Want::Number, Want::Text, Want::Time]);
        let depth = depth.saturating_sub(1);
        let negated = self.choices.once_in(2);
        match self.choices.below(6) {
            0 => Pred::IsNull(self.expression(over, depth), negated),
            1 => Pred::Between(
                self.expression(over, depth),
                self.expression(over, depth),
                self.expression(over, depth),
                negated,
            ),
            2 => {
                let subject = self.expression(over, depth);
                let mut some = vec![self.expression(over, 0)];
                for _ in 0..self.choices.below(3) {
                    some.push(self.expression(over, 0));
                }
                if self.choices.once_in(3) {
                    some.push(null());
                }
                Pred::In(subject, some, negated)
            }
            _ => {
                let operator = self
                    .choices
                    .of(&["=", "<", ">", "<>", "<=", ">=", "!=", "!<", "!>"]);
                let a = self.expression(over, depth);
                Pred::Compare(operator, a, self.expression(over, depth))
            }
        }
    }

    fn ty(&mut self, want: Want) -> Ty {
        match want {
            Want::Integer => self.choices.of(&INTEGERS),
            Want::Number => match self.choices.below(8) {
                0..=2 => self.choices.of(&INTEGERS),
                3 => Ty::Money,
                4 => Ty::Float,
                _ => self.decimal(),
            },
            Want::Text => {
                let n = 1 + u32::try_from(self.choices.below(12)).unwrap();
                let n = if self.choices.once_in(3) { n + 20 } else { n };
                if self.choices.once_in(3) {
                    Ty::NVarChar(n)
                } else {
                    Ty::VarChar(n)
                }
            }
            Want::Time => match self.choices.below(3) {
                0 => Ty::Date,
                1 => Ty::DateTime2(7),
                _ => Ty::DateTime2(u32::try_from(self.choices.below(8)).unwrap()),
            },
        }
    }

    fn decimal(&mut self) -> Ty {
        let most = self.choices.of(&[9, 18, 38]);
        let precision = 1 + u32::try_from(self.choices.below(most)).unwrap();
        let scale = u32::try_from(self.choices.below(precision as usize + 1)).unwrap();
        Ty::Dec(precision, scale)
    }

    /// A constant, a variable or a cast constant.
    fn leaf(&mut self, want: Want) -> Expr {
        let form = self.choices.below(4);
        if form < 2 {
            return self.constant(want);
        }
        let ty = self.ty(want);
        let v = if self.choices.once_in(8) {
            Val::Null
        } else {
            self.value(ty)
        };
        if form == 2 {
            self.variables.push((ty, v.clone()));
            return Expr::Variable(self.variables.len(), ty, v);
        }
        Expr::Cast(Box::new(constant_of(&v, ty)), ty)
    }

    fn constant(&mut self, want: Want) -> Expr {
        match want {
            Want::Integer => integer_constant(&self.small()),
            Want::Number => match self.choices.below(4) {
                0 | 1 => integer_constant(&self.small()),
                2 => {
                    let whole_part = 1 + self.choices.below(200);
                    let digits = 1 + self.choices.below(3);
                    let fraction = self.choices.below(10_usize.pow(digits as u32));
                    point_constant(&format!("{whole_part}.{fraction:0digits$}"))
                }
                _ => {
                    let text = self
                        .choices
                        .of(&["1e0", "25e-1", "3E2", "1e300", "0e0", "1.5e1"]);
                    Expr::Constant(Ty::Float, Val::Float(text.parse().unwrap()), text.into())
                }
            },
            Want::Text => {
                let ty = Ty::VarChar(self.choices.below(5) as u32 + 1);
                let v = self.value(ty);
                text_constant(&v)
            }
            Want::Time => {
                let ty = self.choices.of(&[Ty::Date, Ty::DateTime2(7)]);
                let v = self.value(ty);
                Expr::Cast(Box::new(constant_of(&v, ty)), ty)
            }
        }
    }

    /// A small number, one that small types hold, or one at the edge of a type.
    fn small(&mut self) -> BigInt {
        match self.choices.below(8) {
            0..=4 => BigInt::from(self.choices.below(12)),
            5 => BigInt::from(self.choices.below(300)),
            6 => BigInt::from(self.choices.below(70_000)),
            _ => self.choices.of(&[
                BigInt::from(i32::MAX),
                BigInt::from(i16::MAX),
                BigInt::from(255),
                BigInt::from(128),
                BigInt::from(65_536),
            ]),
        }
    }

    /// A value of a type.
    fn value(&mut self, ty: Ty) -> Val {
        match ty {
            Ty::VarChar(n) | Ty::NVarChar(n) => {
                let length = 1 + self.choices.below(n.min(4) as usize);
                Val::Text((0..length).map(|_| self.choices.of(&LETTERS)).collect())
            }
            Ty::Date | Ty::DateTime2(_) => self.time(ty),
            Ty::Float => Val::Float(
                self.choices
                    .of(&[1.0, 0.0, 2.5, -3.0, 0.125, 1e10, -7.75, 1e300, 3.0, 0.1]),
            ),
            _ => self.exact(ty),
        }
    }

    fn exact(&mut self, ty: Ty) -> Val {
        let (precision, scale) = ty.digits().unwrap();
        let edge = self.choices.below(10);
        let mut digits = match edge {
            9 => power_of_ten(precision) - 1,
            7 | 8 => {
                let length = 1 + self.choices.below(precision as usize);
                (0..length).fold(BigInt::ZERO, |n, _| n * 10 + self.choices.below(10))
            }
            _ => self.small(),
        };
        if self.choices.once_in(3) {
            digits = -digits;
        }
        let mut n = BigRational::new(digits, power_of_ten(scale));
        if !fits(&n, ty) {
            let low = match ty {
                Ty::SmallInt => i64::from(i16::MIN),
                Ty::Int => i32::MIN.into(),
                Ty::BigInt | Ty::Money => i64::MIN,
                _ => 1,
            };
            n = whole(low);
            if ty == Ty::Money {
                n /= whole(10_000);
            }
        }
        if fits(&n, ty) {
            Val::Exact(n)
        } else {
            Val::Exact(whole(0))
        }
    }

    fn time(&mut self, ty: Ty) -> Val {
        let year = self.choices.of(&[2024, 2023, 1900, 2000, 9999, 1, 1970]);
        let month = 1 + self.choices.below(12);
        let day = 1 + self.choices.below(31);
        let date = civil::Date::new(year, 1, 1)
            .and_then(|d| d.with().month(month as i8).build())
            .unwrap();
        let date = date
            .with()
            .day((day as i8).min(date.days_in_month()))
            .build()
            .unwrap();
        let t = if ty == Ty::Date || self.choices.once_in(3) {
            civil::Time::midnight()
        } else {
            let nanosecond = self
                .choices
                .of(&[0, 500_000_000, 999_999_900, 123_456_700, 100]);
            civil::time(
                self.choices.below(24) as i8,
                self.choices.below(60) as i8,
                self.choices.below(60) as i8,
                nanosecond,
            )
        };
        // A moment that would be rounded beyond the last day is not one of the type.
        convert(&Val::Time(date.to_datetime(t)), Ty::DateTime2(7), ty)
            .unwrap_or(Val::Time(date.at(0, 0, 0, 0)))
    }

    /// A text that is a number, or nearly.
    fn number_text(&mut self) -> Expr {
        let text = self.choices.of(&[
            "1",
            "12",
            "-3",
            " 7 ",
            "+5",
            "1.5",
            "300",
            "70000",
            "2147483648",
            "x",
            "-0",
            "12.345",
            "99999999999999999999",
            "1x",
            ".5",
            "3.",
            "true",
        ]);
        text_constant(&Val::Text(text.into()))
    }
}

fn null() -> Expr {
    Expr::Constant(Ty::Int, Val::Null, "NULL".into())
}

/// A text between quotes.
fn text_constant(v: &Val) -> Expr {
    let Val::Text(text) = v else { unreachable!() };
    let ty = Ty::VarChar(u32::try_from(text.len()).unwrap());
    Expr::Constant(ty, v.clone(), format!("'{text}'"))
}

fn integer_constant(n: &BigInt) -> Expr {
    Expr::Constant(Ty::Int, Val::Exact(whole(n.clone())), n.to_string())
}

fn point_constant(text: &str) -> Expr {
    let (before, after) = text.split_once('.').unwrap();
    let digits: BigInt = format!("{before}{after}").parse().unwrap();
    let scale = u32::try_from(after.len()).unwrap();
    let precision = u32::try_from(before.len()).unwrap() + scale;
    let v = Val::Exact(BigRational::new(digits, power_of_ten(scale)));
    Expr::Constant(Ty::Dec(precision, scale), v, text.into())
}

/// A value's constant, for a CAST to its type to read.
pub(crate) fn constant_of(v: &Val, ty: Ty) -> Expr {
    let text = match (v, ty) {
        (Val::Null, _) => return null(),
        (Val::Exact(n), Ty::Dec(_, scale)) => format!("'{}'", plain(n, scale)),
        (Val::Exact(n), Ty::Money) => format!("'{}'", plain(n, 4)),
        (Val::Exact(n), _) => format!("'{}'", plain(n, 0)),
        (Val::Float(x), _) => format!("{x:e}"),
        (Val::Text(t), Ty::NVarChar(_)) => format!("N'{t}'"),
        (Val::Text(t), _) => format!("'{t}'"),
        (Val::Time(t), Ty::Date) => format!("'{}'", t.date()),
        (Val::Time(t), _) => {
            let fraction = format!("{:09}", t.subsec_nanosecond());
            format!(
                "'{} {:02}:{:02}:{:02}.{}'",
                t.date(),
                t.hour(),
                t.minute(),
                t.second(),
                &fraction[..7]
            )
        }
    };
    Expr::Constant(ty, v.clone(), text)
}
