//! Grafana's older alerting, until release 8: one rule of one panel.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{has, owned, text, texts};
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Grafana";

/// Recognises a rule with its state.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let is_rule =
        has(body, &["ruleName", "state"]) && (has(body, &["ruleId"]) || has(body, &["ruleUrl"]));
    let word = text(body, &["state"]).filter(|_| is_rule)?;
    let state = state::parse(&word).unwrap_or(ReportedState::Firing);
    if state == ReportedState::Noted {
        return Some(noted(TOOL, &word));
    }
    let tag = ["severity", "sev", "priority"]
        .into_iter()
        .find_map(|name| text(body, &["tags", name]));
    let metric = |item: &Value| text(item, &["metric"]).map(std::borrow::Cow::into_owned);
    let metrics = body.get("evalMatches").and_then(Value::as_array);
    let description = Some(owned(body, &["message"])).filter(|text| !text.is_empty());
    let matches = || {
        metrics.map(|items| {
            items
                .iter()
                .filter_map(metric)
                .take(20)
                .collect::<Vec<_>>()
                .join(", ")
        })
    };
    let alert = SenderAlert {
        tool: TOOL,
        title: owned(body, &["title", "ruleName"]),
        description: description.or_else(matches).unwrap_or_default(),
        severity: tag.and_then(|word| severities.of_sender(&word)),
        hosts: texts(
            body.get("tags")
                .and_then(|tags| tags.get("host").or_else(|| tags.get("instance"))),
        ),
        key: vec![
            owned(body, &["ruleId", "ruleUrl"]),
            owned(body, &["orgId"]),
            owned(body, &["ruleName"]),
        ],
        ..SenderAlert::default()
    };
    Some(alert.dated(state, None).into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_fires_is_over_or_waits() {
        let of = |state: &str| {
            read(
                &json!({"ruleId": 1, "ruleName": "r", "ruleUrl": "https://g/1", "state": state}),
                &SeverityTable::default(),
            )
        };
        for (state, is_over) in [("alerting", false), ("no_data", false), ("ok", true)] {
            let Some(SenderBody::Alert(alert)) = of(state) else {
                panic!("{state}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.title.as_str()),
                (is_over, "r"),
                "{state}"
            );
        }
        for state in ["paused", "pending"] {
            assert!(matches!(of(state), Some(SenderBody::Notice(_))), "{state}");
        }
        assert!(
            read(
                &json!({"ruleName": "r", "title": "t"}),
                &SeverityTable::default()
            )
            .is_none()
        );
    }
}
