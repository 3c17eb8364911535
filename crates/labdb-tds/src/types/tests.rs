//! Types and values against bytes worked out from the specification, and back.

use super::*;
use crate::login::TdsVersion;
use crate::wire::Reader;
use labdb_types::{Decimal, Length, SqlType, Value};
use std::sync::Arc;

fn encoded(sql_type: SqlType, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    push_value(&mut out, sql_type, value, TdsVersion::V7_4).unwrap();
    out
}

fn fault(sql_type: SqlType, value: &Value) -> String {
    let mut out = Vec::new();
    let result = push_value(&mut out, sql_type, value, TdsVersion::V7_4);
    result.unwrap_err().0
}

fn decoded(bytes: &[u8]) -> Option<(SqlType, Value)> {
    let mut reader = Reader::new(bytes);
    let declared = read_declared(&mut reader).ok()?;
    let read = read_value(&mut reader, &declared).ok()?;
    reader.is_empty().then_some(read)
}

fn decimal(precision: u8, scale: u8) -> SqlType {
    SqlType::Decimal { precision, scale }
}

#[test]
fn numbers_have_a_length_and_are_little_endian() {
    assert_eq!(encoded(SqlType::Bit, &Value::Bit(true)), [1, 1]);
    assert_eq!(encoded(SqlType::TinyInt, &Value::TinyInt(255)), [1, 255]);
    assert_eq!(
        encoded(SqlType::SmallInt, &Value::SmallInt(-2)),
        [2, 0xFE, 0xFF]
    );
    assert_eq!(encoded(SqlType::Int, &Value::Int(1)), [4, 1, 0, 0, 0]);
    assert_eq!(
        encoded(SqlType::BigInt, &Value::BigInt(-1)),
        [8, 255, 255, 255, 255, 255, 255, 255, 255]
    );
    // IEEE 754: 1.5 is 0x3FC00000, -2 is 0xC000000000000000.
    assert_eq!(
        encoded(SqlType::Real, &Value::Real(1.5)),
        [4, 0, 0, 0xC0, 0x3F]
    );
    assert_eq!(
        encoded(SqlType::Float, &Value::Float(-2.0)),
        [8, 0, 0, 0, 0, 0, 0, 0, 0xC0]
    );
}

#[test]
fn money_has_its_high_half_first() {
    // 1.0000 is 10000 = 0x2710 ten-thousandths; 2^32 ten-thousandths is 1 in the high half.
    assert_eq!(
        encoded(SqlType::Money, &Value::Money(10_000)),
        [8, 0, 0, 0, 0, 0x10, 0x27, 0, 0]
    );
    assert_eq!(
        encoded(SqlType::Money, &Value::Money(1 << 32)),
        [8, 1, 0, 0, 0, 0, 0, 0, 0]
    );
}

#[test]
fn smallmoney_is_a_number_of_four_bytes() {
    // -1.0000 is -10,000 = 0xFFFFD8F0 ten-thousandths.
    assert_eq!(
        decoded(&[0x6E, 4, 4, 0xF0, 0xD8, 0xFF, 0xFF]),
        Some((SqlType::SmallMoney, Value::Money(-10_000)))
    );
    assert_eq!(
        encoded(SqlType::SmallMoney, &Value::Money(-10_000)),
        [4, 0xF0, 0xD8, 0xFF, 0xFF]
    );
}

