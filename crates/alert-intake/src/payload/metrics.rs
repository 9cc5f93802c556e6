//! Webhook of a metrics-alerting system: Alertmanager's payload, version 4.

mod posted;
mod shape;

use std::fmt;

use api_conventions::time::Timestamp;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::environment;
use super::item::{ParsedAlert, note, timestamp};
use super::items;
use super::lenient::{FieldName, IgnoredValue, LenientValue, TextMap};
use super::{ParseContext, PayloadError, refuse};
use crate::model::{AlertIdentity, IncomingAlert, SenderContext, Source};
use crate::rules::exact::ExactJson;
use crate::rules::identity;
use crate::rules::text::cut;

pub use posted::RESOLVE_TIMEOUT;
pub(super) use posted::read_posted;
pub(super) use shape::ShapeCheck;

/// Monitoring tool of the items of a webhook.
pub(super) const TOOL: &str = "Prometheus";

/// Parses a body.
pub(super) fn read(
    text: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<Vec<IncomingAlert>, PayloadError> {
    let webhook: Webhook<'_> = serde_json::from_str(text).map_err(|error| refuse(text, error))?;
    webhook.shape.check()?;
    webhook.read(
        ItemSource {
            tool: TOOL,
            stores_end: true,
        },
        context,
        sender,
    )
}

/// Parses the items of a body that a recogniser knows as a webhook of `tool`, whatever attributes it lacks.
pub(super) fn read_items(
    text: &str,
    tool: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<Vec<IncomingAlert>, PayloadError> {
    let webhook: Webhook<'_> = serde_json::from_str(text).map_err(|error| refuse(text, error))?;
    webhook.read(
        ItemSource {
            tool,
            stores_end: false,
        },
        context,
        sender,
    )
}

/// Parses a list of items, as Prometheus posts them to an Alertmanager. A list whose first item has no labels is not such
/// a list.
pub(super) fn read_list(
    text: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<Vec<IncomingAlert>, PayloadError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| refuse(text, error))?;
    let first = items::up_to(context.max_alerts)
        .read(raw)
        .map_err(PayloadError::Malformed)?;
    let items = first.ok_or(PayloadError::TooManyAlerts(context.max_alerts))?;
    let has_labels = |item: &&RawValue| {
        serde_json::from_str::<WebhookAlert<'_>>(item.get())
            .is_ok_and(|item| !item.labels.sorted().is_empty())
    };
    if !items.first().is_some_and(has_labels) {
        return Err(PayloadError::NotAnObject);
    }
    note(
        &mut sender.notes,
        "recognised as a list of alerts of Prometheus",
    );
    read_all(
        items,
        ItemSource {
            tool: TOOL,
            stores_end: false,
        },
        context,
        sender,
    )
}

impl Webhook<'_> {
    fn read(
        &self,
        source: ItemSource<'_>,
        context: &ParseContext,
        sender: &mut SenderContext,
    ) -> Result<Vec<IncomingAlert>, PayloadError> {
        sender.group_key = self.group_key.text().map(|key| cut(key, 1000));
        let truncated = self
            .truncated_alerts
            .text()
            .and_then(|text| text.parse().ok());
        sender.truncated_alerts = truncated.unwrap_or(0_i64).max(0);
        let items = self.items(context.max_alerts, &mut sender.notes)?;
        read_all(items, source, context, sender)
    }
}

/// Parses items. One that is not an object, or lacks a title or a start, is skipped and noted.
fn read_all(
    items: Vec<&RawValue>,
    source: ItemSource<'_>,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<Vec<IncomingAlert>, PayloadError> {
    let mut alerts = Vec::with_capacity(items.len());
    for (position, raw) in items.into_iter().enumerate() {
        let place = ItemPlace {
            raw: raw.get(),
            position,
            source,
        };
        let read = match serde_json::from_str::<WebhookAlert<'_>>(raw.get()) {
            Ok(item) => item.read(place, context, &mut sender.notes),
            Err(error) if !error.is_data() => return Err(PayloadError::Malformed(error)),
            Err(_) => Err("is not an object"),
        };
        match read {
            Ok(alert) => alerts.push(alert),
            Err(lack) => {
                sender.skipped_alerts += 1;
                note(
                    &mut sender.notes,
                    &format!("an item of alerts {lack}; it was skipped"),
                );
            }
        }
    }
    Ok(alerts)
}

/// Sender of items.
#[derive(Clone, Copy)]
struct ItemSource<'t> {
    tool: &'t str,
    /// True for a webhook of the specification, whose ends are stored even without an open alert.
    stores_end: bool,
}

/// An item's text, its position in the list, and its sender.
#[derive(Clone, Copy)]
struct ItemPlace<'b> {
    raw: &'b str,
    position: usize,
    source: ItemSource<'b>,
}

#[derive(Default)]
struct Webhook<'b> {
    alerts: Option<&'b RawValue>,
    group_key: LenientValue<'b>,
    truncated_alerts: LenientValue<'b>,
    shape: ShapeCheck,
}

