//! `/api/v4/projects/:id/milestones`.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::pages::{column, rows};
use crate::support::script::play;

#[test]
fn a_milestone_is_created_updated_and_deleted_and_events_are_recorded() {
    let server = TestServer::start();
    let (reporter, path) = (server.reporter(), server.below_project("/milestones"));
    let web_url = "/acme/web-shop/-/milestones/1";
    let dates = r#""created_at": "*", "updated_at": "*""#;
    let links = format!(r#""web_url": "{}{web_url}""#, server.base_url());
    let created = format!(
        r#"{{"id": 1, "iid": 1, "project_id": 1, "title": "1.0", "description": "The first", "state": "active", {dates}, "start_date": "2024-01-01", "due_date": "2024-02-29", "expired": true, {links}}}"#
    );
    let closed = format!(
        r#"{{"id": 1, "iid": 1, "project_id": 1, "title": "1.1", "description": null, "state": "closed", {dates}, "start_date": "2024-01-01", "due_date": null, "expired": false, {links}}}"#
    );
    let change = r#"{"title": "1.1", "description": null, "due_date": "", "state_event": "close"}"#;
    let script = format!(
        r#"
        POST . {{"title": "1.0", "description": "The first", "start_date": "2024-01-01", "due_date": "2024-02-29"}}
        201 {created}
        GET /1
        200 {created}
        GET .
        200 [{created}]
        PUT /1 {change}
        200 {closed}
        PUT /1 {change}
        200 {closed}
        PUT /1 {{"state_event": "activate"}}
        200
        "#
    );
    play(&reporter, &path, &script);
    let shown = server.signed_in("reporter").open(web_url);
    let one = format!("{path}/1");
    assert_eq!(shown.status, 200);
    assert!(shown.text().contains("1.1"), "{}", shown.text());
    assert_eq!(reporter.delete(&one).status, 204);
    let again = reporter.post(&path, &json!({ "title": "1.1" })).expect(201);
    assert_eq!(again["iid"], 2);

    let feed = server.below_project("/events?target_type=milestone&sort=asc");
    let fields = ["action_name", "target_type", "target_iid", "target_title"];
    let entry = |row: &Value| json!(fields.map(|field| row[field].clone()));
    let feed: Vec<Value> = rows(&server.developer(), &feed).iter().map(entry).collect();
    let entries = [
        ("opened", 1, "1.0"),
        ("closed", 1, "1.1"),
        ("opened", 1, "1.1"),
        ("destroyed", 1, "1.1"),
        ("opened", 2, "1.1"),
    ];
    let entries = entries.map(|(action, iid, title)| json!([action, "Milestone", iid, title]));
    assert_eq!(feed, entries);
}

#[test]
fn milestone_lists_are_filtered_and_invalid_requests_are_rejected() {
    let server = TestServer::start();
    let (reporter, path) = (server.reporter(), server.below_project("/milestones"));
    for title in ["one", "two", "three"] {
        let content = json!({ "title": title, "description": "All of it" });
        reporter.post(&path, &content).assert_ok();
    }
    let script = r#"
        PUT /1 {"state_event": "close"}
        200
        POST . {}
        400 {"message": "400 (Bad request) \"title\" not given"}
        POST . {"title": " "}
        400 {"message": "400 (Bad request) \"title\" not given"}
        POST . {"title": "two"}
        400 {"message": {"title": ["already being used for another group or project milestone."]}}
        PUT /1 {"title": "two"}
        400 {"message": {"title": ["already being used for another group or project milestone."]}}
        PUT /1 {"title": ""}
        400 {"message": {"title": ["can't be blank"]}}
        PUT /1 {"title": "LONG"}
        400 {"message": {"title": ["is too long (maximum is 255 characters)"]}}
        PUT /1 {"start_date": "2024-01-02", "due_date": "2024-01-01"}
        400 {"message": {"due_date": ["must be greater than start date"]}}
        PUT /1 {"due_date": "soon"}
        400 {"error": "due_date is invalid"}
        PUT /1 {"state_event": "open"}
        400 {"error": "state_event does not have a valid value"}
        GET ?iids[]=x
        400 {"error": "iids does not have a valid value"}
    "#;
    play(&reporter, &path, &script.replace("LONG", &"x".repeat(256)));
    for (query, expected) in [
        ("", &["three", "two", "one"][..]),
        ("iids[]=1&iids[]=3", &["three", "one"]),
        ("state=closed", &["one"]),
        ("state=active&search=T", &["three", "two"]),
        ("title=two&search=all%20of", &["two"]),
    ] {
        let found = column(&reporter, &format!("{path}?{query}"), "title");
        assert_eq!(found, expected, "{query}");
    }
    let page = reporter.get(&format!("{path}?per_page=2&page=2")).list();
    assert_eq!((page.len(), &page[0]["title"]), (1, &json!("one")));
    let other = server.create_project("acme/other", "public", "root");
    for (base, path) in [
        (path, "/99"),
        (format!("/api/v4/projects/{}/milestones", other["id"]), "/1"),
    ] {
        let script = r#"
            GET PATH
            404 {"message": "404 Milestone Not Found"}
            PUT PATH {"title": "x"}
            404 {"message": "404 Milestone Not Found"}
            DELETE PATH
            404 {"message": "404 Milestone Not Found"}
        "#;
        play(&server.admin(), &base, &script.replace("PATH", path));
    }
}
