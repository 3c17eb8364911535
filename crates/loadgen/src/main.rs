//! `loadgen`: puts load on a database and measures it from the client's side.

use std::process::ExitCode;

fn main() -> ExitCode {
    loadgen::main()
}