#[test]
fn a_decimal_has_a_sign_and_a_magnitude_sized_by_its_precision() {
    // 123.45 in decimal(5,2) is 12345 = 0x3039.
    let value = Value::Decimal(Decimal::new(12_345, 2));
    assert_eq!(encoded(decimal(5, 2), &value), [5, 1, 0x39, 0x30, 0, 0]);
    // The same in decimal(10,3) is 123450 = 0x1E23A, in 8 bytes.
    let wider = encoded(decimal(10, 3), &value);
    assert_eq!(wider, [9, 1, 0x3A, 0xE2, 1, 0, 0, 0, 0, 0]);
    assert_eq!(encoded(decimal(28, 0), &Value::Int(-1))[..3], [13, 0, 1]);
    // 38 nines is 0x4B3B4CA85A86C47A098A223FFFFFFFFF.
    let largest = Value::Decimal(Decimal::new(10_i128.pow(38) - 1, 0));
    let bytes = encoded(decimal(38, 0), &largest);
    assert_eq!(bytes[..2], [17, 1]);
    assert_eq!(
        bytes[2..],
        0x4B3B_4CA8_5A86_C47A_098A_223F_FFFF_FFFF_u128.to_le_bytes()
    );
    assert!(fault(decimal(4, 2), &value).contains("digits"));
    assert!(fault(decimal(5, 1), &value).contains("behind the point"));
    // 10^38 is no decimal.
    let mut too_large = vec![0x6C, 17, 38, 0, 17, 1];
    too_large.extend_from_slice(&10_u128.pow(38).to_le_bytes());
    assert_eq!(decoded(&too_large), None);
}

#[test]
fn texts_are_code_page_1252_or_utf16() {
    let euro = Value::text("€1");
    assert_eq!(
        encoded(SqlType::VarChar(Length::Limited(5)), &euro),
        [2, 0, 0x80, b'1']
    );
    assert_eq!(
        encoded(SqlType::NVarChar(Length::Limited(5)), &euro),
        [4, 0, 0xAC, 0x20, b'1', 0]
    );
    assert_eq!(
        encoded(SqlType::Char(4), &euro),
        [4, 0, 0x80, b'1', b' ', b' ']
    );
    assert_eq!(
        encoded(SqlType::NChar(3), &euro),
        [6, 0, 0xAC, 0x20, b'1', 0, b' ', 0]
    );
    assert_eq!(
        encoded(
            SqlType::Binary(3),
            &Value::Binary(Arc::from([7_u8].as_slice()))
        ),
        [3, 0, 7, 0, 0]
    );
    assert!(fault(SqlType::NVarChar(Length::Limited(1)), &euro).contains("longer"));
    assert!(fault(SqlType::Char(1), &euro).contains("longer"));
}

#[test]
fn max_values_go_in_one_chunk() {
    let max = SqlType::VarChar(Length::Max);
    assert_eq!(
        encoded(max, &Value::text("ab")),
        [2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0]
    );
    assert_eq!(encoded(max, &Value::text("")), [0; 12]);
    assert_eq!(encoded(max, &Value::Null), [0xFF; 8]);
}

#[test]
fn values_in_chunks_of_unknown_length_are_put_together() {
    let mut bytes = vec![0xA7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34];
    bytes.extend_from_slice(&0xFFFF_FFFF_FFFF_FFFE_u64.to_le_bytes());
    bytes.extend_from_slice(&[1, 0, 0, 0, b'a', 2, 0, 0, 0, b'b', 0x80, 0, 0, 0, 0]);
    assert_eq!(
        decoded(&bytes),
        Some((SqlType::VarChar(Length::Max), Value::text("ab€")))
    );
    bytes.truncate(bytes.len() - 1);
    assert_eq!(decoded(&bytes), None);
}

#[test]
fn times_round_half_up_to_their_scale_and_carry_into_the_day() {
    // 12:00:00.5 in ticks of 100 ns.
    let noon = 12 * 36_000_000_000 + 5_000_000;
    // 43200.5 s rounds to 43201 = 0xA8C1 seconds, or is 432005 = 0x69785 tenths.
    assert_eq!(
        encoded(SqlType::Time(0), &Value::Time(noon)),
        [3, 0xC1, 0xA8, 0]
    );
    assert_eq!(
        encoded(SqlType::Time(1), &Value::Time(noon)),
        [3, 0x85, 0x97, 6]
    );
    let last = Value::DateTime2 {
        days: 1,
        ticks: 863_999_999_999,
    };
    // 9999 ticks short of nothing: 24 h - 100 ns is 0xC92A69BFFF ticks.
    assert_eq!(
        encoded(SqlType::DateTime2(7), &last),
        [8, 0xFF, 0xBF, 0x69, 0x2A, 0xC9, 1, 0, 0]
    );
    assert_eq!(
        encoded(SqlType::DateTime2(3), &last),
        [7, 0, 0, 0, 0, 2, 0, 0]
    );
    assert!(fault(SqlType::Time(7), &Value::Time(864_000_000_000)).contains("24 hours"));
}

