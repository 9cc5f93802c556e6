//! Webhooks verified with the libraries of Standard Webhooks.

use serde_json::json;

use super::receiver::Receiver;
use super::{create, end, open, wait_until_sent};
use crate::support::TestServer;

/// Title whose bytes in JSON depend on the encoder.
const TITLE: &str = "Düsk \u{1f4a5} <b>\"full\"</b> \\ / \u{2028}\u{7f}";

/// Changes to a request that a library must refuse.
const CHANGES: [&str; 5] = ["body", "id", "old", "secret", "timestamp"];

/// Opens and ends an alert. The receiver answers 500 to the first attempt of each message.
fn check(mut receiver: Receiver) {
    let configuration = "[notifications]\nallowed_networks = \"127.0.0.1\"\n";
    let server = TestServer::start_configured(configuration);
    let url = format!("http://127.0.0.1:{}/hook", receiver.port());
    let channel = create(
        &server,
        &json!({ "kind": "webhook", "name": "Hook", "url": url }),
    );
    receiver.tell(channel["secret"].as_str().unwrap());
    let alert = open(&server, TITLE, &json!({ "description": "größer\nals" }));
    let mut requests = receiver.take(2);
    wait_until_sent(&server, 1);
    end(&server, TITLE);
    requests.extend(receiver.take(2));
    let sent = wait_until_sent(&server, 2);

    let events = ["alert.opened", "alert.resolved"];
    for ((pair, message), event) in requests.chunks(2).zip(&sent).zip(events) {
        for (request, status) in pair.iter().zip([500, 200]) {
            assert_eq!(request["verified"], true, "{request}");
            assert_eq!(request["refused"], json!(CHANGES), "{request}");
            assert_eq!(request["id"], message["key"]);
            assert_eq!(request["status"], status);
            assert_eq!(request["media_type"], "application/json");
            assert_eq!(request["event"]["type"], event);
            assert_eq!(request["event"]["data"]["alert"]["title"], alert["title"]);
        }
        assert_ne!(pair[0]["timestamp"], pair[1]["timestamp"]);
        assert_eq!(pair[0]["event"], pair[1]["event"]);
        let outcomes = [0, 1].map(|place| &message["attempts"][place]["outcome"]);
        assert_eq!(outcomes, ["failed", "delivered"]);
    }
    assert_ne!(requests[0]["id"], requests[2]["id"]);
    assert_eq!(receiver.rest(), [json!(null); 0]);
}

#[test]
fn standardwebhooks_for_python_verifies_every_attempt() {
    if let Some(receiver) = Receiver::python("webhook_receiver.py", &[]) {
        check(receiver);
    }
}

#[test]
fn standardwebhooks_for_node_verifies_every_attempt() {
    if let Some(receiver) = Receiver::node("webhook_receiver.mjs") {
        check(receiver);
    }
}
