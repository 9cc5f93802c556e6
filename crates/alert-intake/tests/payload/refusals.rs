//! Refusals of whole bodies, and the responses to their senders.

use alert_intake::model::Source;
use alert_intake::payload::MAX_NESTING;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{receive, webhook};

/// Returns the status and the body of a refusal.
fn refusal(body: &[u8], source: Source) -> (u16, String) {
    match receive(body, source) {
        Err(error) => (error.status(), error.body().to_string()),
        Ok(delivery) => panic!("{} alerts were read from {body:?}", delivery.alerts.len()),
    }
}

#[test]
fn json_that_is_no_object_is_reported_so() {
    for body in ["[]", "[{}]", "1", "\"{}\"", "null", "true", " [1, 2] "] {
        for source in [Source::Generic, Source::Metrics] {
            let expected = (
                400,
                r#"{"error":"the body is not a JSON object"}"#.to_owned(),
            );
            assert_eq!(refusal(body.as_bytes(), source), expected, "{body}");
        }
    }
}

/// A list is read only if each item is an object that reports something, so that nothing of it is lost.
#[test]
fn a_list_with_an_item_that_reports_nothing_is_refused_whole() {
    let report = r#"{"name":"Disk","status":"down"}"#;
    for other in ["7", "null", "{}", r#"{"title":"a"}"#, "[]", "\"Disk\""] {
        let body = format!("[{report},{other},{report}]");
        let (status, _) = refusal(body.as_bytes(), Source::Generic);
        assert_eq!(status, 400, "{body}");
    }
    let body = format!("[{report}]");
    let (status, _) = refusal(body.as_bytes(), Source::Metrics);
    assert_eq!(status, 400, "the specification has no lists there");
}

#[test]
fn malformed_json_is_reported_with_line_and_column() {
    let bodies: [&[u8]; 14] = [
        b"",
        b" \n",
        b"{",
        b"{\"title\":",
        b"{\"title\":\"x}",
        b"{\"title\":\"x\",}",
        b"{'title':'x'}",
        b"{} {}",
        b"{}x",
        b"[",
        b"title=x&severity=high",
        b"<alert/>",
        b"{}\xef\xbb\xbf",
        b"{\"a\":01}",
    ];
    for body in bodies {
        for source in [Source::Generic, Source::Metrics] {
            let (status, response) = refusal(body, source);
            assert_eq!(status, 400);
            assert!(
                response.starts_with("{\"error\":\"the body is not valid JSON (line "),
                "{response}"
            );
        }
    }
    let (_, response) = refusal(b"{\"a\":1,\n\"b\":?}", Source::Generic);
    assert!(response.contains("(line 2, column 5)"), "{response}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let bodies: [&[u8]; 4] = [
        b"\xff",
        b"{\"title\":\"\xc3\"}",
        b"{\"title\":\"\xed\xa0\x80\"}",
        b"{\"\xf8\":1}",
    ];
    for body in bodies {
        assert_eq!(refusal(body, Source::Generic).0, 400, "{body:?}");
    }
}

#[test]
fn a_bare_nul_is_no_json() {
    let bodies: [&[u8]; 2] = [b"{\"title\":\"\0\"}", b"{\"title\":1}\0"];
    for body in bodies {
        assert_eq!(refusal(body, Source::Generic).0, 400, "{body:?}");
    }
}

#[test]
fn repair_does_not_turn_malformed_json_into_valid_json() {
    for body in [
        "{1e999:1}",
        "{\"a\":1e999",
        "{\"a\":\"\\u0000}",
        "{\"a\":1e999 1}",
    ] {
        for source in [Source::Generic, Source::Metrics] {
            assert_eq!(refusal(body.as_bytes(), source).0, 400, "{body}");
        }
    }
}

/// ALRT-07.
#[test]
fn a_hundred_levels_are_read_and_one_more_is_refused() {
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        [
            format!("{{\"extra\":{open}{close}}}"),
            format!("{{\"hosts\":{open}\"h\"{close}}}"),
            format!("{{\"fingerprint\":{open}\"f\"{close},\"title\":\"t\"}}"),
        ]
    };
    for body in nested(MAX_NESTING) {
        assert!(
            receive(body.as_bytes(), Source::Generic).is_ok(),
            "{body:.40}"
        );
    }
    for body in nested(MAX_NESTING + 1) {
        let expected = r#"{"error":"the JSON is nested deeper than 100 levels"}"#;
        assert_eq!(
            refusal(body.as_bytes(), Source::Generic),
            (400, expected.to_owned())
        );
    }
    let hostile = "{\"a\":".repeat(1_000_000);
    assert_eq!(refusal(hostile.as_bytes(), Source::Generic).0, 400);
}

/// ALRT-04.
#[test]
fn a_webhook_without_a_required_attribute_is_refused_by_its_name() {
    let whole = webhook(&json!([]));
    for name in whole
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| *name != "truncatedAlerts")
    {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(name);
        let reason = format!("422 Unprocessable Entity - the attribute \"{name}\" is missing");
        let response = json!({ "message": reason }).to_string();
        assert_eq!(
            refusal(body.to_string().as_bytes(), Source::Metrics),
            (422, response)
        );
    }
}

/// ALRT-04.
#[test]
fn only_the_text_4_is_the_version() {
    let versions = [
        json!(4),
        json!("3"),
        json!("4 "),
        json!("4.0"),
        json!(null),
        json!(["4"]),
        json!(""),
    ];
    for version in versions {
        let mut body = webhook(&json!([{"labels": {"alertname": "a"}}]));
        body["version"] = version.clone();
        let (status, response) = refusal(body.to_string().as_bytes(), Source::Metrics);
        let expected = r#"{"message":"422 Unprocessable Entity - the version is not \"4\""}"#;
        assert_eq!((status, response.as_str()), (422, expected), "{version}");
    }
}

#[test]
fn a_body_that_breaks_after_good_items_is_refused_whole() {
    let good = webhook(&json!([{"labels": {"alertname": "a"}}, {"labels": {"alertname": "b"}}]))
        .to_string();
    for cut in 1..good.len() {
        let (status, _) = refusal(&good.as_bytes()[..cut], Source::Metrics);
        assert_eq!(status, 400, "cut after {cut} bytes");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_with_words(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        for source in [Source::Generic, Source::Metrics] {
            if let Err(error) = receive(&bytes, source) {
                prop_assert!(matches!(error.status(), 400 | 422));
                prop_assert!(!error.body().to_string().is_empty());
            }
        }
    }

    #[test]
    fn any_text_like_json_is_read_or_refused(text in "[{}\\[\\]:,\"\\\\u0d8titleversion4 ]{0,80}") {
        for source in [Source::Generic, Source::Metrics] {
            if let Err(error) = receive(text.as_bytes(), source) {
                prop_assert!(matches!(error.status(), 400 | 422));
            }
        }
    }
}
