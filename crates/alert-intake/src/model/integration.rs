//! Alert endpoints of a project.

use std::collections::BTreeMap;

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{FieldMapping, HeartbeatRule, MappingError, Severity, Source};

/// Prefix of authorization keys, by which people and secret scanners recognize them.
pub const KEY_PREFIX: &str = "ghak_";

/// An endpoint that receives alerts for a project, with the digest of its authorization key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Integration {
    /// Id.
    pub id: IntegrationId,
    /// The project.
    pub project_id: ProjectId,
    /// Payload format that it accepts.
    pub source: Source,
    /// Display name.
    pub name: String,
    /// Identifier in the endpoint's URL; unique within the project.
    pub endpoint_identifier: String,
    /// True if the endpoint accepts alerts.
    pub active: bool,
    /// Digest of the authorization key.
    pub key: SecretDigest,
    /// Key before the last rotation; `None` if it stopped working at once.
    pub retired_key: Option<RetiredKey>,
    /// Rules for its payloads.
    pub settings: IntegrationSettings,
    /// Time of creation.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}

/// Authorization key that a rotation replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RetiredKey {
    /// Digest of the key.
    pub key: SecretDigest,
    /// First instant at which the key is no longer valid.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub valid_until: Timestamp,
}

impl Integration {
    /// Identifier of a project's generic endpoint whose URL has no identifier.
    pub const GENERIC_IDENTIFIER: &str = "legacy";
    /// Identifier of a project's metrics endpoint.
    pub const METRICS_IDENTIFIER: &str = "metrics";
    /// Longest name, in characters.
    pub const MAX_NAME: usize = 255;

    /// True for the two endpoints that a project has from its creation. They can be turned off, but not deleted.
    pub fn is_predefined(&self) -> bool {
        [Self::GENERIC_IDENTIFIER, Self::METRICS_IDENTIFIER]
            .contains(&self.endpoint_identifier.as_str())
    }

    /// True if this is the digest of a key that is valid at `now`: the current one, or a retired one in its grace period.
    pub fn accepts(&self, key: &SecretDigest, now: Timestamp) -> bool {
        let is_retired = |retired: RetiredKey| retired.key == *key && now < retired.valid_until;
        // Both are compared whatever the first result is, so that the time of a refusal reveals nothing.
        (self.key == *key) | self.retired_key.is_some_and(is_retired)
    }
}

/// Rules of an endpoint for its payloads. Stored as JSON; an absent part has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntegrationSettings {
    /// Names of labels and of top-level fields that the identity of an alert leaves out, such as `prometheus_replica`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_labels: Vec<String>,
    /// Severities of the sender's words.
    #[serde(skip_serializing_if = "SeverityTable::is_empty")]
    pub severities: SeverityTable,
    /// Mapping of the payload's fields; for a generic endpoint.
    #[serde(skip_serializing_if = "FieldMapping::is_empty")]
    pub mapping: FieldMapping,
    /// True if a lower severity in a newer report lowers that of an open alert. A higher one always raises it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lowers_severity: bool,
    /// Minutes without a report after which an open alert counts as stale: at least 1, at most
    /// [`MAX_STALE`](Self::MAX_STALE). `None` if silence means nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_after: Option<u32>,
    /// Largest number of requests that the endpoint takes in a minute: at least 1, at most
    /// [`MAX_REQUESTS`](Self::MAX_REQUESTS). `None` for any number. The host counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// True if the key of the endpoint also reads the alerts of the project and manages its silences, over Alertmanager's API.
    /// Otherwise it only sends.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub key_manages: bool,
    /// Rule of the heartbeat that the endpoint expects instead of alerts; `None` for an endpoint that takes alerts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<HeartbeatRule>,
}

