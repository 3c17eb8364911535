//! String functions.

use super::Parameter::{Any, Int, Text};
use super::{Call, Scalar, first, int, long_text, same_text};
use crate::eval::{convert, format, like, types};
use crate::plan::Typed;
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};

fn length_type(arguments: &[Typed]) -> SqlType {
    if types::text_length(first(arguments)).is_none()
        && (types::is_text(first(arguments)) || types::is_binary(first(arguments)))
    {
        SqlType::BigInt
    } else {
        SqlType::Int
    }
}

fn concat_type(arguments: &[Typed]) -> SqlType {
    let unicode = arguments.iter().any(|a| types::is_unicode(a.sql_type));
    let total: Option<u32> = arguments
        .iter()
        .map(|a| convert::display_length(a.sql_type))
        .sum();
    let limit = if unicode { 4000 } else { 8000 };
    types::text_type(unicode, total.map(|n| n.min(limit)))
}

fn quoted_type(_: &[Typed]) -> SqlType {
    SqlType::NVarChar(Length::Limited(258))
}

fn str_type(arguments: &[Typed]) -> SqlType {
    let length = match arguments.get(1).and_then(Typed::known) {
        Some(v) => convert::as_i64(v).unwrap_or(10),
        _ => 10,
    };
    SqlType::VarChar(Length::Limited(length.clamp(1, 8000) as u16))
}

fn substring_type(arguments: &[Typed]) -> SqlType {
    let from = first(arguments);
    if types::is_binary(from) {
        return SqlType::VarBinary(types::text_length(from).map_or(Length::Max, Length::Limited));
    }
    same_text(arguments)
}

/// Units as LEN, SUBSTRING and CHARINDEX count them: UTF-16 code units for Unicode text.
fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn from_units(units: &[u16]) -> String {
    String::from_utf16_lossy(units)
}

fn len(call: &Call<'_>) -> SqlResult<Value> {
    let n = match call.value(0) {
        Value::Text(t) => convert::length_in(t.trim_end_matches(' '), true),
        Value::Binary(b) => b.len(),
        other => format::text(other, call.type_of(0), None)
            .unwrap_or_default()
            .len(),
    };
    Ok(convert::integer_value(n as i64, call.result).unwrap_or(Value::Null))
}

fn data_length(call: &Call<'_>) -> SqlResult<Value> {
    let sql_type = call.type_of(0);
    let n = match (call.value(0), sql_type) {
        (Value::Text(t), t2) if types::is_unicode(t2) => convert::length_in(t, true) * 2,
        (Value::Text(t), _) => convert::length_in(t, false),
        (Value::Binary(b), _) => b.len(),
        (Value::Variant(inner), _) => size_of_type(inner.0, &inner.1),
        (other, t) => size_of_type(t, other),
    };
    Ok(convert::integer_value(n as i64, call.result).unwrap_or(Value::Null))
}

fn size_of_type(sql_type: SqlType, value: &Value) -> usize {
    match sql_type {
        SqlType::Bit | SqlType::TinyInt => 1,
        SqlType::SmallInt => 2,
        SqlType::Int | SqlType::Real | SqlType::SmallMoney | SqlType::SmallDateTime => 4,
        SqlType::Date => 3,
        SqlType::Decimal { precision, .. } => match precision {
            0..=9 => 5,
            10..=19 => 9,
            20..=28 => 13,
            _ => 17,
        },
        SqlType::Time(s) => usize::from(3 + s.div_ceil(2).saturating_sub(1)),
        SqlType::DateTime2(s) => usize::from(6 + s.div_ceil(2).saturating_sub(1)),
        SqlType::DateTimeOffset(s) => usize::from(8 + s.div_ceil(2).saturating_sub(1)),
        SqlType::UniqueIdentifier => 16,
        SqlType::BigInt | SqlType::Float | SqlType::Money | SqlType::DateTime => 8,
        _ => match value {
            Value::Text(t) if types::is_unicode(sql_type) => convert::length_in(t, true) * 2,
            Value::Text(t) => convert::length_in(t, false),
            Value::Binary(b) => b.len(),
            _ => 0,
        },
    }
}

fn invalid_length(name: &str) -> SqlError {
    SqlError::new(
        536,
        format!("Invalid length parameter passed to the {name} function."),
    )
}

