//! Locks between sessions: resources, modes, waiting, deadlocks.

mod deadlock;
mod manager;
mod mode;

pub use manager::{
    CancelFlag, LockManager, LockOwner, LockRequest, LockRow, LockTimeout, Resource,
};
pub use mode::LockMode;
