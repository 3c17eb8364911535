//! What labdb says about itself. It is not Microsoft SQL Server and never says so.

use super::Instance;

/// `SERVERPROPERTY('ProductVersion')`: the version whose behaviour labdb follows, because clients
/// choose their dialect by it.
pub const PRODUCT_VERSION: &str = "16.0.1000.6";
/// `SERVERPROPERTY('ProductLevel')`.
pub const PRODUCT_LEVEL: &str = "RTM";
/// `SERVERPROPERTY('Edition')`.
pub const EDITION: &str = "labdb (not SQL Server)";
/// `SERVERPROPERTY('EngineEdition')`: 3, because all features of the subset are there.
pub const ENGINE_EDITION: i32 = 3;
/// `SERVERPROPERTY('EditionID')`: none of Microsoft's.
pub const EDITION_ID: i64 = 0;

/// `@@VERSION`.
pub fn version_text(instance: &Instance) -> String {
    let faults = &instance.options.faults;
    let note = if faults.is_empty() {
        String::new()
    } else {
        format!(" FAULTS ON PURPOSE: {faults}")
    };
    format!(
        "labdb {} - a test server that speaks TDS; this is not Microsoft SQL Server{note} \
         (compatible version {PRODUCT_VERSION}) on {} {}",
        env!("CARGO_PKG_VERSION"),
        if cfg!(windows) { "Windows" } else { "Linux" },
        std::env::consts::ARCH,
    )
}
