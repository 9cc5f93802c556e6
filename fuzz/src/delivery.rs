//! Properties of the body of a POST of alerts, accepted or refused.

use alert_intake::model::{Delivery, IncomingAlert, SenderContext, Source};
use alert_intake::payload::{DeliveryFormat, ParseContext, PayloadError, parse};
use alert_intake::rules::details;
use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde_json::Value;

use crate::tree::stable;

/// Maximum number of notes on one receipt.
const MAX_NOTES: usize = 20;

fn context() -> ParseContext {
    let received_at = Timestamp::MIN.plus_seconds(63_900_000_000);
    let (project, endpoint) = (ProjectId::new(1), IntegrationId::new(2));
    let mut context = ParseContext::from_parts(project, endpoint, received_at, [7; 16]);
    context.service_word = "acme".to_owned();
    context
}

/// Parses a form as the HTTP layer does: either a short refusal, or alerts whose payloads are objects.
pub fn check_form(body: &[u8], format: DeliveryFormat) {
    let mut context = context();
    context.format = format;
    match parse(body, Source::Generic, &context) {
        Ok(delivery) => {
            check_context(&delivery.context);
            let payload = |alert: &IncomingAlert| serde_json::from_str::<Value>(&alert.payload);
            let mut payloads = delivery.alerts.iter().map(payload);
            assert!(payloads.all(|payload| payload.is_ok_and(|payload| payload.is_object())));
        }
        Err(error) => check_refusal(&ApiError::from(error)),
    }
}

/// Parses a body as the HTTP layer does, and checks the result.
pub fn check(body: &[u8], source: Source) {
    match parse(body, source, &context()) {
        Ok(delivery) => check_accepted(&delivery, body, source),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(
                source == Source::Metrics || !is_about_webhooks(&error),
                "{error}"
            );
            check_refusal(&ApiError::from(error));
        }
    }
}

fn is_about_webhooks(error: &PayloadError) -> bool {
    matches!(
        error,
        PayloadError::MissingAttribute(_) | PayloadError::WrongVersion
    )
}

fn check_refusal(error: &ApiError) {
    assert!(matches!(error.status(), 400 | 413 | 422), "{error}");
    let response = error
        .body()
        .get("error")
        .or_else(|| error.body().get("message"));
    assert!(
        response
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty()),
        "{error}"
    );
}

fn check_accepted(delivery: &Delivery, body: &[u8], source: Source) {
    assert_eq!(delivery.body_bytes, body.len());
    check_context(&delivery.context);
    for alert in &delivery.alerts {
        check_alert(alert, body);
    }
    let again = parse(body, source, &context()).map(|again| again.alerts);
    assert!(
        again.is_ok_and(|again| again == delivery.alerts),
        "the same body, the same alerts"
    );
    if let Some(tree) = stable(body) {
        check_alert_count(delivery, &tree);
        check_rewritten(delivery, &tree, source);
    }
}

fn check_context(context: &SenderContext) {
    let key = context.group_key.as_deref().unwrap_or_default();
    assert!(key.chars().count() <= 1000 && context.truncated_alerts >= 0);
    assert!(context.notes.len() <= MAX_NOTES);
    assert!(context.notes.iter().all(|note| !note.is_empty()));
}

fn check_alert(alert: &IncomingAlert, body: &[u8]) {
    let bounded = [
        (&*alert.title, 200),
        (&*alert.description, 1000),
        (&*alert.service, 100),
        (&*alert.monitoring_tool, 100),
        (alert.environment_name.as_deref().unwrap_or("-"), 255),
    ];
    for (text, bound) in bounded {
        assert!(
            text.chars().count() <= bound && !text.contains('\0'),
            "{text:?}"
        );
    }
    assert!(!alert.title.is_empty() && alert.environment_name.as_deref() != Some(""));
    let hosts: usize = alert.hosts.iter().map(|host| host.chars().count()).sum();
    assert!(
        hosts <= 255
            && alert
                .hosts
                .iter()
                .all(|host| !host.is_empty() && !host.contains('\0'))
    );
    for timestamp in [alert.started_at, alert.resolved_at].into_iter().flatten() {
        assert!(
            (Timestamp::MIN..=Timestamp::MAX).contains(&timestamp),
            "{timestamp:?}"
        );
        assert_eq!(
            Timestamp::from_micros(timestamp.as_micros()),
            Some(timestamp),
            "it can be stored"
        );
    }
    let payload = alert.payload.as_bytes();
    // A repaired payload has another spelling than the body.
    let is_sent = body
        .windows(payload.len().max(1))
        .any(|window| window == payload);
    assert!(is_sent || alert.payload.contains("\\ufffd") || stable(body).is_none());
    let shown = serde_json::from_str::<Value>(&alert.payload);
    assert!(
        shown.is_ok_and(|shown| shown.is_object()),
        "it can be shown later"
    );
    details::of(&alert.payload, alert.source, "acme");
}

/// Checks that no alert is lost or invented: a generic body is one alert, or none with a note that says why, and each
/// item of a webhook is one alert or is skipped.
fn check_alert_count(delivery: &Delivery, tree: &Value) {
    let items = tree.as_array().or_else(|| tree["alerts"].as_array());
    let items = items.map_or(0, Vec::len);
    let skipped = usize::try_from(delivery.context.skipped_alerts).unwrap_or_default();
    match delivery.alerts.first().map(|alert| alert.source) {
        Some(Source::Metrics) => assert_eq!(delivery.alerts.len(), items - skipped),
        Some(Source::Generic) => assert_eq!(delivery.alerts.len(), 1),
        None => assert!(skipped == items || !delivery.context.notes.is_empty()),
    }
}

/// Checks that the same data in another spelling gives the same alerts.
///
/// Two keys that name an environment are the exception: the last one in the body wins.
fn check_rewritten(delivery: &Delivery, tree: &Value, source: Source) {
    let text = serde_json::to_string_pretty(tree).unwrap_or_default();
    let one_environment = text.matches("_environment_name").count() < 2;
    let comparable = |alert: &IncomingAlert| IncomingAlert {
        payload: String::new(),
        environment_name: alert.environment_name.clone().filter(|_| one_environment),
        ..alert.clone()
    };
    let alerts = |delivery: &Delivery| -> Vec<IncomingAlert> {
        delivery.alerts.iter().map(comparable).collect()
    };
    match parse(text.as_bytes(), source, &context()) {
        Ok(rewritten) => {
            assert_eq!(alerts(&rewritten), alerts(delivery));
            assert_eq!(rewritten.context, delivery.context);
        }
        Err(error) => panic!("rewritten it is refused: {error}"),
    }
}
