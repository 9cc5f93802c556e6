//! Owner of a project, and number of its open issues.

use serde_json::json;

use crate::support::TestServer;
use crate::support::script::play;

/// PATH-01, AUTH-11.
#[test]
fn projects_include_their_owner_and_count_only_visible_open_issues() {
    let server = TestServer::start();
    let dev = server.developer();
    let script = r#"
        POST /projects {"name": "Mine", "visibility": "internal"}
        201 {"...": 0, "id": 2, "owner": {"...": 0, "username": "dev"}, "open_issues_count": 0}
        POST /projects/2/issues {"title": "One"}
        201 {"...": 0, "iid": 1}
        POST /projects/2/issues {"title": "Two", "confidential": true}
        201 {"...": 0, "iid": 2}
        POST /projects/2/issues {"title": "Three"}
        201 {"...": 0, "iid": 3}
        PUT /projects/2/issues/3 {"state_event": "close"}
        200 {"...": 0, "state": "closed"}
        GET /projects/2
        200 {"...": 0, "open_issues_count": 2}
    "#;
    play(&dev, "/api/v4", script);
    let counts = |caller: &crate::support::TestCaller| {
        let listed = caller.get("/api/v4/projects?order_by=id&sort=asc");
        let one = caller.get("/api/v4/projects/2").expect(200);
        let listed = listed.list();
        assert_eq!(listed[1]["open_issues_count"], one["open_issues_count"]);
        assert_eq!(listed[0].get("owner"), None, "a group's project has none");
        assert_eq!(listed[1]["owner"]["username"], json!("dev"));
        one["open_issues_count"].as_u64().unwrap()
    };
    // Strangers do not learn the number of confidential issues.
    let seen = [&dev, &server.reporter(), &server.admin()].map(counts);
    assert_eq!(seen, [2, 1, 2]);
    let public = json!({ "visibility": "public" });
    dev.put("/api/v4/projects/2", &public).expect(200);
    let simple = server.anonymous().get("/api/v4/projects/2").expect(200);
    assert_eq!(
        (simple.get("owner"), simple.get("open_issues_count")),
        (None, None)
    );
}
