//! Reading the configuration from its sources, and telling everything that is wrong with it at once.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use figment::providers::{Env, Format as _, Toml};
use figment::value::{Dict, Value};
use figment::{Figment, Provider as _};
use serde::de::DeserializeOwned;

use super::keys::KEYS;
use super::sections::{
    DatabaseSettings, DatabaseUrl, IntakeSettings, LogFormat, LogSettings, NamingSettings,
    PagingSettings, ServerSettings, Settings,
};

/// What flags set. `None` leaves the other sources in force.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// A file that must exist; without it, `gatehouse.toml` is read if there is one.
    pub config: Option<PathBuf>,
    /// `server.listen`.
    pub listen: Option<String>,
    /// `data.dir`.
    pub data: Option<PathBuf>,
    /// `database.url`.
    pub database: Option<String>,
}

/// Everything that is wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// One sentence each.
    pub faults: Vec<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration has {} fault(s):", self.faults.len())?;
        self.faults
            .iter()
            .try_for_each(|fault| write!(f, "\n  - {fault}"))
    }
}

impl std::error::Error for ConfigError {}

/// Reads and checks the configuration.
///
/// # Errors
/// All faults of all sources together: a file that cannot be read, unknown keys, values of a wrong type or out
/// of bounds.
pub fn load(overrides: &Overrides) -> Result<Settings, ConfigError> {
    let mut faults = Vec::new();
    let figment = sources(overrides, &mut faults);
    refuse_unknown_keys(&figment, &mut faults);
    let mut reader = Reader { figment, faults };
    let settings = reader.settings();
    if reader.faults.is_empty() {
        Ok(settings)
    } else {
        Err(ConfigError {
            faults: reader.faults,
        })
    }
}

fn sources(overrides: &Overrides, faults: &mut Vec<String>) -> Figment {
    let mut figment = Figment::from(Toml::string(&defaults()));
    match &overrides.config {
        Some(path) if path.is_file() => figment = figment.merge(Toml::file_exact(path)),
        Some(path) => faults.push(format!(
            "the configuration file {} does not exist",
            path.display()
        )),
        None if Path::new("gatehouse.toml").is_file() => {
            figment = figment.merge(Toml::file_exact("gatehouse.toml"));
        }
        None => {}
    }
    figment = figment.merge(environment());
    let flags = [
        ("server.listen", overrides.listen.clone()),
        (
            "data.dir",
            overrides
                .data
                .as_ref()
                .map(|path| path.display().to_string()),
        ),
        ("database.url", overrides.database.clone()),
    ];
    flags
        .into_iter()
        .fold(figment, |figment, (key, value)| match value {
            Some(value) => figment.merge((key, value)),
            None => figment,
        })
}

fn defaults() -> String {
    let with_default = KEYS.iter().filter(|key| !key.default.is_empty());
    let lines = with_default.map(|key| format!("{} = {}", key.path, key.default));
    lines.collect::<Vec<_>>().join("\n")
}

/// Variables with the prefix. Those that name no key are kept, so that they are told as unknown, except the
/// ones for the project's own tests.
fn environment() -> Env {
    Env::prefixed("GATEHOUSE_")
        .ignore(&["test"])
        .filter(|name| !name.starts_with("TEST_"))
        .map(|name| {
            let variable = format!("GATEHOUSE_{}", name.as_str().to_uppercase());
            let key = KEYS.iter().find(|key| key.variable() == variable);
            key.map_or_else(
                || name.as_str().to_lowercase().into(),
                |key| key.path.into(),
            )
        })
}

