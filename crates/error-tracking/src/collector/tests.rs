//! Requests as SDKs send them.

use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::json;

use super::*;
use crate::protocol::sessions::SessionCount;

const ID: &str = "fc6d8c0c43fc4630ad850ee518f1b9d0";

fn with<T>(work: impl FnOnce(&RequestContext<'_>) -> T) -> T {
    let next = AtomicU8::new(1);
    let settings = ScrubSettings::default();
    let generate_id = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        EventId::from_bytes([number; 16]).unwrap()
    };
    work(&RequestContext {
        received_at: Timestamp::parse_rfc3339("2026-11-20T10:00:00Z").unwrap(),
        peer: Some("192.0.2.7"),
        scrubbing: &settings,
        generate_id: &generate_id,
    })
}

/// An asynchronous handler holds both across an await, and its future must be `Send`.
#[test]
fn request_context_and_limits_can_cross_threads() {
    fn is_send<T: Send>() {}
    is_send::<RequestContext<'_>>();
    is_send::<crate::protocol::encoding::Limits<'_>>();
}

fn envelope(body: &str) -> RequestContent {
    with(|context| context.parse_envelope(body.as_bytes())).unwrap()
}

fn dropped(collected: &RequestContent) -> Vec<(Category, DropReason, u64)> {
    let dropped = collected.dropped.iter();
    dropped
        .map(|dropped| (dropped.category, dropped.reason, dropped.quantity))
        .collect()
}

#[test]
fn a_session_alone_brings_no_event() {
    let collected = envelope(
        "{}\n{\"type\":\"session\"}\n{\"init\":true,\"status\":\"ok\",\"attrs\":{\"release\":\"web@1\"}}",
    );
    assert_eq!((collected.id, collected.events.len()), (None, 0));
    let started: Vec<u64> = collected
        .sessions
        .iter()
        .map(|count: &SessionCount| count.started)
        .collect();
    assert_eq!(started, [1]);
}

#[test]
fn all_items_of_an_envelope_are_collected() {
    let body = format!(
        "{{\"event_id\":\"{ID}\"}}\n\
         {{\"type\":\"event\"}}\n{{\"message\":\"x\",\"extra\":{{\"password\":\"hunter2\"}}}}\n\
         {{\"type\":\"session\"}}\n{{\"status\":\"crashed\",\"attrs\":{{\"release\":\"web@1\"}}}}\n\
         {{\"type\":\"attachment\",\"filename\":\"log.txt\",\"length\":3}}\nabc\n\
         {{\"type\":\"client_report\"}}\n{{\"discarded_events\":[{{\"reason\":\"x\",\"category\":\"error\",\"quantity\":2}}]}}\n\
         {{\"type\":\"user_report\"}}\n{{\"comments\":\"it broke\"}}\n\
         {{\"type\":\"log\",\"item_count\":7}}\n{{}}\n\
         {{\"type\":\"odd\"}}\n{{}}\n"
    );
    let collected = envelope(&body);
    assert_eq!(collected.id, EventId::parse(ID));
    assert_eq!(collected.events[0].event.id, EventId::parse(ID).unwrap());
    assert_eq!(
        collected.events[0].event.report.extra["password"],
        "[Filtered]"
    );
    assert_eq!(collected.sessions.len(), 1);
    let file = &collected.attachments[0];
    assert_eq!(
        (file.filename.as_str(), file.bytes.as_slice()),
        ("log.txt", &b"abc"[..])
    );
    assert_eq!(file.event_id, EventId::parse(ID));
    assert_eq!(collected.discarded[0].quantity, 2);
    assert_eq!(collected.comments[0].text, "it broke");
    assert_eq!(
        dropped(&collected),
        [
            (Category::LogItem, DropReason::NotKept, 7),
            (Category::Default, DropReason::Unknown, 1),
        ]
    );
}

