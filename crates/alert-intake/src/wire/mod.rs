//! The JSON of alerts, endpoints, receipts and intake responses.

mod hook;
mod integration;

use api_conventions::ids::{AlertIid, IntegrationId, ProjectId, ReceiptId, UserId};
use api_conventions::time::Timestamp;
use serde::Serialize;

pub use hook::{AlertEvent, alert_event};
pub use integration::{
    DryRunJson, IntegrationJson, KINDS, NewIntegrationJson, SampleFieldJson, kind_of, parse_kind,
};

use crate::flow::receive::DeliveryOutcome;
use crate::model::{Alert, AlertSummary, DeliveryRefusal, Receipt};
use crate::rules::details::{self, FlattenedPayload};
use crate::rules::exact::ExactJson;

/// Alert in the response of alert intake (`ALRT-05`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "IntakeAnswer"))]
pub struct IntakeAlertJson {
    /// Number of the alert within its project.
    pub iid: AlertIid,
    /// Title of the alert.
    pub title: String,
}

impl IntakeAlertJson {
    /// Creates the response to a POST: the alerts that it touched.
    pub fn of(outcome: DeliveryOutcome) -> Vec<Self> {
        outcome
            .alerts
            .into_iter()
            .map(|(iid, title)| Self { iid, title })
            .collect()
    }
}

/// An alert in a list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlertJson {
    iid: AlertIid,
    project_id: ProjectId,
    title: String,
    description: Option<String>,
    status: &'static str,
    severity: &'static str,
    service: Option<String>,
    monitoring_tool: Option<String>,
    hosts: Vec<String>,
    environment_name: Option<String>,
    /// Id of the user who is assigned to the alert.
    assignee_id: Option<UserId>,
    started_at: Timestamp,
    ended_at: Option<Timestamp>,
    event_count: i64,
    delivery_count: i64,
    /// Number of times in a row that the alert fired again within an hour of its end.
    flap_count: i64,
    /// True from the third flap.
    flapping: bool,
    /// Time at which the open alert becomes stale if its sender stays silent; `null` if silence means nothing.
    stale_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    web_url: String,
}

impl AlertJson {
    /// Creates the JSON of an alert in the project at `project_path`, with links below `base_url`, which has no
    /// trailing slash.
    pub fn new(alert: AlertSummary, base_url: &str, project_path: &str) -> Self {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let iid = alert.iid;
        let flapping = alert.is_flapping();
        Self {
            iid,
            project_id: alert.project_id,
            title: alert.title,
            description: some(alert.description),
            status: alert.status.as_str(),
            severity: alert.severity.as_str(),
            service: some(alert.service),
            monitoring_tool: some(alert.monitoring_tool),
            hosts: alert.hosts,
            environment_name: alert.environment_name,
            assignee_id: alert.assignee_id,
            started_at: alert.started_at,
            ended_at: alert.status.ended_at(),
            event_count: alert.occurrences,
            delivery_count: alert.deliveries,
            flap_count: alert.flaps,
            flapping,
            stale_at: alert.stale_at.filter(|_| alert.status.is_open()),
            created_at: alert.created_at,
            updated_at: alert.updated_at,
            web_url: format!("{base_url}/{project_path}/-/alert_management/{iid}/details"),
        }
    }
}

/// Numbers of a project's alerts by status. A count above 10,000 is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlertCountsJson {
    /// Alerts in any status.
    pub all: Option<u64>,
    /// Triggered and acknowledged alerts.
    pub open: Option<u64>,
    /// Triggered alerts.
    pub triggered: Option<u64>,
    /// Acknowledged alerts.
    pub acknowledged: Option<u64>,
    /// Resolved alerts.
    pub resolved: Option<u64>,
    /// Ignored alerts.
    pub ignored: Option<u64>,
}

/// Alert with all details from its payload (`ALRT-13`).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlertDetailJson {
    #[serde(flatten)]
    alert: AlertJson,
    runbook: Option<String>,
    metric_query: Option<String>,
    y_label: Option<String>,
    incident_markdown: Option<String>,
    generator_url: Option<String>,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    details: FlattenedPayload,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    payload: ExactJson,
    /// The payload that opened the alert, if the newest report says something else.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")
    )]
    first_payload: Option<ExactJson>,
}

impl AlertDetailJson {
    /// Creates the JSON of an alert with its payload. The arguments are those of [`AlertJson::new`] and the configured
    /// service word.
    pub fn new(alert: Alert, base_url: &str, project_path: &str, service_word: &str) -> Self {
        let details = details::of(alert.newest_payload(), alert.summary.source, service_word);
        let first = alert.latest_payload.is_some().then_some(&alert.payload);
        Self {
            first_payload: first.map(|first| details::payload_of(first)),
            payload: details.payload,
            alert: AlertJson::new(alert.summary, base_url, project_path),
            runbook: details.runbook,
            metric_query: details.metric_query,
            y_label: details.y_label,
            incident_markdown: details.incident_markdown,
            generator_url: details.generator_url,
            details: details.flattened,
        }
    }
}

/// Receipt of one POST: what was received, and the outcome.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReceiptJson {
    id: ReceiptId,
    project_id: ProjectId,
    integration_id: IntegrationId,
    received_at: Timestamp,
    bytes: i64,
    alerts: i64,
    created: i64,
    counted: i64,
    resolved: i64,
    repeated: i64,
    user_agent: Option<String>,
    group_key: Option<String>,
    truncated_alerts: i64,
    skipped_alerts: i64,
    notes: Vec<String>,
    refusal: Option<RefusalJson>,
}

/// Refusal of a POST.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RefusalJson {
    status: u16,
    reason: String,
    body_start: Option<String>,
    sender: &'static str,
    further_refusals: i64,
}

impl From<DeliveryRefusal> for RefusalJson {
    fn from(refusal: DeliveryRefusal) -> Self {
        Self {
            status: refusal.status,
            reason: refusal.reason,
            body_start: refusal.body_start,
            sender: refusal.sender.as_str(),
            further_refusals: refusal.further,
        }
    }
}

impl From<Receipt> for ReceiptJson {
    fn from(Receipt { id, receipt }: Receipt) -> Self {
        let counts = receipt.counts;
        Self {
            id,
            project_id: receipt.project_id,
            integration_id: receipt.integration_id,
            received_at: receipt.received_at,
            bytes: receipt.body_bytes,
            alerts: counts.total(),
            created: counts.created,
            counted: counts.counted,
            resolved: counts.resolved,
            repeated: counts.repeated,
            user_agent: receipt.context.user_agent,
            group_key: receipt.context.group_key,
            truncated_alerts: receipt.context.truncated_alerts,
            skipped_alerts: receipt.context.skipped_alerts,
            notes: receipt.context.notes,
            refusal: receipt.refusal.map(RefusalJson::from),
        }
    }
}
