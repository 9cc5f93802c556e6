//! Section about the protection of secrets in the database.

use std::path::PathBuf;

use gatehouse_core::settings::{SecretKey, SecuritySettings};

use super::load::ConfigReader;

impl ConfigReader {
    pub(super) fn security(&mut self) -> SecuritySettings {
        let data: PathBuf = self.value("data.dir");
        let secret_key = self.secret(
            "security.secret_key",
            SecretKey::parse,
            "must be text: at least 32 bytes as hexadecimal digits or base64",
        );
        SecuritySettings {
            secret_key,
            secret_key_file: data.join("secret.key"),
        }
    }
}
