//! What the tables hold by the records that `summarize` writes as JSON Lines.

use serde_json::{Value, json};

/// A text as a spreadsheet may have it: what begins a formula has an apostrophe before it.
fn guarded(text: &Value) -> Value {
    match text.as_str() {
        None => text.clone(),
        Some("") => Value::Null,
        Some(text) if text.starts_with(['=', '+', '-', '@']) => json!(format!("'{text}")),
        Some(text) => json!(text),
    }
}

fn time(at: &Value) -> Value {
    let text = at.as_str().expect("a time").trim_end_matches('Z');
    // To the millisecond.
    let (seconds, part) = text.split_once('.').unwrap_or((text, ""));
    json!({"time": format!("{seconds}.{part:0<3}")})
}

fn joined(values: &Value, of: impl Fn(&Value) -> String) -> Value {
    let texts: Vec<String> = values.as_array().into_iter().flatten().map(of).collect();
    guarded(&json!(texts.join(";")))
}

/// What a cell of the table of rounds is in the record.
fn of_round(column: &str, round: &Value) -> Value {
    let (trial, server, target) = (&round["trial"], &round["server"], &round["target"]);
    let (loss, restore) = (&round["loss"], &round["restore"]);
    let conditions = &round["conditions"];
    match column {
        "experiment" | "variant" | "block" | "slot" => guarded(&trial[column]),
        "trial_id" => guarded(&trial["id"]),
        "series" => json!(1),
        "run" => trial["round"].clone(),
        "set_aside" if round["validity"] == "valid" => Value::Null,
        "set_aside" => json!("invalid: deadlock"),
        "reasons" => joined(&round["reasons"], |reason| {
            reason["code"].as_str().expect("a code").to_owned()
        }),
        "started_utc" => time(&round["started"]),
        "ended_utc" => time(&round["ended"]),
        "server" => guarded(&server["product"]),
        "server_version" => guarded(&server["version"]),
        "server_edition" => guarded(&server["edition"]),
        "server_injected_faults" => guarded(&server["injected_faults"]),
        "target_server" => guarded(&target["server"]),
        "target_database" => guarded(&target["database"]),
        "promised_durable" | "missing_ms" => loss[column].clone(),
        "acknowledged_commits" => loss["acknowledged"].clone(),
        "present_commits" => loss["present"].clone(),
        "missing_commits" => loss["missing"].clone(),
        "unacknowledged_present_commits" => loss["unacknowledged_present"].clone(),
        "log_gaps" => loss["gaps"].clone(),
        "data_size_bytes" | "log_size_bytes" => {
            let kind = if column.starts_with("log") {
                "log"
            } else {
                "rows"
            };
            let files = conditions["files"].as_array();
            files.map_or(Value::Null, |files| {
                let of_kind = files.iter().filter(|file| file["kind"] == kind);
                json!(
                    of_kind
                        .filter_map(|file| file["size_bytes"].as_u64())
                        .sum::<u64>()
                )
            })
        }
        "global_trace_flags" => joined(&conditions[column], ToString::to_string),
        "other_sessions" => conditions["others"]["sessions"].clone(),
        "other_sessions_cpu_ms" => conditions["others"]["cpu_ms"].clone(),
        "other_databases_bytes" => conditions["others"][column].clone(),
        _ => [round, restore, conditions]
            .into_iter()
            .map(|record| &record[column])
            .find(|value| !value.is_null())
            .map_or(Value::Null, |value| match value {
                Value::String(_) => guarded(value),
                other => other.clone(),
            }),
    }
}

/// A cell whose column is a field of the record.
fn plain(record: &Value, column: &str) -> Value {
    match column {
        "server" => guarded(&record["server"]["product"]),
        "target_server" => guarded(&record["target"]["server"]),
        "target_database" => guarded(&record["target"]["database"]),
        "warnings" => joined(&record["warnings"], |warning| {
            warning["code"].as_str().expect("a code").to_owned()
        }),
        "passes" | "rounds" => record["n"].clone(),
        "p_draws" => record["p_drawn"]["draws"].clone(),
        "p_seed" => record["p_drawn"]["seed"].clone(),
        "p_standard_error" => record["p_drawn"]["standard_error"].clone(),
        _ => guarded(&record[column]),
    }
}

