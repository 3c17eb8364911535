//! `restore-db`: backs a database up and restores it under another name, timed.

fn main() -> std::process::ExitCode {
    restore_db::main()
}
