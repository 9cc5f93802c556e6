//! Netdata: the webhook of its cloud, and the fields of an agent's notification script.

use serde_json::Value;

use super::{SenderAlert, SenderBody};
use crate::model::SeverityTable;
use crate::payload::fields::{first, has, owned, text, texts, time};
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Netdata";

/// Recognises an alert of a chart, or the reachability of a node.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let name = first(body, &["alert", "alarm", "name", "alert_name"]);
    let is_chart = has(body, &["chart"])
        && (has(body, &["severity"]) || has(body, &["status"]))
        && name.is_some();
    if !is_chart {
        return reachability(body, severities);
    }
    let word = first(body, &["severity", "status"])?;
    let state = state::parse(&word).unwrap_or(ReportedState::Firing);
    let hosts = texts(
        body.get("host")
            .or_else(|| body.get("hostname"))
            .or_else(|| body.get("node")),
    );
    let name = name?.into_owned();
    let alert = SenderAlert {
        tool: TOOL,
        description: owned(body, &["message", "info"]),
        severity: severities.of_sender(&word),
        service: owned(body, &["chart"]),
        key: [
            vec![
                name.clone(),
                owned(body, &["chart"]),
                owned(body, &["context"]),
                owned(body, &["space"]),
            ],
            hosts.clone(),
        ]
        .concat(),
        title: name,
        hosts,
        ..SenderAlert::default()
    };
    Some(
        alert
            .dated(
                state,
                time(body, &["date"]).or_else(|| time(body, &["when"])),
            )
            .into_body(),
    )
}

fn reachability(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let status = body
        .get("status")
        .filter(|status| has(status, &["reachable"]))?;
    let host = text(body, &["host"])?.into_owned();
    let is_up = status
        .get("reachable")
        .and_then(Value::as_bool)
        .unwrap_or_default();
    let word = owned(body, &["severity"]);
    let alert = SenderAlert {
        tool: TOOL,
        title: format!("{host} is unreachable"),
        description: owned(body, &["message"]),
        severity: severities.of_sender(&word).filter(|_| !is_up),
        key: vec!["reachability".to_owned(), host.clone()],
        hosts: vec![host],
        ..SenderAlert::default()
    };
    Some(
        alert
            .dated(
                if is_up {
                    ReportedState::Over
                } else {
                    ReportedState::Firing
                },
                None,
            )
            .into_body(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;
    use serde_json::json;

    #[test]
    fn a_chart_fires_and_clears() {
        let of = |severity: &str| {
            read(
                &json!({"message": "m", "alert": "ram_usage", "info": "i", "chart": "system.ram", "context": "c", "space": "s",
                "severity": severity, "date": "2026-11-25T03:00:00Z", "duration": "5m"}),
                &SeverityTable::default(),
            )
        };
        for (word, is_over, severity) in [
            ("critical", false, Severity::Critical),
            ("warning", false, Severity::Low),
            ("clear", true, Severity::Info),
        ] {
            let Some(SenderBody::Alert(alert)) = of(word) else {
                panic!("{word}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.severity),
                (is_over, Some(severity)),
                "{word}"
            );
            assert_eq!(alert.title, "ram_usage");
        }
    }

    #[test]
    fn a_node_is_reachable_or_not() {
        for reachable in [false, true] {
            let body = json!({"message": "m", "host": "a", "severity": "critical", "status": {"reachable": reachable, "text": "t"}});
            let Some(SenderBody::Alert(alert)) = read(&body, &SeverityTable::default()) else {
                panic!("{body}");
            };
            assert_eq!(alert.end.is_some(), reachable);
        }
    }
}
