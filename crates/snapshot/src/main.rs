//! `snapshot`: one reading of the counters and states that matter.

fn main() -> std::process::ExitCode {
    snapshot::main()
}
