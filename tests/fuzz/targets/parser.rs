//! The parser: any text gives a tree or an error; an expression that is printed and parsed again
//! prints the same.
#![no_main]

use labdb_tsql::{parse_batch, parse_expression, print_expression};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = parse_batch(text) {
        assert!(error.line >= 1 && error.number > 0);
    }
    let Ok(printed) = parse_expression(text).and_then(|tree| print_expression(&tree)) else {
        return;
    };
    match parse_expression(&printed).and_then(|tree| print_expression(&tree)) {
        Ok(again) => assert_eq!(again, printed),
        // Printing puts parentheses around everything, which may reach the limit of nesting.
        Err(error) => assert_eq!(error.number, 191, "{printed}: {}", error.message),
    }
});
