//! The JSON of alert endpoints, and of what a payload would do at one.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::{IncomingAlert, Integration, MappedField, NewReceipt, Source};
use crate::rules::mapping::{SampleField, path_text, table_text};

/// Names of the kinds of endpoints in JSON and parameters: any JSON object, and Alertmanager.
pub const KINDS: [&str; 2] = ["http", "prometheus"];

/// Parses the name of a kind of endpoint.
pub fn parse_kind(word: &str) -> Option<Source> {
    match word {
        "http" => Some(Source::Generic),
        "prometheus" => Some(Source::Metrics),
        _ => None,
    }
}

/// Returns the name of a kind of endpoint.
pub const fn kind_of(source: Source) -> &'static str {
    match source {
        Source::Generic => "http",
        Source::Metrics => "prometheus",
    }
}

/// An alert endpoint. The key is not part of it, because only its digest is stored.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntegrationJson {
    id: IntegrationId,
    project_id: ProjectId,
    r#type: &'static str,
    name: String,
    active: bool,
    endpoint_identifier: String,
    url: String,
    ignored_labels: Vec<String>,
    severities: Vec<SeverityWordJson>,
    payload_attribute_mappings: Vec<MappedFieldJson>,
    /// True if a lower severity in a newer report lowers that of an open alert.
    lower_severity: bool,
    /// Minutes without a report after which an open alert counts as stale; `null` for never.
    stale_after: Option<u32>,
    /// Largest number of requests that the endpoint takes in a minute; `null` for any number.
    requests_per_minute: Option<u32>,
    /// True if the key of the endpoint also reads alerts and manages silences, over Alertmanager's API.
    key_manages: bool,
    /// Seconds between two heartbeats; `null` for an endpoint that takes alerts.
    heartbeat_interval: Option<u32>,
    /// Seconds for which a heartbeat may be late.
    heartbeat_grace: Option<u32>,
    retired_key_expires_at: Option<Timestamp>,
    created_at: Timestamp,
}

/// Entry of a mapping.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MappedFieldJson {
    field_name: &'static str,
    path: String,
    values: String,
}

impl From<MappedField> for MappedFieldJson {
    fn from(entry: MappedField) -> Self {
        Self {
            field_name: entry.field.as_str(),
            path: path_text(&entry.path),
            values: table_text(&entry.values),
        }
    }
}

/// Severity of a sender's word.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SeverityWordJson {
    word: String,
    severity: &'static str,
}

impl IntegrationJson {
    /// Creates the JSON of an endpoint that receives alerts at `url`.
    pub fn new(endpoint: Integration, url: String, now: Timestamp) -> Self {
        let retired = endpoint.retired_key.map(|retired| retired.valid_until);
        let settings = endpoint.settings;
        let severities = settings
            .severities
            .iter()
            .map(|(word, severity)| SeverityWordJson {
                word: word.to_owned(),
                severity: severity.as_str(),
            });
        Self {
            id: endpoint.id,
            project_id: endpoint.project_id,
            r#type: kind_of(endpoint.source),
            name: endpoint.name,
            active: endpoint.active,
            endpoint_identifier: endpoint.endpoint_identifier,
            url,
            ignored_labels: settings.ignored_labels,
            severities: severities.collect(),
            payload_attribute_mappings: settings.mapping.0.into_iter().map(Into::into).collect(),
            lower_severity: settings.lowers_severity,
            stale_after: settings.stale_after,
            requests_per_minute: settings.requests_per_minute,
            key_manages: settings.key_manages,
            heartbeat_interval: settings.heartbeat.map(|rule| rule.interval),
            heartbeat_grace: settings.heartbeat.map(|rule| rule.grace),
            retired_key_expires_at: retired.filter(|until| *until > now),
            created_at: endpoint.created_at,
        }
    }
}

/// An alert endpoint with its new key.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewIntegrationJson<'k> {
    /// The endpoint.
    #[serde(flatten)]
    pub endpoint: IntegrationJson,
    /// Authorization key, which is shown only once.
    pub token: &'k str,
}

/// Value of a sample payload that a mapping can use.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleFieldJson {
    path: String,
    r#type: &'static str,
    value: String,
}

impl From<SampleField> for SampleFieldJson {
    fn from(field: SampleField) -> Self {
        Self {
            path: path_text(&field.path),
            r#type: field.kind.as_str(),
            value: field.value,
        }
    }
}

/// Effect that a POST would have. Nothing of it is stored.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DryRunJson {
    alerts: Vec<DryRunAlertJson>,
    created: i64,
    counted: i64,
    resolved: i64,
    repeated: i64,
    notes: Vec<String>,
}

/// Alert as it was read from a POST.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct DryRunAlertJson {
    title: String,
    description: Option<String>,
    severity: &'static str,
    service: Option<String>,
    monitoring_tool: Option<String>,
    hosts: Vec<String>,
    environment_name: Option<String>,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
}

impl From<IncomingAlert> for DryRunAlertJson {
    fn from(alert: IncomingAlert) -> Self {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            title: alert.title,
            description: some(alert.description),
            severity: alert.severity.as_str(),
            service: some(alert.service),
            monitoring_tool: some(alert.monitoring_tool),
            hosts: alert.hosts,
            environment_name: alert.environment_name,
            started_at: alert.started_at,
            ended_at: alert.resolved_at,
        }
    }
}

impl DryRunJson {
    /// Creates the JSON of the alerts of a POST, and of the receipt that it would have.
    pub fn new(alerts: Vec<IncomingAlert>, receipt: NewReceipt) -> Self {
        let counts = receipt.counts;
        Self {
            alerts: alerts.into_iter().map(Into::into).collect(),
            created: counts.created,
            counted: counts.counted,
            resolved: counts.resolved,
            repeated: counts.repeated,
            notes: receipt.context.notes,
        }
    }
}
