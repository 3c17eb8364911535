//! Logins and their passwords. Only salted hashes are kept.

use super::server_permission::{Said, ServerPermission, holds};
use aws_lc_rs::{constant_time, hmac, pbkdf2, rand};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;

const ITERATIONS: u32 = 100_000;
const LENGTH: usize = 32;

/// A login.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Login {
    /// Its name.
    pub name: String,
    /// Its password's hash.
    pub hash: PasswordHash,
    /// A member of sysadmin.
    pub sysadmin: bool,
    /// What was granted and denied at the scope of the server.
    #[serde(default)]
    pub permissions: BTreeMap<ServerPermission, Said>,
    /// The database of a connection that names none; master where there is none.
    #[serde(default)]
    pub default_database: Option<String>,
    /// Cannot log in.
    pub disabled: bool,
    /// `principal_id`.
    pub principal_id: i32,
}

impl Login {
    /// Whether the login has a permission.
    pub fn has(&self, permission: ServerPermission) -> bool {
        self.sysadmin || holds(&self.permissions, permission)
    }

    /// Whether the login may do everything.
    pub fn is_powerful(&self) -> bool {
        self.has(ServerPermission::ControlServer)
    }
}

/// A salted PBKDF2-HMAC-SHA256 hash, in hexadecimal.
#[derive(Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct PasswordHash {
    salt: String,
    hash: String,
}

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

fn hex(bytes: &[u8]) -> String {
    crate::eval::format::hex(bytes)
        .trim_start_matches("0x")
        .to_owned()
}

fn derive(password: &str, salt: &[u8]) -> [u8; LENGTH] {
    let mut out = [0; LENGTH];
    let iterations = NonZeroU32::new(ITERATIONS).unwrap_or(NonZeroU32::MIN);
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA256,
        iterations,
        salt,
        password.as_bytes(),
        &mut out,
    );
    out
}

impl PasswordHash {
    /// Hashes a password with a fresh salt.
    pub fn new(password: &str) -> Self {
        let mut salt = [0_u8; 16];
        // The system's generator does not fail after start-up; a zero salt would still verify.
        let _ = rand::fill(&mut salt);
        let salt = hex(&salt);
        Self {
            hash: hex(&derive(password, salt.as_bytes())),
            salt,
        }
    }

    fn verify(&self, password: &str) -> bool {
        let hash = hex(&derive(password, self.salt.as_bytes()));
        constant_time::verify_slices_are_equal(hash.as_bytes(), self.hash.as_bytes()).is_ok()
    }
}

/// Passwords that were right before, under a key that only this process knows: the slow hash is
/// worked out once per login, so that log-ins by the hundred cost little.
pub(super) struct PasswordCache {
    key: hmac::Key,
    known: Mutex<HashMap<String, hmac::Tag>>,
}

impl Default for PasswordCache {
    fn default() -> Self {
        let mut key = [0_u8; 32];
        let _ = rand::fill(&mut key);
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, &key),
            known: Mutex::new(HashMap::new()),
        }
    }
}

impl PasswordCache {
    /// Whether the password is the login's.
    pub(super) fn verify(&self, login: &Login, password: &str) -> bool {
        let text = format!("{}\0{}\0{password}", login.hash.salt, login.hash.hash);
        if let Some(tag) = self.known.lock().get(&login.name)
            && hmac::verify(&self.key, text.as_bytes(), tag.as_ref()).is_ok()
        {
            return true;
        }
        let right = login.hash.verify(password);
        if right {
            self.known
                .lock()
                .insert(login.name.clone(), hmac::sign(&self.key, text.as_bytes()));
        }
        right
    }

    /// Spends the time that a real check takes.
    pub(super) fn waste(password: &str) {
        let _ = derive(password, b"no such login");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_opens_and_nothing_shows_it() {
        let login = Login {
            name: "x".into(),
            hash: PasswordHash::new("correct horse"),
            sysadmin: false,
            permissions: BTreeMap::new(),
            default_database: None,
            disabled: false,
            principal_id: 257,
        };
        let cache = PasswordCache::default();
        assert!(cache.verify(&login, "correct horse"));
        assert!(cache.verify(&login, "correct horse"));
        assert!(!cache.verify(&login, "Correct horse"));
        assert!(!format!("{login:?}").contains("correct"));
        assert!(!serde_json::to_string(&login).unwrap().contains("correct"));
    }
}
