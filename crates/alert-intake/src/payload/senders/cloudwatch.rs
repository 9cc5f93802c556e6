//! Alarms of Amazon `CloudWatch`: the message of an SNS topic, and the event of `EventBridge`.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::{SenderAlert, SenderBody};
use crate::model::SeverityTable;
use crate::payload::fields::{at, first, has, owned, text, time};
use crate::rules::state::ReportedState;

const TOOL: &str = "Amazon CloudWatch";

/// Recognises an alarm by its name and its new state.
pub(super) fn read(body: &Value, _: &SeverityTable) -> Option<SenderBody> {
    if has(body, &["AlarmName", "NewStateValue"]) {
        let state = text(body, &["NewStateValue"])?;
        let alert = SenderAlert {
            description: owned(body, &["NewStateReason", "AlarmDescription"]),
            hosts: dimensions(at(body, &["Trigger", "Dimensions"])),
            service: text(body, &["Trigger", "Namespace"])
                .unwrap_or_default()
                .into_owned(),
            key: vec![
                owned(body, &["AlarmArn", "AlarmName"]),
                owned(body, &["AWSAccountId"]),
                owned(body, &["Region"]),
            ],
            ..named(body, &["AlarmName"])
        };
        return Some(in_state(alert, &state, time(body, &["StateChangeTime"])));
    }
    let detail = body
        .get("detail")
        .filter(|detail| has(detail, &["alarmName", "state"]))?;
    let state = text(detail, &["state", "value"])?;
    let alert = SenderAlert {
        description: text(detail, &["state", "reason"])
            .unwrap_or_default()
            .into_owned(),
        key: vec![
            owned(detail, &["alarmName"]),
            owned(body, &["account"]),
            owned(body, &["region"]),
        ],
        ..named(detail, &["alarmName"])
    };
    let at = time(detail, &["state", "timestamp"]).or_else(|| time(body, &["time"]));
    Some(in_state(alert, &state, at))
}

/// Starts an alert with the name of its alarm. An alarm has no severity.
fn named(alarm: &Value, names: &[&str]) -> SenderAlert {
    SenderAlert {
        tool: TOOL,
        title: owned(alarm, names),
        ..SenderAlert::default()
    }
}

fn in_state(alert: SenderAlert, state: &str, at: Option<Timestamp>) -> SenderBody {
    let state = if state.eq_ignore_ascii_case("OK") {
        ReportedState::Over
    } else {
        ReportedState::Firing
    };
    alert.dated(state, at).into_body()
}

fn dimensions(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array);
    let value = |item: &Value| first(item, &["value"]).map(std::borrow::Cow::into_owned);
    items
        .map(|items| items.iter().filter_map(value).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_the_alarm_of_its_detail() {
        let of = |state: &str| {
            let detail = json!({"alarmName": "cpu", "state": {"value": state, "reason": "r", "timestamp": "2026-11-25T03:00:00.000+0000"}});
            read(
                &json!({"source": "aws.cloudwatch", "account": "1", "region": "eu", "detail": detail}),
                &SeverityTable::default(),
            )
        };
        for (state, is_over) in [("ALARM", false), ("INSUFFICIENT_DATA", false), ("OK", true)] {
            let Some(SenderBody::Alert(alert)) = of(state) else {
                panic!("{state}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.started_at.is_none()),
                (is_over, is_over),
                "{state}"
            );
            assert_eq!(alert.key, ["cpu", "1", "eu"]);
        }
        assert!(read(&json!({"AlarmName": "cpu"}), &SeverityTable::default()).is_none());
    }
}
