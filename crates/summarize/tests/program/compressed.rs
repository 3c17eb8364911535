//! Compressed streams read like others, from files and from standard input.

use super::{BAD_INPUT, Ran, SUCCESS, fixture, run_on_bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const JSONL: [&str; 2] = ["--format", "jsonl"];

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

/// What it says without the times at which it says it.
fn figures(ran: &Ran) -> Vec<String> {
    super::records(&ran.out)
        .into_iter()
        .map(|mut record| {
            record.as_object_mut().unwrap().remove("at");
            record.to_string()
        })
        .collect()
}

#[test]
fn a_stream_says_the_same_however_it_is_compressed_and_wherever_it_is_split() {
    let text = fixture("twelve-rounds-noisy.jsonl");
    let plain = run_on_bytes(text.as_bytes(), &JSONL);
    assert_eq!(plain.status, SUCCESS, "{}", plain.err);
    for bytes in [gzip(&text), zstandard(&text)] {
        let ran = run_on_bytes(&bytes, &JSONL);
        assert_eq!((ran.status, ran.err.as_str()), (SUCCESS, ""));
        assert_eq!(figures(&ran), figures(&plain));
    }

    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = lines.split_at(5);
    // The names do not say what is inside: the bytes do.
    let files = [
        folder.path().join("monday.jsonl"),
        folder.path().join("tuesday.gz"),
    ];
    std::fs::write(&files[0], gzip(&(first.join("\n") + "\n"))).unwrap();
    std::fs::write(&files[1], zstandard(&(last.join("\n") + "\n"))).unwrap();
    let names = files.map(|file| file.display().to_string());
    let ran = run_on_bytes(b"", &[JSONL[0], JSONL[1], &names[0], &names[1]]);
    assert_eq!((ran.status, ran.err.as_str()), (SUCCESS, ""));
    assert_eq!(figures(&ran), figures(&plain));
}

#[test]
fn a_damaged_file_is_named_and_the_rounds_before_the_damage_are_kept() {
    // Random texts, so that half of the bytes are half of the lines.
    let rounds = fixture("twelve-rounds-noisy.jsonl");
    let noise: Vec<String> = (0..4_000_u64)
        .map(|n| {
            let noise = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            format!("{{\"kind\":\"noise\",\"is\":\"{noise:x}\"}}\n")
        })
        .collect();
    let noise = noise.concat();
    let folder = tempfile::tempdir().unwrap();
    for (compress, format) in [(gzip as fn(&str) -> _, "gzip"), (zstandard, "Zstandard")] {
        let mut bytes = compress(&(rounds.clone() + &noise));
        bytes.truncate(bytes.len() - 9_000);
        let file = folder.path().join(format);
        std::fs::write(&file, &bytes).unwrap();
        let name = file.display().to_string();
        let ran = run_on_bytes(b"", &["--format", "csv", &name]);
        assert_eq!(ran.status, BAD_INPUT, "{}", ran.err);
        assert!(
            ran.err.contains(&name) && ran.err.contains(format) && ran.err.contains("beyond line"),
            "{}",
            ran.err
        );
        assert_eq!(ran.out.lines().count(), 1 + 12, "{}", ran.out);
    }
}
