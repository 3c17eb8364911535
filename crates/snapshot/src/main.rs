//! snapshot
fn main() {}
