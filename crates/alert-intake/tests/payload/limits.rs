//! Limits on the number of alerts in one POST, and skipped items.

use alert_intake::model::Source;
use alert_intake::payload::{PayloadError, parse};
use api_conventions::error::ApiError;
use serde_json::{Value, json};

use crate::support::{ARRIVAL, context, metrics, webhook, whole};

fn items(count: usize) -> Value {
    let one = |number: usize| whole(&json!({"labels": {"alertname": format!("Alert {number}")}}));
    (0..count).map(one).collect()
}

#[test]
fn a_post_of_the_limit_is_read_and_one_alert_more_is_refused() {
    let mut context = context();
    context.max_alerts = 3;
    for source in [Source::Metrics, Source::Generic] {
        let read = |count| {
            parse(
                webhook(&items(count)).to_string().as_bytes(),
                source,
                &context,
            )
        };
        assert_eq!(read(3).unwrap().alerts.len(), 3);
        let refused = read(4).unwrap_err();
        assert!(
            matches!(refused, PayloadError::TooManyAlerts(3)),
            "{refused}"
        );
        let response = ApiError::from(refused);
        let text = "413 Request Entity Too Large - the limit is 3 alerts in one request, send fewer at a time";
        assert_eq!(
            (response.status(), &response.body()["message"]),
            (413, &json!(text))
        );
    }
}

/// Twenty thousand alerts is the default limit of one POST.
#[test]
fn twenty_thousand_are_read_and_one_more_is_not() {
    let many = |count| {
        parse(
            webhook(&items(count)).to_string().as_bytes(),
            Source::Metrics,
            &context(),
        )
    };
    assert_eq!(many(20_000).unwrap().alerts.len(), 20_000);
    assert!(matches!(
        many(20_001),
        Err(PayloadError::TooManyAlerts(20_000))
    ));
}

/// ALRT-04. Each item has a title and a start.
#[test]
fn an_item_without_a_title_or_a_start_is_skipped_and_counted() {
    let start = json!(ARRIVAL);
    let labels = json!({"alertname": "a"});
    for (item, lack) in [
        (json!({"labels": labels}), "has no startsAt"),
        (
            json!({"labels": labels, "startsAt": null}),
            "has no startsAt",
        ),
        (
            json!({"labels": labels, "startsAt": "  "}),
            "has no startsAt",
        ),
        (json!({"startsAt": start}), "has no title"),
        (
            json!({"labels": {"alertname": " "}, "annotations": {"title": ""}, "startsAt": start}),
            "has no title",
        ),
        (json!({}), "has no title"),
        (json!(null), "is not an object"),
        (json!([1]), "is not an object"),
        (json!("x"), "is not an object"),
    ] {
        let good = json!({"labels": labels, "startsAt": start});
        let delivery = metrics(&json!([item, good, item]));
        assert_eq!(delivery.alerts.len(), 1, "{item}");
        assert_eq!(delivery.context.skipped_alerts, 2);
        let [note] = &*delivery.context.notes else {
            panic!("one note expected: {:?}", delivery.context.notes);
        };
        assert!(
            note.starts_with(&format!("an item of alerts {lack}")),
            "{note}"
        );
        assert!(note.ends_with("; it was skipped"), "{note}");
    }
}

/// The start may be any text, even one that cannot be parsed.
#[test]
fn a_start_that_cannot_be_read_is_the_arrival() {
    for start in [
        json!("soon"),
        json!(7),
        json!("0001-01-01T00:00:00Z"),
        json!(0),
    ] {
        let delivery = metrics(&json!([{"labels": {"alertname": "a"}, "startsAt": start}]));
        assert_eq!(delivery.alerts[0].started_at, None, "{start}");
        let notes = delivery.context.notes.join("; ");
        assert!(
            notes.contains("the time of receipt is used instead"),
            "{notes}"
        );
    }
}
