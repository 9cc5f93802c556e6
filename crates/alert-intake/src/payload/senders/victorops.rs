//! The REST endpoint of `VictorOps`, now Splunk On-Call, whose form many tools send, and the events of Zenduty.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::SeverityTable;
use crate::payload::fields::{has, owned, text, time};
use crate::rules::state::{self, ReportedState};

/// Names of the fields of one of the two forms.
struct EntityForm {
    tool: &'static str,
    state: &'static str,
    titles: [&'static str; 2],
    description: &'static str,
}

const VICTOROPS: EntityForm = EntityForm {
    tool: "VictorOps",
    state: "message_type",
    titles: ["entity_display_name", "entity_id"],
    description: "state_message",
};

const ZENDUTY: EntityForm = EntityForm {
    tool: "Zenduty",
    state: "alert_type",
    titles: ["message", "entity_id"],
    description: "summary",
};

/// Recognises a message by its type and the entity that it is about.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let form = if has(body, &["message_type", "entity_id"]) {
        VICTOROPS
    } else if has(body, &["alert_type", "entity_id", "message"]) {
        ZENDUTY
    } else {
        return None;
    };
    let word = owned(body, &[form.state]).to_ascii_lowercase();
    if word == "info" && form.tool == VICTOROPS.tool {
        // An entry of the time line, which is about no problem.
        return Some(noted(form.tool, &word));
    }
    let state = state::parse(&word).unwrap_or(ReportedState::Firing);
    let alert = SenderAlert {
        tool: form.tool,
        title: owned(body, &form.titles),
        description: owned(body, &[form.description]),
        severity: severities.of_sender(&word),
        service: owned(body, &["service", "check"]),
        hosts: Some(owned(body, &["host_name", "hostname", "host"]))
            .filter(|host| !host.is_empty())
            .into_iter()
            .collect(),
        key: vec![owned(body, &["entity_id"])],
        ..SenderAlert::default()
    };
    if state == ReportedState::Noted {
        return Some(SenderBody::Acknowledgement(Box::new(alert)));
    }
    let at = ["state_start_time", "timestamp"];
    let at = at.iter().find(|name| text(body, &[name]).is_some());
    let at = at.and_then(|name| time(body, &[name]));
    Some(alert.dated(state, at).into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;
    use serde_json::json;

    fn message(message_type: &str) -> Option<SenderBody> {
        let body = json!({"message_type": message_type, "entity_id": "disk.db1", "entity_display_name": "Disk of db1",
            "state_message": "95 % full", "state_start_time": 1_764_400_000, "host_name": "db1"});
        read(&body, &SeverityTable::default())
    }

    #[test]
    fn an_entity_fires_recovers_and_is_acknowledged() {
        for (word, severity) in [
            ("CRITICAL", Some(Severity::Critical)),
            ("WARNING", Some(Severity::Low)),
        ] {
            let Some(SenderBody::Alert(alert)) = message(word) else {
                panic!("{word}");
            };
            assert_eq!((alert.severity, alert.end), (severity, None), "{word}");
            assert_eq!(
                (alert.title.as_str(), &*alert.key),
                ("Disk of db1", &["disk.db1".to_owned()][..])
            );
            assert!(alert.started_at.is_some());
        }
        let Some(SenderBody::Alert(alert)) = message("RECOVERY") else {
            panic!("an alert");
        };
        assert!(alert.end.is_some() && alert.key == ["disk.db1"]);
        assert!(matches!(
            message("ACKNOWLEDGEMENT"),
            Some(SenderBody::Acknowledgement(_))
        ));
        assert!(matches!(message("INFO"), Some(SenderBody::Notice(_))));
        assert!(
            read(
                &json!({"message_type": "CRITICAL"}),
                &SeverityTable::default()
            )
            .is_none()
        );
    }
}
