//! Alerts as Prometheus, and rulers like it, post them to an Alertmanager (`POST /api/v2/alerts`).
//!
//! An alert ends at its `endsAt` unless it is posted again before, so a sender that dies leaves no alert open.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api_conventions::time::Timestamp;
use serde_json::value::RawValue;

use super::{TOOL, WebhookAlert};
use crate::model::{AlertExpiry, IncomingAlert, SenderContext, Source};
use crate::payload::item::{DEFAULT_TITLE, ParsedAlert, note, timestamp};
use crate::payload::{BodyAlerts, ParseContext, PayloadError, environment, items, refuse};
use crate::rules::identity;

/// Seconds after which an alert that was posted without `endsAt` ends (Alertmanager's `resolve_timeout`).
pub const RESOLVE_TIMEOUT: i64 = 300;

/// Parses a list of alerts. One that is invalid is skipped, counted and noted.
pub(in crate::payload) fn read_posted(
    text: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<BodyAlerts, PayloadError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| refuse(text, error))?;
    let items = items::up_to(context.max_alerts)
        .read(raw)
        .map_err(|_| PayloadError::NotAList)?;
    let items = items.ok_or(PayloadError::TooManyAlerts(context.max_alerts))?;
    let mut read = BodyAlerts::default();
    for (position, raw) in items.into_iter().enumerate() {
        let item = match serde_json::from_str::<WebhookAlert<'_>>(raw.get()) {
            Ok(item) => item.posted(raw.get(), context, &mut sender.notes),
            Err(error) if !error.is_data() => return Err(PayloadError::Malformed(error)),
            Err(_) => Err("is not an object"),
        };
        match item {
            Ok((alert, expires_at)) => {
                read.expiries
                    .extend(expires_at.map(|expires_at| AlertExpiry {
                        project_id: context.project_id,
                        identity: alert.identity,
                        integration_id: context.integration_id,
                        expires_at,
                    }));
                read.alerts.push(alert);
            }
            Err(lack) => {
                sender.skipped_alerts += 1;
                let text = format!("the alert at position {position} {lack}; it was skipped");
                note(&mut sender.notes, &text);
            }
        }
    }
    Ok(read)
}

impl WebhookAlert<'_> {
    /// Returns the alert, and its end if that is still to come.
    fn posted(
        &self,
        raw: &str,
        context: &ParseContext,
        notes: &mut Vec<String>,
    ) -> Result<(IncomingAlert, Option<Timestamp>), &'static str> {
        let mut labels = self.labels.sorted();
        labels.retain(|(_, value)| !value.is_empty());
        let identity = identity::of_labels(context.identity_scope(), &labels)
            .ok_or("needs a label with a value")?;
        let now = context.received_at;
        let starts_at = timestamp(&self.starts_at, "startsAt", notes);
        let ends_at = timestamp(&self.ends_at, "endsAt", notes);
        if starts_at
            .zip(ends_at)
            .is_some_and(|(start, end)| start > end)
        {
            return Err("has a startsAt after its endsAt");
        }
        let started_at = starts_at.or(ends_at).unwrap_or(now).min(now);
        let ends_at = ends_at.unwrap_or_else(|| now.plus_seconds(RESOLVE_TIMEOUT));
        let (resolved_at, expires_at) = if ends_at <= now {
            (Some(ends_at), None)
        } else {
            (None, Some(ends_at))
        };
        let label = |name: &str| self.labels.get(name);
        let title = ["title", "summary"]
            .into_iter()
            .find_map(|name| self.annotations.get(name))
            .or_else(|| label("alertname"));
        let alert = ParsedAlert {
            identity,
            source: Source::Metrics,
            title: Some(title.unwrap_or(DEFAULT_TITLE)),
            description: self.annotations.get("description"),
            severity: context.severities().of_metrics(label("severity")),
            service: None,
            monitoring_tool: Some(TOOL),
            hosts: Vec::new(),
            environment_name: environment::find(&context.service_word, label),
            started_at: Some(started_at),
            resolved_at,
            stores_end: false,
            payload: &without_end(raw),
        };
        Ok((alert.into_alert(), expires_at))
    }
}