fn left(call: &Call<'_>) -> SqlResult<Value> {
    let n = usize::try_from(call.int(1)).map_err(|_| invalid_length("left"))?;
    Ok(call.give(convert::prefix(call.text(0), n, true)))
}

fn right(call: &Call<'_>) -> SqlResult<Value> {
    let n = usize::try_from(call.int(1)).map_err(|_| invalid_length("right"))?;
    let all = units(call.text(0));
    Ok(call.give(from_units(
        all.get(all.len().saturating_sub(n)..).unwrap_or(&[]),
    )))
}

fn substring(call: &Call<'_>) -> SqlResult<Value> {
    let (start, length) = (call.int(1), call.int(2));
    if length < 0 {
        return Err(SqlError::new(
            537,
            "Invalid length parameter passed to the LEFT or SUBSTRING function.",
        )
        .state(3));
    }
    let end = start.saturating_add(length).max(1) - 1;
    let begin = start.max(1) - 1;
    let range = |total: usize| {
        (begin as usize).min(total)..(end as usize).min(total).max((begin as usize).min(total))
    };
    if let Value::Binary(bytes) = call.value(0) {
        return Ok(Value::Binary(
            bytes.get(range(bytes.len())).unwrap_or(&[]).into(),
        ));
    }
    let text = call.text(0);
    if text.is_ascii() {
        return Ok(call.give(text.get(range(text.len())).unwrap_or("")));
    }
    let all = units(text);
    Ok(call.give(from_units(all.get(range(all.len())).unwrap_or(&[]))))
}

/// Finds `needle` in `hay` under the collation, from a place; both as folded characters.
fn find(needle: &[char], hay: &[char], from: usize) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let last = hay.len().checked_sub(needle.len())?;
    (from..=last).find(|at| hay.get(*at..at + needle.len()) == Some(needle))
}

fn folded(text: &str) -> Vec<char> {
    text.chars()
        .map(|c| c.to_lowercase().next().unwrap_or(c))
        .collect()
}

fn char_index(call: &Call<'_>) -> SqlResult<Value> {
    let from = if call.values.len() > 2 {
        call.int(2).max(1) as usize - 1
    } else {
        0
    };
    let found = find(&folded(call.text(0)), &folded(call.text(1)), from);
    Ok(
        convert::integer_value(found.map_or(0, |at| at as i64 + 1), call.result)
            .unwrap_or(Value::Null),
    )
}

fn replace(call: &Call<'_>) -> SqlResult<Value> {
    let text: Vec<char> = call.text(0).chars().collect();
    let (hay, needle) = (folded(call.text(0)), folded(call.text(1)));
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = find(&needle, &hay, at) {
        out.extend(text.get(at..found).unwrap_or(&[]));
        types::check_long(out.len() + call.text(2).len())?;
        out.push_str(call.text(2));
        at = found + needle.len();
    }
    out.extend(text.get(at..).unwrap_or(&[]));
    Ok(call.give(out))
}

fn replicate(call: &Call<'_>) -> SqlResult<Value> {
    let Ok(times) = usize::try_from(call.int(1)) else {
        return Ok(Value::Null);
    };
    let text = call.text(0);
    // Without a max type the result is cut at 8000 bytes; with one there is a bound all the same.
    let limit = types::text_length(call.result).map_or(types::LONGEST_VALUE, usize::from);
    if types::text_length(call.result).is_none() {
        types::check_long(text.len().saturating_mul(times))?;
    }
    let needed = if text.is_empty() {
        0
    } else {
        // A character of several bytes is one.
        limit / text.encode_utf16().count() + 1
    };
    Ok(call.give(text.repeat(times.min(needed))))
}

fn space(call: &Call<'_>) -> SqlResult<Value> {
    Ok(usize::try_from(call.int(0)).map_or(Value::Null, |n| Value::text(" ".repeat(n.min(8000)))))
}

fn trim(call: &Call<'_>) -> SqlResult<Value> {
    Ok(call.give(call.text(0).trim_matches(' ')))
}

fn concat(call: &Call<'_>) -> SqlResult<Value> {
    let mut out = String::new();
    for (value, argument) in call.values.iter().zip(call.arguments) {
        out.push_str(&format::text(value, argument.sql_type, None).unwrap_or_default());
        types::check_long(out.len())?;
    }
    Ok(call.give(out))
}

