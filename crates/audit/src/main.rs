//! `audit`: after a crash, which acknowledged commits are really there.

use std::process::ExitCode;

fn main() -> ExitCode {
    audit::main()
}
