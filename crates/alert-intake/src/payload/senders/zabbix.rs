//! Zabbix: the webhook media type, whose script is the user's, with the customary names of macros.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::{End, SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{first, has, owned, text, texts};
use crate::rules::datetime;
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Zabbix";

/// Fields that only Zabbix has beside the id of an event.
const MARKS: [&str; 7] = [
    "event_nseverity",
    "event_opdata",
    "event_update_status",
    "event_value",
    "recovery_time",
    "trigger_id",
    "triggerid",
];

/// Recognises the id of an event together with another macro of Zabbix.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let id = macro_of(body, &["event_id", "eventid", "event.id"])?;
    if !MARKS.iter().any(|name| has(body, &[name])) {
        return None;
    }
    if macro_of(body, &["event_update_status"]).as_deref() == Some("1") {
        return Some(noted(TOOL, "an update of a problem"));
    }
    let subject = macro_of(body, &["subject", "alert_subject", "title"]).unwrap_or_default();
    let state = state_of(body, &subject);
    if state == ReportedState::Noted {
        return Some(noted(TOOL, &owned(body, &["status"])));
    }
    let name = macro_of(
        body,
        &["event_name", "trigger_name", "problem_name", "name"],
    );
    let word = macro_of(body, &["severity", "event_severity", "trigger_severity"]);
    let number = macro_of(body, &["event_nseverity"]);
    let by_number = || {
        number
            .as_deref()
            .and_then(|number| severities.of_zabbix_number(number))
    };
    let mut alert = SenderAlert {
        tool: TOOL,
        title: name.unwrap_or_else(|| without_prefix(&subject)),
        description: macro_of(body, &["message", "alert_message", "description"])
            .unwrap_or_default(),
        severity: word
            .as_deref()
            .and_then(|word| severities.of_sender(word))
            .or_else(by_number),
        hosts: texts(
            first(body, &["host", "host_name", "hostname"])
                .map(|host| Value::String(host.into_owned()))
                .as_ref(),
        ),
        key: vec![id],
        ..SenderAlert::default()
    };
    let start = moment(body, &["event_date"], &["event_time"]);
    if state == ReportedState::Over {
        let end = moment(
            body,
            &["recovery_date", "event_recovery_date", "event_date"],
            &["recovery_time", "event_recovery_time"],
        );
        alert.end = Some(End::of(
            end.filter(|end| start.is_none_or(|start| *end >= start)),
        ));
    } else {
        alert.started_at = start;
    }
    Some(alert.into_body())
}

/// Returns a field, unless it is a macro that Zabbix left unexpanded.
fn macro_of(body: &Value, names: &[&str]) -> Option<String> {
    let expanded = |name: &&str| {
        text(body, &[name]).filter(|text| !text.starts_with('{') && !text.starts_with("*UNKNOWN*"))
    };
    names
        .iter()
        .find_map(expanded)
        .map(std::borrow::Cow::into_owned)
}

fn state_of(body: &Value, subject: &str) -> ReportedState {
    let word = macro_of(body, &["status", "event_status", "trigger_status"])
        .and_then(|word| state::parse(&word));
    let value = macro_of(body, &["event_value"]).map(|value| match value.as_str() {
        "0" => ReportedState::Over,
        _ => ReportedState::Firing,
    });
    let prefix = || state::parse(subject.split(':').next().unwrap_or_default());
    word.or(value)
        .or_else(prefix)
        .unwrap_or(ReportedState::Firing)
}

/// Returns the subject without `Problem:` or `Resolved in 5m:`.
fn without_prefix(subject: &str) -> String {
    match subject.split_once(':') {
        Some((prefix, rest)) if state::parse(prefix).is_some() => rest.trim().to_owned(),
        _ => subject.to_owned(),
    }
}

/// Returns the time that Zabbix writes as a date with dots and a time of day, without a zone.
fn moment(body: &Value, dates: &[&str], times: &[&str]) -> Option<Timestamp> {
    let (date, time) = (macro_of(body, dates)?, macro_of(body, times)?);
    datetime::parse(&format!("{} {time}", date.replace('.', "-")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;
    use serde_json::json;

    #[test]
    fn the_value_of_an_event_is_its_state_and_an_update_is_noted() {
        let of = |value: &str| {
            read(
                &json!({"event_id": "1", "event_value": value, "event_name": "CPU", "event_nseverity": "5"}),
                &SeverityTable::default(),
            )
        };
        for (value, is_over) in [("1", false), ("0", true)] {
            let Some(SenderBody::Alert(alert)) = of(value) else {
                panic!("{value}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.severity),
                (is_over, Some(Severity::Critical))
            );
        }
        let update = read(
            &json!({"event_id": "1", "event_value": "1", "event_update_status": "1"}),
            &SeverityTable::default(),
        );
        assert!(matches!(update, Some(SenderBody::Notice(_))));
        assert!(
            read(
                &json!({"event_id": "1", "status": "PROBLEM"}),
                &SeverityTable::default()
            )
            .is_none()
        );
    }

    #[test]
    fn a_macro_without_value_is_absent() {
        let body = json!({"event_id": "1", "trigger_id": "2", "subject": "Resolved: CPU", "recovery_time": "{EVENT.RECOVERY.TIME}"});
        let Some(SenderBody::Alert(alert)) = read(&body, &SeverityTable::default()) else {
            panic!("an event");
        };
        assert_eq!(
            (alert.title.as_str(), alert.end),
            ("CPU", Some(End::Unstated))
        );
    }
}
