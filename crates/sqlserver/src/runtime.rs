//! The asynchronous runtime of a program that has one connection.

use records::{Failure, FailureCode};
use std::future::Future;

/// Runs `work` on a runtime of one thread and does not wait for what it leaves behind: a name
/// lookup that hangs in the system's resolver must not keep the program from ending.
///
/// # Errors
/// The failure of `work`, or that no runtime could be made.
pub fn block_on<T, E: From<Failure>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                FailureCode::Failed,
                format!("no event loop could be started: {error}"),
            )
        })?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}
