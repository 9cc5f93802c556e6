//! `/admin/audit_events`, and `/-/audit_events` of projects and groups.

use crate::support::TestServer;
use crate::support::rows::change;

const ALL: &str = "/admin/audit_events";
const PROJECT: &str = "/acme/web-shop/-/audit_events";
const GROUP: &str = "/groups/acme/-/audit_events";

/// Inserts entries of the demo's project by the server, each with its number as a detail.
fn insert(server: &TestServer, count: i64) {
    let project = server.project();
    change(
        server,
        &format!(
            "WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < {count}) \
             INSERT INTO audit_entries (entity_type, entity_id, event_name, details, created_at) \
             SELECT 2, {project}, 9, '{{\"path\":\"number-' || value || '\"}}', 1704067200000000 + value FROM numbers"
        ),
    );
}

/// The address of a link of a page.
fn link(page: &str, relation: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("<a rel=\"{relation}\" href=\""))?;
    Some(rest.split_once('"').unwrap().0.to_owned())
}

#[test]
fn events_are_for_administrators_and_managers() {
    let server = TestServer::start();
    insert(&server, 1);
    let mut admin = server.signed_in("admin");
    for path in [ALL, PROJECT] {
        let page = admin.open(path).expect_text(200);
        for text in ["Project archived", "(System)", "number-1"] {
            assert!(page.contains(text), "{path}: {text}");
        }
    }
    assert!(admin.open(ALL).text().contains("acme/web-shop"));
    admin.open(GROUP).assert_ok();
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.open(ALL).status, 403);
    assert_eq!(developer.open(PROJECT).status, 404);
    assert_eq!(developer.open(GROUP).status, 404);
}

#[test]
fn links_lead_to_older_and_newer_events() {
    let server = TestServer::start();
    insert(&server, 120);
    let mut admin = server.signed_in("admin");
    let newest = admin.open(PROJECT).expect_text(200);
    assert!(newest.contains(">number-120<") && newest.contains(">number-71<"));
    assert!(!newest.contains(">number-70<"));
    assert_eq!(link(&newest, "prev"), None);
    let middle = admin.open(&link(&newest, "next").unwrap());
    let middle = middle.expect_text(200);
    assert!(middle.contains(">number-70<") && middle.contains(">number-21<"));
    let oldest = admin.open(&link(&middle, "next").unwrap());
    assert!(oldest.expect_text(200).contains(">number-1<"));
    let newer = admin.open(&link(&middle, "prev").unwrap());
    let newer = newer.expect_text(200);
    assert!(newer.contains(">number-120<") && newer.contains(">number-71<"));
    assert_eq!(link(&newer, "prev"), None);
}
