//! HASHBYTES and `CRYPT_GEN_RANDOM`.

use super::Parameter::{Any, Int, Text};
use super::{Call, Scalar};
use crate::eval::{convert, types};
use aws_lc_rs::digest;
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

fn hash_bytes(call: &Call<'_>) -> SqlResult<Value> {
    let from = call.type_of(1);
    let kind_fits = types::is_text(from) || types::is_binary(from);
    if !kind_fits {
        return Err(SqlError::new(
            8116,
            format!(
                "Argument data type {} is invalid for argument 2 of hashbytes function.",
                types::type_name(from)
            ),
        ));
    }
    let name = call.text(0).to_ascii_uppercase();
    let algorithm = match name.as_str() {
        "SHA" | "SHA1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "SHA2_256" => &digest::SHA256,
        "SHA2_512" => &digest::SHA512,
        "MD2" | "MD4" | "MD5" => {
            return Err(SqlError::new(
                40510,
                format!(
                    "HASHBYTES with {name} is outside labdb's subset, which has SHA1, SHA2_256 \
                     and SHA2_512."
                ),
            ));
        }
        _ => return Ok(Value::Null),
    };
    let bytes = convert::convert(call.value(1), from, SqlType::VarBinary(Length::Max), None)?;
    let Value::Binary(bytes) = &bytes else {
        return Ok(Value::Null);
    };
    Ok(Value::Binary(Arc::from(
        digest::digest(algorithm, bytes).as_ref(),
    )))
}

fn random_bytes(call: &Call<'_>) -> SqlResult<Value> {
    let Some(length) = usize::try_from(call.int(0))
        .ok()
        .filter(|n| (1..=8000).contains(n))
    else {
        return Ok(Value::Null);
    };
    let mut bytes = vec![0; length];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| {
        SqlError::new(
            8624,
            "The operating system gave no random bytes. Try again.",
        )
    })?;
    Ok(Value::Binary(Arc::from(bytes)))
}

fn varbinary(_: &[crate::plan::Typed]) -> SqlType {
    SqlType::VarBinary(Length::Limited(8000))
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    Scalar {
        name: "HASHBYTES",
        min: 2,
        max: 2,
        parameters: &[Text, Any],
        result: varbinary,
        null_in_null_out: true,
        run: hash_bytes,
    },
    Scalar {
        name: "CRYPT_GEN_RANDOM",
        min: 1,
        max: 2,
        parameters: &[Int, Any],
        result: varbinary,
        null_in_null_out: true,
        run: random_bytes,
    },
];
