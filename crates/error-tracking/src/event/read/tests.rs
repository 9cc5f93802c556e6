//! Events in every shape.

use serde_json::json;

use super::*;
use crate::event::testing::sent;

fn event(value: Value) -> Event {
    read(value, &sent()).unwrap()
}

#[test]
fn an_empty_object_is_an_event() {
    let event = event(json!({}));
    assert_eq!(event.id, sent().fallback_id);
    assert_eq!(event.occurred_at, event.received_at);
    assert_eq!(
        (event.report.level, event.report.platform.as_str()),
        (Level::Error, "other")
    );
    assert!(event.report.notes.is_empty());
}

#[test]
fn non_objects_and_transactions_are_not_events() {
    for value in [json!([]), json!("x"), json!(null), json!(7)] {
        assert_eq!(read(value, &sent()), Err(EventError::NoObject));
    }
    let transaction = json!({"type": "transaction"});
    assert_eq!(read(transaction, &sent()), Err(EventError::Transaction));
}

#[test]
fn broken_fields_cost_nothing_but_themselves() {
    let read = event(json!({
        "event_id": 7, "timestamp": "never", "level": "loud", "platform": ["x"], "release": 12,
        "exception": "broken", "threads": 7, "breadcrumbs": "x", "user": [], "request": 1,
        "tags": 5, "extra": "x", "contexts": [], "modules": 3, "fingerprint": {"a": 1},
        "sdk": "x", "debug_meta": [], "message": "still there",
    }));
    let report = &read.report;
    assert_eq!(report.message.as_ref().unwrap().formatted, "still there");
    assert_eq!(report.release.as_deref(), Some("12"));
    let fields: Vec<&str> = report
        .notes
        .iter()
        .map(|note| note.field.as_str())
        .collect();
    for field in [
        "timestamp",
        "level",
        "platform",
        "exception",
        "threads",
        "breadcrumbs",
        "user",
        "request",
        "tags",
        "extra",
        "contexts",
        "modules",
        "sdk",
        "debug_meta",
    ] {
        assert!(fields.contains(&field), "{field}: {fields:?}");
    }
}

#[test]
fn messages_come_in_every_form() {
    let message = |value: Value| {
        event(value)
            .report
            .message
            .map(|found| (found.template, found.formatted))
    };
    let formatted = |text: &str| Some((None, text.to_owned()));
    let with_template = Some((Some("a %s".to_owned()), "a b".to_owned()));
    let entry = json!({"message": "a %s", "formatted": "a b", "params": ["b"]});
    assert_eq!(message(json!({"logentry": entry.clone()})), with_template);
    assert_eq!(message(json!({"message": entry.clone()})), with_template);
    assert_eq!(
        message(json!({"sentry.interfaces.Message": entry})),
        with_template
    );
    assert_eq!(message(json!({"message": "plain"})), formatted("plain"));
    assert_eq!(message(json!({"logentry": "plain"})), formatted("plain"));
    assert_eq!(
        message(json!({"logentry": {}, "message": "plain"})),
        formatted("plain")
    );
    assert_eq!(message(json!({"message": ""})), None);
}

#[test]
fn a_request_is_parsed_into_its_parts() {
    let request = event(json!({"request": {
        "url": "https://shop.example/cart?a=1&b=2#top", "method": "post",
        "headers": [["Host", "shop.example"], ["X", ["1"]]], "cookies": "s=1; t=2",
        "data": {"card": 1},
    }}));
    let request = request.report.request.unwrap();
    assert_eq!(request.url.as_deref(), Some("https://shop.example/cart"));
    assert_eq!(request.fragment.as_deref(), Some("top"));
    assert_eq!(request.method.as_deref(), Some("POST"));
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(request.query, [pair("a", "1"), pair("b", "2")]);
    assert_eq!(
        request.headers,
        [pair("Host", "shop.example"), pair("X", "1")]
    );
    assert_eq!(request.cookies, [pair("s", "1"), pair("t", "2")]);
}