impl<'b> Webhook<'b> {
    /// Returns the items of `alerts`, unless there are more than `most`.
    fn items(
        &self,
        most: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<&'b RawValue>, PayloadError> {
        let items = self
            .alerts
            .map(|raw| items::up_to(most).read(raw))
            .and_then(Result::ok);
        let Some(items) = items else {
            note(notes, "alerts is not a list and was ignored");
            return Ok(Vec::new());
        };
        items.ok_or(PayloadError::TooManyAlerts(most))
    }
}

#[derive(Default)]
struct WebhookAlert<'b> {
    status: LenientValue<'b>,
    labels: TextMap<'b>,
    annotations: TextMap<'b>,
    starts_at: LenientValue<'b>,
    ends_at: LenientValue<'b>,
    fingerprint: LenientValue<'b>,
}

impl WebhookAlert<'_> {
    /// Returns the alert, or what the item lacks: a title and a start are required (`ALRT-04`). The start may be any
    /// text, even one that cannot be parsed.
    fn read(
        &self,
        place: ItemPlace<'_>,
        context: &ParseContext,
        notes: &mut Vec<String>,
    ) -> Result<IncomingAlert, &'static str> {
        let title = self
            .annotations
            .get("title")
            .or_else(|| self.annotations.get("summary"))
            .or_else(|| self.labels.get("alertname"))
            .ok_or(
                "has no title: no title or summary in annotations, and no alertname in labels",
            )?;
        self.starts_at.text().ok_or("has no startsAt")?;
        let started_at = timestamp(&self.starts_at, "startsAt", notes);
        if started_at.is_none() {
            note(
                notes,
                "startsAt is not a timestamp; the time of receipt is used instead",
            );
        }
        let labels = self.labels.sorted();
        let found = ParsedAlert {
            identity: self.identity(place.raw, &labels, place.position, context),
            source: Source::Metrics,
            title: Some(title),
            description: self.annotations.get("description"),
            severity: context.severities().of_metrics(self.labels.get("severity")),
            service: None,
            monitoring_tool: Some(place.source.tool),
            hosts: Vec::new(),
            environment_name: environment::find(&context.service_word, |name| {
                self.labels.get(name)
            }),
            started_at,
            resolved_at: self.resolved_at(context.received_at, notes),
            stores_end: place.source.stores_end,
            payload: place.raw,
        };
        Ok(found.into_alert())
    }

    /// Returns the end of the alert, if it ended. A firing item carries an `endsAt` that means "never", or a future one
    /// that some forwarding senders put there; neither of them ends it.
    fn resolved_at(&self, received_at: Timestamp, notes: &mut Vec<String>) -> Option<Timestamp> {
        let ends_at = timestamp(&self.ends_at, "endsAt", notes);
        let says_resolved = self
            .status
            .text()
            .is_some_and(|status| status.eq_ignore_ascii_case("resolved"));
        if says_resolved {
            return Some(ends_at.unwrap_or(received_at));
        }
        ends_at.filter(|end| *end <= received_at)
    }

    fn identity(
        &self,
        raw: &str,
        labels: &[(&str, &str)],
        position: usize,
        context: &ParseContext,
    ) -> AlertIdentity {
        let scope = context.identity_scope();
        let fingerprint = || identity::of_fingerprint(scope, &self.fingerprint.texts());
        let payload = || {
            let payload = ExactJson::parse(raw).ok()?;
            identity::of_item(scope, payload.tree())
        };
        identity::of_labels(scope, labels)
            .or_else(fingerprint)
            .or_else(payload)
            .unwrap_or_else(|| identity::unique(scope, &context.nonce, position))
    }
}

impl<'de> Deserialize<'de> for Webhook<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WebhookVisitor;

        impl<'de> Visitor<'de> for WebhookVisitor {
            type Value = Webhook<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut webhook = Webhook::default();
                while let Some(FieldName(name)) = map.next_key()? {
                    webhook.shape.key(&name);
                    match name.as_ref() {
                        "alerts" => webhook.alerts = Some(map.next_value()?),
                        "version" => webhook.shape.version(map.next_value()?),
                        "groupKey" => webhook.group_key = map.next_value()?,
                        "truncatedAlerts" => webhook.truncated_alerts = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredValue>()?;
                        }
                    }
                }
                Ok(webhook)
            }
        }

        deserializer.deserialize_map(WebhookVisitor)
    }
}

impl<'de> Deserialize<'de> for WebhookAlert<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor;

        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = WebhookAlert<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut item = WebhookAlert::default();
                while let Some(FieldName(name)) = map.next_key()? {
                    match name.as_ref() {
                        "status" => item.status = map.next_value()?,
                        "labels" => item.labels = map.next_value()?,
                        "annotations" => item.annotations = map.next_value()?,
                        "startsAt" => item.starts_at = map.next_value()?,
                        "endsAt" => item.ends_at = map.next_value()?,
                        "fingerprint" => item.fingerprint = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredValue>()?;
                        }
                    }
                }
                Ok(item)
            }
        }

        deserializer.deserialize_map(ItemVisitor)
    }
}
