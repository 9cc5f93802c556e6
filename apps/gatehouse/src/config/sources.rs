//! Sources of the configuration: defaults, a file, variables and flags.
//! Reports unknown keys.

use std::path::{Path, PathBuf};

use figment::providers::{Env, Format as _, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};

use super::fault::ConfigFault;
use super::keys::KEYS;

/// Prefix of every variable.
const PREFIX: &str = "GATEHOUSE_";

/// Name of the source of defaults.
pub(super) const DEFAULTS: &str = "defaults";

/// Name of the source of variables.
pub(super) const VARIABLES: &str = "environment variables";

/// Values set by flags.
/// `None` leaves the other sources in effect.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// File that must exist; without it, `gatehouse.toml` is read if it exists.
    pub config: Option<PathBuf>,
    /// `server.listen`.
    pub listen: Option<String>,
    /// `data.dir`.
    pub data: Option<PathBuf>,
    /// `database.url`.
    pub database: Option<String>,
}

/// Returns the configuration file to read, if there is one.
pub(super) fn file(overrides: &Overrides) -> Result<Option<&Path>, ConfigFault> {
    match overrides.config.as_deref() {
        Some(path) if path.is_file() => Ok(Some(path)),
        Some(path) => Err(ConfigFault::of_source(format!(
            "the configuration file {} does not exist",
            path.display()
        ))),
        None => Ok(Some(Path::new("gatehouse.toml")).filter(|path| path.is_file())),
    }
}

/// Merges all sources; later ones override earlier ones.
pub(super) fn sources(file: Option<&Path>, overrides: &Overrides) -> Figment {
    let mut figment = Figment::from(Defaults);
    if let Some(path) = file {
        figment = figment.merge(Toml::file_exact(path));
    }
    figment = figment.merge(Variables);
    let data = overrides.data.as_ref();
    let flags = [
        ("server.listen", overrides.listen.clone()),
        ("data.dir", data.map(|path| path.display().to_string())),
        ("database.url", overrides.database.clone()),
    ];
    flags
        .into_iter()
        .fold(figment, |figment, (key, value)| match value {
            Some(value) => figment.merge((key, value)),
            None => figment,
        })
}

/// Defaults as a source.
struct Defaults;

impl Provider for Defaults {
    fn metadata(&self) -> Metadata {
        Metadata::named(DEFAULTS)
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let with_default = KEYS.iter().filter(|key| !key.default.is_empty());
        let lines = with_default.map(|key| format!("{} = {}", key.path, key.default));
        Toml::string(&lines.collect::<Vec<_>>().join("\n")).data()
    }
}

/// Variables with the prefix, under the keys that they set.
/// Variables that set no key keep their own names, so that they are reported as unknown, except those for the project's
/// own tests.
fn environment() -> Env {
    Env::prefixed(PREFIX)
        .ignore(&["test"])
        .filter(|name| !name.starts_with("TEST_"))
        .map(|name| {
            let variable = format!("{PREFIX}{}", name.as_str().to_uppercase());
            let key = KEYS.iter().find(|key| key.variable() == variable);
            key.map_or_else(|| variable.into(), |key| key.path.into())
        })
        .lowercase(false)
}

/// Variables as a source.
/// Their values stay text, whatever they look like: `15.10` is not a number.
struct Variables;

impl Provider for Variables {
    fn metadata(&self) -> Metadata {
        Metadata::named(VARIABLES)
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let mut found = Dict::new();
        for (key, text) in environment().iter() {
            let value = Value::from(text);
            let Some((section, name)) = key.as_str().split_once('.') else {
                found.insert(key.as_str().to_owned(), value);
                continue;
            };
            let section = found
                .entry(section.to_owned())
                .or_insert_with(|| Value::from(Dict::new()));
            if let Value::Dict(_, values) = section {
                values.insert(name.to_owned(), value);
            }
        }
        Ok(Profile::Default.collect(found))
    }
}

/// Reports values under unknown keys.
pub(super) fn unknown_keys(figment: &Figment, values: &Map<Profile, Dict>) -> Vec<ConfigFault> {
    let leaves = values.values().flat_map(|dict| leaves(dict, ""));
    let unknown = leaves.filter(|(path, _)| !KEYS.iter().any(|key| key.path == path));
    let response = unknown.map(|(path, value)| {
        let source = figment.get_metadata(value.tag());
        match source.and_then(|data: &Metadata| data.source.as_ref()) {
            Some(file) => ConfigFault::of_key(&path, format!("unknown key in {file}")),
            None => ConfigFault::of_key(&path, "unknown environment variable"),
        }
    });
    response.collect()
}

fn leaves<'d>(dict: &'d Dict, prefix: &str) -> Vec<(String, &'d Value)> {
    let mut found = Vec::new();
    for (name, value) in dict {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        match value.as_dict() {
            Some(inner) => found.extend(leaves(inner, &path)),
            None => found.push((path, value)),
        }
    }
    found
}
