//! Section about the protection and the form of secrets.

use std::path::PathBuf;

use gatehouse_core::settings::{SecretKey, SecuritySettings, TokenPrefix};

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
            token_prefix: self.token_prefix("security.token_prefix"),
        }
    }

    fn token_prefix(&mut self, key: &str) -> TokenPrefix {
        let Some(text) = self.optional::<String>(key) else {
            return TokenPrefix::default();
        };
        TokenPrefix::parse(&text).unwrap_or_else(|refused| {
            self.fault(key, &refused.to_string());
            TokenPrefix::default()
        })
    }
}