#[test]
fn a_bad_item_costs_itself_alone() {
    let collected = envelope(
        "{}\n{\"type\":\"event\"}\nno json\n{\"type\":\"event\"}\n[]\n{\"type\":\"event\"}\n{\"message\":\"x\"}\n\
         {\"type\":\"event\"}\n{\"message\":\"y\"}\n{\"type\":\"feedback\"}\n{}\n{\"type\":\"session\"}\nno\n",
    );
    assert_eq!(collected.events.len(), 1);
    assert_eq!(collected.events[0].event.report.title(), "x");
    assert_eq!(
        dropped(&collected),
        [
            (Category::Error, DropReason::Invalid, 2),
            (Category::Error, DropReason::SeveralEvents, 1),
            (Category::Feedback, DropReason::Invalid, 1),
            (Category::Session, DropReason::Invalid, 1),
        ]
    );
}

#[test]
fn a_large_event_is_cut_and_kept_and_a_large_file_is_counted() {
    let large = "y".repeat(MAX_EVENT + 1);
    let event = format!("{{\"message\":\"it failed\",\"extra\":{{\"log\":\"{large}\"}}}}");
    let body = format!(
        "{{\"event_id\":\"{ID}\"}}\n{{\"type\":\"event\"}}\n{event}\n\
         {{\"type\":\"attachment\"}}\n{large}\n{{\"type\":\"attachment\"}}\nsmall\n"
    );
    let collected = envelope(&body);
    assert_eq!(collected.attachments.len(), 1);
    assert_eq!(
        dropped(&collected),
        [(Category::Attachment, DropReason::TooLarge, 1)]
    );
    let stored = with(|context| context.parse_event(event.as_bytes())).unwrap();
    for collected in [collected, stored] {
        let report = &collected.events[0].event.report;
        assert_eq!(report.title(), "it failed");
        assert!(report.extra["log"].as_str().unwrap().len() < MAX_EVENT / 4);
        let mut notes = report.notes.iter();
        assert!(notes.any(|note| note.field == "event" && note.text.starts_with("was truncated")));
    }
}

#[test]
fn a_comment_is_kept_without_secrets() {
    let collected = envelope(
        "{}\n{\"type\":\"user_report\"}\n{\"comments\":\"see https://ann:hunter2@shop.example\",\"email\":\"ann@shop.example\"}\n",
    );
    let comment = &collected.comments[0];
    assert!(!comment.text.contains("hunter2"), "{}", comment.text);
    assert_eq!(comment.email.as_deref(), Some("ann@shop.example"));
}

/// Items of an envelope: their types and payloads.
type Items<'i> = &'i [(&'i str, &'i str)];

