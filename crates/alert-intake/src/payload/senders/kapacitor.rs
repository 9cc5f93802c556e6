//! Kapacitor and `InfluxDB`: the level of a task.

use serde_json::Value;

use super::{SenderAlert, SenderBody};
use crate::model::SeverityTable;
use crate::payload::fields::{at, has, owned, text, texts, time};
use crate::rules::state::ReportedState;

/// Recognises the id and level of an alert beside its former level or its series.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let is_alert = has(body, &["id", "level", "message"])
        && (has(body, &["previousLevel"]) || has(body, &["recoverable"]));
    let level = text(body, &["level"]).filter(|_| is_alert)?;
    let is_over = level.eq_ignore_ascii_case("OK");
    let tags = at(body, &["data", "series"])
        .and_then(|series| series.get(0))
        .and_then(|series| series.get("tags"));
    let alert = SenderAlert {
        tool: "Kapacitor",
        title: owned(body, &["message", "id"]),
        description: owned(body, &["details"]),
        severity: severities.of_sender(&level),
        hosts: texts(tags.and_then(|tags| tags.get("host"))),
        key: vec![owned(body, &["id"])],
        ..SenderAlert::default()
    };
    let state = if is_over {
        ReportedState::Over
    } else {
        ReportedState::Firing
    };
    Some(alert.dated(state, time(body, &["time"])).into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_level_opens_and_ends_by_its_id() {
        for (level, is_over) in [("CRITICAL", false), ("OK", true)] {
            let body = json!({"id": "cpu:a", "message": "m", "level": level, "previousLevel": "OK", "time": "2026-11-25T03:00:00Z"});
            let Some(SenderBody::Alert(alert)) = read(&body, &SeverityTable::default()) else {
                panic!("{body}");
            };
            assert_eq!(
                (alert.end.is_some(), &*alert.key),
                (is_over, &["cpu:a".to_owned()][..])
            );
        }
        assert!(
            read(
                &json!({"id": 1, "level": "OK", "message": "m"}),
                &SeverityTable::default()
            )
            .is_none()
        );
    }
}
