//! summarize
fn main() {}
