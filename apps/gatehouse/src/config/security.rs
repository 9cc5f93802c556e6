//! Section about the protection of secrets in the database.

use std::path::PathBuf;

use gatehouse_core::settings::{SecretKey, SecuritySettings};

use super::load::Reader;

impl Reader {
    pub(super) fn security(&mut self) -> SecuritySettings {
        let data: PathBuf = self.value("data.dir");
        let secret_key = self.secret(
            "security.secret_key",
            SecretKey::parse,
            "must be text: hexadecimal digits or base64 of at least 32 bytes",
        );
        SecuritySettings {
            secret_key,
            secret_key_file: data.join("secret.key"),
        }
    }
}
