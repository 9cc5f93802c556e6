//! Opsgenie: the alert API, version 2, and the outgoing webhook.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{has, owned, text, time};
use crate::rules::severity;
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Opsgenie";

/// Recognises a request to create an alert by its message and the names that only this API uses, or an action on an alert.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    if body
        .get("alert")
        .is_some_and(|alert| has(alert, &["alertId", "message"]))
    {
        return webhook(body, severities);
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
    let action = text(body, &["action"]).or_else(|| text(body, &["status"]));
    let action = action.unwrap_or_default().to_ascii_lowercase();
    let state = match action.as_str() {
        "" | "create" => ReportedState::Firing,
        word => state::parse(word).unwrap_or(ReportedState::Noted),
    };
    Some(in_state(body, state, &action, severities))
}

fn webhook(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let action = owned(body, &["action"]).to_ascii_lowercase();
    let state = match action.as_str() {
        "create" | "" => ReportedState::Firing,
        "close" | "delete" | "resolve" => ReportedState::Over,
        _ => ReportedState::Noted,
    };
    Some(in_state(body.get("alert")?, state, &action, severities))
}

fn in_state(
    alert: &Value,
    state: ReportedState,
    action: &str,
    severities: &SeverityTable,
) -> SenderBody {
    if state == ReportedState::Noted && action != "acknowledge" {
        return noted(TOOL, action);
    }
    let entity = owned(alert, &["entity"]);
    let priority = text(alert, &["priority"]);
    let alias = owned(alert, &["alias", "alertId", "id"]);
    let read = SenderAlert {
        tool: TOOL,
        title: owned(alert, &["message"]),
        description: owned(alert, &["description"]),
        // The API's default priority is P3.
        severity: severities.of_sender(priority.as_deref().unwrap_or("P3")),
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
    if state == ReportedState::Noted {
        return SenderBody::Acknowledgement(Box::new(read));
    }
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
            let Some(SenderBody::Alert(alert)) = read(body, &SeverityTable::default()) else {
                panic!("{body}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.common_key.as_str()),
                (is_over, "d1"),
                "{body}"
            );
        }
        let Some(SenderBody::Alert(plain)) = read(
            &json!({"message": "m", "responders": []}),
            &SeverityTable::default(),
        ) else {
            panic!("a request");
        };
        assert_eq!(plain.severity, Some(Severity::Medium));
    }

    #[test]
    fn other_actions_are_noted_and_other_bodies_are_not_known() {
        let acknowledged = read(
            &json!({"alias": "d1", "action": "acknowledge"}),
            &SeverityTable::default(),
        );
        let Some(SenderBody::Acknowledgement(alert)) = acknowledged else {
            panic!("an acknowledgement");
        };
        assert_eq!(alert.common_key, "d1");
        for body in [
            json!({"alias": "d1", "action": "unacknowledge"}),
            json!({"action": "AddNote", "alert": {"alertId": "9", "message": "Disk"}}),
        ] {
            assert!(
                matches!(
                    read(&body, &SeverityTable::default()),
                    Some(SenderBody::Notice(_))
                ),
                "{body}"
            );
        }
        for body in [
            json!({"message": "m"}),
            json!({"alias": "d1"}),
            json!({"title": "t", "message": "m", "alias": "a"}),
        ] {
            assert!(read(&body, &SeverityTable::default()).is_none(), "{body}");
        }
    }
}