#[test]
fn user_data_is_kept_and_auto_ip_address_is_resolved() {
    let user =
        event(json!({"user": {"id": 7, "ip_address": "{{auto}}", "plan": "gold", "email": null}}));
    let user = user.report.user.unwrap();
    assert_eq!(user.id.as_deref(), Some("7"));
    assert_eq!(user.ip_address.as_deref(), Some("192.0.2.7"));
    assert_eq!(
        user.data,
        Map::from_iter([("plan".to_owned(), json!("gold"))])
    );
    assert_eq!(user.identity().as_deref(), Some("id:7"));
    assert_eq!(event(json!({"user": {}})).report.user, None);
}

#[test]
fn tags_are_bounded_and_unique() {
    let many: Vec<Value> = (0..10_000).map(|n| json!([format!("t{n}"), n])).collect();
    assert_eq!(event(json!({"tags": many})).report.tags.len(), MAX_TAGS);
    let tags = event(json!({"tags": [["a b", "x\ny"], ["a b", "z"], ["", "x"], ["e", ""]]}));
    assert_eq!(tags.report.tags, [("a_b".to_owned(), "x y".to_owned())]);
}

#[test]
fn a_trace_keeps_both_of_its_ends() {
    let frames: Vec<Value> = (0..500)
        .map(|n| json!({"function": format!("f{n}")}))
        .collect();
    let read = event(json!({"exception": {"type": "E", "stacktrace": {"frames": frames}}}));
    let trace = read.report.exceptions[0].stacktrace.clone().unwrap();
    assert_eq!((trace.frames.len(), trace.omitted), (50, 450));
    let name = |place: usize| trace.frames[place].function.clone().unwrap();
    assert_eq!(
        (name(0), name(24), name(25), name(49)),
        ("f0".into(), "f24".into(), "f475".into(), "f499".into())
    );
}

#[test]
fn exceptions_are_read_in_every_shape() {
    let kinds = |value: Value| -> Vec<Option<String>> {
        let read = event(json!({"exception": value}));
        read.report
            .exceptions
            .into_iter()
            .map(|found| found.kind)
            .collect()
    };
    let one = json!({"type": "E", "value": {"odd": 1}, "stacktrace": {"frames": null}});
    for sent in [one.clone(), json!([one]), json!({"values": [one, null]})] {
        assert_eq!(kinds(sent.clone()), [Some("E".to_owned())], "{sent}");
    }
    let read = event(json!({"exception": {"type": "E", "value": {"odd": 1}}}));
    assert_eq!(
        read.report.exceptions[0].value.as_deref(),
        Some("{\"odd\":1}")
    );
}

#[test]
fn a_report_reads_back_as_it_was_written() {
    let read = event(json!({
        "level": "fatal", "message": "x", "tags": {"a": "b"}, "breadcrumbs": [{"message": "m", "timestamp": 1_795_168_800}],
        "exception": {"type": "E", "mechanism": {"type": "generic", "handled": false, "meta": {"signal": {"number": 11}}}},
        "contexts": {"os": {"name": "Linux"}, "odd": 7}, "user": {"id": "1"}, "csp": {"blocked_uri": "x"},
    }));
    let written = serde_json::to_string(&read.report).unwrap();
    assert_eq!(
        serde_json::from_str::<Report>(&written).unwrap(),
        read.report
    );
    assert!(read.report.policy_report.is_some());
}

#[test]
fn the_header_of_the_envelope_comes_first() {
    let header = EventId::parse("0123456789abcdef0123456789abcdef");
    let sent = EventSource {
        id: header,
        ..sent()
    };
    let own = json!({"event_id": "fc6d8c0c43fc4630ad850ee518f1b9d0"});
    assert_eq!(read(own.clone(), &sent).unwrap().id, header.unwrap());
    assert_eq!(
        event(own).id.to_string(),
        "fc6d8c0c43fc4630ad850ee518f1b9d0"
    );
}
