//! Table of all configuration keys: name, default and meaning.

mod access;
mod content;
mod server;

use std::sync::LazyLock;

/// Configuration key.
#[derive(Debug, Clone, Copy)]
pub struct ConfigKey {
    /// Path of the key in the file, `section.name`.
    pub path: &'static str,
    /// Default, in the syntax of the file; empty if there is none.
    pub default: &'static str,
    /// Meaning of the key, with its unit.
    pub meaning: &'static str,
}

impl ConfigKey {
    /// Environment variable that sets the key: `server.listen` is `GATEHOUSE_SERVER_LISTEN`.
    pub fn variable(&self) -> String {
        format!("GATEHOUSE_{}", self.path.replace('.', "_").to_uppercase())
    }

    /// True if the value must not be printed: the name of the key ends with a word for a secret.
    pub fn is_secret(&self) -> bool {
        let last = self.path.rsplit(['.', '_']).next().unwrap_or_default();
        let is_public = self.path == "spam.captcha_site_key";
        ["key", "password", "secret", "token"].contains(&last) && !is_public
    }
}

const fn key(path: &'static str, default: &'static str, meaning: &'static str) -> ConfigKey {
    ConfigKey {
        path,
        default,
        meaning,
    }
}

/// All keys.
pub static KEYS: LazyLock<Vec<ConfigKey>> =
    LazyLock::new(|| [server::KEYS, content::KEYS, access::KEYS].concat());

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gatehouse_core::settings::{DatabaseSettings, DatabaseUrl, Pooler};

    use super::*;

    #[test]
    fn the_documented_table_matches_the_configuration_keys() {
        let written = include_str!("../../../../docs/configuration.md");
        let rows: Vec<&str> = written
            .lines()
            .filter(|line| line.starts_with("| `"))
            .collect();
        let expected: Vec<String> = KEYS.iter().map(row).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_defaults_of_the_database_are_those_that_a_host_gets() {
        let of = DatabaseSettings::at(DatabaseUrl::Sqlite(PathBuf::new()));
        let expected = [
            ("database.readers", 0),
            ("database.writers", 0),
            ("database.queue_jobs", of.queue_jobs as u64),
            ("database.queue_bytes", of.queue_bytes as u64),
            ("database.read_timeout_seconds", of.read_timeout.as_secs()),
            ("database.write_timeout_seconds", of.write_timeout.as_secs()),
            ("database.journal_limit_bytes", of.journal_limit),
        ];
        for (path, value) in expected {
            let key = KEYS.iter().find(|key| key.path == path).expect(path);
            assert_eq!(key.default, value.to_string(), "{path}");
        }
        assert_eq!((of.readers, of.writers), (None, None));
        assert_eq!(of.pooler, Pooler::None);
    }

    fn row(key: &ConfigKey) -> String {
        let default = if key.default.is_empty() {
            String::new()
        } else {
            format!("`{}`", key.default)
        };
        let (path, variable, meaning) = (key.path, key.variable(), key.meaning);
        format!("| `{path}` | `{variable}` | {default} | {meaning} |")
    }
}
