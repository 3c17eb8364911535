//! labdb's parser against Microsoft's, over the parser's own corpus.

use integration_tests::checkout;
use std::path::PathBuf;
use std::process::Command;

/// The judge that `make setup` fetches; none where it could not be had, which CI does not accept.
fn microsofts_parser() -> Option<PathBuf> {
    let folder = std::env::var_os("WRITELOG_JUDGES").map(PathBuf::from)?;
    Some(folder.join("bin/maxdop")).filter(|parser| parser.is_file())
}

#[test]
fn the_corpus_has_the_verdicts_of_microsofts_parser() {
    let Some(parser) = microsofts_parser() else {
        eprintln!("skipped: Microsoft's parser is not there (make setup fetches it)");
        return;
    };
    let mut judged = 0;
    for (folder, expected) in [("good", 0), ("unsupported", 0), ("bad", 1)] {
        let folder = checkout()
            .join("crates/labdb-tsql/tests/corpus")
            .join(folder);
        for entry in std::fs::read_dir(&folder).expect("a folder of the corpus") {
            let path = entry.expect("an entry").path();
            let text = std::fs::File::open(&path).expect("a text");
            let output = Command::new(&parser)
                .args(["--parser-version", "2022"])
                .stdin(text)
                .output()
                .expect("the parser runs");
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{}: {}{}",
                path.display(),
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            judged += 1;
        }
    }
    assert!(judged > 200, "{judged}");
}
