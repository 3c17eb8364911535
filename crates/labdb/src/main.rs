//! labdb
fn main() {}
