//! Values in effect and their sources, for `gatehouse config`.

use figment::value::Value;
use figment::{Metadata, Source};

use gatehouse_core::settings::DatabaseUrl;

use super::fault::{ConfigError, ConfigFault, shown};
use super::keys::{ConfigKey, KEYS};
use super::sources::{DEFAULTS, Overrides, VARIABLES, file, sources};

/// Shown instead of a secret.
const MASK: &str = "********";

/// Value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveValue {
    /// Path of the key.
    pub key: &'static str,
    /// Value in the syntax of the file; a mask for a secret, and empty if the key has no value.
    pub text: String,
    /// Source of the value: `default`, `flag`, `file PATH` or `variable NAME`.
    pub source: String,
}

/// Returns the values of all keys in the order of the documentation, valid or not.
///
/// # Errors
/// A fault of the configuration file, if it does not exist or cannot be parsed.
pub fn effective_values(overrides: &Overrides) -> Result<Vec<EffectiveValue>, ConfigError> {
    let file = file(overrides).map_err(|fault| ConfigError::of_fault(&fault))?;
    let figment = sources(file, overrides);
    let values = figment.find_value("");
    let values =
        values.map_err(|error| ConfigError::of_fault(&ConfigFault::of_syntax(file, &error)))?;
    let of_key = |key: &ConfigKey| {
        let value = values.find_ref(key.path);
        let data = value.and_then(|value| figment.get_metadata(value.tag()));
        EffectiveValue {
            key: key.path,
            text: value.map_or_else(String::new, |value| printable(key, value)),
            source: data.map_or_else(|| "default".to_owned(), |data| source(key, data)),
        }
    };
    Ok(KEYS.iter().map(of_key).collect())
}

fn source(key: &ConfigKey, data: &Metadata) -> String {
    match &data.source {
        Some(Source::File(path)) => format!("file {}", path.display()),
        _ if data.name == DEFAULTS => "default".to_owned(),
        _ if data.name == VARIABLES => format!("variable {}", key.variable()),
        _ => "flag".to_owned(),
    }
}

/// Text of a value without secrets.
/// The URL of the database is shown without its user, password and parameters.
fn printable(key: &ConfigKey, value: &Value) -> String {
    if key.is_secret() {
        return MASK.to_owned();
    }
    if ["database.url", "database.read_url"].contains(&key.path) {
        let url = value.as_str().and_then(DatabaseUrl::parse);
        return url.map_or_else(|| MASK.to_owned(), |url| format!("\"{url}\""));
    }
    shown(value)
}