/// Returns an item without its end, which is another one in each report: the alert would look as if it had changed.
fn without_end(raw: &str) -> String {
    let fields = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(raw);
    let shortened = fields.and_then(|mut fields| {
        fields.remove("endsAt");
        serde_json::to_string(&fields)
    });
    shortened.unwrap_or_else(|_| raw.to_owned())
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{IntegrationId, ProjectId};
    use serde_json::{Value, json};

    use super::*;
    use crate::model::Delivery;
    use crate::payload::{DeliveryFormat, parse};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    fn posted(body: &Value) -> Result<Delivery, PayloadError> {
        let (project, endpoint) = (ProjectId::new(1), IntegrationId::new(2));
        let now = at("2026-01-01T12:00:00Z");
        let mut context = ParseContext::from_parts(project, endpoint, now, [0; 16]);
        context.format = DeliveryFormat::PostedAlerts;
        parse(body.to_string().as_bytes(), Source::Generic, &context)
    }

    #[test]
    fn ends_are_stated_or_follow_from_the_timeout() {
        let item = |times: Value| {
            let mut item = json!({"labels": {"alertname": "Up"}});
            item.as_object_mut()
                .unwrap()
                .extend(times.as_object().unwrap().clone());
            let delivery = posted(&json!([item])).unwrap();
            let alert = delivery.alerts.first().unwrap();
            let ends = delivery
                .expiries
                .first()
                .map(|it| it.expires_at.to_string());
            let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
            (
                text(alert.started_at).unwrap(),
                text(alert.resolved_at),
                ends,
            )
        };
        let text = |time: &str| at(time).to_string();
        let (early, now, later) = (
            text("2026-01-01T11:00:00Z"),
            text("2026-01-01T12:00:00Z"),
            text("2026-01-01T12:04:00Z"),
        );
        let timeout = text("2026-01-01T12:05:00Z");
        assert_eq!(item(json!({})), (now.clone(), None, Some(timeout.clone())));
        assert_eq!(
            item(json!({"startsAt": early, "endsAt": later})),
            (early.clone(), None, Some(later.clone()))
        );
        assert_eq!(
            item(json!({"startsAt": early, "endsAt": "0001-01-01T00:00:00Z"})),
            (early.clone(), None, Some(timeout))
        );
        assert_eq!(
            item(json!({"startsAt": early, "endsAt": now})),
            (early.clone(), Some(now.clone()), None)
        );
        assert_eq!(
            item(json!({"endsAt": early})),
            (early.clone(), Some(early), None)
        );
        assert_eq!(item(json!({"endsAt": later})), (now, None, Some(later)));
    }

    #[test]
    fn an_invalid_item_is_skipped_and_the_others_are_read() {
        let good = json!({"labels": {"a": "b", "empty": ""}, "status": "resolved"});
        let items = json!([
            good, 7, {}, {"labels": {"a": ""}},
            {"labels": {"a": "c"}, "startsAt": "2026-01-02T00:00:00Z", "endsAt": "2026-01-01T00:00:00Z"},
        ]);
        let delivery = posted(&items).unwrap();
        assert_eq!(delivery.alerts.len(), 1);
        assert_eq!(delivery.context.skipped_alerts, 4);
        assert_eq!(
            delivery.context.notes.len(),
            4,
            "{:?}",
            delivery.context.notes
        );
        let alert = delivery.alerts.first().unwrap();
        // The state is in `endsAt` alone.
        assert_eq!(
            (alert.title.as_str(), alert.resolved_at),
            (DEFAULT_TITLE, None)
        );
        let without_empty = posted(&json!([{"labels": {"a": "b"}}])).unwrap();
        assert_eq!(
            without_empty.alerts.first().unwrap().identity,
            alert.identity
        );
    }

    #[test]
    fn a_repeat_with_a_later_end_says_nothing_new() {
        let report = |ends_at: &str, value: &str| {
            let item = json!({
                "labels": {"alertname": "Up", "id": "\u{e4}\"\\"},
                "annotations": {"value": value},
                "startsAt": "2026-01-01T11:00:00Z",
                "endsAt": ends_at,
            });
            posted(&json!([item])).unwrap().alerts.remove(0)
        };
        let first = report("2026-01-01T12:01:00Z", "1");
        let payload: Value = serde_json::from_str(&first.payload).unwrap();
        assert_eq!(payload["labels"]["id"], "\u{e4}\"\\");
        assert_eq!(payload.get("endsAt"), None);
        assert_eq!(report("2026-01-01T12:02:00Z", "1").report, first.report);
        assert_ne!(report("2026-01-01T12:01:00Z", "2").report, first.report);
    }

    #[test]
    fn only_a_list_is_read() {
        for body in [json!({}), json!({"alerts": []}), json!(null), json!("[]")] {
            assert!(
                matches!(posted(&body), Err(PayloadError::NotAList)),
                "{body}"
            );
        }
        assert!(posted(&json!([])).unwrap().alerts.is_empty());
    }
}
