//! Refused deliveries leave a receipt with the reason, up to a bound.

use alert_intake::flow::record_refusal::MAX_IN_WINDOW;
use serde_json::{Value, json};

use super::{item, refusals, stored, webhook};
use crate::database::{database, server_on};
use crate::support::{TestCaller, TestServer};

/// A refused delivery.
struct RefusedDelivery {
    headers: &'static [(&'static str, &'static str)],
    body: Vec<u8>,
    status: u16,
    reason: &'static str,
    /// The start of the body as stored in the receipt.
    start: Option<&'static str>,
}

fn delivery(
    body: &str,
    status: u16,
    reason: &'static str,
    start: Option<&'static str>,
) -> RefusedDelivery {
    RefusedDelivery {
        headers: &[("Content-Type", "application/json")],
        body: body.as_bytes().to_vec(),
        status,
        reason,
        start,
    }
}

fn deliveries() -> Vec<RefusedDelivery> {
    let xml = RefusedDelivery {
        headers: &[("Content-Type", "application/xml")],
        ..delivery("<title>Fire</title>", 415, "application/xml", None)
    };
    let coded = RefusedDelivery {
        headers: &[
            ("Content-Type", "application/json"),
            ("Content-Encoding", "br"),
        ],
        ..delivery("{}", 415, "br", None)
    };
    let keyed = RefusedDelivery {
        headers: &[
            ("Content-Type", "application/json"),
            ("Idempotency-Key", "a b"),
        ],
        ..delivery("{}", 400, "Idempotency-Key", None)
    };
    let binary = RefusedDelivery {
        body: b"\xff\xfe{}".to_vec(),
        ..delivery("", 400, "not valid JSON", None)
    };
    vec![
        delivery(
            "{\"title\": \u{202e}",
            400,
            "not valid JSON",
            Some("{\"title\": \u{202e}"),
        ),
        delivery("[]", 400, "not a JSON object", Some("[]")),
        xml,
        coded,
        keyed,
        binary,
    ]
}

fn send(server: &TestServer, path: &str, delivery: &RefusedDelivery) -> u16 {
    let mut sender = server.sender().with("User-Agent", "probe/1.0");
    for (name, value) in delivery.headers {
        sender = sender.with(name, value);
    }
    sender.send("POST", path, &delivery.body).status
}

/// Compares the latest receipt of a refusal with its case.
#[track_caller]
fn check(receipt: &Value, delivery: &RefusedDelivery) {
    let refusal = &receipt["refusal"];
    let reason = refusal["reason"].as_str().unwrap();
    assert!(reason.contains(delivery.reason), "{reason}");
    assert_eq!(refusal["status"], delivery.status, "{receipt}");
    assert_eq!(refusal["body_start"], json!(delivery.start), "{receipt}");
    assert_eq!(refusal["sender"], "loopback");
    assert_eq!(refusal["further_refusals"], 0);
    assert_eq!(receipt["bytes"], delivery.body.len(), "{receipt}");
    assert_eq!(receipt["user_agent"], "probe/1.0");
    for count in ["alerts", "created", "counted", "resolved", "repeated"] {
        assert_eq!(receipt[count], 0, "{receipt}");
    }
}

fn each_refusal_leaves_a_receipt(server: &TestServer) {
    let before = stored(server);
    for (number, delivery) in deliveries().iter().enumerate() {
        assert_eq!(
            send(server, &server.generic(), delivery),
            delivery.status,
            "{number}"
        );
        let receipts = refusals(server);
        assert_eq!(receipts.len(), number + 1);
        check(&receipts[0], delivery);
        // The list and the single receipt have the same data, for those who may read them.
        let path = server.below_project(&format!("/alert_receipts/{}", receipts[0]["id"]));
        server.developer().get(&path).assert_is(200, &receipts[0]);
    }
    assert_eq!(stored(server), before, "nothing else was stored");
    let webhook = webhook(&[item("Fire")]).to_string();
    let old = webhook.replace("\"version\":\"4\"", "\"version\":\"3\"");
    let old = delivery(&old, 422, "version", None);
    assert_eq!(send(server, &server.metrics(), &old), 422);
    let receipt = &refusals(server)[0];
    assert_eq!(receipt["refusal"]["status"], 422);
    let start = receipt["refusal"]["body_start"].as_str().unwrap();
    assert!(
        webhook.starts_with(&start[..10]) && start.chars().count() == 200,
        "{start}"
    );
}

#[test]
fn a_refused_delivery_leaves_a_receipt_with_the_reason() {
    each_refusal_leaves_a_receipt(&TestServer::start());
}

#[test]
fn a_refused_delivery_leaves_a_receipt_on_postgresql() {
    let Some(database) = database() else { return };
    each_refusal_leaves_a_receipt(&server_on(&database));
}

/// A body beyond the limit is refused unread; the receipt has its declared length.
#[test]
fn a_body_that_is_too_large_leaves_a_receipt_without_it() {
    let server = TestServer::start_configured("[intake]\nmax_body_bytes = 1024\n");
    let large = RefusedDelivery {
        body: vec![b' '; 1025],
        ..delivery("", 413, "1024", None)
    };
    assert_eq!(send(&server, &server.generic(), &large), 413);
    let receipts = refusals(&server);
    assert_eq!(receipts.len(), 1);
    check(&receipts[0], &large);
}

#[test]
fn a_key_that_came_with_another_body_leaves_a_receipt() {
    let server = TestServer::start();
    let sender = server.sender().with("Idempotency-Key", "one");
    sender
        .post_bytes(&server.generic(), b"{\"title\":\"a\"}")
        .assert_ok();
    let answer = sender.post_bytes(&server.generic(), b"{\"title\":\"b\"}");
    assert_eq!(answer.status, 422);
    let receipts = refusals(&server);
    assert_eq!(receipts.len(), 1);
    assert_eq!(receipts[0]["refusal"]["status"], 422);
    assert_eq!(receipts[0]["refusal"]["body_start"], "{\"title\":\"b\"}");
}

/// A stranger must not write to a project.
#[test]
fn a_delivery_without_the_key_leaves_no_receipt() {
    let server = TestServer::start();
    for key in ["", "ghak_wrong"] {
        let sender = TestCaller::bearer(server.base_url(), key);
        let answer = sender.post_bytes(&server.generic(), b"{");
        assert_eq!(answer.status, 401);
    }
    assert_eq!(refusals(&server), Vec::<Value>::new());
}

#[test]
fn refusals_beyond_the_bound_are_counted_in_the_last_receipt() {
    let server = TestServer::start();
    let refused = delivery("{", 400, "not valid JSON", None);
    for _ in 0..MAX_IN_WINDOW + 5 {
        assert_eq!(send(&server, &server.generic(), &refused), 400);
    }
    let receipts = refusals(&server);
    let further = |receipt: &Value| receipt["refusal"]["further_refusals"].as_i64().unwrap();
    // If a minute ends during the test, one more receipt is written.
    let all: i64 = receipts.iter().map(further).sum();
    assert_eq!(all + i64::try_from(receipts.len()).unwrap(), 15);
    assert_eq!(receipts.len(), MAX_IN_WINDOW);
    assert_eq!(further(&receipts[0]), 5);
}
