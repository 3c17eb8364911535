//! What answers: product, version, edition.

use crate::connection::Connection;
use crate::error::SqlError;
use crate::row::Columns;
use crate::texts;
use records::Server;

/// Asks a connection what it is connected to.
///
/// # Errors
/// The statement failed.
pub async fn server(connection: &mut Connection) -> Result<Server, SqlError> {
    let row = connection
        .row(&texts::server::identity().sql)
        .await?
        .ok_or_else(|| SqlError::Unreadable("the server said nothing of itself".to_owned()))?;
    let banner = row.some_text("banner")?;
    let product_version = row.text("product_version")?.unwrap_or_default();
    Ok(Server {
        product: product(&banner),
        major_version: product_version
            .split('.')
            .next()
            .and_then(|major| major.parse().ok()),
        version: own_version(&banner).map_or(product_version, str::to_owned),
        edition: row.text("edition")?.unwrap_or_default(),
        engine_edition: row.int("engine_edition")?,
        host_platform: host_platform(&banner).map(str::to_owned),
        injected_faults: row.text("injected_faults")?,
    })
}

/// The words of a banner up to its first number or bracket: `Microsoft SQL Server`,
/// `Microsoft SQL Azure`, `labdb`.
fn product(banner: &str) -> String {
    let words: Vec<&str> = banner
        .split_whitespace()
        .take_while(|word| word.chars().next().is_some_and(char::is_alphabetic))
        .map(|word| word.trim_end_matches([',', ';', ':']))
        .collect();
    if words.is_empty() {
        "unknown".to_owned()
    } else {
        words.join(" ")
    }
}

/// The version that a product other than Microsoft's gives itself, right after its name. Its
/// `ProductVersion` is the one that clients are to expect, and would pass for SQL Server's.
fn own_version(banner: &str) -> Option<&str> {
    let mut words = banner
        .split_whitespace()
        .skip_while(|word| word.chars().next().is_some_and(char::is_alphabetic));
    let version = words.next()?.trim_end_matches([',', ';', ':']);
    let is_version = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
    (is_version && !banner.starts_with("Microsoft")).then_some(version)
}

/// The operating system that a banner names; `sys.dm_os_host_info` would need a permission and
/// is not there before SQL Server 2017.
fn host_platform(banner: &str) -> Option<&'static str> {
    ["Windows", "Linux"]
        .into_iter()
        .find(|platform| banner.contains(&format!("on {platform}")))
}

#[cfg(test)]
mod tests {
    use super::{host_platform, own_version, product};

    #[test]
    fn product_and_platform_are_read_from_the_banner() {
        for (banner, name, platform, version) in [
            (
                "Microsoft SQL Server 2022 (RTM-CU14) (KB5038325) - 16.0.4135.4 (X64) \n\tJul 10 2024 \
                 14:09:09 \n\tCopyright (C) 2022 Microsoft Corporation\n\tDeveloper Edition (64-bit) \
                 on Linux (Ubuntu 22.04.4 LTS) <X64>",
                "Microsoft SQL Server",
                Some("Linux"),
                None,
            ),
            (
                "Microsoft SQL Server 2016 (SP2) - 13.0.5026.0 (X64) \n\tExpress Edition (64-bit) on \
                 Windows Server 2016 Standard 10.0 <X64>",
                "Microsoft SQL Server",
                Some("Windows"),
                None,
            ),
            (
                "Microsoft SQL Azure (RTM) - 12.0.2000.8 \n\tMay  2 2024",
                "Microsoft SQL Azure",
                None,
                None,
            ),
            (
                "labdb 0.1.0, not SQL Server, on Linux",
                "labdb",
                Some("Linux"),
                Some("0.1.0"),
            ),
            ("Sybase - 16.0", "Sybase", None, None),
            ("", "unknown", None, None),
        ] {
            assert_eq!(product(banner), name);
            assert_eq!(host_platform(banner), platform);
            assert_eq!(own_version(banner), version);
        }
    }
}
