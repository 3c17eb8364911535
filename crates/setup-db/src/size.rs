//! Sizes as T-SQL writes them: `512MB`.

use std::fmt;
use std::str::FromStr;

/// The page of SQL Server's files, in KB.
const PAGE_KB: u64 = 8;

/// A size in whole KB, rounded up to whole pages of 8 KB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    kb: u64,
}

impl Size {
    /// Megabytes.
    #[must_use]
    pub const fn mb(megabytes: u32) -> Self {
        Self {
            kb: megabytes as u64 * 1024,
        }
    }

    /// In KB.
    #[must_use]
    pub fn kb(self) -> u64 {
        self.kb
    }

    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.kb.saturating_mul(1024)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a size is a whole number and KB, MB, GB or TB: 512MB".to_owned();
        let text = text.trim();
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let kb_in_unit: u64 = match unit.trim().to_ascii_uppercase().as_str() {
            "KB" | "K" | "KIB" => 1,
            "MB" | "M" | "MIB" => 1 << 10,
            "GB" | "G" | "GIB" => 1 << 20,
            "TB" | "T" | "TIB" => 1 << 30,
            // No growth needs no unit.
            "" if number == 0 => 1,
            _ => return Err(wrong()),
        };
        let kb = number
            .checked_mul(kb_in_unit)
            .and_then(|kb| kb.checked_next_multiple_of(PAGE_KB))
            // SQL Server takes a size as an int of KB.
            .filter(|kb| i32::try_from(*kb).is_ok())
            .ok_or_else(|| "a file's size is below 2 TB".to_owned())?;
        Ok(Self { kb })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kb.is_multiple_of(1024) {
            write!(f, "{}MB", self.kb / 1024)
        } else {
            write!(f, "{}KB", self.kb)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn sizes_are_whole_pages_in_the_units_of_t_sql() {
        for (text, kb) in [
            ("512MB", 524_288),
            ("512 mb", 524_288),
            ("1GB", 1_048_576),
            ("2M", 2048),
            ("64KB", 64),
            ("9KB", 16),
            ("0", 0),
            ("0MB", 0),
        ] {
            assert_eq!(text.parse::<Size>().unwrap().kb(), kb, "{text}");
        }
        for text in [
            "",
            "MB",
            "512",
            "-1MB",
            "1.5GB",
            "10%",
            "2TB",
            "99999999999999999999GB",
        ] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_size_is_shown_as_it_is_read() {
        for text in ["512MB", "64KB", "0MB"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
    }
}
