//! Lists and counts of issues.

use serde_json::json;

use crate::support::pages::column;
use crate::support::rows::change;
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

fn titles(caller: &TestCaller, path: &str) -> Vec<String> {
    column(caller, path, "title")
}

#[test]
fn issue_filters_apply_and_unsupported_filters_are_rejected() {
    let server = TestServer::start();
    let (reporter, path) = (server.reporter(), server.below_project("/issues"));
    let me = reporter.get("/api/v4/user").expect(200)["id"].clone();
    server
        .reporter()
        .post(
            &server.below_project("/milestones"),
            &json!({ "title": "1.0" }),
        )
        .expect(201);
    for body in [
        json!({ "title": "one", "labels": "bug", "milestone_id": 1, "due_date": "2024-02-29" }),
        json!({ "title": "two", "labels": ["bug", "docs"], "assignee_id": me, "description": "more of one" }),
        json!({ "title": "three", "issue_type": "incident", "confidential": true }),
    ] {
        reporter.post(&path, &body).expect(201);
    }
    reporter
        .put(&format!("{path}/3"), &json!({ "state_event": "close" }))
        .expect(200);
    for (query, expected) in [
        ("", &["three", "two", "one"][..]),
        ("sort=asc", &["one", "two", "three"]),
        ("order_by=updated_at", &["three", "two", "one"]),
        ("order_by=due_date&sort=asc", &["one", "two", "three"]),
        ("order_by=title&sort=asc", &["one", "three", "two"]),
        ("state=opened", &["two", "one"]),
        ("state=closed", &["three"]),
        ("state=all", &["three", "two", "one"]),
        ("iids[]=1&iids[]=3", &["three", "one"]),
        ("labels=bug", &["two", "one"]),
        ("labels=bug,docs", &["two"]),
        ("labels=None", &["three"]),
        ("labels=Any", &["two", "one"]),
        ("milestone=1.0", &["one"]),
        ("milestone=None", &["three", "two"]),
        ("milestone_id=None", &["three", "two"]),
        ("milestone_id=Any", &["one"]),
        ("author_username=rita", &["three", "two", "one"]),
        ("author_username=nobody", &[]),
        ("author_id=1", &[]),
        ("assignee_id=None", &["three", "one"]),
        ("assignee_id=Any", &["two"]),
        ("assignee_username[]=rita", &["two"]),
        ("scope=assigned_to_me", &["two"]),
        ("search=ONE", &["two", "one"]),
        ("search=one&in=title", &["one"]),
        ("confidential=true", &["three"]),
        ("issue_type=incident", &["three"]),
        ("created_after=2020-01-01", &["three", "two", "one"]),
        ("updated_before=2020-01-01", &[]),
        ("due_date=overdue", &["one"]),
        ("due_date=0", &["three", "two"]),
        ("not[labels]=docs", &["three", "one"]),
        ("not[milestone]=1.0", &["three", "two"]),
        ("not[author_id]=1", &["three", "two", "one"]),
        ("not[author_username]=Rita", &[]),
        ("not[author_username]=nobody", &["three", "two", "one"]),
        ("not[assignee_username]=rita", &["three", "one"]),
    ] {
        assert_eq!(
            titles(&reporter, &format!("{path}?{query}")),
            expected,
            "{query}"
        );
    }
    let one = server.below_project("/milestones/1/issues");
    assert_eq!(titles(&reporter, &one), ["one"]);
    let detailed = reporter
        .get(&format!("{path}?with_labels_details=true&iids[]=1"))
        .list();
    assert_eq!(
        detailed[0]["labels"],
        json!([{ "id": 1, "name": "bug", "color": "#428BCA", "description": null, "text_color": "#FFFFFF" }])
    );
    let script = r#"
        GET ?state=open
        400 {"error": "state does not have a valid value"}
        GET ?order_by=weight
        400 {"error": "order_by does not have a valid value"}
        GET ?my_reaction_emoji=star
        400 {"error": "my_reaction_emoji is a filter that this server does not support: leave it out"}
        GET ?not[iids]=1
        400 {"error": "not[iids] is a filter that this server does not support: leave it out"}
        GET ?not[author_id]=1&not[author_username]=rita
        400 {"error": "not[author_username] and not[author_id] are mutually exclusive"}
        GET ?not=1
        400 {"error": "not is invalid"}
        GET ?milestone=Upcoming
        400 {"error": "milestone does not have a valid value"}
        GET ?milestone_id=1
        400 {"error": "milestone_id does not have a valid value"}
        GET ?milestone=1.0&milestone_id=Any
        400 {"error": "milestone_id and milestone are mutually exclusive"}
        GET ?assignee_id=1&assignee_username=root
        400 {"error": "assignee_username and assignee_id are mutually exclusive"}
    "#;
    play(&reporter, &path, script);
}

