//! Nagios and Icinga: the macros of a notification, as a form or an object, and the events of Icinga.

use std::borrow::Cow;

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::{Severity, SeverityTable};
use crate::payload::fields::{at, text_of};
use crate::rules::datetime;
use crate::rules::state::ReportedState;

/// Kinds of notifications that neither open nor end an alert.
const NOTED: [&str; 8] = [
    "acknowledgement",
    "custom",
    "downtimecancelled",
    "downtimeend",
    "downtimestart",
    "flappingdisabled",
    "flappingstart",
    "flappingstop",
];

/// Macros of a notification, by their names in lower case, without `_`, `$` and the prefix of the program.
struct Macros<'v>(Vec<(String, &'v Value)>);

impl<'v> Macros<'v> {
    fn of(body: &'v Value) -> Option<Self> {
        let fields = body.as_object()?;
        let known = fields
            .iter()
            .take(200)
            .map(|(name, value)| (macro_name(name), value));
        Some(Self(known.collect()))
    }

    fn first(&self, names: &[&str]) -> Option<Cow<'v, str>> {
        let lookup = |name: &&str| self.0.iter().find(|(known, _)| known == name);
        names
            .iter()
            .filter_map(lookup)
            .find_map(|(_, value)| text_of(value))
    }
}

fn macro_name(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let lower: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let bare = lower
        .strip_prefix("nagios")
        .or_else(|| lower.strip_prefix("icinga"));
    bare.filter(|rest| !rest.is_empty())
        .unwrap_or(&lower)
        .to_owned()
}

/// Recognises the kind of a notification together with a host, or an Icinga event about a host or a service.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let macros = Macros::of(body)?;
    let host = macros.first(&["hostname", "hostdisplayname", "hostalias", "host"])?;
    let service = macros.first(&[
        "servicedesc",
        "servicename",
        "servicedisplayname",
        "service",
    ]);
    let kind = macros
        .first(&["notificationtype"])
        .or_else(|| macros.first(&["type"]).filter(|kind| is_kind(kind)));
    let check = body.get("check_result").filter(|check| check.is_object());
    let tool = tool_of(body, check.is_some());
    let by_kind = if service.is_some() {
        ["servicestate", "state"]
    } else {
        ["hoststate", "state"]
    };
    let number = check
        .and_then(|check| at(check, &["state"]))
        .and_then(text_of);
    let state = macros.first(&by_kind).or(number);
    let kind = match kind {
        Some(kind) => kind.to_ascii_lowercase(),
        // An event of Icinga's stream says only the new state.
        None if check.is_some()
            || macros
                .first(&["checkcommand", "perfdata", "statetype"])
                .is_some() =>
        {
            String::new()
        }
        None => return None,
    };
    let kind: String = kind.chars().filter(char::is_ascii_alphanumeric).collect();
    if NOTED.contains(&kind.as_str()) {
        return Some(noted(tool, &kind));
    }
    let is_over =
        kind == "recovery" || (kind != "problem" && state.as_deref().is_some_and(is_good));
    let output = macros.first(&["serviceoutput", "hostoutput", "output", "text", "message"]);
    let output = output.or_else(|| {
        check
            .and_then(|check| at(check, &["output"]))
            .and_then(text_of)
    });
    let long = macros.first(&[
        "longdatetime",
        "datetime",
        "timet",
        "timestamp",
        "laststatechange",
    ]);
    let alert = SenderAlert {
        tool,
        title: service
            .as_ref()
            .map_or_else(|| host.to_string(), |service| format!("{host} {service}")),
        description: output.unwrap_or_default().into_owned(),
        severity: state
            .as_deref()
            .and_then(|state| severity_of(state, service.is_some(), severities)),
        key: vec![
            host.to_string(),
            service.as_deref().unwrap_or_default().to_owned(),
        ],
        service: service.unwrap_or_default().into_owned(),
        hosts: vec![host.into_owned()],
        ..SenderAlert::default()
    };
    let state = if is_over {
        ReportedState::Over
    } else {
        ReportedState::Firing
    };
    Some(
        alert
            .dated(state, long.and_then(|text| datetime::parse(&text)))
            .into_body(),
    )
}

/// True if a word is the kind of a notification.
fn is_kind(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "problem" | "recovery") || NOTED.contains(&word.as_str())
}

fn is_good(state: &str) -> bool {
    matches!(
        state.to_ascii_uppercase().as_str(),
        "OK" | "UP" | "0" | "0.0"
    )
}

/// Returns the severity of a state: a word, or a number as Icinga's events have it.
fn severity_of(state: &str, is_service: bool, severities: &SeverityTable) -> Option<Severity> {
    match (state, is_service) {
        ("1" | "1.0", true) => Some(Severity::Low),
        ("3" | "3.0", true) => Some(Severity::Unknown),
        ("1" | "1.0", false) | ("2" | "2.0", _) => Some(Severity::Critical),
        _ => severities.of_sender(state),
    }
}

fn tool_of(body: &Value, has_check: bool) -> &'static str {
    let is_icinga = |name: &String| {
        name.get(..6)
            .is_some_and(|start| start.eq_ignore_ascii_case("icinga"))
    };
    let names = body
        .as_object()
        .into_iter()
        .flatten()
        .any(|(name, _)| is_icinga(name));
    // Nagios has macros in capitals without `_`; the scripts of Icinga 2 write names of its objects.
    if names
        || has_check
        || body.get("host_display_name").is_some()
        || body.get("service_name").is_some()
    {
        "Icinga"
    } else {
        "Nagios"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn alert(body: &Value) -> Box<SenderAlert> {
        match read(body, &SeverityTable::default()) {
            Some(SenderBody::Alert(alert)) => alert,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn macros_of_hosts_and_services_are_known_in_any_spelling() {
        let of = |kind: &str, state: &str| {
            alert(
                &json!({"NAGIOS_NOTIFICATIONTYPE": kind, "NAGIOS_HOSTNAME": "db1", "NAGIOS_HOSTSTATE": state, "NAGIOS_HOSTOUTPUT": "o"}),
            )
        };
        let (down, up) = (of("PROBLEM", "DOWN"), of("RECOVERY", "UP"));
        assert_eq!(
            (down.title.as_str(), down.severity, down.tool),
            ("db1", Some(Severity::Critical), "Nagios")
        );
        assert!(down.end.is_none() && up.end.is_some());
        assert_eq!(down.key, up.key);
        let warned = alert(
            &json!({"notification_type": "PROBLEM", "host_name": "a", "service_name": "b", "service_state": "WARNING"}),
        );
        assert_eq!(
            (warned.severity, warned.tool, warned.title.as_str()),
            (Some(Severity::Low), "Icinga", "a b")
        );
    }

    #[test]
    fn events_of_icinga_have_numbers() {
        let event = |state: f64| json!({"type": "StateChange", "host": "a", "service": "b", "state": state, "check_result": {"output": "o"}});
        assert_eq!(alert(&event(3.0)).severity, Some(Severity::Unknown));
        assert!(alert(&event(0.0)).end.is_some());
    }

    #[test]
    fn other_kinds_are_noted_and_other_bodies_are_not_known() {
        let noted = read(
            &json!({"notificationtype": "ACKNOWLEDGEMENT", "hostname": "a"}),
            &SeverityTable::default(),
        );
        assert!(matches!(noted, Some(SenderBody::Notice(_))));
        for other in [
            json!({"host": "a", "service": "b", "state": "CRITICAL"}),
            json!({"notificationtype": "PROBLEM"}),
        ] {
            assert!(read(&other, &SeverityTable::default()).is_none(), "{other}");
        }
    }
}
