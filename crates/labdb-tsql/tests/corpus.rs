//! The texts in `corpus/` are parsed as their folder says. Microsoft's own grammar gave the
//! verdicts (`good` and `unsupported` it accepts, `bad` it refuses; see `corpus/README.md`).

use labdb_tsql::parse_batch;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn texts(folder: &str) -> io::Result<Vec<(PathBuf, String)>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(folder);
    let mut texts = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        texts.push((path, text));
    }
    texts.sort();
    assert!(texts.len() > 30, "{folder} has few texts");
    Ok(texts)
}

fn assert_none(failures: &[String]) {
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_good_text_parses() {
    let failures: Vec<String> = texts("good")
        .unwrap()
        .iter()
        .filter_map(|(path, text)| {
            let error = parse_batch(text).err()?;
            Some(format!("{}: {error}", path.display()))
        })
        .collect();
    assert_none(&failures);
}

/// 40510 would say that the text is T-SQL; every other number that can come is a syntax error.
#[test]
fn every_bad_text_is_refused_as_a_syntax_error_with_a_line() {
    let failures: Vec<String> = texts("bad")
        .unwrap()
        .iter()
        .filter_map(|(path, text)| match parse_batch(text) {
            Ok(_) => Some(format!("{} is taken", path.display())),
            Err(error) if error.number == 40510 || error.severity != 15 || error.line == 0 => {
                Some(format!("{}: {error}", path.display()))
            }
            Err(_) => None,
        })
        .collect();
    assert_none(&failures);
}

#[test]
fn every_text_outside_the_subset_is_refused_by_name() {
    let failures: Vec<String> = texts("unsupported")
        .unwrap()
        .iter()
        .filter_map(|(path, text)| match parse_batch(text) {
            Ok(_) => Some(format!("{} is taken", path.display())),
            Err(error) if error.number != 40510 => Some(format!("{}: {error}", path.display())),
            Err(_) => None,
        })
        .collect();
    assert_none(&failures);
}

/// Cut anywhere, a text parses or is refused; it never panics. A cut text that is refused is
/// refused on one of its own lines.
#[test]
fn texts_cut_anywhere_are_parsed_or_refused() {
    for (path, text) in texts("good").unwrap() {
        let lines = u32::try_from(text.lines().count()).unwrap();
        for (cut, _) in text.char_indices() {
            if let Err(error) = parse_batch(&text[..cut]) {
                assert!(
                    error.line >= 1 && error.line <= lines.max(1),
                    "{}: {error}",
                    path.display()
                );
            }
        }
    }
}
