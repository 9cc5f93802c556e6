//! The JSON of an alert in the events that hooks of its project report.

use api_conventions::time::Timestamp;
use serde_json::{Value, json};

use crate::model::{AlertStatus, AlertSummary};

/// Change of an alert that hooks report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertEvent {
    /// Opened or reopened.
    Opened,
    /// The severity changed.
    Updated,
    /// Acknowledged by a user or by the sender.
    Acknowledged,
    /// Ignored by a user.
    Ignored,
    /// Resolved at this time.
    Resolved(Timestamp),
}

/// Returns the JSON of a change of an alert, in the form that v4's integrations with chat servers have, with the number, the
/// texts and the action. `status` and end are those of the change, also if a later change is known. `project` is the
/// project's part of the event, and `path` its full path; the URL in the result is a path below the server.
pub fn alert_event(alert: &AlertSummary, event: AlertEvent, project: &Value, path: &str) -> Value {
    let (action, status, ended_at) = match event {
        AlertEvent::Opened => ("open", AlertStatus::Triggered.as_str(), None),
        AlertEvent::Updated => ("update", alert.status.as_str(), alert.status.ended_at()),
        AlertEvent::Acknowledged => ("acknowledge", AlertStatus::Acknowledged.as_str(), None),
        AlertEvent::Ignored => ("ignore", AlertStatus::Ignored.as_str(), None),
        AlertEvent::Resolved(at) => {
            let ended_at = alert.status.ended_at().unwrap_or(at);
            let status = AlertStatus::Resolved { ended_at };
            ("resolve", status.as_str(), Some(ended_at))
        }
    };
    json!({
        "object_kind": "alert",
        "event_type": "alert",
        "project": project,
        "object_attributes": {
            "iid": alert.iid,
            "title": alert.title,
            "description": alert.description,
            "severity": alert.severity.as_str(),
            "events": alert.occurrences,
            "status": status,
            "started_at": alert.started_at,
            "ended_at": ended_at,
            "service": Some(&alert.service).filter(|service| !service.is_empty()),
            "environment": alert.environment_name,
            "action": action,
            "url": format!("/{path}/-/alert_management/{}/details", alert.iid),
        },
    })
}
