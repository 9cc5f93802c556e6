//! Pages that create alert endpoints, and change their rules and mappings (`ALRT-01`, `ALRT-09`).

use serde_json::{Value, json};

use super::{assert_redirected, below, member_browser, submit, text};
use crate::support::browser::TestBrowser;
use crate::support::{TestCaller, TestServer};

const LIST: &str = "/-/settings/alert_endpoints";
const SAMPLE: &str = "{\"was\": \"<i>Disk</i>\", \"lage\": \"rot\"}";

/// Endpoint that the test created.
struct CreatedEndpoint {
    /// Path of its page, below that of the project.
    page: String,
    /// Path that receives alerts.
    intake: String,
    key: String,
}

impl CreatedEndpoint {
    fn send(&self, server: &TestServer, body: &Value) -> u16 {
        let sender = TestCaller::bearer(server.base_url(), &self.key);
        sender.post(&self.intake, body).status
    }
}

fn part<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    let (_, rest) = page.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

fn create(browser: &mut TestBrowser) -> CreatedEndpoint {
    let nameless = [("name", "  "), ("type", "http")];
    let refused = submit(browser, LIST, LIST, &nameless);
    let problem = "Endpoint not created: the name must have 1 to 255";
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains(problem), "{}", refused.text());
    let new = [("name", "Kuma <b>"), ("type", "http")];
    let created = submit(browser, LIST, LIST, &new);
    assert_eq!(created.status, 303);
    let location = created.header("location").unwrap().to_owned();
    let page = text(browser, &location);
    for shown in ["Endpoint created.", "/v2/enqueue", "Kuma &#60;b&#62;"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let end = part(&page, "/alerts/notify/kuma-b/", ".json");
    CreatedEndpoint {
        page: location.strip_prefix(&below("")).unwrap().to_owned(),
        intake: format!("/acme/web-shop/alerts/notify/x/{end}.json"),
        key: part(&page, "Authorization: Bearer ", "&").to_owned(),
    }
}

fn set_rules(server: &TestServer, browser: &mut TestBrowser, endpoint: &CreatedEndpoint) {
    let page = &endpoint.page;
    let wrong = [
        ("event", "settings"),
        ("name", "Kuma"),
        ("severities", "none"),
    ];
    let refused = submit(browser, page, page, &wrong);
    let problem = "Write each severity as word=severity";
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains(problem), "{}", refused.text());
    let rules = [
        ("event", "settings"),
        ("name", "Kuma"),
        ("severities", "none=info\r\nwarning=critical"),
        ("ignored_labels", "replica"),
    ];
    let saved = submit(browser, page, page, &rules);
    assert_redirected(browser, &saved, page, "Endpoint updated.");
    for replica in ["a", "b"] {
        let body = json!({ "title": "Same", "severity": "none", "replica": replica });
        assert_eq!(endpoint.send(server, &body), 200);
    }
    let alert = server.developer().get(&server.alerts()).list()[0].clone();
    let shown = (&alert["severity"], &alert["event_count"]);
    assert_eq!(shown, (&json!("info"), &json!(2)));
}

#[track_caller]
fn assert_harmless(page: &str) {
    assert!(page.contains("img src=y"), "the path is shown: {page}");
    let is_harmless = !page.contains("<img src=y") && !page.contains("<script>x");
    assert!(is_harmless, "{page}");
}

fn map(server: &TestServer, browser: &mut TestBrowser, endpoint: &CreatedEndpoint) {
    let mapping = format!("{}/mapping", endpoint.page);
    let page = text(browser, &below(&mapping));
    let newest = "&#34;replica&#34;: &#34;b&#34;";
    assert!(
        page.contains(newest),
        "the sample is the newest payload: {page}"
    );
    let rows = [
        ("sample", SAMPLE),
        ("title_path", "was"),
        ("severity_path", "lage"),
        ("severity_values", "rot=high"),
    ];
    let with = |event| [&rows[..], &[("event", event)]].concat();
    let preview = submit(browser, &mapping, &mapping, &with("preview"));
    assert_eq!(preview.status, 200);
    for shown in ["<h3>&#60;i&#62;Disk&#60;/i&#62;</h3>", "High"] {
        assert!(preview.text().contains(shown), "{}", preview.text());
    }
    let bad = [
        ("sample", SAMPLE),
        ("title_path", "a..b"),
        ("event", "save"),
    ];
    let refused = submit(browser, &mapping, &mapping, &bad);
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("Title: a..b is not a path"),
        "{}",
        refused.text()
    );
    // Hostile paths are text in the preview, in a refusal and in a saved form.
    for (path, status) in [
        ("\"<img src=y>'\"", 200),
        ("<img src=y>..\"><script>x</script>", 422),
    ] {
        let hostile = [
            ("sample", SAMPLE),
            ("title_path", path),
            ("severity_values", "<img src=y>=high"),
            ("event", "preview"),
        ];
        let shown = submit(browser, &mapping, &mapping, &hostile);
        assert_eq!(shown.status, status, "{}", shown.text());
        assert_harmless(&shown.text());
    }
    let quoted = [
        ("sample", SAMPLE),
        ("title_path", "\"<img src=y>'\""),
        ("event", "save"),
    ];
    let saved = submit(browser, &mapping, &mapping, &quoted);
    assert_redirected(browser, &saved, &endpoint.page, "Endpoint updated.");
    assert_harmless(&text(browser, &below(&mapping)));
    let saved = submit(browser, &mapping, &mapping, &with("save"));
    assert_redirected(browser, &saved, &endpoint.page, "Endpoint updated.");
    let body: Value = serde_json::from_str(SAMPLE).unwrap();
    assert_eq!(endpoint.send(server, &body), 200);
    let alert = server.developer().get(&server.alerts()).list()[0].clone();
    assert_eq!(alert["title"], "<i>Disk</i>");
    // The payload of Alertmanager is fixed.
    let fixed = below("/-/settings/alert_endpoints/metrics/mapping");
    assert_eq!(browser.open(&fixed).status, 404);
}

fn renew_and_delete(server: &TestServer, browser: &mut TestBrowser, endpoint: &CreatedEndpoint) {
    let (page, body) = (&endpoint.page, json!({ "was": "x" }));
    let renewal = [("event", "renew"), ("grace_seconds", "3600")];
    let renewed = submit(browser, page, page, &renewal);
    let message = "Key renewed. The old one works until the end of its grace period.";
    assert_redirected(browser, &renewed, page, message);
    assert_eq!(endpoint.send(server, &body), 200);
    let deleted = submit(browser, page, page, &[("event", "delete")]);
    let message = "Endpoint deleted. Its alerts and receipts stay.";
    assert_redirected(browser, &deleted, LIST, message);
    assert_eq!(endpoint.send(server, &body), 401);
    let legacy = "/-/settings/alert_endpoints/legacy";
    let refused = submit(browser, legacy, legacy, &[("event", "delete")]);
    assert_eq!(refused.status, 400);
}

#[test]
fn endpoints_are_created_configured_and_mapped_on_pages() {
    let server = TestServer::start();
    let mut maintainer = member_browser(&server, "mia", 40);
    let endpoint = create(&mut maintainer);
    set_rules(&server, &mut maintainer, &endpoint);
    map(&server, &mut maintainer, &endpoint);
    let mut developer = server.signed_in("developer");
    let page = text(
        &mut developer,
        &below(&format!("{}/mapping", endpoint.page)),
    );
    assert!(!page.contains("Save the mapping"), "{page}");
    renew_and_delete(&server, &mut maintainer, &endpoint);
}
