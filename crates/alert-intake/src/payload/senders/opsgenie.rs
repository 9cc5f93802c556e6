//! Opsgenie: the alert API, version 2, and the outgoing webhook.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::payload::fields::{has, owned, text, time};
use crate::rules::severity;
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Opsgenie";

/// Recognises a request to create an alert by its message and the names that only this API uses, or an action on an alert.
pub(super) fn read(body: &Value) -> Option<SenderBody> {
    if body
        .get("alert")
        .is_some_and(|alert| has(alert, &["alertId", "message"]))
    {
        return webhook(body);
    }
    let is_priority = || text(body, &["priority"]).is_some_and(|word| severity::is_priority(&word));
    let is_request = has(body, &["message"])
        && !has(body, &["title"])
        && (has(body, &["alias"])
            || has(body, &["responders"])
            || has(body, &["visibleTo"])
            || (is_priority() && has(body, &["entity"])));
    let is_action = has(body, &["alias", "action"]);
    if !is_request && !is_action {
        return None;
    }
    Some(in_state(body, action_of(body)))
}

/// Returns the action of a body; without one, the body creates an alert.
fn action_of(body: &Value) -> ReportedState {
    let action = text(body, &["action"]).or_else(|| text(body, &["status"]));
    match action.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("create") => ReportedState::Firing,
        Some(word) => state::parse(word).unwrap_or(ReportedState::Noted),
    }
}

fn webhook(body: &Value) -> Option<SenderBody> {
    let action = owned(body, &["action"]).to_ascii_lowercase();
    let state = match action.as_str() {
        "create" | "" => ReportedState::Firing,
        "close" | "delete" | "resolve" => ReportedState::Over,
        _ => ReportedState::Noted,
    };
    if state == ReportedState::Noted {
        return Some(noted(TOOL, &action));
    }
    Some(in_state(body.get("alert")?, state))
}

fn in_state(alert: &Value, state: ReportedState) -> SenderBody {
    if state == ReportedState::Noted {
        return noted(TOOL, &owned(alert, &["action"]));
    }
    let entity = owned(alert, &["entity"]);
    let priority = text(alert, &["priority"]);
    let alias = owned(alert, &["alias", "alertId", "id"]);
    let read = SenderAlert {
        tool: TOOL,
        title: owned(alert, &["message"]),
        description: owned(alert, &["description"]),
        // The API's default priority is P3.
        severity: severity::of_sender(priority.as_deref().unwrap_or("P3")),
        service: owned(alert, &["source"]),
        hosts: Some(entity.clone())
            .filter(|entity| !entity.is_empty())
            .into_iter()
            .collect(),
        environment: text(alert, &["details", "environment"])
            .unwrap_or_default()
            .into_owned(),
        key: vec![owned(alert, &["message"]), entity],
        common_key: alias,
        ..SenderAlert::default()
    };
    let at = if state == ReportedState::Firing {
        "createdAt"
    } else {
        "updatedAt"
    };
    read.dated(state, time(alert, &[at])).into_body()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;
    use serde_json::json;

    #[test]
    fn an_alert_is_created_and_closed_by_its_alias() {
        let create = json!({"message": "Disk", "alias": "d1", "priority": "P1", "entity": "db1", "source": "cron"});
        let close = json!({"alias": "d1", "action": "close"});
        let webhook =
            json!({"action": "Close", "alert": {"alertId": "9", "alias": "d1", "message": "Disk"}});
        for (body, is_over) in [(&create, false), (&close, true), (&webhook, true)] {
            let Some(SenderBody::Alert(alert)) = read(body) else {
                panic!("{body}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.common_key.as_str()),
                (is_over, "d1"),
                "{body}"
            );
        }
        let Some(SenderBody::Alert(plain)) = read(&json!({"message": "m", "responders": []}))
        else {
            panic!("a request");
        };
        assert_eq!(plain.severity, Some(Severity::Medium));
    }

    #[test]
    fn other_actions_are_noted_and_other_bodies_are_not_known() {
        for body in [
            json!({"alias": "d1", "action": "acknowledge"}),
            json!({"action": "AddNote", "alert": {"alertId": "9", "message": "Disk"}}),
        ] {
            assert!(matches!(read(&body), Some(SenderBody::Notice(_))), "{body}");
        }
        for body in [
            json!({"message": "m"}),
            json!({"alias": "d1"}),
            json!({"title": "t", "message": "m", "alias": "a"}),
        ] {
            assert!(read(&body).is_none(), "{body}");
        }
    }
}
