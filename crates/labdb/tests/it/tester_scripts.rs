//! Scripts as testers write them, with the results that SQL Server's documentation says they have.

use super::harness::Lab;

#[test]
fn a_tester_s_insert_load_counts_its_rows_its_batches_and_its_errors() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let mut shown = Vec::new();
    for batch in include_str!("fixtures/tester_insert_load.sql").split("\nGO\n") {
        for set in s.all(batch) {
            for row in set {
                shown.push(row.try_get::<&str, _>(0).unwrap().unwrap().to_owned());
            }
        }
    }
    let wanted: Vec<&str> = include_str!("fixtures/tester_insert_load.txt")
        .lines()
        .collect();
    assert_eq!(shown, wanted);
}
