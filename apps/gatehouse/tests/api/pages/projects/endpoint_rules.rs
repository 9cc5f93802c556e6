//! Pages that create alert endpoints, and change their rules and mappings (`ALRT-01`, `ALRT-09`).

use serde_json::json;

use super::{assert_redirected, below, member_browser, submit, text};
use crate::support::{TestCaller, TestServer};

const LIST: &str = "/-/settings/alert_endpoints";

#[test]
fn endpoints_are_created_configured_and_mapped_on_pages() {
    let server = TestServer::start();
    let mut maintainer = member_browser(&server, "mia", 40);
    let refused = submit(
        &mut maintainer,
        LIST,
        LIST,
        &[("name", "  "), ("type", "http")],
    );
    assert_eq!(refused.status, 422);
    assert!(
        refused
            .text()
            .contains("Endpoint not created: the name must have 1 to 255"),
        "{}",
        refused.text()
    );
    let created = submit(
        &mut maintainer,
        LIST,
        LIST,
        &[("name", "Kuma <b>"), ("type", "http")],
    );
    assert_eq!(created.status, 303);
    let location = created.header("location").unwrap().to_owned();
    let page = text(&mut maintainer, &location);
    assert!(
        page.contains("Endpoint created.") && page.contains("/alerts/notify/kuma-b/"),
        "{page}"
    );
    assert!(
        page.contains("/v2/enqueue") && !page.contains("Kuma <b>"),
        "{page}"
    );
    let key = page
        .split("Authorization: Bearer ")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap()
        .to_owned();
    let url = page
        .split("/alerts/notify/kuma-b/")
        .nth(1)
        .unwrap()
        .split(".json")
        .next()
        .unwrap()
        .to_owned();
    let path = format!("/acme/web-shop/alerts/notify/x/{url}.json");
    let sender = TestCaller::bearer(server.base_url(), &key);

    let endpoint = location.strip_prefix(&below("")).unwrap().to_owned();
    let wrong = [
        ("event", "settings"),
        ("name", "Kuma"),
        ("severities", "none"),
    ];
    let refused = submit(&mut maintainer, &endpoint, &endpoint, &wrong);
    assert_eq!(refused.status, 422);
    assert!(
        refused
            .text()
            .contains("Write each severity as word=severity"),
        "{}",
        refused.text()
    );
    let rules = [
        ("event", "settings"),
        ("name", "Kuma"),
        ("severities", "none=info\r\nwarning=critical"),
        ("ignored_labels", "replica"),
    ];
    let saved = submit(&mut maintainer, &endpoint, &endpoint, &rules);
    assert_redirected(&mut maintainer, &saved, &endpoint, "Endpoint updated.");
    for replica in ["a", "b"] {
        let body = json!({ "title": "Same", "severity": "none", "replica": replica });
        sender.post(&path, &body).expect(200);
    }
    let alert = server.developer().get(&server.alerts()).list()[0].clone();
    assert_eq!(
        (&alert["severity"], &alert["event_count"]),
        (&json!("info"), &json!(2))
    );

    let mapping = format!("{endpoint}/mapping");
    let page = text(&mut maintainer, &below(&mapping));
    assert!(
        page.contains("&#34;replica&#34;: &#34;a&#34;"),
        "the sample is the newest payload: {page}"
    );
    let sample = "{\"was\": \"<i>Disk</i>\", \"lage\": \"rot\"}";
    let rows = [
        ("sample", sample),
        ("title_path", "was"),
        ("severity_path", "lage"),
        ("severity_values", "rot=high"),
    ];
    let preview = submit(
        &mut maintainer,
        &mapping,
        &mapping,
        &[&rows[..], &[("event", "preview")]].concat(),
    );
    let shown = preview.text();
    assert_eq!(preview.status, 200);
    assert!(
        shown.contains("<h3>&#60;i&#62;Disk&#60;/i&#62;</h3>") && shown.contains("High"),
        "{shown}"
    );
    let bad = [
        ("sample", sample),
        ("title_path", "a..b"),
        ("event", "save"),
    ];
    let refused = submit(&mut maintainer, &mapping, &mapping, &bad);
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("Title: a..b is not a path"),
        "{}",
        refused.text()
    );
    let saved = submit(
        &mut maintainer,
        &mapping,
        &mapping,
        &[&rows[..], &[("event", "save")]].concat(),
    );
    assert_redirected(&mut maintainer, &saved, &endpoint, "Endpoint updated.");
    let body: serde_json::Value = serde_json::from_str(sample).unwrap();
    assert_eq!(
        sender.post(&path, &body).expect(200)[0]["title"],
        "<i>Disk</i>"
    );
    // The payload of Alertmanager is fixed.
    let fixed = maintainer.open(&below("/-/settings/alert_endpoints/metrics/mapping"));
    assert_eq!(fixed.status, 404);

    let renewed = submit(
        &mut maintainer,
        &endpoint,
        &endpoint,
        &[("event", "renew"), ("grace_seconds", "3600")],
    );
    let message = "Key renewed. The old one works until the end of its grace period.";
    assert_redirected(&mut maintainer, &renewed, &endpoint, message);
    assert_eq!(sender.post(&path, &body).status, 200);
    let mut developer = server.signed_in("developer");
    let page = text(&mut developer, &below(&mapping));
    assert!(!page.contains("Save the mapping"), "{page}");
    let deleted = submit(
        &mut maintainer,
        &endpoint,
        &endpoint,
        &[("event", "delete")],
    );
    assert_redirected(
        &mut maintainer,
        &deleted,
        LIST,
        "Endpoint deleted. Its alerts and receipts stay.",
    );
    assert_eq!(sender.post(&path, &body).status, 401);
    let legacy = "/-/settings/alert_endpoints/legacy";
    assert_eq!(
        submit(&mut maintainer, legacy, legacy, &[("event", "delete")]).status,
        400
    );
}
