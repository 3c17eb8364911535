//! setup-db
fn main() {}
