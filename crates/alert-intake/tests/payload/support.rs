//! The HTTP layer as simulated by these tests: one endpoint, one arrival time.

use alert_intake::model::{Delivery, IncomingAlert, Source};
use alert_intake::payload::{ParseContext, parse};
use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde_json::{Value, json};

/// Arrival time of every body in these tests: after the captured bodies were sent.
pub(crate) const ARRIVAL: &str = "2026-11-20T13:00:00.000Z";

/// Parses a time.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// Returns the context of a POST, with the service word "acme".
pub(crate) fn context() -> ParseContext {
    let (project, endpoint) = (ProjectId::new(7), IntegrationId::new(3));
    let mut context = ParseContext::from_parts(project, endpoint, at(ARRIVAL), [9; 16]);
    context.service_word = "acme".to_owned();
    context
}

/// Parses a body of the generic endpoint that holds one alert.
pub(crate) fn generic(body: &str) -> IncomingAlert {
    let mut delivery = delivery(body, Source::Generic);
    assert_eq!(delivery.alerts.len(), 1, "{body}");
    delivery.alerts.remove(0)
}

/// Parses a body.
pub(crate) fn delivery(body: &str, source: Source) -> Delivery {
    parse(body.as_bytes(), source, &context()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Parses a body as the HTTP layer does.
pub(crate) fn receive(body: &[u8], source: Source) -> Result<Delivery, ApiError> {
    Ok(parse(body, source, &context())?)
}

/// Creates a metrics webhook with these items.
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

/// Parses a webhook with these items.
pub(crate) fn metrics(alerts: &Value) -> Delivery {
    delivery(&webhook(alerts).to_string(), Source::Metrics)
}

/// Completes an item with a missing start or title. If there are labels, the title goes where it does not become part
/// of the identity.
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

/// Parses a webhook with this one item, completed.
pub(crate) fn item(alert: &Value) -> IncomingAlert {
    let mut delivery = metrics(&json!([whole(alert)]));
    assert_eq!(delivery.alerts.len(), 1, "{alert}");
    delivery.alerts.remove(0)
}
