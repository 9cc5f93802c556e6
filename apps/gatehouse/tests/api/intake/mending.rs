//! A bad item does not affect the others: it is repaired or skipped, and the receipt says so.

use serde_json::{Value, json};

use super::{item, receipt, stored, webhook};
use crate::support::TestServer;

/// A webhook body of three items, of which the second one has this text in its labels.
fn webhook_with_label(text: &str) -> Vec<u8> {
    let odd = item("Odd MARK");
    let body = webhook(&[item("One"), odd, item("Two")]).to_string();
    body.replace(" MARK\"", text).into_bytes()
}

/// Checks that all three are stored, and returns the second one and the notes of the receipt.
#[track_caller]
fn deliver(server: &TestServer, text: &str) -> (Value, String) {
    let answer = server
        .sender()
        .post_bytes(&server.metrics(), &webhook_with_label(text));
    let alerts = answer.expect(200);
    assert_eq!(alerts.as_array().unwrap().len(), 3, "{text}");
    (
        server.alert(&alerts[1]["iid"]),
        receipt(server)["notes"].to_string(),
    )
}

/// ALRT-04.
#[test]
fn a_nul_or_half_a_character_is_replaced_and_the_group_is_stored() {
    let server = TestServer::start();
    for (text, note) in [
        ("\\u0000\"", "NUL characters, replaced by U+FFFD: 1"),
        ("\\ud800\"", "unpaired surrogates, replaced by U+FFFD: 1"),
    ] {
        let (alert, notes) = deliver(&server, text);
        assert_eq!(alert["title"], "Odd\u{fffd}", "{text}");
        assert!(notes.contains(note), "{notes}");
    }
}

/// ALRT-04, ALRT-13.
#[test]
fn an_absurd_number_is_kept_as_text_and_the_group_is_stored() {
    let server = TestServer::start();
    let (alert, notes) = deliver(&server, "\",\"load\":1e999");
    assert_eq!(alert["details"]["labels.load"], "1e999");
    assert!(
        notes.contains("numbers outside the range of a double, kept as text: 1"),
        "{notes}"
    );
}

/// ALRT-04. Each item needs a title and a start; without them it is not an alert.
#[test]
fn an_item_without_title_or_start_is_skipped_and_counted() {
    let server = TestServer::start();
    let mut no_start = item("No start");
    no_start["startsAt"] = Value::Null;
    let mut no_title = item("No title");
    no_title["labels"] = json!({ "instance": "web-1" });
    let items = [no_start, item("Whole"), no_title, json!(7), Value::Null];
    let body = webhook(&items);
    let answer = server.sender().post(&server.metrics(), &body);
    answer.assert_is(200, &json!([{ "iid": 4, "title": "Whole" }]));
    let receipt = receipt(&server);
    assert_eq!(
        (&receipt["alerts"], &receipt["skipped_alerts"]),
        (&json!(1), &json!(4))
    );
    let notes = receipt["notes"].to_string();
    for lack in ["has no startsAt", "has no title", "is not an object"] {
        assert!(notes.contains(lack), "{notes}");
    }
}

/// A POST is stored completely or not at all, so a single write is bounded.
#[test]
fn a_post_at_the_alert_limit_is_accepted_and_a_larger_one_returns_413() {
    let server = TestServer::start_configured("[intake]\nmax_alerts = 3\n");
    let items: Vec<Value> = (0..4)
        .map(|number| item(&format!("Alert {number}")))
        .collect();
    let before = stored(&server);
    let text =
        "413 Request Entity Too Large - the limit is 3 alerts in one request, send fewer at a time";
    for path in [server.metrics(), server.generic()] {
        let refused = server.sender().post(&path, &webhook(&items));
        refused.assert_is(413, &json!({ "message": text }));
    }
    assert_eq!(stored(&server), before);
    server
        .sender()
        .post(&server.metrics(), &webhook(&items[..3]))
        .assert_ok();
}

/// ALRT-13. Values of a sender can be read back to the last digit.
#[test]
fn details_keep_long_integers_empty_objects_and_names_that_look_like_paths() {
    let server = TestServer::start();
    let body =
        br#"{"title":"Big","id":123456789012345678901234567890,"none":{},"a.b":1,"a":{"b":2}}"#;
    let answer = server
        .sender()
        .post_bytes(&server.generic(), body)
        .expect(200);
    let path = format!("{}/{}", server.alerts(), answer[0]["iid"]);
    let text = server.developer().get(&path).text();
    for part in [
        r#""id":123456789012345678901234567890"#,
        r#""none":{}"#,
        r#""a.b":2,"a.b (2)":1"#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// ALRT-02. Time formats that senders use besides RFC 3339, and a byte order mark before the body.
#[test]
fn basic_and_epoch_times_and_a_byte_order_mark_are_read() {
    let server = TestServer::start();
    for (number, start) in [
        json!("20240501T120000+0200"),
        json!(1_714_557_600),
        json!(1_714_557_600_000_i64),
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({ "title": format!("Alert {number}"), "start_time": start });
        let body = format!("\u{feff}{body}");
        let answer = server
            .sender()
            .post_bytes(&server.generic(), body.as_bytes())
            .expect(200);
        let alert = server.alert(&answer[0]["iid"]);
        assert_eq!(alert["started_at"], "2024-05-01T10:00:00.000Z", "{start}");
    }
}
