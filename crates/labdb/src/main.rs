//! The labdb server.

fn main() -> std::process::ExitCode {
    labdb::server::run(std::env::args_os())
}