/// Reasons to refuse settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There are too many ignored labels, or one is empty or too long.
    #[error(
        "at most {} labels can be left out, with names of 1 to {} characters",
        IntegrationSettings::MAX_LABELS,
        FieldMapping::MAX_NAME
    )]
    Labels,
    /// The table of severities has too many words, or one is empty or too long.
    #[error(
        "a table of severities has at most {} words of 1 to {} characters",
        FieldMapping::MAX_VALUES,
        FieldMapping::MAX_NAME
    )]
    Severities,
    /// The time after which an alert is stale is out of bounds.
    #[error(
        "alerts can become stale after 1 to {} minutes without a report",
        IntegrationSettings::MAX_STALE
    )]
    Stale,
    /// The limit of requests is out of bounds.
    #[error(
        "an endpoint can be limited to 1 to {} requests a minute",
        IntegrationSettings::MAX_REQUESTS
    )]
    Requests,
    /// The interval or the grace of a heartbeat is out of bounds.
    #[error(
        "a heartbeat is expected every 1 to {max} seconds, with a grace of at most {max} seconds",
        max = HeartbeatRule::MAX_SECONDS
    )]
    Heartbeat,
    /// A grace is set where no heartbeat is expected.
    #[error("a grace needs a heartbeat; set its interval as well")]
    GraceAlone,
    /// An endpoint for Alertmanager has a mapping.
    #[error(
        "the payload of an endpoint for Alertmanager is fixed; create an HTTP endpoint to map fields"
    )]
    FixedPayload,
    /// The mapping is not valid.
    #[error(transparent)]
    Mapping(#[from] MappingError),
}

impl IntegrationSettings {
    /// Largest number of ignored labels.
    pub const MAX_LABELS: usize = 50;
    /// Longest time in minutes after which an alert becomes stale: 90 days.
    pub const MAX_STALE: u32 = 129_600;
    /// Highest limit of requests in a minute.
    pub const MAX_REQUESTS: u32 = 1_000_000;

    /// Checks the bounds of settings of an endpoint for payloads of `source`.
    ///
    /// # Errors
    /// See [`SettingsError`].
    pub fn validate(&self, source: Source) -> Result<(), SettingsError> {
        let is_bounded =
            |text: &String| (1..=FieldMapping::MAX_NAME).contains(&text.chars().count());
        if self.ignored_labels.len() > Self::MAX_LABELS
            || !self.ignored_labels.iter().all(is_bounded)
        {
            return Err(SettingsError::Labels);
        }
        let words = &self.severities.0;
        if words.len() > FieldMapping::MAX_VALUES || !words.keys().all(is_bounded) {
            return Err(SettingsError::Severities);
        }
        let is_within =
            |number: Option<u32>, most| number.is_none_or(|it| (1..=most).contains(&it));
        if !is_within(self.stale_after, Self::MAX_STALE) {
            return Err(SettingsError::Stale);
        }
        if !is_within(self.requests_per_minute, Self::MAX_REQUESTS) {
            return Err(SettingsError::Requests);
        }
        if !self.heartbeat.is_none_or(HeartbeatRule::is_valid) {
            return Err(SettingsError::Heartbeat);
        }
        if source == Source::Metrics && !self.mapping.is_empty() {
            return Err(SettingsError::FixedPayload);
        }
        Ok(self.mapping.validate()?)
    }
}

/// Severities that an endpoint gives to its sender's words, before the usual ones. The words are in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    try_from = "BTreeMap<String, String>",
    into = "BTreeMap<String, String>"
)]
pub struct SeverityTable(BTreeMap<String, Severity>);

/// A severity in a table has an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a severity: use critical, high, medium, low, info or unknown")]
pub struct UnknownSeverity(pub String);

impl SeverityTable {
    /// True if the table has no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the severity of a word; `None` if the table does not have it. Case and white space around the word do not
    /// matter.
    pub fn find(&self, word: &str) -> Option<Severity> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&folded(word)).copied()
    }

    /// Words with their severities, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Severity)> {
        self.0
            .iter()
            .map(|(word, severity)| (word.as_str(), *severity))
    }
}

/// Returns a word as tables have it.
pub(crate) fn folded(word: &str) -> String {
    word.trim().to_lowercase()
}

impl TryFrom<BTreeMap<String, String>> for SeverityTable {
    type Error = UnknownSeverity;

