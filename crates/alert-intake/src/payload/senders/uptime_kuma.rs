//! Uptime Kuma: a heartbeat of a monitor.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::{Severity, SeverityTable};
use crate::payload::fields::{has, owned, text, time};
use crate::rules::state::ReportedState;

const TOOL: &str = "Uptime Kuma";

/// Recognises a monitor with its heartbeat. The test of a notification has neither, and is an alert of its message.
pub(super) fn read(body: &Value, _: &SeverityTable) -> Option<SenderBody> {
    if !has(body, &["heartbeat", "monitor", "msg"]) {
        return None;
    }
    let (heartbeat, monitor) = (body.get("heartbeat")?, body.get("monitor")?);
    let name = owned(monitor, &["name", "pathName", "friendly_name"]);
    let (state, word) = match text(heartbeat, &["status"]).as_deref() {
        Some("0") => (ReportedState::Firing, "Down"),
        Some("1") => (ReportedState::Over, "Up"),
        None if heartbeat.is_null() => {
            let test = SenderAlert {
                tool: TOOL,
                title: owned(body, &["msg"]),
                severity: Some(Severity::Info),
                ..SenderAlert::default()
            };
            return Some(test.into_body());
        }
        // Pending and maintenance.
        other => {
            return Some(noted(
                TOOL,
                &format!("status {}", other.unwrap_or("missing")),
            ));
        }
    };
    let host = owned(monitor, &["hostname", "url"]);
    let alert = SenderAlert {
        tool: TOOL,
        title: format!("[{name}] {word}"),
        description: owned(heartbeat, &["msg"]),
        service: name.clone(),
        hosts: Some(host)
            .filter(|host| !host.is_empty() && host != "https://")
            .into_iter()
            .collect(),
        key: vec![owned(monitor, &["id"]), name],
        ..SenderAlert::default()
    };
    Some(alert.dated(state, time(heartbeat, &["time"])).into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn other_states_than_up_and_down_are_noted_and_a_test_is_an_alert() {
        let of = |status: u8| {
            read(
                &json!({"heartbeat": {"status": status}, "monitor": {"id": 1, "name": "n"}, "msg": "m"}),
                &SeverityTable::default(),
            )
        };
        assert!(matches!(of(2), Some(SenderBody::Notice(_))));
        assert!(matches!(of(3), Some(SenderBody::Notice(_))));
        let test = read(
            &json!({"heartbeat": null, "monitor": null, "msg": "Testing"}),
            &SeverityTable::default(),
        );
        assert!(
            matches!(test, Some(SenderBody::Alert(alert)) if alert.title == "Testing" && alert.end.is_none())
        );
    }
}
