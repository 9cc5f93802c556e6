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

/// Many senders offer only plain text or a form. The object is the same however it comes.
#[test]
fn plain_text_and_forms_hold_an_object() {
    let server = TestServer::start();
    let form = "application/x-www-form-urlencoded";
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n{\"title\":\"E\"}\r\n--x--\r\n";
    for (number, (name, body, title)) in [
        ("text/plain; charset=utf-8", r#"{"title":"A"}"#, "A"),
        (form, r#"{"title":"B"}"#, "B"),
        (form, "payload=%7B%22title%22%3A%22C%22%7D", "C"),
        (form, "title=D&severity=low", "D"),
        ("multipart/form-data; boundary=x", multipart, "E"),
    ]
    .into_iter()
    .enumerate()
    {
        let sender = server.sender().with("Content-Type", name);
        let answer = sender.send("POST", &server.generic(), body.as_bytes());
        answer.assert_is(200, &json!([{ "iid": number + 4, "title": title }]));
    }
    let before = stored(&server);
    let sender = || server.sender().with("Content-Type", form);
    let answer = sender().send("POST", &server.generic(), b"=");
    let text = "the form has no fields; send a JSON object, or a form of 1 to 1000 fields";
    answer.assert_is(400, &json!({ "error": text }));
    let text = server.sender().with("Content-Type", "text/plain");
    assert_eq!(
        text.send("POST", &server.generic(), b"Disk full").status,
        400
    );
    assert_eq!(stored(&server), before);
}

/// API-07.
#[test]
fn other_content_types_return_415() {
    let server = TestServer::start();
    let before = stored(&server);
    let body = json!({ "title": "Something" }).to_string();
    for name in [
        "multipart/form-data",
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
        TestCaller::bearer(server.base_url(), "wrong").with("Content-Type", "application/xml");
    let answer = stranger.send("POST", &server.generic(), b"{}");
    answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let mut wire = Wire::open(&server);
    let headers = [
        ("Authorization", key.as_str()),
        ("Content-Type", "application/xml"),
        ("Transfer-Encoding", "chunked"),
    ];
    wire.send_head(&format!("POST {}", server.generic()), &headers);
    assert_eq!(wire.final_response().unwrap().status, 415);
}
