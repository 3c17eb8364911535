//! diff
fn main() {}