#[test]
fn dates_count_from_their_own_beginnings() {
    // 1900-01-01 is day 693595 = 0xA955B of the calendar and day 0 of datetime.
    assert_eq!(
        encoded(SqlType::Date, &Value::Date(693_595)),
        [3, 0x5B, 0x95, 0x0A]
    );
    let datetime = Value::DateTime {
        days: -1,
        ticks: 300,
    };
    assert_eq!(
        encoded(SqlType::DateTime, &datetime),
        [8, 255, 255, 255, 255, 0x2C, 1, 0, 0]
    );
    let minutes = Value::SmallDateTime {
        days: 1,
        minutes: 1439,
    };
    assert_eq!(
        encoded(SqlType::SmallDateTime, &minutes),
        [4, 1, 0, 0x9F, 5]
    );
    let offset = Value::DateTimeOffset {
        days: 0,
        ticks: 0,
        offset_minutes: -60,
    };
    assert_eq!(
        encoded(SqlType::DateTimeOffset(0), &offset),
        [8, 0, 0, 0, 0, 0, 0, 0xC4, 0xFF]
    );
}

#[test]
fn a_guid_has_its_first_three_groups_swapped() {
    // 6F9619FF-8B86-D011-B42D-00C04FC964FF.
    let guid = [
        0x6F, 0x96, 0x19, 0xFF, 0x8B, 0x86, 0xD0, 0x11, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9, 0x64, 0xFF,
    ];
    assert_eq!(
        encoded(SqlType::UniqueIdentifier, &Value::Uuid(guid)),
        [
            16, 0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9,
            0x64, 0xFF
        ]
    );
}

#[test]
fn a_variant_brings_its_type() {
    let variant = |base, value| Value::Variant(Box::new((base, value)));
    assert_eq!(
        encoded(SqlType::SqlVariant, &variant(SqlType::Int, Value::Int(5))),
        [6, 0, 0, 0, 0x38, 0, 5, 0, 0, 0]
    );
    assert_eq!(
        encoded(
            SqlType::SqlVariant,
            &variant(SqlType::NVarChar(Length::Limited(3)), Value::text("a"))
        ),
        [11, 0, 0, 0, 0xE7, 7, 9, 4, 0xD0, 0, 0x34, 6, 0, b'a', 0]
    );
    assert_eq!(encoded(SqlType::SqlVariant, &Value::Null), [0; 4]);
    let max = variant(SqlType::VarChar(Length::Max), Value::text("a"));
    assert!(fault(SqlType::SqlVariant, &max).contains("base type"));
}

#[test]
fn legacy_types_are_understood() {
    // varchar with a one-byte length, text, image, and an untyped NULL.
    assert_eq!(
        decoded(&[0x27, 5, 9, 4, 0xD0, 0, 0x34, 2, b'h', b'i']),
        Some((SqlType::VarChar(Length::Limited(5)), Value::text("hi")))
    );
    assert_eq!(
        decoded(&[
            0x23, 255, 255, 255, 127, 9, 4, 0xD0, 0, 0x34, 1, 0, 0, 0, b'x'
        ]),
        Some((SqlType::VarChar(Length::Max), Value::text("x")))
    );
    assert_eq!(
        decoded(&[0x22, 255, 255, 255, 127, 255, 255, 255, 255]),
        Some((SqlType::VarBinary(Length::Max), Value::Null))
    );
    assert_eq!(decoded(&[0x1F]), Some((SqlType::Int, Value::Null)));
    assert_eq!(
        decoded(&[0x38, 1, 0, 0, 0]),
        Some((SqlType::Int, Value::Int(1)))
    );
}

#[test]
fn values_of_wrong_length_or_range_are_errors() {
    let broken: [&[u8]; 8] = [
        &[0x26, 4, 3, 0, 0, 0],
        &[0x26, 3, 0],
        &[0x28, 3, 255, 255, 255],
        &[0x29, 8, 0],
        &[0x29, 7, 5, 255, 255, 255, 255, 255],
        &[0x2B, 0, 8, 0, 0, 0, 0, 0, 0, 0x49, 3],
        &[0x6A, 17, 39, 0, 0],
        &[0xE7, 4, 0, 9, 4, 0xD0, 0, 0x34, 3, 0, 1, 2, 3],
    ];
    for bytes in broken {
        assert_eq!(decoded(bytes), None, "{bytes:?}");
    }
}

