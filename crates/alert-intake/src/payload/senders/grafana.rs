//! Grafana's unified alerting: the webhook of a contact point, version 1, whose items are those of Alertmanager.

use serde_json::Value;

use super::SenderBody;
use crate::model::SeverityTable;
use crate::payload::fields::{at, has, text};

/// Fields that Grafana adds to each item; Alertmanager has none of them.
const OF_ITEMS: [&str; 6] = [
    "dashboardURL",
    "orgId",
    "panelURL",
    "silenceURL",
    "valueString",
    "values",
];

/// Recognises a list of items with fields of Grafana, or Grafana's own summary beside the list.
pub(super) fn read(body: &Value, _: &SeverityTable) -> Option<SenderBody> {
    let items = at(body, &["alerts"])?.as_array()?;
    let is_item = |item: &Value| {
        has(item, &["labels"]) && OF_ITEMS.iter().any(|name| item.get(name).is_some())
    };
    let is_grafana = items.iter().take(1).any(is_item)
        || (has(body, &["orgId", "state", "title", "groupLabels"])
            && text(body, &["version"]).as_deref() != Some("4"));
    is_grafana.then_some(SenderBody::Webhook("Grafana"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_with_fields_of_grafana_are_recognised() {
        let item = |name: &str| json!({"alerts": [{"labels": {}, name: null}]});
        assert!(read(&item("silenceURL"), &SeverityTable::default()).is_some());
        let empty = json!({"alerts": [], "orgId": 1, "state": "ok", "title": "t", "groupLabels": {}, "version": "1"});
        assert!(read(&empty, &SeverityTable::default()).is_some());
        for other in [
            item("fingerprint"),
            json!({"alerts": 7, "orgId": 1}),
            json!({"orgId": 1, "title": "t"}),
        ] {
            assert!(read(&other, &SeverityTable::default()).is_none(), "{other}");
        }
    }
}
