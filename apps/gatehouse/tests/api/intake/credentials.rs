//! Credentials of senders of alerts.

use std::fmt::Write as _;

use api_conventions::secret::SecretDigest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::stored;
use crate::support::{TestCaller, TestServer, rows};

fn basic(server: &TestServer, username: &str, password: &str) -> TestCaller {
    let pair = STANDARD.encode(format!("{username}:{password}"));
    server
        .anonymous()
        .with("Authorization", &format!("Basic {pair}"))
}

/// ALRT-06.
#[test]
fn the_key_comes_as_a_bearer_token_or_as_a_password() {
    let server = TestServer::start();
    let key = server.text("/alerts/key");
    for (number, caller) in [
        TestCaller::bearer(server.base_url(), key),
        server
            .anonymous()
            .with("Authorization", &format!("bearer {key}")),
        basic(&server, "", key),
        basic(&server, "any-name", key),
    ]
    .iter()
    .enumerate()
    {
        for path in [server.generic(), server.metrics()] {
            let body = super::webhook(&[super::item(&format!("Alert {number}"))]);
            caller.post(&path, &body).assert_ok();
        }
    }
}

/// ALRT-06. A client converts credentials in the URL to this header.
#[test]
fn the_key_is_accepted_as_a_password_in_the_url() {
    let server = TestServer::start();
    let key = server.text("/alerts/key");
    let place = server.base_url().replace("http://", "");
    let base_url = format!("http://:{key}@{place}");
    let path = server.generic();
    let answer = TestCaller::new(&base_url, None).post(&path, &json!({ "title": "By URL" }));
    answer.assert_is(200, &json!([{ "iid": 4, "title": "By URL" }]));
}

/// ALRT-06, API-10.
#[test]
fn a_sender_without_a_key_is_refused_and_nothing_is_stored() {
    let server = TestServer::start();
    let before = stored(&server);
    let unauthorized = json!({ "message": "401 Unauthorized" });
    let key = server.text("/alerts/key").to_owned();
    let wrong = [
        server.anonymous(),
        TestCaller::bearer(server.base_url(), "wrong"),
        TestCaller::bearer(server.base_url(), &format!("{key}x")),
        TestCaller::bearer(server.base_url(), &key[..key.len() - 1]),
        basic(&server, "", "wrong"),
        basic(&server, &key, ""),
        server.anonymous().with("Authorization", &key),
        server.anonymous().with("Authorization", "Basic ***"),
        server
            .anonymous()
            .with("Authorization", &format!("Digest {key}")),
        server.anonymous().with("PRIVATE-TOKEN", &key),
        // The token of an administrator is not a key.
        TestCaller::bearer(server.base_url(), server.text("/admin/token")),
    ];
    for caller in wrong {
        for path in [server.generic(), server.metrics()] {
            let body = super::webhook(&[super::item("Intruder")]);
            caller.post(&path, &body).assert_is(401, &unauthorized);
        }
    }
    let in_query = format!(
        "{}?private_token={key}&access_token={key}",
        server.generic()
    );
    let answer = server.anonymous().post(&in_query, &json!({}));
    answer.assert_is(401, &unauthorized);
    assert_eq!(stored(&server), before);
}

/// ALRT-06. A key opens the endpoints of its own project.
#[test]
fn the_key_of_another_project_is_no_key() {
    let server = TestServer::start();
    let before = stored(&server);
    let created = server.create_project("tools/hammer", "private", "dev");
    let key = created["alerts"]["key"].as_str().unwrap();
    let answer = TestCaller::bearer(server.base_url(), key).post(&server.generic(), &json!({}));
    answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    assert_eq!(stored(&server), before);
}

