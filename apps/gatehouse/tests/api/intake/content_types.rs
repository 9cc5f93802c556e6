//! Content types of an alert's body.

use serde_json::json;

use super::stored;
use crate::support::wire::Wire;
use crate::support::{TestCaller, TestServer};

/// API-07. All of these are JSON, and a body without a content type is read as JSON, too.
#[test]
fn all_json_content_types_are_accepted() {
    let server = TestServer::start();
    for (number, name) in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"utf-8\"; version=4",
        "text/json",
        "application/vnd.example.alert+json",
        "application/cloudevents+json; charset=UTF-8",
    ]
    .into_iter()
    .enumerate()
    {
        let title = format!("As {name}");
        let body = json!({ "title": title }).to_string();
        let sender = server.sender().with("Content-Type", name);
        let answer = sender.send("POST", &server.generic(), body.as_bytes());
        answer.assert_is(200, &json!([{ "iid": number + 4, "title": title }]));
    }
}

#[test]
fn a_body_without_a_content_type_is_read_as_json() {
    let server = TestServer::start();
    let key = format!("Bearer {}", server.text("/alerts/key"));
    for (path, body) in [
        (server.generic(), json!({ "title": "Bare" })),
        (server.metrics(), super::webhook(&[super::item("Bare")])),
    ] {
        let body = body.to_string();
        let length = body.len().to_string();
        let mut wire = Wire::open(&server);
        let headers = [
            ("Authorization", key.as_str()),
            ("Content-Length", length.as_str()),
        ];
        wire.send_head(&format!("POST {path}"), &headers);
        wire.send(body.as_bytes());
        wire.read_response().assert_ok();
    }
}

/// API-07. Otherwise a form with the same text, for example, would be read in a way that its sender did not mean.
#[test]
fn content_types_other_than_json_return_415() {
    let server = TestServer::start();
    let before = stored(&server);
    let body = json!({ "title": "Something" }).to_string();
    for name in [
        "text/plain",
        "text/plain; charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/octet-stream",
        "application/+json",
        "application/jsonp",
        "image/vnd.example+json",
        "application/json, text/plain",
        "application/json, application/a+json",
        "json",
        "",
    ] {
        let text =
            format!("The provided content-type '{name}' is not supported: send application/json.");
        for path in [server.generic(), server.metrics()] {
            let sender = server.sender().with("Content-Type", name);
            let answer = sender.send("POST", &path, body.as_bytes());
            answer.assert_is(415, &json!({ "error": text }));
        }
    }
    assert_eq!(stored(&server), before);
}

/// ALRT-06, API-07. The key comes first, and the body is not awaited.
#[test]
fn the_key_is_checked_before_the_name_and_the_name_before_the_body() {
    let server = TestServer::start();
    let stranger =
        TestCaller::bearer(server.base_url(), "wrong").with("Content-Type", "text/plain");
    let answer = stranger.send("POST", &server.generic(), b"{}");
    answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let mut wire = Wire::open(&server);
    let headers = [
        ("Authorization", key.as_str()),
        ("Content-Type", "text/plain"),
        ("Transfer-Encoding", "chunked"),
    ];
    wire.send_head(&format!("POST {}", server.generic()), &headers);
    assert_eq!(wire.final_response().unwrap().status, 415);
}
