//! `setup-db`: brings a database to a declared state.

fn main() -> std::process::ExitCode {
    setup_db::main()
}