fn concat_ws(call: &Call<'_>) -> SqlResult<Value> {
    let separator = format::text(call.value(0), call.type_of(0), None).unwrap_or_default();
    let parts: Vec<String> = call
        .values
        .iter()
        .zip(call.arguments)
        .skip(1)
        .filter(|(v, _)| !v.is_null())
        .map(|(v, a)| format::text(v, a.sql_type, None).unwrap_or_default())
        .collect();
    Ok(call.give(parts.join(&separator)))
}

fn quote_name(call: &Call<'_>) -> SqlResult<Value> {
    let text = call.text(0);
    if convert::length_in(text, true) > 128 {
        return Ok(Value::Null);
    }
    let quote = if call.values.len() > 1 {
        call.text(1).chars().next()
    } else {
        Some('[')
    };
    let (open, close) = match quote {
        Some('[' | ']') => ('[', ']'),
        Some('\'') => ('\'', '\''),
        Some('"') => ('"', '"'),
        Some('(' | ')') => ('(', ')'),
        Some('{' | '}') => ('{', '}'),
        Some('<' | '>') => ('<', '>'),
        Some('`') => ('`', '`'),
        _ => return Ok(Value::Null),
    };
    let doubled = text.replace(close, &format!("{close}{close}"));
    Ok(call.give(format!("{open}{doubled}{close}")))
}

fn str_function(call: &Call<'_>) -> SqlResult<Value> {
    let length = if call.values.len() > 1 {
        call.int(1).clamp(0, 8000) as usize
    } else {
        10
    };
    let decimals = if call.values.len() > 2 {
        call.int(2).clamp(0, 16) as usize
    } else {
        0
    };
    let mut text = format!("{:.decimals$}", call.float(0));
    if text.len() > length {
        // Digits behind the point give way first.
        let whole = text.find('.').unwrap_or(text.len());
        if whole > length {
            return Ok(Value::text("*".repeat(length)));
        }
        let room = length.saturating_sub(whole + 1);
        text = format!("{:.room$}", call.float(0));
    }
    Ok(Value::text(format!("{text:>length$}")))
}

fn stuff(call: &Call<'_>) -> SqlResult<Value> {
    let (start, length) = (call.int(1), call.int(2));
    let all = units(call.text(0));
    if start < 1 || length < 0 || start as usize > all.len() {
        return Ok(Value::Null);
    }
    let begin = start as usize - 1;
    let end = begin.saturating_add(length as usize).min(all.len());
    let mut out = from_units(all.get(..begin).unwrap_or(&[]));
    out.push_str(call.optional_text(3).unwrap_or(""));
    out.push_str(&from_units(all.get(end..).unwrap_or(&[])));
    Ok(call.give(out))
}

fn reverse(call: &Call<'_>) -> SqlResult<Value> {
    Ok(call.give(call.text(0).chars().rev().collect::<String>()))
}

fn soundex_code(c: char) -> Option<char> {
    Some(match c.to_ascii_uppercase() {
        'B' | 'F' | 'P' | 'V' => '1',
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => '2',
        'D' | 'T' => '3',
        'L' => '4',
        'M' | 'N' => '5',
        'R' => '6',
        _ => return None,
    })
}

fn soundex(call: &Call<'_>) -> SqlResult<Value> {
    let mut chars = call.text(0).chars().filter(char::is_ascii_alphabetic);
    let Some(first) = chars.next() else {
        return Ok(Value::text("0000"));
    };
    let mut out = String::from(first.to_ascii_uppercase());
    let mut last = soundex_code(first);
    for c in chars {
        let code = soundex_code(c);
        if let Some(digit) = code
            && code != last
            && out.len() < 4
        {
            out.push(digit);
        }
        if !matches!(c.to_ascii_uppercase(), 'H' | 'W') {
            last = code;
        }
    }
    Ok(Value::text(format!("{out:0<4}")))
}

fn ascii(call: &Call<'_>) -> SqlResult<Value> {
    Ok(call.text(0).chars().next().map_or(Value::Null, |c| {
        Value::Int(i32::from(u8::try_from(u32::from(c)).unwrap_or(b'?')))
    }))
}

fn unicode(call: &Call<'_>) -> SqlResult<Value> {
    Ok(units(call.text(0))
        .first()
        .map_or(Value::Null, |u| Value::Int(i32::from(*u))))
}

fn char_function(call: &Call<'_>) -> SqlResult<Value> {
    Ok(u8::try_from(call.int(0)).map_or(Value::Null, |b| Value::text(char::from(b).to_string())))
}

