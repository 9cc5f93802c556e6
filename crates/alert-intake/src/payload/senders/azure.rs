//! Azure Monitor's common alert schema.

use serde_json::Value;

use super::{SenderAlert, SenderBody};
use crate::model::SeverityTable;
use crate::payload::fields::{at, has, owned, text, texts, time};
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Azure Monitor";

/// Recognises the essentials of the schema.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let essentials = at(body, &["data", "essentials"]).or_else(|| body.get("essentials"))?;
    if !has(essentials, &["alertRule"]) && !has(essentials, &["monitorCondition"]) {
        return None;
    }
    let condition = text(essentials, &["monitorCondition"]);
    let state = condition
        .and_then(|word| state::parse(&word))
        .unwrap_or(ReportedState::Firing);
    let (from, to) = (
        time(essentials, &["firedDateTime"]),
        time(essentials, &["resolvedDateTime"]),
    );
    let targets = ["configurationItems", "alertTargetIDs"].map(|name| texts(essentials.get(name)));
    let [items, ids] = targets;
    let alert = SenderAlert {
        tool: TOOL,
        title: owned(essentials, &["alertRule", "description"]),
        description: owned(essentials, &["description"]),
        severity: text(essentials, &["severity"]).and_then(|word| severities.of_azure(&word)),
        service: owned(essentials, &["monitoringService", "targetResourceType"]),
        hosts: if items.is_empty() {
            last_parts(&ids)
        } else {
            items.clone()
        },
        // The id of a log alert is another one each time; rule and targets are the same.
        key: if ids.is_empty() {
            [vec![owned(essentials, &["alertRule"])], items].concat()
        } else {
            [vec![owned(essentials, &["alertRule"])], ids].concat()
        },
        ..SenderAlert::default()
    };
    Some(
        alert
            .dated(
                state,
                if state == ReportedState::Over {
                    to
                } else {
                    from
                },
            )
            .into_body(),
    )
}

/// Returns the last part of each resource id.
fn last_parts(ids: &[String]) -> Vec<String> {
    let last = |id: &String| {
        id.rsplit('/')
            .find(|part| !part.is_empty())
            .map(str::to_owned)
    };
    ids.iter().filter_map(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;
    use serde_json::json;

    fn essentials(condition: &str, severity: &str) -> Box<SenderAlert> {
        let body = json!({"schemaId": "azureMonitorCommonAlertSchema", "data": {"essentials": {
            "alertId": "/subscriptions/1/alerts/9", "alertRule": "cpu", "severity": severity, "monitorCondition": condition,
            "alertTargetIDs": ["/subscriptions/1/virtualmachines/web-1"],
            "firedDateTime": "2026-11-25T03:00:00.1234567Z", "resolvedDateTime": "2026-11-25T03:05:00Z"}}});
        match read(&body, &SeverityTable::default()) {
            Some(SenderBody::Alert(alert)) => alert,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_alert_opens_and_ends_by_rule_and_targets() {
        let (fired, resolved) = (essentials("Fired", "Sev1"), essentials("Resolved", "Sev1"));
        assert_eq!((fired.end, resolved.started_at), (None, None));
        assert!(fired.started_at.is_some() && resolved.end.is_some());
        assert_eq!(fired.key, resolved.key);
        assert_eq!(
            (&*fired.hosts, fired.severity),
            (&["web-1".to_owned()][..], Some(Severity::High))
        );
        assert!(
            read(
                &json!({"data": {"essentials": {}}}),
                &SeverityTable::default()
            )
            .is_none()
        );
    }
}