/// API-16. A sender without a valid key gets the same response whether or not the project exists.
#[test]
fn without_the_right_key_no_name_of_a_project_can_be_tested() {
    let server = TestServer::start();
    server.create_project("tools/hammer", "private", "dev");
    let refusal = |caller: &TestCaller, path: &str| {
        let answer = caller.post(path, &json!({ "title": "x" }));
        answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
        let mut headers = answer.headers;
        // The `connection` header depends on how much of the body has arrived by then.
        let varying = ["x-request-id", "x-runtime", "date", "connection"];
        headers.retain(|(name, _)| !varying.contains(&name.as_str()));
        headers.sort_unstable();
        headers
    };
    let wrong = TestCaller::bearer(server.base_url(), "wrong");
    for caller in [server.anonymous(), wrong, server.sender()] {
        let there = refusal(&caller, "/tools/hammer/alerts/notify.json");
        for path in [
            "/acme/nothing/alerts/notify.json",
            "/acme/nothing/prometheus/alerts/notify.json",
            "/acme/alerts/notify.json",
            "/web-shop/alerts/notify.json",
            "/acme%252Fweb-shop/alerts/notify.json",
            "/acme//web-shop/alerts/notify.json",
        ] {
            assert_eq!(refusal(&caller, path), there, "{path}");
        }
    }
}

/// ALRT-06. Clients such as wget and urllib send a password only after a challenge.
#[test]
fn unauthorized_requests_get_a_basic_challenge() {
    let server = TestServer::start();
    for caller in [
        server.anonymous(),
        TestCaller::bearer(server.base_url(), "wrong"),
    ] {
        for path in [server.generic(), server.metrics()] {
            let answer = caller.post(&path, &json!({}));
            assert_eq!(answer.status, 401);
            let challenge = answer.header("www-authenticate");
            assert_eq!(challenge, Some("Basic realm=\"alerts\", charset=\"UTF-8\""));
        }
    }
}

/// ALRT-01. Disabling an endpoint takes effect on a server that has cached it as active.
#[test]
fn an_endpoint_that_is_not_active_receives_nothing() {
    let server = TestServer::start();
    server.raise(&json!({ "title": "Known" }));
    let before = stored(&server);
    let off = "UPDATE alert_integrations SET active = 0 WHERE source = 0";
    rows::change_and_revoke(&server, off);
    let refused = crate::support::eventually("the endpoint is off", || {
        let answer = server
            .sender()
            .post(&server.generic(), &json!({ "title": "Off" }));
        (answer.status != 200).then_some(answer)
    });
    let text = "403 Forbidden - the alert endpoint is not active";
    refused.assert_is(403, &json!({ "message": text }));
    let stranger = TestCaller::bearer(server.base_url(), "wrong");
    let answer = stranger.post(&server.generic(), &json!({ "title": "Off" }));
    answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    let [_, _, events] = stored(&server);
    assert!(events.to_string().contains("Known"));
    assert_eq!(before[0].as_array().unwrap().len(), 4);
    let metrics = super::webhook(&[super::item("Other endpoint")]);
    server
        .sender()
        .post(&server.metrics(), &metrics)
        .assert_ok();
}

/// API-09. After a redirect, a GET would be answered with 200 and the alert would be lost.
#[test]
fn the_endpoints_take_posts_only_and_never_redirect() {
    let server = TestServer::start();
    for path in [server.generic(), server.metrics()] {
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE"] {
            let answer = server.sender().send(method, &path, b"");
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), Some("OPTIONS, POST"), "{method}");
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

/// ALRT-01, AUTH-09. Another process rotates the key of an endpoint and records that. The server had cached the old one
/// as valid.
#[test]
fn a_key_that_another_process_replaces_is_refused_soon() {
    let server = TestServer::start();
    server.raise(&json!({ "title": "Known" }));
    let metrics = |title: &str| {
        let webhook = super::webhook(&[super::item(title)]);
        server.sender().post(&server.metrics(), &webhook)
    };
    metrics("Known").assert_ok();
    let of_the_shop = "id = (SELECT min(id) FROM alert_integrations WHERE source = 0)";
    let digest = SecretDigest::of("ghak_another");
    let digest = hexadecimal(digest.as_bytes());
    rows::change_power_of(
        &server,
        &format!("UPDATE alert_integrations SET key_digest = x'{digest}' WHERE {of_the_shop}"),
        6,
        &format!("SELECT id FROM alert_integrations WHERE {of_the_shop}"),
    );
    crate::support::eventually("the old key is refused", || {
        let alert = json!({ "title": "Old key" });
        let answer = server.sender().post(&server.generic(), &alert);
        (answer.status == 401).then_some(())
    });
    let sender = TestCaller::bearer(server.base_url(), "ghak_another");
    sender
        .post(&server.generic(), &json!({ "title": "New key" }))
        .assert_ok();
    metrics("Other endpoint").assert_ok();
}