    fn try_from(words: BTreeMap<String, String>) -> Result<Self, UnknownSeverity> {
        let entry = |(word, name): (String, String)| {
            let severity = Severity::parse(&name).ok_or(UnknownSeverity(name))?;
            Ok((folded(&word), severity))
        };
        words
            .into_iter()
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl From<SeverityTable> for BTreeMap<String, String> {
    fn from(table: SeverityTable) -> Self {
        let name = |(word, severity): (String, Severity)| (word, severity.as_str().to_owned());
        table.0.into_iter().map(name).collect()
    }
}

/// Alert endpoint to insert.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewIntegration {
    /// The project.
    pub project_id: ProjectId,
    /// Payload format that it accepts.
    pub source: Source,
    /// Display name.
    pub name: String,
    /// Identifier in the endpoint's URL.
    pub endpoint_identifier: String,
    /// True if the endpoint accepts alerts.
    pub active: bool,
    /// Digest of the authorization key.
    pub key: SecretDigest,
    /// Rules for its payloads.
    pub settings: IntegrationSettings,
    /// Time of creation: now.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}

/// Update of an existing endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntegrationChange {
    /// Activates the endpoint, or deactivates it.
    Active(bool),
    /// Sets a new authorization key.
    Key {
        /// Digest of the new key.
        key: SecretDigest,
        /// Key that stays valid for a while. An earlier retired one stops working.
        retired: Option<RetiredKey>,
    },
    /// Sets name, activity and rules.
    Details {
        /// Display name.
        name: String,
        /// True if the endpoint accepts alerts.
        active: bool,
        /// Rules for its payloads.
        settings: IntegrationSettings,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(words: &[(&str, &str)]) -> Result<SeverityTable, UnknownSeverity> {
        let pair = |(word, name): &(&str, &str)| ((*word).to_owned(), (*name).to_owned());
        SeverityTable::try_from(words.iter().map(pair).collect::<BTreeMap<_, _>>())
    }

    #[test]
    fn a_table_knows_words_in_any_case() {
        let known = table(&[("None", "info"), ("page", "critical")]).unwrap();
        assert_eq!(known.find(" NONE "), Some(Severity::Info));
        assert_eq!(known.find("page"), Some(Severity::Critical));
        assert_eq!(known.find("other"), None);
        assert_eq!(
            table(&[("x", "worse")]),
            Err(UnknownSeverity("worse".to_owned()))
        );
        let text = serde_json::to_string(&known).unwrap();
        assert_eq!(text, r#"{"none":"info","page":"critical"}"#);
        assert_eq!(serde_json::from_str::<SeverityTable>(&text).unwrap(), known);
    }

    #[test]
    fn settings_are_stored_without_their_defaults() {
        let text = serde_json::to_string(&IntegrationSettings::default()).unwrap();
        assert_eq!(text, "{}");
        let read: IntegrationSettings = serde_json::from_str("{}").unwrap();
        assert_eq!(read, IntegrationSettings::default());
    }

    #[test]
    fn a_retired_key_is_valid_until_its_end() {
        let now = Timestamp::MIN;
        let retired = RetiredKey {
            key: SecretDigest::of("old"),
            valid_until: now.plus_seconds(10),
        };
        let mut endpoint = Integration {
            id: IntegrationId::new(1),
            project_id: ProjectId::new(1),
            source: Source::Generic,
            name: String::new(),
            endpoint_identifier: "legacy".to_owned(),
            active: true,
            key: SecretDigest::of("new"),
            retired_key: Some(retired),
            settings: IntegrationSettings::default(),
            created_at: now,
        };
        for (key, seconds, expected) in [
            ("new", 20, true),
            ("old", 9, true),
            ("old", 10, false),
            ("x", 0, false),
        ] {
            let found = endpoint.accepts(&SecretDigest::of(key), now.plus_seconds(seconds));
            assert_eq!(found, expected, "{key} after {seconds} s");
        }
        assert!(endpoint.is_predefined());
        endpoint.endpoint_identifier = "0123456789abcdef".to_owned();
        assert!(!endpoint.is_predefined());
    }

    #[test]
    fn settings_outside_their_bounds_are_refused() {
        let labels = |count: usize, name: &str| IntegrationSettings {
            ignored_labels: vec![name.to_owned(); count],
            ..IntegrationSettings::default()
        };
        let words: Vec<String> = (0..101).map(|number| number.to_string()).collect();
        let words: Vec<(&str, &str)> = words.iter().map(|word| (word.as_str(), "low")).collect();
        let crowded = IntegrationSettings {
            severities: table(&words).unwrap(),
            ..IntegrationSettings::default()
        };
        for (settings, expected) in [
            (labels(50, "replica"), Ok(())),
            (labels(51, "replica"), Err(SettingsError::Labels)),
            (labels(1, ""), Err(SettingsError::Labels)),
            (crowded, Err(SettingsError::Severities)),
        ] {
            assert_eq!(settings.validate(Source::Metrics), expected);
        }
    }
}