/// Answers to envelopes, by their items: an id, a success without one, or a refusal.
#[test]
fn a_success_means_that_something_is_kept() {
    const EVENT: &str = r#"{"message":"x"}"#;
    const SESSION: &str = r#"{"init":true,"attrs":{"release":"web@1"}}"#;
    const COMMENT: &str = r#"{"comments":"it broke"}"#;
    const LOSSES: &str = r#"{"discarded_events":[{"reason":"x","category":"error","quantity":2}]}"#;
    let (id, none) = (Ok(EventId::parse(ID)), Ok(None));
    let large = "y".repeat(MAX_ATTACHMENT + 1);
    let long = "y".repeat(client_report::MAX_BYTES + 1);
    let table: &[(Items<'_>, Result<Option<EventId>, BodyError>)] = &[
        (&[], none),
        (&[("event", EVENT)], id),
        (&[("event", "{}")], id),
        (&[("event", EVENT), ("event", "no")], id),
        (&[("event", "no"), ("event", EVENT)], id),
        (&[("event", "")], Err(BodyError::Item)),
        (&[("event", "no")], Err(BodyError::Item)),
        (&[("event", "[]")], Err(BodyError::Item)),
        (&[("event", "7")], Err(BodyError::Item)),
        (&[("event", "no"), ("session", SESSION)], none),
        (&[("event", "no"), ("user_report", COMMENT)], none),
        (&[("event", "no"), ("made_up", "x")], Err(BodyError::Item)),
        (
            &[("event", "no"), ("transaction", "{}")],
            Err(BodyError::Item),
        ),
        (
            &[("event", "no"), ("attachment", "x")],
            Err(BodyError::Item),
        ),
        (&[("session", SESSION)], none),
        (&[("session", "no")], Err(BodyError::Item)),
        (&[("session", "{}")], none),
        (&[("sessions", "[]")], Err(BodyError::Item)),
        (&[("client_report", LOSSES)], none),
        (&[("client_report", "{}")], none),
        (&[("client_report", "no")], Err(BodyError::Item)),
        (&[("client_report", &long)], Err(BodyError::TooLarge)),
        (&[("user_report", COMMENT)], id),
        (&[("user_report", "{}")], Err(BodyError::Item)),
        (&[("feedback", "{}")], Err(BodyError::Item)),
        (&[("attachment", "x")], Err(BodyError::WithoutEvent)),
        (&[("attachment", &large)], Err(BodyError::TooLarge)),
        (&[("event", EVENT), ("attachment", &large)], id),
        (&[("transaction", "{}"), ("attachment", "x")], none),
        (&[("transaction", "{}")], none),
        (&[("event", r#"{"type":"transaction"}"#)], none),
        (&[("replay_recording", "x"), ("log", "{}")], none),
        (&[("made_up", "x")], none),
    ];
    for (items, expected) in table {
        let mut body = format!("{{\"event_id\":\"{ID}\"}}\n");
        for (kind, payload) in *items {
            body = format!(
                "{body}{{\"type\":\"{kind}\",\"length\":{}}}\n{payload}\n",
                payload.len()
            );
        }
        let collected = envelope(&body);
        let answer = collected.acknowledge().map(|leave| leave.id());
        let kinds: Vec<&str> = items.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(answer, *expected, "{kinds:?}");
        let is_lost = answer.is_err();
        assert!(
            !is_lost || !collected.dropped.is_empty(),
            "{kinds:?} is counted"
        );
    }
}

#[test]
fn events_over_a_limit_are_counted_with_their_files() {
    let mut collected =
        envelope("{}\n{\"type\":\"event\"}\n{\"message\":\"x\"}\n{\"type\":\"attachment\"}\nabc\n");
    collected.admit(|_| Ok(()));
    assert_eq!(
        (collected.events.len(), collected.attachments.len()),
        (1, 1)
    );
    collected.admit(|_| Err(DropReason::ErrorLimited));
    assert_eq!(
        (collected.events.len(), collected.attachments.len()),
        (0, 0)
    );
    assert_eq!(
        dropped(&collected),
        [
            (Category::Error, DropReason::ErrorLimited, 1),
            (Category::Attachment, DropReason::ErrorLimited, 1),
        ]
    );
    assert_eq!(collected.acknowledge().map(|leave| leave.id()), Ok(None));
}

#[test]
fn a_file_without_an_event_is_not_kept() {
    let collected = envelope("{}\n{\"type\":\"attachment\"}\nabc\n");
    assert!(collected.attachments.is_empty());
    assert_eq!(
        dropped(&collected),
        [(Category::Attachment, DropReason::WithoutEvent, 1)]
    );
}

#[test]
fn transactions_are_accepted_and_discarded() {
    let collected = envelope(
        "{}\n{\"type\":\"transaction\"}\n{}\n{\"type\":\"event\"}\n{\"type\":\"transaction\"}\n",
    );
    assert_eq!(
        dropped(&collected),
        [(Category::Transaction, DropReason::NotKept, 2)]
    );
    let stored = with(|context| context.parse_event(b"{\"type\":\"transaction\"}")).unwrap();
    assert_eq!(
        dropped(&stored),
        [(Category::Transaction, DropReason::NotKept, 1)]
    );
}

#[test]
fn the_old_endpoint_takes_one_event() {
    let stored =
        with(|context| context.parse_event(b"{\"message\": NaN, \"logentry\": \"x\"}")).unwrap();
    assert_eq!(stored.id, Some(stored.events[0].event.id));
    assert_eq!(stored.events[0].event.report.title(), "x");
    for (body, expected) in [
        ("no", BodyError::Json),
        ("[]", BodyError::Event),
        ("", BodyError::Json),
    ] {
        let refused = with(|context| context.parse_event(body.as_bytes()));
        assert_eq!(refused.unwrap_err(), expected, "{body}");
    }
}

#[test]
fn browsers_report_several_at_once() {
    let body = br#"[{"type": "csp-violation", "body": {"effectiveDirective": "img-src", "blockedURL": "https://x.example/1"}},
        {"type": "csp-violation", "body": {"effectiveDirective": "img-src", "blockedURL": "https://x.example/2"}}]"#;
    let collected = with(|context| context.parse_security_reports(body)).unwrap();
    let ids: Vec<EventId> = collected
        .events
        .iter()
        .map(|event| event.event.id)
        .collect();
    assert!(ids.len() == 2 && ids[0] != ids[1]);
    assert_eq!(
        collected.events[0].grouping.key,
        collected.events[1].grouping.key
    );
    for (body, expected) in [
        ("no", BodyError::Json),
        ("{}", BodyError::Report),
        ("[]", BodyError::Report),
        (r#"[{"type": "csp-violation"}]"#, BodyError::Report),
    ] {
        let refused = with(|context| context.parse_security_reports(body.as_bytes()));
        assert_eq!(refused.unwrap_err(), expected, "{body}");
    }
    let other =
        with(|context| context.parse_security_reports(br#"[{"type": "deprecation"}]"#)).unwrap();
    assert_eq!(
        dropped(&other),
        [(Category::Security, DropReason::NotKept, 1)]
    );
    assert_eq!(other.acknowledge().map(|leave| leave.id()), Ok(None));
}

#[test]
fn malformed_envelopes_are_rejected_whole() {
    let refused = with(|context| context.parse_envelope(b"no"));
    assert_eq!(
        refused.unwrap_err(),
        BodyError::Envelope(MalformedEnvelope::Header)
    );
}

#[test]
fn scrubbing_moves_no_event_to_another_error() {
    let body = br#"{"exception": {"type": "E", "value": "x"}, "fingerprint": ["a"], "extra": {"token": "1"}}"#;
    let event = with(|context| context.parse_event(body))
        .unwrap()
        .events
        .remove(0);
    assert_eq!(group(&event.event.report).key, event.grouping.key);
}

#[test]
fn parameters_are_filled_in_without_secrets() {
    let message = json!({"message": "%(who)s: %(password)s", "params": {"who": "ann", "password": "hunter2"}});
    let event = json!({ "logentry": message });
    let collected = with(|context| context.parse_event(event.to_string().as_bytes())).unwrap();
    let report = &collected.events[0].event.report;
    assert_eq!(report.title(), "ann: [Filtered]");
}

#[test]
fn an_event_alone_in_a_list_is_that_event() {
    let collected = with(|context| context.parse_event(br#"[{"message":"x"}]"#)).unwrap();
    assert_eq!(collected.events.len(), 1);
    for body in ["[]", r#"[{"message":"x"},{"message":"y"}]"#, "[7]"] {
        let refused = with(|context| context.parse_event(body.as_bytes()));
        assert_eq!(refused.unwrap_err(), BodyError::Event, "{body}");
    }
}

#[test]
fn a_bad_check_in_costs_only_itself() {
    let item = |payload: &str| format!("{{\"type\":\"check_in\"}}\n{payload}\n");
    let good = item(r#"{"monitor_slug": "Job", "status": "in_progress"}"#);
    let bad = item(r#"{"monitor_slug": "job", "status": "late"}"#);
    let large = item(&format!(
        r#"{{"monitor_slug": "job", "status": "ok", "padding": "{}"}}"#,
        "x".repeat(MAX_CHECK_IN)
    ));
    let collected = envelope(&format!("{{}}\n{bad}{good}{large}"));
    let slugs = collected.check_ins.iter();
    let slugs: Vec<&str> = slugs.map(|one| one.check_in.slug.as_str()).collect();
    assert_eq!(slugs, ["job"]);
    let expected = [DropReason::Invalid, DropReason::TooLarge];
    let expected = expected.map(|reason| (Category::Monitor, reason, 1));
    assert_eq!(dropped(&collected), expected);
    assert!(collected.acknowledge().is_ok());
    let refused = envelope(&format!("{{}}\n{bad}")).acknowledge();
    assert_eq!(refused, Err(BodyError::Item));
    let many = envelope(&format!("{{}}\n{}", good.repeat(MAX_CHECK_INS + 2)));
    assert_eq!(many.check_ins.len(), MAX_CHECK_INS);
    assert_eq!(
        dropped(&many),
        [(Category::Monitor, DropReason::TooLarge, 2)]
    );
}
