//! From flags, environment and upstream records to an open connection.

mod address;
mod ado;
mod args;
mod environment;
mod open;
mod settings;
mod socket;

pub use address::{AddressError, ServerAddress};
pub use args::ConnectionArgs;
pub use environment::{ENVIRONMENT_HELP, Environment};
pub use settings::{Encrypt, QueryTimeout, Secret, Settings};

pub(crate) use open::open;
