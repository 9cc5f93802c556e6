//! Datadog: the default payload of the webhooks integration, and the variables that people add to it.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{first, has, owned, texts, time};
use crate::rules::severity;
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Datadog";

/// Recognises the default payload, or a body with the transition of a monitor.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let is_default = has(body, &["event_type", "last_updated", "title"]) && has(body, &["org"]);
    let transition = first(body, &["alert_transition", "alertTransition", "transition"]);
    let has_title = first(body, &["title", "event_title", "alert_title"]).is_some();
    let has_transition = transition.is_some() && has_title;
    if !is_default && !has_transition {
        return None;
    }
    let title = owned(body, &["alert_title", "title", "event_title"]);
    let (marks, rest) = marks_of(&title);
    let word = transition.map(std::borrow::Cow::into_owned).or_else(|| {
        marks
            .iter()
            .find(|mark| state::parse(mark).is_some())
            .cloned()
    });
    let kind = first(body, &["alert_type", "alertType"]);
    let ends = kind
        .as_deref()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("success"));
    let parsed = word.as_deref().and_then(state::parse);
    let state = if ends {
        ReportedState::Over
    } else {
        parsed.unwrap_or(ReportedState::Firing)
    };
    if state == ReportedState::Noted {
        return Some(noted(TOOL, word.as_deref().unwrap_or_default()));
    }
    let priority = first(body, &["alert_priority", "priority"]).map(std::borrow::Cow::into_owned);
    let priority = priority.or_else(|| {
        marks
            .iter()
            .find(|mark| severity::is_priority(mark))
            .cloned()
    });
    let severity = priority.and_then(|word| severities.of_sender(&word));
    let of_state = || word.as_deref().and_then(|word| severities.of_sender(word));
    let of_kind = || kind.as_deref().and_then(|word| severities.of_sender(word));
    let group = owned(body, &["aggreg_key", "aggregation_key", "alert_cycle_key"]);
    let monitor = owned(body, &["alert_id", "monitor_id"]);
    let scope = owned(body, &["alert_scope", "scope", "hostname", "host"]);
    let key = match (group.is_empty(), monitor.is_empty()) {
        (false, _) => vec![group],
        (true, false) => vec![monitor, scope],
        (true, true) => vec![rest.clone(), scope],
    };
    let alert = SenderAlert {
        tool: TOOL,
        title: if rest.is_empty() { title } else { rest },
        description: owned(body, &["body", "event_msg", "text", "message"]),
        severity: severity.or_else(of_state).or_else(of_kind),
        hosts: texts(body.get("hostname").or_else(|| body.get("host"))),
        service: owned(body, &["service"]),
        key,
        ..SenderAlert::default()
    };
    Some(
        alert
            .dated(
                state,
                time(body, &["last_updated"]).or_else(|| time(body, &["date"])),
            )
            .into_body(),
    )
}

/// Splits `[P1] [Triggered on {host:web-1}] CPU is high` into the marks before the title and the title, which keeps the
/// group: `CPU is high on {host:web-1}`.
fn marks_of(title: &str) -> (Vec<String>, String) {
    let (mut marks, mut rest, mut group) = (Vec::new(), title.trim(), None);
    while let Some((mark, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let (state, on) = mark
            .split_once(" on ")
            .map_or((mark, None), |(state, on)| (state, Some(on)));
        if state::parse(state).is_none() && !severity::is_priority(state) {
            break;
        }
        group = group.or(on);
        marks.push(state.to_owned());
        rest = after.trim_start();
    }
    let rest = group.map_or_else(|| rest.to_owned(), |group| format!("{rest} on {group}"));
    (marks, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;
    use serde_json::json;

    fn read_title(title: &str) -> Box<SenderAlert> {
        let body = json!({"body": "b", "last_updated": "1764039600000", "event_type": "query_alert_monitor", "title": title,
            "date": "1764039600000", "org": {"id": "1", "name": "acme"}, "id": title.len()});
        match read(&body, &SeverityTable::default()) {
            Some(SenderBody::Alert(alert)) => alert,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_default_payload_has_its_state_in_the_title() {
        let fired = read_title("[P2] [Triggered on {host:web-1}] CPU is high");
        let again = read_title("[P2] [Re-Triggered on {host:web-1}] CPU is high");
        let ended = read_title("[P2] [Recovered on {host:web-1}] CPU is high");
        assert_eq!(fired.title, "CPU is high on {host:web-1}");
        assert_eq!(fired.severity, Some(Severity::High));
        assert!(fired.end.is_none() && again.end.is_none() && ended.end.is_some());
        assert_eq!((&fired.key, &fired.key), (&again.key, &ended.key));
        assert_eq!(read_title("[Warn] Disk").severity, Some(Severity::Low));
        assert_eq!(read_title("[web] Disk").title, "[web] Disk");
    }

    #[test]
    fn variables_that_people_add_count_first() {
        let of = |transition: &str| {
            read(
                &json!({"title": "CPU", "alert_transition": transition, "alert_id": "7", "hostname": "web-1", "alert_type": "error"}),
                &SeverityTable::default(),
            )
        };
        for (transition, is_over) in [
            ("Triggered", false),
            ("No Data", false),
            ("Recovered", true),
        ] {
            let Some(SenderBody::Alert(alert)) = of(transition) else {
                panic!("{transition}");
            };
            assert_eq!(
                (alert.end.is_some(), &*alert.key),
                (is_over, &["7".to_owned(), "web-1".to_owned()][..])
            );
        }
    }
}