fn nchar(call: &Call<'_>) -> SqlResult<Value> {
    Ok(u32::try_from(call.int(0))
        .ok()
        .and_then(char::from_u32)
        .map_or(Value::Null, |c| Value::text(c.to_string())))
}

fn translate(call: &Call<'_>) -> SqlResult<Value> {
    let (from, to) = (
        folded(call.text(1)),
        call.text(2).chars().collect::<Vec<_>>(),
    );
    if from.len() != to.len() {
        return Err(SqlError::new(
            9828,
            "The second and third arguments of the TRANSLATE built-in function must contain an \
             equal number of characters.",
        ));
    }
    let out: String = call
        .text(0)
        .chars()
        .map(|c| {
            let lower = c.to_lowercase().next().unwrap_or(c);
            from.iter()
                .position(|f| *f == lower)
                .and_then(|at| to.get(at))
                .copied()
                .unwrap_or(c)
        })
        .collect();
    Ok(call.give(out))
}

macro_rules! scalar {
    ($name:literal, $min:literal, $max:literal, $parameters:expr, $result:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: $min,
            max: $max,
            parameters: $parameters,
            result: $result,
            null_in_null_out: true,
            run: $run,
        }
    };
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    scalar!("LEN", 1, 1, &[Any], length_type, len),
    scalar!("DATALENGTH", 1, 1, &[Any], length_type, data_length),
    scalar!("LEFT", 2, 2, &[Text, Int], same_text, left),
    scalar!("RIGHT", 2, 2, &[Text, Int], same_text, right),
    scalar!("SUBSTRING", 3, 3, &[Any, Int], substring_type, substring),
    scalar!("CHARINDEX", 2, 3, &[Text, Text, Int], int, char_index),
    scalar!("PATINDEX", 2, 2, &[Text], int, |c| Ok(Value::Int(
        like::first_match(c.text(1), c.text(0)) as i32
    ))),
    scalar!("REPLACE", 3, 3, &[Text], long_text, replace),
    scalar!("REPLICATE", 2, 2, &[Text, Int], long_text, replicate),
    scalar!(
        "SPACE",
        1,
        1,
        &[Int],
        |_| SqlType::VarChar(Length::Limited(8000)),
        space
    ),
    scalar!("UPPER", 1, 1, &[Text], same_text, |c| Ok(
        c.give(c.text(0).to_uppercase())
    )),
    scalar!("LOWER", 1, 1, &[Text], same_text, |c| Ok(
        c.give(c.text(0).to_lowercase())
    )),
    scalar!("LTRIM", 1, 1, &[Text], same_text, |c| Ok(
        c.give(c.text(0).trim_start_matches(' '))
    )),
    scalar!("RTRIM", 1, 1, &[Text], same_text, |c| Ok(
        c.give(c.text(0).trim_end_matches(' '))
    )),
    scalar!("TRIM", 1, 1, &[Text], same_text, trim),
    Scalar {
        name: "CONCAT",
        min: 2,
        max: 254,
        parameters: &[Any],
        result: concat_type,
        null_in_null_out: false,
        run: concat,
    },
    Scalar {
        name: "CONCAT_WS",
        min: 3,
        max: 254,
        parameters: &[Any],
        result: concat_type,
        null_in_null_out: false,
        run: concat_ws,
    },
    scalar!("QUOTENAME", 1, 2, &[Text], quoted_type, quote_name),
    scalar!(
        "STR",
        1,
        3,
        &[super::Parameter::Float, Int],
        str_type,
        str_function
    ),
    Scalar {
        name: "STUFF",
        min: 4,
        max: 4,
        parameters: &[Text, Int, Int, Text],
        result: long_text,
        null_in_null_out: false,
        run: stuff,
    },
    scalar!("REVERSE", 1, 1, &[Text], same_text, reverse),
    scalar!(
        "SOUNDEX",
        1,
        1,
        &[Text],
        |_| SqlType::VarChar(Length::Limited(4)),
        soundex
    ),
    scalar!("ASCII", 1, 1, &[Text], int, ascii),
    scalar!("UNICODE", 1, 1, &[Text], int, unicode),
    scalar!("CHAR", 1, 1, &[Int], |_| SqlType::Char(1), char_function),
    scalar!("NCHAR", 1, 1, &[Int], |_| SqlType::NChar(1), nchar),
    scalar!("TRANSLATE", 3, 3, &[Text], same_text, translate),
];
