//! The edge as these tests play it: one endpoint, one time of arrival.

use alert_intake::model::{Delivery, IncomingAlert, Source};
use alert_intake::payload::{ParseContext, parse};
use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde_json::{Value, json};

/// When every body of these tests arrives: after the captured bodies were sent.
pub(crate) const ARRIVAL: &str = "2026-11-20T13:00:00.000Z";

/// The time with this text.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// What the edge knows of a POST: the service calls itself "acme".
pub(crate) fn context() -> ParseContext {
    let (project, endpoint) = (ProjectId::new(7), IntegrationId::new(3));
    let mut context = ParseContext::from_parts(project, endpoint, at(ARRIVAL), [9; 16]);
    context.service_word = "acme".to_owned();
    context
}

/// Reads a body of the generic endpoint that holds one alert.
pub(crate) fn generic(body: &str) -> IncomingAlert {
    let mut delivery = delivery(body, Source::Generic);
    assert_eq!(delivery.alerts.len(), 1, "{body}");
    delivery.alerts.remove(0)
}

/// Reads a body.
pub(crate) fn delivery(body: &str, source: Source) -> Delivery {
    parse(body.as_bytes(), source, &context()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Reads a body as the edge does.
pub(crate) fn receive(body: &[u8], source: Source) -> Result<Delivery, ApiError> {
    Ok(parse(body, source, &context())?)
}

/// A metrics webhook with these items.
pub(crate) fn webhook(alerts: &Value) -> Value {
    json!({
        "version": "4",
        "groupKey": "{}:{alertname=\"Up\"}",
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "hook",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example:9093",
        "alerts": alerts,
    })
}

/// Reads a webhook with these items.
pub(crate) fn metrics(alerts: &Value) -> Delivery {
    delivery(&webhook(alerts).to_string(), Source::Metrics)
}

/// The item with what each needs, where it has none: a start, and a title where nobody takes it for a part of the
/// identity when there are labels.
pub(crate) fn whole(alert: &Value) -> Value {
    let mut alert = alert.clone();
    let named = |alert: &Value, of: &str, name: &str| !alert[of][name].is_null();
    if alert.get("startsAt").is_none() {
        alert["startsAt"] = json!(ARRIVAL);
    }
    let has_title = named(&alert, "annotations", "title")
        || named(&alert, "annotations", "summary")
        || named(&alert, "labels", "alertname");
    if !has_title {
        if !alert["annotations"].is_object() {
            alert["annotations"] = json!({});
        }
        alert["annotations"]["title"] = json!("Untitled");
    }
    alert
}

/// Reads a webhook with this one item, made whole.
pub(crate) fn item(alert: &Value) -> IncomingAlert {
    let mut delivery = metrics(&json!([whole(alert)]));
    assert_eq!(delivery.alerts.len(), 1, "{alert}");
    delivery.alerts.remove(0)
}