fn refuse_unknown_keys(figment: &Figment, faults: &mut Vec<String>) {
    match figment.data() {
        Ok(profiles) => {
            for (path, value) in profiles.values().flat_map(|dict| leaves(dict, "")) {
                if !KEYS.iter().any(|key| key.path == path) {
                    let source = figment
                        .get_metadata(value.tag())
                        .map(|data| data.name.to_string());
                    let source = source.unwrap_or_else(|| "the configuration".to_owned());
                    faults.push(format!("{path}: unknown key in {source}"));
                }
            }
        }
        Err(error) => faults.extend(error.into_iter().map(|error| error.to_string())),
    }
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

/// Reads typed values and gathers what is wrong with them. A value that is wrong is replaced by a harmless one,
/// so that reading goes on; the settings are thrown away when there is any fault.
struct Reader {
    figment: Figment,
    faults: Vec<String>,
}

impl Reader {
    fn settings(&mut self) -> Settings {
        Settings {
            server: self.server(),
            database: self.database(),
            intake: IntakeSettings {
                max_body_bytes: self.bounded("intake.max_body_bytes", 1024, 1 << 30),
            },
            naming: NamingSettings {
                service: self.word("naming.service"),
                tracker: self.word("naming.tracker"),
            },
            paging: PagingSettings {
                max_offset: Some(self.value("paging.max_offset")).filter(|max| *max > 0),
            },
            log: self.log(),
        }
    }

    fn server(&mut self) -> ServerSettings {
        let external_url = self.optional::<String>("server.external_url");
        if external_url
            .as_ref()
            .is_some_and(|url| !url.starts_with("http://") && !url.starts_with("https://"))
        {
            self.fault("server.external_url", "must start with http:// or https://");
        }
        ServerSettings {
            listen: self.address("server.listen"),
            external_url: external_url.map(|url| url.trim_end_matches('/').to_owned()),
            workers: Some(self.bounded("server.workers", 0, 1024)).filter(|workers| *workers > 0),
            header_timeout: self.seconds("server.header_timeout_seconds"),
            body_timeout: self.seconds("server.body_timeout_seconds"),
            keep_alive: self.seconds("server.keep_alive_seconds"),
            shutdown_timeout: self.seconds("server.shutdown_timeout_seconds"),
            max_query_bytes: self.bounded("server.max_query_bytes", 256, 1 << 16),
            max_body_bytes: self.bounded("server.max_body_bytes", 1024, 1 << 30),
        }
    }

    fn database(&mut self) -> DatabaseSettings {
        let data: PathBuf = self.value("data.dir");
        let url = match self.optional::<String>("database.url") {
            None => DatabaseUrl::Sqlite(data.join("gatehouse.sqlite3")),
            Some(text) => DatabaseUrl::parse(&text).unwrap_or_else(|| {
                self.fault("database.url", "must be sqlite:PATH or postgres://…");
                DatabaseUrl::Sqlite(PathBuf::new())
            }),
        };
        DatabaseSettings {
            url,
            readers: Some(self.bounded("database.readers", 0, 256)).filter(|readers| *readers > 0),
            writers: Some(self.bounded("database.writers", 0, 16)).filter(|writers| *writers > 0),
            queue_jobs: self.bounded("database.queue_jobs", 16, 1 << 20),
            queue_bytes: self.bounded("database.queue_bytes", 1 << 20, 1 << 34),
        }
    }

    fn log(&mut self) -> LogSettings {
        let filter: String = self.value("log.level");
        if let Err(error) = tracing_subscriber::EnvFilter::try_new(&filter) {
            self.fault("log.level", &error.to_string());
        }
        let format = match self.value::<String>("log.format").as_str() {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            _ => {
                self.fault("log.format", "must be text or json");
                LogFormat::Text
            }
        };
        LogSettings { filter, format }
    }

    fn fault(&mut self, key: &str, text: &str) {
        self.faults.push(format!("{key}: {text}"));
    }

    fn optional<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        self.figment.find_value(key).ok()?;
        match self.figment.extract_inner(key) {
            Ok(value) => Some(value),
            Err(error) => {
                self.faults
                    .extend(error.into_iter().map(|error| error.to_string()));
                None
            }
        }
    }

    fn value<T: DeserializeOwned + Default>(&mut self, key: &str) -> T {
        self.optional(key).unwrap_or_default()
    }

    fn bounded(&mut self, key: &str, least: usize, most: usize) -> usize {
        let value = self.optional(key).unwrap_or(least);
        if !(least..=most).contains(&value) {
            self.fault(key, &format!("must be between {least} and {most}"));
        }
        value
    }

    fn seconds(&mut self, key: &str) -> Duration {
        let seconds = self.bounded(key, 1, 3600);
        Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    }

    fn address(&mut self, key: &str) -> SocketAddr {
        let text: String = self.value(key);
        text.parse().unwrap_or_else(|_| {
            self.fault(key, "must be an address and port such as 127.0.0.1:8080");
            SocketAddr::from(([127, 0, 0, 1], 0))
        })
    }

    fn word(&mut self, key: &str) -> String {
        let word: String = self.value(key);
        let well_formed = word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if word.is_empty() || !well_formed {
            self.fault(key, "must be one word of lower-case letters and digits");
        }
        word
    }
}
