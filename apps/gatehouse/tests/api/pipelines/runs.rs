//! `/api/v4/projects/:id/pipelines`.

use serde_json::{Value, json};

use super::{COMMIT, OTHER, numbers};
use crate::support::TestServer;
use crate::support::script::play;

/// Responses about a pipeline that v4 clients read.
#[test]
fn a_pipeline_is_created_and_read() {
    let server = TestServer::start();
    let summary = json!({
        "id": 1, "iid": 1, "project_id": 1, "sha": "0".repeat(40), "ref": "main", "status": "created", "source": "api",
        "created_at": "*", "updated_at": "*", "web_url": format!("{}/acme/web-shop/-/pipelines/1", server.base_url()),
        "name": null,
    });
    let mut shown = summary.clone();
    for (name, value) in [
        ("before_sha", json!("0".repeat(40))),
        ("tag", json!(false)),
        ("user", json!("*")),
        ("detailed_status", json!("*")),
    ] {
        shown[name] = value;
    }
    for name in [
        "yaml_errors",
        "started_at",
        "finished_at",
        "committed_at",
        "duration",
        "queued_duration",
        "coverage",
    ] {
        shown[name] = Value::Null;
    }
    let variables = json!([
        { "key": "B", "value": "1", "variable_type": "env_var", "raw": false },
        { "key": "A", "value": "a\nb", "variable_type": "file", "raw": false },
    ]);
    let script = format!(
        r#"
        POST /pipeline {{"ref": "main", "variables": [{{"key": "B", "value": 1}}, {{"key": "A", "value": "a\nb", "variable_type": "file"}}]}}
        201 {shown}
        GET /pipelines
        200 [{summary}]
        GET /pipelines/1
        200 {shown}
        GET /pipelines/1/variables
        200 {variables}
        GET /pipelines/1/jobs
        200 []
        GET /pipelines/2
        404 {{"message": "404 Pipeline Not Found"}}
        "#
    );
    play(&server.developer(), &server.below_project(""), &script);
}

/// API-05: a form can send the same variables.
#[test]
fn variables_come_in_a_form_too() {
    let server = TestServer::start();
    let developer = server.developer();
    let form = developer
        .clone()
        .with("Content-Type", "application/x-www-form-urlencoded");
    let body = "ref=main&variables[0][key]=A&variables[0][value]=1&variables[1][key]=B&variables[1][value]=x+y";
    let created = form.send("POST", &server.below_project("/pipeline"), body.as_bytes());
    created.expect(201);
    let listed = developer
        .get(&server.below_project("/pipelines/1/variables"))
        .list();
    let pairs: Vec<(&Value, &Value)> = listed
        .iter()
        .map(|one| (&one["key"], &one["value"]))
        .collect();
    assert_eq!(
        pairs,
        [(&json!("A"), &json!("1")), (&json!("B"), &json!("x y"))]
    );
}

#[test]
fn a_status_report_sets_the_commit_of_its_pipeline() {
    let server = TestServer::start();
    let developer = server.developer();
    developer
        .post(
            &server.below_project("/pipeline"),
            &json!({ "ref": "main" }),
        )
        .expect(201);
    let status = server.below_project(&format!("/statuses/{COMMIT}"));
    let body = json!({ "state": "running", "pipeline_id": 1, "ref": "main" });
    developer.post(&status, &body).expect(201);
    let shown = developer
        .get(&server.below_project("/pipelines/1"))
        .expect(200);
    assert_eq!(
        (&shown["sha"], &shown["status"], &shown["source"]),
        (&json!(COMMIT), &json!("running"), &json!("api"))
    );
}

#[test]
fn pipelines_are_filtered_and_ordered() {
    let server = TestServer::start();
    let developer = server.developer();
    let me = developer.get("/api/v4/user").expect(200)["username"].clone();
    let me = me.as_str().unwrap();
    for (sha, reference, state) in [
        (COMMIT, "b", "success"),
        (OTHER, "a", "running"),
        (COMMIT, "refs/tags/c", "failed"),
    ] {
        let path = server.below_project(&format!("/statuses/{sha}"));
        developer
            .post(&path, &json!({ "state": state, "ref": reference }))
            .expect(201);
    }
    server
        .admin()
        .post(&server.below_project("/pipeline"), &json!({ "ref": "b" }))
        .expect(201);
    let path = server.below_project("/pipelines");
    for (query, expected) in [
        (String::new(), &[4, 3, 2, 1][..]),
        ("sort=asc".to_owned(), &[1, 2, 3, 4]),
        ("order_by=ref&sort=asc".to_owned(), &[2, 1, 4, 3]),
        ("order_by=status&sort=asc".to_owned(), &[4, 2, 1, 3]),
        ("status=failed".to_owned(), &[3]),
        ("scope=finished".to_owned(), &[3, 1]),
        ("scope=tags".to_owned(), &[3]),
        ("scope=branches".to_owned(), &[4, 2, 1]),
        ("source=api".to_owned(), &[4]),
        ("ref=b".to_owned(), &[4, 1]),
        (format!("sha={COMMIT}"), &[3, 1]),
        ("sha=nothing".to_owned(), &[]),
        (format!("username={me}"), &[3, 2, 1]),
        ("username=nobody".to_owned(), &[]),
        ("updated_before=2020-01-01".to_owned(), &[]),
        (
            format!("ref=b&username={me}&updated_after=2020-01-01"),
            &[1],
        ),
    ] {
        let found = numbers(&developer, &format!("{path}?{query}"), "iid");
        assert_eq!(found, expected, "{query}");
    }
    let refused = developer.get(&format!("{path}?scope=stages"));
    refused.assert_is(
        400,
        &json!({ "error": "scope does not have a valid value" }),
    );
}

#[test]
fn invalid_pipelines_are_rejected() {
    let server = TestServer::start();
    let (developer, path) = (server.developer(), server.below_project("/pipeline"));
    let pair = |key: &str| json!({ "key": key, "value": "1" });
    let many: Vec<Value> = (0..101).map(|number| pair(&format!("K{number}"))).collect();
    for (name, value, expected) in [
        (
            "ref",
            json!(""),
            json!({ "message": "400 (Bad request) \"ref\" not given" }),
        ),
        (
            "sha",
            json!("main"),
            json!({ "message": { "sha": ["must be 40 or 64 hexadecimal digits"] } }),
        ),
        (
            "variables",
            json!("A=1"),
            json!({ "error": "variables is invalid" }),
        ),
        (
            "variables",
            json!(["A"]),
            json!({ "error": "variables is invalid" }),
        ),
        (
            "variables",
            json!([{ "key": "A", "value": "1", "variable_type": "secret" }]),
            json!({ "error": "variable_type does not have a valid value" }),
        ),
        (
            "variables",
            json!([pair("A"), pair("A")]),
            json!({ "message": { "variables": ["have duplicate values (A)"] } }),
        ),
        (
            "variables",
            json!(many),
            json!({ "message": { "variables": ["are too many (maximum is 100)"] } }),
        ),
        (
            "variables",
            json!([pair("A"), pair("a-b")]),
            json!({ "message": { "variables[1]": { "key": ["can contain only letters, digits and '_'."] } } }),
        ),
    ] {
        let mut body = json!({ "ref": "main" });
        body[name] = value;
        developer.post(&path, &body).assert_is(400, &expected);
    }
    assert_eq!(
        numbers(&developer, &server.below_project("/pipelines"), "id"),
        [] as [i64; 0]
    );
}
