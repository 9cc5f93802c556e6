//! The Events API of `PagerDuty`, version 2, and the webhooks of its incidents, version 3.

use serde_json::Value;

use super::{End, SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{at, has, owned, text, text_of, time};
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "PagerDuty";

/// Recognises an event by its action and its key or payload, or an incident by its event type.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let is_event = has(body, &["event_action"])
        && ["dedup_key", "payload", "routing_key"]
            .iter()
            .any(|name| has(body, &[name]));
    if is_event {
        event(body, severities)
    } else {
        incident(body, severities)
    }
}

fn event(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let action = text(body, &["event_action"])?;
    let payload = body.get("payload").unwrap_or(&Value::Null);
    let action = action.to_ascii_lowercase();
    let over = match action.as_str() {
        "trigger" | "acknowledge" => false,
        "resolve" => true,
        other => return Some(noted(TOOL, other)),
    };
    let source = owned(payload, &["source"]);
    let parts = ["class", "component", "group"].map(|name| owned(payload, &[name]));
    let dedup_key = owned(body, &["dedup_key"]);
    // Without a key each event is an incident of its own in the original; here equal ones are counted.
    let key = if dedup_key.is_empty() {
        [
            vec![owned(payload, &["summary"]), source.clone()],
            parts.to_vec(),
        ]
        .concat()
    } else {
        vec![dedup_key]
    };
    let details = at(payload, &["custom_details"]).filter(|details| !details.is_null());
    let mut alert = SenderAlert {
        tool: TOOL,
        title: owned(payload, &["summary"]),
        description: details.map(described).unwrap_or_default(),
        severity: text(payload, &["severity"]).and_then(|word| severities.of_sender(&word)),
        service: owned(payload, &["component", "group"]),
        hosts: Some(source)
            .filter(|source| !source.is_empty())
            .into_iter()
            .collect(),
        key,
        ..SenderAlert::default()
    };
    if over {
        // The timestamp of many senders is that of the event that opened the incident.
        alert.end = Some(End::Unstated);
    } else {
        alert.started_at = time(payload, &["timestamp"]);
    }
    if action == "acknowledge" {
        return Some(SenderBody::Acknowledgement(Box::new(alert)));
    }
    Some(alert.into_body())
}

/// Returns details as text: a text as it is, an object as `name: value` pairs.
fn described(details: &Value) -> String {
    match details {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let shown = |value: &Value| text_of(value).map(std::borrow::Cow::into_owned);
            let pairs = fields
                .iter()
                .filter_map(|(name, value)| shown(value).map(|text| format!("{name}: {text}")));
            pairs.take(50).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn incident(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let event = body
        .get("event")
        .filter(|event| has(event, &["event_type", "data"]))?;
    let kind = text(event, &["event_type"]).filter(|kind| kind.starts_with("incident."))?;
    let state = match &*kind {
        "incident.triggered"
        | "incident.reopened"
        | "incident.escalated"
        | "incident.unacknowledged" => ReportedState::Firing,
        other => state::parse(other)
            .filter(|state| *state == ReportedState::Over)
            .unwrap_or(ReportedState::Noted),
    };
    if state == ReportedState::Noted {
        return Some(noted(TOOL, &kind));
    }
    let data = event.get("data")?;
    let urgency = text(data, &["priority", "summary"]).or_else(|| text(data, &["urgency"]));
    let alert = SenderAlert {
        tool: TOOL,
        title: owned(data, &["title", "summary"]),
        severity: urgency.and_then(|word| severities.of_sender(&word)),
        service: text(data, &["service", "summary"])
            .unwrap_or_default()
            .into_owned(),
        key: vec![owned(data, &["id", "incident_key"])],
        ..SenderAlert::default()
    };
    Some(
        alert
            .dated(state, time(event, &["occurred_at"]))
            .into_body(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_resolve_and_an_acknowledgement_need_only_their_key() {
        let Some(SenderBody::Alert(end)) = read(
            &json!({"routing_key": "r", "event_action": "resolve", "dedup_key": "k"}),
            &SeverityTable::default(),
        ) else {
            panic!("a resolve ends an alert");
        };
        assert_eq!(
            (end.end, end.key),
            (Some(End::Unstated), vec!["k".to_owned()])
        );
        let taken = json!({"event_action": "acknowledge", "dedup_key": "k"});
        let Some(SenderBody::Acknowledgement(alert)) = read(&taken, &SeverityTable::default())
        else {
            panic!("an acknowledgement");
        };
        assert_eq!(alert.key, ["k"]);
        let other = json!({"event_action": "snooze", "dedup_key": "k"});
        assert!(matches!(
            read(&other, &SeverityTable::default()),
            Some(SenderBody::Notice(_))
        ));
        assert!(
            read(
                &json!({"event_action": "trigger"}),
                &SeverityTable::default()
            )
            .is_none()
        );
    }

    #[test]
    fn an_incident_opens_and_ends_by_its_id() {
        let of = |kind: &str| {
            read(
                &json!({"event": {"event_type": kind, "occurred_at": "2026-01-01T00:00:00Z",
                "data": {"id": "Q1", "title": "Down", "urgency": "high", "service": {"summary": "shop"}}}}),
                &SeverityTable::default(),
            )
        };
        for (kind, is_over) in [("incident.triggered", false), ("incident.resolved", true)] {
            let Some(SenderBody::Alert(alert)) = of(kind) else {
                panic!("{kind}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.key),
                (is_over, vec!["Q1".to_owned()]),
                "{kind}"
            );
        }
        assert!(matches!(
            of("incident.annotated"),
            Some(SenderBody::Notice(_))
        ));
    }
}
