//! Healthchecks: bodies that users write with its placeholders, by the customary names.

use serde_json::Value;

use super::{End, SenderAlert, SenderBody};
use crate::model::SeverityTable;
use crate::payload::fields::{first, has, owned, text, time};

/// Names that such a body has; a body with any other is of another sender.
const NAMES: [&str; 18] = [
    "body",
    "check",
    "check_name",
    "code",
    "description",
    "desc",
    "end_time",
    "key",
    "message",
    "monitoring_tool",
    "msg",
    "name",
    "now",
    "start_time",
    "status",
    "tags",
    "time",
    "url",
];

/// Recognises a name with the status `up` or `down`, beside a time or a code.
pub(super) fn read(body: &Value, _: &SeverityTable) -> Option<SenderBody> {
    let fields = body
        .as_object()
        .filter(|fields| fields.keys().all(|name| NAMES.contains(&name.as_str())))?;
    let dated = ["start_time", "end_time", "now", "code", "time"]
        .iter()
        .any(|name| fields.contains_key(*name));
    let name = first(body, &["name", "check_name", "check"]).filter(|_| dated)?;
    let is_up = match &*text(body, &["status"])? {
        "up" => true,
        "down" => false,
        _ => return None,
    };
    let at = |names: &[&str]| names.iter().find_map(|name| time(body, &[name]));
    let alert = SenderAlert {
        tool: "Healthchecks",
        title: name.into_owned(),
        description: owned(body, &["description", "desc", "message", "msg", "body"]),
        started_at: at(&["start_time", "now", "time"]).filter(|_| !is_up),
        end: is_up.then(|| End::of(at(&["end_time", "now", "time"]))),
        // The code of a check outlives its name.
        key: vec![owned(
            body,
            if has(body, &["code"]) {
                &["code"]
            } else {
                &["name", "check_name", "check"]
            },
        )],
        ..SenderAlert::default()
    };
    Some(alert.into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_check_goes_down_and_up() {
        for (status, is_over) in [("down", false), ("up", true)] {
            let body = json!({"name": "backup", "code": "c", "status": status, "now": "2026-11-25T03:00:00+00:00"});
            let Some(SenderBody::Alert(alert)) = read(&body, &SeverityTable::default()) else {
                panic!("{body}");
            };
            assert_eq!(
                (alert.end.is_some(), alert.started_at.is_none()),
                (is_over, is_over)
            );
        }
        for other in [
            json!({"name": "a", "status": "down"}),
            json!({"name": "a", "status": "down", "now": "x", "title": "t"}),
            json!({"name": "a", "status": "firing", "now": "x"}),
        ] {
            assert!(read(&other, &SeverityTable::default()).is_none(), "{other}");
        }
    }
}