#[test]
fn issue_lists_and_counts_contain_only_visible_issues() {
    let server = TestServer::start();
    change(
        &server,
        "UPDATE projects SET visibility = 20; UPDATE namespaces SET visibility = 20",
    );
    let admin = server.admin();
    let public = server.below_project("/issues");
    let hidden = server.create_project("acme/hidden", "private", "root");
    let hidden = format!("/api/v4/projects/{}/issues", hidden["id"]);
    for (path, title, confidential) in [
        (&public, "open", false),
        (&public, "secret", true),
        (&hidden, "hidden", false),
    ] {
        let body = json!({ "title": title, "confidential": confidential });
        admin.post(path, &body).expect(201);
    }
    admin
        .put(&format!("{hidden}/1"), &json!({ "state_event": "close" }))
        .expect(200);
    let stranger = server.stranger("passer-by");
    stranger
        .post(&public, &json!({ "title": "own", "confidential": true }))
        .expect(201);
    let anybody = server.anonymous();
    let group = "/api/v4/groups/acme/issues";
    for (caller, path, expected) in [
        (&anybody, &*public, &["open"][..]),
        (&anybody, group, &["open"]),
        (&stranger, group, &["own", "open"]),
        (&stranger, &public, &["own", "open"]),
        (&stranger, "/api/v4/issues", &["own"]),
        (&stranger, "/api/v4/issues?scope=all", &["own", "open"]),
        (&server.reporter(), &public, &["own", "secret", "open"]),
        (&admin, group, &["own", "hidden", "secret", "open"]),
        (&admin, "/api/v4/issues", &["hidden", "secret", "open"]),
    ] {
        assert_eq!(titles(caller, path), expected, "{path}");
    }
    let counts = |caller: &TestCaller, path: &str| {
        let path = format!("{}_statistics", path.trim_end_matches('/'));
        let counts = caller.get(&path).expect(200)["statistics"]["counts"].clone();
        [&counts["all"], &counts["opened"], &counts["closed"]].map(|count| count.as_u64().unwrap())
    };
    assert_eq!(counts(&anybody, &public), [1, 1, 0]);
    assert_eq!(counts(&stranger, group), [2, 2, 0]);
    assert_eq!(counts(&admin, group), [4, 3, 1]);
    assert_eq!(counts(&admin, "/api/v4/issues"), [3, 2, 1]);
    let references = |path: &str| admin.get(path).list()[0]["references"]["relative"].clone();
    assert_eq!(references(&public), "#3");
    assert_eq!(references(group), "acme/web-shop#3");
    let script = r#"
        GET /groups/nobody/issues
        404 {"message": "404 Group Not Found"}
        GET /groups/root/issues
        404 {"message": "404 Group Not Found"}
        GET /groups/999/issues_statistics
        404 {"message": "404 Group Not Found"}
    "#;
    play(&admin, "/api/v4", script);
    assert_eq!(anybody.get("/api/v4/issues").status, 401);
}

#[test]
fn label_counts_include_only_issues_visible_to_the_caller() {
    let server = TestServer::start();
    change(&server, "UPDATE projects SET visibility = 20");
    let (reporter, path) = (server.reporter(), server.below_project("/issues"));
    for (labels, confidential) in [("bug", false), ("bug,docs", true), ("bug", false)] {
        let body = json!({ "title": "one", "labels": labels, "confidential": confidential });
        reporter.post(&path, &body).expect(201);
    }
    reporter
        .put(&format!("{path}/3"), &json!({ "state_event": "close" }))
        .expect(200);
    let counts = |caller: &TestCaller| {
        let labels = server.below_project("/labels?with_counts=true");
        let labels = caller.get(&labels).list().into_iter();
        let fields = [
            "name",
            "open_issues_count",
            "closed_issues_count",
            "open_merge_requests_count",
        ];
        labels
            .map(|label| json!(fields.map(|field| label[field].clone())))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        counts(&reporter),
        [json!(["bug", 2, 1, 0]), json!(["docs", 1, 0, 0])]
    );
    assert_eq!(
        counts(&server.anonymous()),
        [json!(["bug", 1, 1, 0]), json!(["docs", 0, 0, 0])]
    );
    // A deleted label is removed from the issues.
    let bug = server.below_project("/labels/bug");
    assert_eq!(server.reporter().delete(&bug).status, 204);
    assert_eq!(
        reporter.get(&format!("{path}/2")).expect(200)["labels"],
        json!(["docs"])
    );
}
