//! Identity of payloads (`ALRT-08`).

use alert_intake::model::{AlertIdentity, Source};
use alert_intake::payload::{ParseContext, parse};
use api_conventions::ids::{IntegrationId, ProjectId};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{context, generic, item};

fn of(body: &Value) -> AlertIdentity {
    generic(&body.to_string()).identity
}

fn at_endpoint(body: &str, source: Source, context: &ParseContext) -> AlertIdentity {
    parse(body.as_bytes(), source, context).unwrap().alerts[0].identity
}

#[test]
fn start_end_and_hosts_do_not_distinguish_alerts() {
    let first = of(&json!({"title": "t", "start_time": "2026-01-01", "hosts": "a"}));
    let second = of(&json!({"title": "t", "start_time": "2026-01-02", "hosts": ["b", "c"]}));
    assert_eq!(first, second);
    assert_eq!(first, of(&json!({"title": "t"})));
    assert_eq!(first, of(&json!({"title": "t", "end_time": "2026-01-03"})));
}

#[test]
fn any_other_field_distinguishes_alerts() {
    let base = of(&json!({"title": "t"}));
    let others = [
        json!({"title": "T"}),
        json!({"title": "t", "description": "d"}),
        json!({"title": "t", "severity": "low"}),
        json!({"title": "t", "extra": {"deep": [1]}}),
        json!({"title": "t", "fingerprint": "t"}),
    ];
    for other in others {
        assert_ne!(of(&other), base, "{other}");
    }
}

#[test]
fn a_fingerprint_wins_over_everything_else() {
    let first = of(&json!({"fingerprint": "f", "title": "a", "severity": "low"}));
    let second = of(&json!({"fingerprint": "f", "title": "b", "end_time": "2026-01-01"}));
    assert_eq!(first, second);
}

#[test]
fn fingerprints_are_equal_when_their_texts_are() {
    let same = [
        [json!("f"), json!(["f"])],
        [json!(12), json!("12")],
        [json!([["a"], "b"]), json!(["a", "b"])],
        [json!(" f "), json!("f")],
    ];
    for [first, second] in same {
        let identities = [&first, &second].map(|value| of(&json!({ "fingerprint": value })));
        assert_eq!(identities[0], identities[1], "{first} and {second}");
    }
    let different = [
        [json!("f"), json!("F")],
        [json!(["a", "b"]), json!(["b", "a"])],
        [json!(["ab"]), json!(["a", "b"])],
    ];
    for [first, second] in different {
        let identities = [&first, &second].map(|value| of(&json!({ "fingerprint": value })));
        assert_ne!(identities[0], identities[1], "{first} and {second}");
    }
}

#[test]
fn a_blank_fingerprint_leaves_the_payload_to_decide() {
    for blank in [
        json!(null),
        json!(""),
        json!([]),
        json!([" ", null]),
        json!(false),
    ] {
        let first = of(&json!({"fingerprint": blank, "title": "a"}));
        let second = of(&json!({"fingerprint": blank, "title": "b"}));
        assert_ne!(first, second, "{blank}");
    }
}

#[test]
fn payloads_without_identifying_fields_are_separate_alerts() {
    for body in [
        "{}",
        r#"{"hosts":"a"}"#,
        r#"{"title":" ","x":[null,{"y":""}]}"#,
    ] {
        let first = at_endpoint(body, Source::Generic, &context());
        let mut other = context();
        other.nonce = [1; 16];
        assert_ne!(first, at_endpoint(body, Source::Generic, &other), "{body}");
    }
}

#[test]
fn endpoints_of_a_project_share_an_alert_and_projects_never_do() {
    let mut other = context();
    other.integration_id = IntegrationId::new(4);
    let mut of_another = context();
    of_another.project_id = ProjectId::new(4);
    let webhook =
        crate::support::webhook(&json!([{"labels": {"alertname": "a"}, "startsAt": "x"}]))
            .to_string();
    let bodies = [
        (r#"{"title":"t"}"#, Source::Generic),
        (r#"{"fingerprint":"f"}"#, Source::Generic),
        (&*webhook, Source::Metrics),
    ];
    for (body, source) in bodies {
        let here = at_endpoint(body, source, &context());
        assert_eq!(here, at_endpoint(body, source, &other), "{body}");
        assert_ne!(here, at_endpoint(body, source, &of_another), "{body}");
    }
}

#[test]
fn the_label_set_of_an_item_decides_before_its_fingerprint() {
    let base = item(&json!({"labels": {"a": "1", "b": "2"}, "fingerprint": "f"})).identity;
    let same = [
        json!({"labels": {"b": "2", "a": "1"}}),
        json!({"labels": {"a": "1", "b": "2"}, "fingerprint": "g", "annotations": {"title": "x"}}),
        json!({"labels": {"a": "1", "b": "2"}, "startsAt": "2026-01-01T00:00:00Z", "status": "resolved"}),
    ];
    for alert in same {
        assert_eq!(item(&alert).identity, base, "{alert}");
    }
    let different = [
        json!({"labels": {"a": "1"}}),
        json!({"labels": {"a": "1", "b": "3"}}),
        json!({"labels": {"a": "12", "b": ""}}),
        json!({"fingerprint": "f"}),
    ];
    for alert in different {
        assert_ne!(item(&alert).identity, base, "{alert}");
    }
}

#[test]
fn without_labels_the_fingerprint_decides_and_then_all_but_times_and_status() {
    let by_fingerprint =
        |title: &str| item(&json!({"fingerprint": "f", "annotations": {"title": title}})).identity;
    assert_eq!(by_fingerprint("a"), by_fingerprint("b"));
    let by_payload = |title: &str, status: &str, end: &str| {
        let annotations = json!({ "title": title });
        item(&json!({"annotations": annotations, "status": status, "endsAt": end})).identity
    };
    let firing = by_payload("a", "firing", "0001-01-01T00:00:00Z");
    assert_eq!(firing, by_payload("a", "resolved", "2026-01-01T00:00:00Z"));
    assert_ne!(firing, by_payload("b", "firing", "0001-01-01T00:00:00Z"));
}

proptest! {
    #[test]
    fn two_label_sets_are_one_alert_only_when_they_are_equal(
        first in proptest::collection::btree_map("[ab]{1,2}", "[ab]{0,2}", 1..4),
        second in proptest::collection::btree_map("[ab]{1,2}", "[ab]{0,2}", 1..4),
    ) {
        let identities = [&first, &second].map(|labels| item(&json!({ "labels": labels })).identity);
        prop_assert_eq!(identities[0] == identities[1], first == second);
    }
}