#[test]
fn what_one_side_encodes_the_other_decodes() {
    let binary = |bytes: &[u8]| Value::Binary(Arc::from(bytes));
    let samples = [
        (SqlType::Bit, Value::Bit(false)),
        (SqlType::TinyInt, Value::TinyInt(7)),
        (SqlType::SmallInt, Value::SmallInt(i16::MIN)),
        (SqlType::Int, Value::Int(i32::MAX)),
        (SqlType::BigInt, Value::BigInt(i64::MIN)),
        (SqlType::Real, Value::Real(-0.1)),
        (SqlType::Float, Value::Float(1e300)),
        (decimal(19, 4), Value::Decimal(Decimal::new(-12_345, 4))),
        (decimal(38, 38), Value::Decimal(Decimal::new(1, 38))),
        (SqlType::Money, Value::Money(-922_337_203_685_477)),
        (SqlType::SmallMoney, Value::Money(-2_147_483_648)),
        (SqlType::Char(3), Value::text("abc")),
        (
            SqlType::VarChar(Length::Limited(8000)),
            Value::text("é".repeat(8000)),
        ),
        (
            SqlType::VarChar(Length::Max),
            Value::text("é".repeat(70_000)),
        ),
        (SqlType::NChar(2), Value::text("\u{1F600}")),
        (
            SqlType::NVarChar(Length::Limited(4000)),
            Value::text("Ω".repeat(4000)),
        ),
        (
            SqlType::NVarChar(Length::Max),
            Value::text("Ω".repeat(40_000)),
        ),
        (SqlType::Binary(2), binary(&[1, 2])),
        (SqlType::VarBinary(Length::Limited(10)), binary(&[])),
        (SqlType::VarBinary(Length::Max), binary(&vec![9; 70_000])),
        (SqlType::Date, Value::Date(3_652_058)),
        (SqlType::Time(7), Value::Time(1)),
        (SqlType::Time(4), Value::Time(12_345_000)),
        (
            SqlType::DateTime,
            Value::DateTime {
                days: -53_690,
                ticks: 25_919_999,
            },
        ),
        (
            SqlType::DateTimeOffset(2),
            Value::DateTimeOffset {
                days: 730_000,
                ticks: 1_200_000,
                offset_minutes: 840,
            },
        ),
        (SqlType::UniqueIdentifier, Value::Uuid(*b"0123456789abcdef")),
    ];
    for (sql_type, value) in samples {
        for value in [value, Value::Null] {
            let mut bytes = Vec::new();
            push_type(&mut bytes, sql_type, TdsVersion::V7_4);
            push_value(&mut bytes, sql_type, &value, TdsVersion::V7_4).unwrap();
            assert_eq!(decoded(&bytes), Some((sql_type, value.clone())));
            if value.is_null() || bytes.len() > 8000 {
                continue;
            }
            let variant = Value::Variant(Box::new((sql_type, value)));
            let mut bytes = Vec::new();
            push_type(&mut bytes, SqlType::SqlVariant, TdsVersion::V7_4);
            if push_value(&mut bytes, SqlType::SqlVariant, &variant, TdsVersion::V7_4).is_ok() {
                assert_eq!(decoded(&bytes), Some((SqlType::SqlVariant, variant)));
            }
        }
    }
}

#[test]
fn clients_before_tds_7_3_get_dates_as_text() {
    let version = TdsVersion::V7_2;
    assert_eq!(
        wire_type(SqlType::DateTime2(3), version),
        SqlType::NVarChar(Length::Limited(23))
    );
    let mut out = Vec::new();
    push_value(&mut out, SqlType::Date, &Value::Date(0), version).unwrap();
    let expected: Vec<u8> = "0001-01-01".bytes().flat_map(|byte| [byte, 0]).collect();
    assert_eq!(out[..2], [20, 0]);
    assert_eq!(out[2..], expected);
}
