//! The JSON of settings and client keys.

use api_conventions::ids::{ClientKeyId, ProjectId};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use url::Url;

use crate::model::{ClientKey, Options, PublicKey, Settings};
use crate::protocol::dsn::Dsn;

/// Error tracking settings (specification, "Error tracking settings").
/// The word for the tracker in field names is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingsJson {
    active: bool,
    project_name: Option<String>,
    tracker_external_url: Option<String>,
    api_url: Option<String>,
    integrated: bool,
    #[cfg_attr(feature = "schema", schemars(skip))]
    word: String,
}

impl SettingsJson {
    /// Creates the JSON of settings, with the configured word for the tracker.
    pub fn new(settings: &Settings, tracker_word: &str) -> Self {
        Self {
            active: settings.active,
            project_name: settings.external.name(),
            tracker_external_url: settings.external.page(),
            api_url: settings.external.api_url.clone(),
            integrated: settings.integrated,
            word: tracker_word.to_owned(),
        }
    }
}

impl Serialize for SettingsJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("active", &self.active)?;
        map.serialize_entry("project_name", &self.project_name)?;
        let name = format!("{}_external_url", self.word);
        map.serialize_entry(&name, &self.tracker_external_url)?;
        map.serialize_entry("api_url", &self.api_url)?;
        map.serialize_entry("integrated", &self.integrated)?;
        map.end()
    }
}

/// A client key (specification, "Error tracking client key").
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClientKeyJson {
    id: ClientKeyId,
    active: bool,
    public_key: String,
    tracker_dsn: String,
    #[cfg_attr(feature = "schema", schemars(skip))]
    word: String,
}

impl ClientKeyJson {
    /// Creates the JSON of a key.
    /// `collector` is the address of the host's collector, `tracker_word` the configured word for the tracker.
    pub fn new(key: &ClientKey, collector: &str, tracker_word: &str) -> Self {
        Self {
            id: key.id,
            active: key.active,
            public_key: key.public_key.to_string(),
            tracker_dsn: dsn_of(key, collector),
            word: tracker_word.to_owned(),
        }
    }
}

/// DSN of a key; empty if the collector's address cannot be part of a DSN.
pub fn dsn_of(key: &ClientKey, collector: &str) -> String {
    dsn_with(key.public_key.clone(), key.project_id, collector).unwrap_or_default()
}

/// DSN of a key of a project, for the collector at this address.
pub fn dsn_with(key: PublicKey, project: ProjectId, collector: &str) -> Option<String> {
    let collector = Url::parse(collector).ok()?;
    let dsn = Dsn::new(&collector, key, project).ok()?;
    Some(dsn.to_string())
}

impl Serialize for ClientKeyJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("active", &self.active)?;
        map.serialize_entry("public_key", &self.public_key)?;
        map.serialize_entry(&format!("{}_dsn", self.word), &self.tracker_dsn)?;
        map.end()
    }
}

/// Error tracking options of a project.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptionsJson {
    events_per_minute: u32,
    error_events_per_minute: Option<u32>,
    events_per_day: Option<u64>,
    events_per_error: u32,
    retention_days: u16,
    opens_alerts: bool,
    scrub_defaults: bool,
    scrub_ip_addresses: bool,
    sensitive_fields: Vec<String>,
    safe_fields: Vec<String>,
}

impl From<Options> for OptionsJson {
    fn from(options: Options) -> Self {
        Self {
            events_per_minute: options.events_per_minute,
            error_events_per_minute: options.error_events_per_minute,
            events_per_day: options.events_per_day,
            events_per_error: options.events_per_error,
            retention_days: options.retention_days,
            opens_alerts: options.opens_alerts,
            scrub_defaults: options.scrubbing.has_defaults,
            scrub_ip_addresses: options.scrubbing.hides_addresses,
            sensitive_fields: options.scrubbing.sensitive,
            safe_fields: options.scrubbing.safe,
        }
    }
}
