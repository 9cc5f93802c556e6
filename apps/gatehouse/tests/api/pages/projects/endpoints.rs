//! The pages of alert endpoints: keys that are shown once, switches, and test alerts that go through intake.

use serde_json::json;

use super::{assert_redirected, below, member_browser, submit, text};
use crate::database::{database, server_on};
use crate::support::{TestCaller, TestServer};

const LIST: &str = "/-/settings/alert_endpoints";
const GENERIC: &str = "/-/settings/alert_endpoints/legacy";
const TEST: &str = "/-/settings/alert_endpoints/legacy/test";

/// Status of an alert that is sent with a key.
fn sent_with(server: &TestServer, key: &str) -> u16 {
    let sender = TestCaller::bearer(server.base_url(), key);
    let alert = json!({ "title": "Disk full" });
    sender.post(&below("/alerts/notify.json"), &alert).status
}

/// The key on a page.
fn key_on(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("ghak_")?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c))?;
    Some(format!("ghak_{}", &rest[..end]))
}

/// Rotates the key of the generic endpoint, and disables and enables it.
fn renewed_and_switched(server: &TestServer) {
    let mut maintainer = member_browser(server, "mia", 40);
    let old = server.text("/alerts/key").to_owned();
    let before = text(&mut maintainer, &below(GENERIC));
    assert_eq!(
        key_on(&before),
        None,
        "a stored key is shown to nobody: {before}"
    );
    assert_eq!(sent_with(server, &old), 200);
    let answer = submit(&mut maintainer, GENERIC, GENERIC, &[("event", "renew")]);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(&*below(GENERIC)))
    );
    let page = text(&mut maintainer, &below(GENERIC));
    let notice = "Key renewed. The old one no longer works.";
    assert!(
        page.contains(notice) && page.contains("It is shown only once."),
        "{page}"
    );
    let key = key_on(&page).unwrap();
    assert!(
        page.contains(&format!("Authorization: Bearer {key}")),
        "{page}"
    );
    assert_eq!(
        (sent_with(server, &old), sent_with(server, &key)),
        (401, 200)
    );
    let again = text(&mut maintainer, &below(GENERIC));
    assert_eq!(key_on(&again), None, "{again}");
    assert!(again.contains("Bearer YOUR_KEY"), "{again}");
    // The other endpoint keeps its key.
    let metrics = text(
        &mut maintainer,
        &below("/-/settings/alert_endpoints/metrics"),
    );
    assert!(
        metrics.contains("webhook_configs:") && metrics.contains("credentials:"),
        "{metrics}"
    );

    let answer = submit(&mut maintainer, GENERIC, GENERIC, &[("event", "disable")]);
    let message = "Endpoint turned off. It refuses all requests.";
    assert_redirected(&mut maintainer, &answer, GENERIC, message);
    assert_eq!(
        (sent_with(server, &key), sent_with(server, &old)),
        (403, 401)
    );
    let refused = submit(
        &mut maintainer,
        GENERIC,
        TEST,
        &[("body", "{\"title\":\"x\"}")],
    );
    assert_eq!(refused.status, 422);
    let message = "the alert endpoint is not active";
    assert!(refused.text().contains(message), "{}", refused.text());
    let answer = submit(&mut maintainer, GENERIC, GENERIC, &[("event", "enable")]);
    assert_redirected(&mut maintainer, &answer, GENERIC, "Endpoint turned on.");
    assert_eq!(sent_with(server, &key), 200);
    assert_eq!(submit(&mut maintainer, GENERIC, GENERIC, &[]).status, 400);
}

#[test]
fn a_new_key_is_shown_once_and_the_old_one_ends() {
    renewed_and_switched(&TestServer::start());
}

#[test]
fn a_new_key_is_shown_once_on_postgresql() {
    let Some(database) = database() else { return };
    renewed_and_switched(&server_on(&database));
}

#[test]
fn a_developer_sends_a_test_through_intake() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let list = text(&mut developer, &below(LIST));
    for part in [
        "HTTP endpoint",
        "Alertmanager",
        "/acme/web-shop/prometheus/alerts/notify.json",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let page = text(&mut developer, &below(GENERIC));
    assert!(!page.contains("name=\"event\""), "{page}");
    let body = "{\"title\":\"<b>Probe</b>\",\r\n\"severity\":\"low\"}";
    let answer = submit(&mut developer, GENERIC, TEST, &[("body", body)]);
    let alerts = server.developer().get(&server.alerts()).list();
    assert_eq!(
        (&alerts[0]["title"], &alerts[0]["severity"]),
        (&json!("<b>Probe</b>"), &json!("low"))
    );
    let path = format!("/-/alert_management/{}/details", alerts[0]["iid"]);
    let message = "Test received. It created this alert.";
    assert_redirected(&mut developer, &answer, &path, message);
    let receipts = server.below_project("/alert_receipts");
    let receipts = server.developer().get(&receipts).list();
    assert_eq!(receipts[0]["created"], json!(1), "{}", receipts[0]);

    let metrics = "/-/settings/alert_endpoints/metrics";
    let to = format!("{metrics}/test");
    for (from, to, body) in [
        (GENERIC, TEST, "no <json>"),
        (GENERIC, TEST, ""),
        (metrics, &*to, "{\"a\":1}"),
    ] {
        let refused = submit(&mut developer, from, to, &[("body", body)]);
        let page = refused.text();
        assert_eq!(refused.status, 422, "{body}: {page}");
        assert!(page.contains("Test refused: "), "{page}");
        assert!(
            page.contains(
                &body
                    .replace('<', "&#60;")
                    .replace('>', "&#62;")
                    .replace('"', "&#34;")
            ),
            "{page}"
        );
    }
    let after = server.developer().get(&server.alerts()).list();
    assert_eq!(after.len(), alerts.len());
    // The form's default payload is a valid test of its endpoint.
    for (from, to) in [(GENERIC, TEST), (metrics, &*to)] {
        let page = text(&mut developer, &below(from));
        let (_, rest) = page.split_once("\"body-hint\">\n").unwrap();
        let (body, _) = rest.split_once("</textarea>").unwrap();
        let body = body.replace("&#34;", "\"");
        let answer = submit(&mut developer, from, to, &[("body", &body)]);
        let led = answer.header("location").unwrap();
        assert!(led.starts_with(&below("/-/alert_management/")), "{led}");
    }
    let after = server.developer().get(&server.alerts()).list();
    let tests = after.iter().filter(|alert| alert["title"] == "Test alert");
    assert_eq!(tests.count(), 2);
}

#[test]
fn only_maintainers_change_an_endpoint() {
    let server = TestServer::start();
    let key = server.text("/alerts/key").to_owned();
    let mut developer = server.signed_in("developer");
    for event in ["renew", "disable"] {
        let refused = submit(&mut developer, GENERIC, GENERIC, &[("event", event)]);
        assert_eq!(refused.status, 403, "{event}");
    }
    let mut reporter = server.signed_in("reporter");
    for (to, fields) in [(GENERIC, ("event", "disable")), (TEST, ("body", "{}"))] {
        assert_eq!(submit(&mut reporter, "", to, &[fields]).status, 404, "{to}");
    }
    assert_eq!(sent_with(&server, &key), 200);
}