/// What a cell of the table of passes is: a file's figure, or its round's.
fn of_pass(column: &str, round: &Value, file: &Value) -> Value {
    let (bytes, ms) = (&file["bytes_written"], &round["elapsed_ms"]);
    let quotient = |of: fn(f64, f64) -> f64| match (bytes.as_f64(), ms.as_f64()) {
        (Some(bytes), Some(ms)) => json!(of(bytes, ms)),
        _ => Value::Null,
    };
    match column {
        "file_kind" => file["kind"].clone(),
        "elapsed_ms" => ms.clone(),
        "bytes_written_per_s" => quotient(|bytes, ms| bytes / ms * 1000.0),
        "elapsed_ms_per_gb" => quotient(|bytes, ms| ms / bytes * 1_073_741_824.0),
        _ if file[column].is_null() => of_round(column, round),
        _ => guarded(&file[column]),
    }
}

/// What a cell of the table of speeds is.
fn of_speed(column: &str, row: &Value) -> Value {
    let inverse = |figure: &str| {
        let speed = row[figure].as_f64();
        speed.map_or(Value::Null, |speed| json!(1000.0 / speed * 1_073_741_824.0))
    };
    match column {
        "confidence" => row["median_confidence"].clone(),
        "median_bytes_written_per_s" => row["median"].clone(),
        "low_bytes_written_per_s" => row["median_low"].clone(),
        "high_bytes_written_per_s" => row["median_high"].clone(),
        "median_elapsed_ms_per_gb" => inverse("median"),
        // The slowest takes longest.
        "low_elapsed_ms_per_gb" => inverse("median_high"),
        "high_elapsed_ms_per_gb" => inverse("median_low"),
        _ => plain(row, column),
    }
}

/// The rows of a table of a row a variant and a group of columns a metric.
fn of_metrics(head: &[String], all: &[&Value]) -> Vec<Vec<Value>> {
    let mut keys: Vec<(&Value, &Value)> = Vec::new();
    for record in all {
        let key = (&record["experiment"], &record["variant"]);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let cell = |key: &(&Value, &Value), column: &str| {
        let mut of_variant = all
            .iter()
            .filter(|record| (&record["experiment"], &record["variant"]) == *key);
        if ["experiment", "server", "variant", "n", "source"].contains(&column) {
            return plain(of_variant.next().expect("a record"), column);
        }
        of_variant
            .find_map(|record| {
                let metric = record["metric"].as_str().expect("a metric");
                let figure = column.strip_suffix(metric)?.strip_suffix('_')?;
                Some(plain(record, figure))
            })
            .unwrap_or_default()
    };
    keys.iter()
        .map(|key| head.iter().map(|column| cell(key, column)).collect())
        .collect()
}

/// The rows of a table by the records, in the order of the records.
pub(super) fn expected(table: &str, head: &[String], records: &[Value]) -> Vec<Vec<Value>> {
    let of_kind = |kind: &str| -> Vec<&Value> {
        let all = records.iter();
        all.filter(|record| record["kind"] == kind).collect()
    };
    let rows = |kind: &str, cell: fn(&str, &Value) -> Value| -> Vec<Vec<Value>> {
        let row = |record: &&Value| head.iter().map(|column| cell(column, record)).collect();
        of_kind(kind).iter().map(row).collect()
    };
    let by_field = |column: &str, record: &Value| plain(record, column);
    match table {
        "rounds" => rows("round", of_round),
        "comparison" => rows("comparison", by_field),
        "latency" => rows("latency_summary", by_field),
        "file-averages" | "file-totals" => rows("file_summary", by_field),
        "speed" => rows("variant_summary", of_speed),
        "file-passes" => of_kind("round")
            .into_iter()
            .flat_map(|round| {
                let files = round["files"].as_array().into_iter().flatten();
                files.map(move |file| {
                    let cell = |column: &String| of_pass(column, round, file);
                    head.iter().map(cell).collect()
                })
            })
            .collect(),
        "variants" => of_metrics(head, &of_kind("variant_summary")),
        "published" => of_metrics(head, &of_kind("published_figure")),
        other => panic!("{other}"),
    }
}
