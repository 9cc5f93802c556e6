//! Refused bodies: a clear status and message, nothing stored, and the server continues.

use serde_json::{Value, json};

use super::{item, receipt, stored, webhook};
use crate::support::packed::{deflate, gzip};
use crate::support::{TestResponse, TestServer};

/// Checks that both endpoints refuse each body with `status`, that the message contains `word`, that nothing is stored,
/// and that the server accepts the next alert.
fn assert_all_refused(status: u16, word: &str, bodies: &[Vec<u8>]) {
    let server = TestServer::start();
    let before = stored(&server);
    for body in bodies {
        for path in [server.generic(), server.metrics()] {
            let answer = server.sender().post_bytes(&path, body);
            check(&answer, status, word);
        }
    }
    assert_eq!(stored(&server), before);
    server.raise(&json!({ "title": "Still there" }));
}

#[track_caller]
fn check(answer: &TestResponse, status: u16, word: &str) {
    let body = answer.expect(status);
    let text = body.get("error").or(body.get("message")).unwrap();
    let text = text.as_str().unwrap();
    assert!(text.contains(word), "{text}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[test]
fn invalid_json_is_refused() {
    let whole = webhook(&[item("Fire")]).to_string().into_bytes();
    let bodies = [
        b"".to_vec(),
        b" \n".to_vec(),
        b"title=Fire".to_vec(),
        b"<alert/>".to_vec(),
        b"{\"title\":\"a\"} {}".to_vec(),
        b"{\"title\":\"a\",}".to_vec(),
        b"{\"title\":'a'}".to_vec(),
        b"{\"title\":\"\xff\xfe\"}".to_vec(),
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 1].to_vec(),
    ];
    assert_all_refused(400, "not valid JSON", &bodies);
}

#[test]
fn json_that_is_no_object_is_refused() {
    let bodies = ["[]", "[{\"title\":\"a\"}]", "7", "\"text\"", "null", "true"];
    let bodies = bodies.map(|body| body.as_bytes().to_vec());
    assert_all_refused(400, "not a JSON object", &bodies);
}

/// ALRT-07. The root is the first level.
#[test]
fn json_nested_deeper_than_100_levels_is_refused() {
    let nested = |levels: usize| {
        let inside = levels - 1;
        format!(
            "{{\"title\":\"deep\",\"x\":{}{}}}",
            "[".repeat(inside),
            "]".repeat(inside)
        )
    };
    assert_all_refused(400, "nested deeper than 100", &[nested(101).into_bytes()]);
    let server = TestServer::start();
    let accepted = server
        .sender()
        .post_bytes(&server.generic(), nested(100).as_bytes());
    accepted.assert_is(200, &json!([{ "iid": 4, "title": "deep" }]));
}

/// An unclosed bracket costs no more than a body of that length.
#[test]
fn a_million_brackets_are_refused_at_once() {
    let bodies = [vec![b'['; 1_000_000], b"{\"x\":".repeat(200_000)];
    assert_all_refused(400, "nested deeper than 100", &bodies);
}

#[test]
fn bodies_not_matching_their_content_encoding_are_refused() {
    let server = TestServer::start();
    let before = stored(&server);
    let body = br#"{"title":"Packed"}"#;
    let mut cut = gzip(body);
    cut.truncate(cut.len() - 4);
    for (coding, bytes) in [
        ("gzip", body.to_vec()),
        ("gzip", cut),
        ("gzip", deflate(body)),
        ("deflate", body.to_vec()),
    ] {
        let sender = server.sender().with("Content-Encoding", coding);
        let answer = sender.post_bytes(&server.generic(), &bytes);
        check(&answer, 400, "decompressed");
    }
    assert_eq!(stored(&server), before);
}

#[test]
fn a_coding_that_is_not_known_is_refused_by_its_name() {
    let server = TestServer::start();
    let before = stored(&server);
    for coding in ["br", "zstd", "compress", "gzip, gzip"] {
        let sender = server.sender().with("Content-Encoding", coding);
        let answer = sender.post_bytes(&server.generic(), br#"{"title":"Packed"}"#);
        check(&answer, 415, coding);
    }
    assert_eq!(stored(&server), before);
}

#[test]
fn known_codings_are_undone() {
    let server = TestServer::start();
    let body = |title: &str| json!({ "title": title }).to_string().into_bytes();
    for (coding, bytes) in [
        ("gzip", gzip(&body("gzip"))),
        ("x-gzip", gzip(&body("x-gzip"))),
        ("GZIP", gzip(&body("GZIP"))),
        ("deflate", deflate(&body("deflate"))),
        ("identity", body("identity")),
    ] {
        let sender = server.sender().with("Content-Encoding", coding);
        let answer = sender.post_bytes(&server.generic(), &bytes).expect(200);
        assert_eq!(answer[0]["title"], coding);
        let unpacked = json!({ "title": coding }).to_string().len();
        assert_eq!(receipt(&server)["bytes"], unpacked, "{coding}");
    }
}

/// API-07. Alertmanager and most other senders use `application/json`, some with parameters.
#[test]
fn json_may_be_announced_with_a_charset() {
    let server = TestServer::start();
    let sender = server
        .sender()
        .with("Content-Type", "application/json; charset=utf-8");
    let answer = sender.send("POST", &server.generic(), br#"{"title":"With charset"}"#);
    answer.assert_is(200, &json!([{ "iid": 4, "title": "With charset" }]));
}

/// The refusal of one body does not affect the sender's other bodies.
#[test]
fn all_of_a_body_is_stored_or_nothing() {
    let server = TestServer::start();
    let before = stored(&server);
    let mut text = webhook(&[item("One"), item("Two")]).to_string();
    text.truncate(text.len() - 1);
    text.push_str(",\"x\":}");
    let answer = server
        .sender()
        .post_bytes(&server.metrics(), text.as_bytes());
    check(&answer, 400, "not valid JSON");
    assert_eq!(stored(&server), before);
    let [Value::Array(alerts), _, _] = before else {
        panic!("the alerts are a list");
    };
    assert_eq!(alerts.len(), 3);
}
