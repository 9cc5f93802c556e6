//! Uses of deprecated features, for their users and for administrators.

use serde_json::{Value, json};

use super::HEADER;
use crate::support::polling::eventually;
use crate::support::{TestCaller, TestServer};

const LEVEL: &str = "15-8-operations-access-level";

fn use_level(server: &TestServer, caller: &TestCaller) {
    let level = json!({"operations_access_level": "enabled", "monitor_access_level": "enabled"});
    caller.put(&server.below_project(""), &level).assert_ok();
}

/// The recorded uses, once the given number of requests is recorded. They are written every ten seconds.
fn uses(caller: &TestCaller, path: &str, requests: u64) -> Vec<Value> {
    eventually("the uses are written", || {
        let listed = caller.get(path).list();
        let count = listed
            .iter()
            .map(|one| one["uses"].as_u64().unwrap_or_default());
        (count.sum::<u64>() >= requests).then_some(listed)
    })
}

#[test]
fn users_see_deprecated_use_of_their_own_tokens() {
    let server = TestServer::start();
    let admin = server.admin();
    for _ in 0..3 {
        use_level(&server, &admin);
    }
    use_level(&server, &admin.with(HEADER, "15.9"));
    server.admin().get(&server.below_project("")).assert_ok();
    let found = uses(&server.admin(), "/api/v4/user/deprecations", 4);
    assert_eq!(found.len(), 1, "{found:?}");
    let shown = &found[0];
    assert_eq!(
        (&shown["record"], &shown["uses"]),
        (&json!(LEVEL), &json!(4))
    );
    assert_eq!(
        (&shown["holder"], &shown["holder_name"]),
        (&json!("token"), &json!("demo"))
    );
    assert_eq!(
        (&shown["removal"], &shown["works_until"]),
        (&json!("undated"), &Value::Null)
    );
    assert_eq!(
        server
            .developer()
            .get("/api/v4/user/deprecations")
            .list()
            .len(),
        0
    );
}

#[test]
fn only_administrators_see_deprecated_use_of_all_users() {
    let server = TestServer::start();
    use_level(&server, &server.admin());
    let found = uses(&server.admin(), "/api/v4/admin/deprecations", 1);
    assert_eq!(
        (&found[0]["record"], &found[0]["holders"]),
        (&json!(LEVEL), &json!(1))
    );
    let id = server.admin().get("/api/v4/user").expect(200)["id"].clone();
    assert_eq!(found[0]["last"][0]["user_id"], id);
    server
        .developer()
        .get("/api/v4/admin/deprecations")
        .expect(403);
    let page = server
        .signed_in("admin")
        .open("/admin/deprecations")
        .expect_text(200);
    assert!(
        page.contains("token demo") && page.contains("1 request with one credential"),
        "{page}"
    );
    let own = server
        .signed_in("admin")
        .open("/profile/deprecations")
        .expect_text(200);
    assert!(own.contains("operations_access_level"), "{own}");
    let others = server
        .signed_in("developer")
        .open("/profile/deprecations")
        .expect_text(200);
    assert!(others.contains("No deprecated features in use"), "{others}");
    assert_eq!(
        server
            .signed_in("developer")
            .open("/admin/deprecations")
            .status,
        403
    );
}

/// Uses collected by a process are written before it exits.
#[test]
fn uses_outlive_a_restart() {
    let mut server = TestServer::start();
    use_level(&server, &server.admin());
    server.stop();
    server.restart();
    let found = server.admin().get("/api/v4/user/deprecations").list();
    assert_eq!(found.len(), 1);
}

/// A removal with a date is shown with the last day before it.
#[test]
fn a_dated_removal_reports_the_last_working_day() {
    let server = super::server_as("15.9");
    let path = server.below_project("/deployments?updated_after=2023-01-01T00:00:00Z");
    server.admin().get(&path).assert_ok();
    let found = uses(&server.admin(), "/api/v4/user/deprecations", 1);
    assert_eq!(found[0]["works_until"], "2023-05-21");
    assert_eq!(found[0]["removal"], "16.0");
}
