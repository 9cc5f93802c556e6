//! New Relic: the default template of a workflow, and the webhook of the older channels.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{has, owned, text, texts, time};
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "New Relic";

/// Recognises an issue by its URL and state, or an incident by its URL, condition and state.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    if has(body, &["issueUrl", "state"]) || has(body, &["issueId", "state"]) {
        return issue(body, severities);
    }
    let is_incident = has(body, &["incident_id", "current_state"])
        && (has(body, &["condition_name"]) || has(body, &["policy_name"]));
    is_incident.then(|| incident(body, severities)).flatten()
}

fn issue(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let word = text(body, &["state"])?;
    let state = state::parse(&word).unwrap_or(ReportedState::Firing);
    if state == ReportedState::Noted {
        return Some(noted(TOOL, &word));
    }
    let time_of = |names: &[&str]| names.iter().find_map(|name| time(body, &[name]));
    let names = |name: &str| texts(body.get(name)).join(", ");
    let at = match state {
        ReportedState::Over => time_of(&["closedAt", "closed_at", "updatedAt"]),
        _ => time_of(&["activatedAt", "createdAt"]),
    };
    let title = owned(body, &["title", "issueTitle"]);
    let condition = names("alertConditionNames");
    let alert = SenderAlert {
        tool: TOOL,
        title: if title.is_empty() {
            condition.clone()
        } else {
            title
        },
        description: condition,
        severity: text(body, &["priority"]).and_then(|word| severities.of_sender(&word)),
        service: names("alertPolicyNames"),
        hosts: texts(body.get("impactedEntities")),
        key: vec![owned(body, &["id", "issueId", "issueUrl"])],
        ..SenderAlert::default()
    };
    Some(alert.dated(state, at).into_body())
}

fn incident(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let word = text(body, &["current_state"])?;
    let state = state::parse(&word).unwrap_or(ReportedState::Firing);
    if state == ReportedState::Noted {
        return Some(noted(TOOL, &word));
    }
    let alert = SenderAlert {
        tool: TOOL,
        title: owned(body, &["condition_name", "policy_name"]),
        description: owned(body, &["details"]),
        severity: text(body, &["severity"]).and_then(|word| severities.of_sender(&word)),
        service: owned(body, &["policy_name"]),
        hosts: texts(body.get("targets")),
        key: vec![owned(body, &["incident_id"])],
        ..SenderAlert::default()
    };
    Some(alert.dated(state, time(body, &["timestamp"])).into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn issues_and_incidents_open_and_end_by_their_ids() {
        let issue = |state: &str| {
            json!({"id": "i-1", "issueUrl": "https://nr/1", "title": "High CPU", "priority": "CRITICAL", "state": state,
                "impactedEntities": ["web-1"], "createdAt": 1_764_039_600_000_i64, "updatedAt": 1_764_039_900_000_i64})
        };
        let incident = |state: &str| {
            json!({"incident_id": 7, "condition_name": "High CPU", "policy_name": "p", "current_state": state,
                "targets": [{"name": "web-1"}], "timestamp": 1_764_039_600_000_i64})
        };
        for (body, is_over) in [
            (issue("ACTIVATED"), false),
            (issue("CREATED"), false),
            (issue("CLOSED"), true),
            (incident("open"), false),
            (incident("closed"), true),
        ] {
            let Some(SenderBody::Alert(alert)) = read(&body, &SeverityTable::default()) else {
                panic!("{body}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.title.as_str()),
                (is_over, "High CPU"),
                "{body}"
            );
            assert_eq!(alert.hosts, ["web-1"]);
        }
        assert!(matches!(
            read(&issue("ACKNOWLEDGED"), &SeverityTable::default()),
            Some(SenderBody::Notice(_))
        ));
        assert!(matches!(
            read(&incident("acknowledged"), &SeverityTable::default()),
            Some(SenderBody::Notice(_))
        ));
    }
}
