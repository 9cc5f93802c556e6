//! Items of Alertmanager in a body that lacks attributes of the webhook, as forwarders and older releases send them.

use serde_json::Value;

use super::SenderBody;
use crate::model::SeverityTable;
use crate::payload::fields::{at, has, text};

/// Recognises a list whose first item has labels, a state and a start. A full webhook is read before, without a tree.
pub(super) fn read(body: &Value, _: &SeverityTable) -> Option<SenderBody> {
    let items = at(body, &["alerts"])?.as_array()?;
    let is_item = |item: &Value| {
        item.get("labels").is_some_and(Value::is_object)
            && has(item, &["status"])
            && text(item, &["startsAt"]).is_some()
    };
    items
        .first()
        .is_some_and(is_item)
        .then_some(SenderBody::Webhook("Prometheus"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_need_labels_a_state_and_a_start() {
        let item =
            json!({"labels": {"a": "b"}, "status": "firing", "startsAt": "2026-01-01T00:00:00Z"});
        assert!(read(&json!({"alerts": [item]}), &SeverityTable::default()).is_some());
        for name in ["labels", "status", "startsAt"] {
            let mut lacking = item.clone();
            lacking.as_object_mut().unwrap().remove(name);
            assert!(
                read(&json!({"alerts": [lacking]}), &SeverityTable::default()).is_none(),
                "{name}"
            );
        }
        assert!(read(&json!({"alerts": []}), &SeverityTable::default()).is_none());
    }
}
