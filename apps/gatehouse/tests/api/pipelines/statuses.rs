//! `/api/v4/projects/:id/statuses/:sha` and `/api/v4/projects/:id/repository/commits/:sha/statuses`.

use serde_json::{Value, json};

use super::{COMMIT, OTHER, numbers};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

fn paths(server: &TestServer, sha: &str) -> (String, String) {
    (
        server.below_project(&format!("/statuses/{sha}")),
        server.below_project(&format!("/repository/commits/{sha}/statuses")),
    )
}

fn pipeline(caller: &TestCaller, server: &TestServer, id: i64) -> Value {
    let path = server.below_project(&format!("/pipelines/{id}"));
    caller.get(&path).expect(200)
}

/// Fields of a status that v4 clients read.
#[test]
fn a_status_is_reported_and_goes_on_to_its_end() {
    let server = TestServer::start();
    let developer = server.developer();
    let (report, list) = paths(&server, COMMIT);
    let status = |status: &str, started: Value, finished: Value, coverage: Value| {
        json!({
            "id": 1, "sha": COMMIT, "ref": "main", "status": status, "name": "build", "target_url": "https://ci.example/1",
            "description": "All is well", "created_at": "*", "started_at": started, "finished_at": finished,
            "allow_failure": false, "coverage": coverage, "pipeline_id": 1, "author": "*",
        })
    };
    let pending = status("pending", Value::Null, Value::Null, Value::Null);
    let running = status("running", json!("*"), Value::Null, Value::Null);
    let success = status("success", json!("*"), json!("*"), json!(98.29));
    let script = format!(
        r#"
        POST . {{"state": "pending", "name": "build", "ref": "main", "target_url": "https://ci.example/1", "description": "All is well"}}
        201 {pending}
        POST . {{"state": "running", "context": "build"}}
        201 {running}
        POST . {{"state": "success", "name": "build", "ref": "refs/heads/main", "coverage": 98.29}}
        201 {success}
        "#
    );
    play(&developer, &report, &script);
    play(&developer, &list, &format!("GET .\n200 [{success}]"));
    let created = pipeline(&developer, &server, 1);
    assert_eq!(
        (
            &created["status"],
            &created["source"],
            &created["sha"],
            &created["ref"]
        ),
        (
            &json!("success"),
            &json!("external"),
            &json!(COMMIT),
            &json!("main")
        )
    );
    assert!(created["finished_at"].is_string() && created["started_at"].is_string());
}

#[test]
fn a_commit_of_which_nothing_is_known_is_on_the_default_branch() {
    let server = TestServer::start();
    let developer = server.developer();
    let report = |sha: &str| {
        let (report, _) = paths(&server, sha);
        let created = developer.post(&report, &json!({ "state": "success" }));
        created.expect(201)["ref"].clone()
    };
    assert_eq!(report(COMMIT), json!("main"));
    let change = json!({ "default_branch": "trunk" });
    let path = server.below_project("");
    server.admin().put(&path, &change).expect(200);
    assert_eq!(report(OTHER), json!("trunk"));
    // Its pipeline is there already.
    assert_eq!(report(COMMIT), json!("main"));
}

/// A restarted build reports the same name again.
#[test]
fn a_status_after_the_end_is_a_job_of_its_own() {
    let server = TestServer::start();
    let developer = server.developer();
    let (report, list) = paths(&server, COMMIT);
    // A pending state may have been sent before the end and arrive after it.
    for (state, shown, id) in [
        ("running", "running", 1),
        ("failed", "failed", 1),
        ("pending", "failed", 1),
        ("running", "running", 2),
    ] {
        let created = developer.post(&report, &json!({ "state": state, "name": "build" }));
        let created = created.expect(201);
        assert_eq!(
            (&created["status"], &created["id"]),
            (&json!(shown), &json!(id))
        );
    }
    assert_eq!(numbers(&developer, &list, "id"), [2]);
    assert_eq!(
        numbers(&developer, &format!("{list}?all=true"), "id"),
        [1, 2]
    );
    assert_eq!(pipeline(&developer, &server, 1)["status"], "running");
}

#[test]
fn a_status_that_cannot_follow_is_refused_and_changes_nothing() {
    let server = TestServer::start();
    let developer = server.developer();
    let (report, list) = paths(&server, COMMIT);
    developer
        .post(&report, &json!({ "state": "running" }))
        .expect(201);
    for (state, event) in [("pending", "enqueue"), ("skipped", "skip")] {
        let refused = developer
            .post(&report, &json!({ "state": state }))
            .expect(400);
        let text = refused["message"].as_str().unwrap();
        let expected = format!("Cannot transition status via :{event} from :running");
        assert!(text.contains(&expected), "{text}");
    }
    let listed = developer.get(&list).list();
    assert_eq!(listed[0]["status"], "running");
    assert_eq!((&listed[0]["name"], listed.len()), (&json!("default"), 1));
}

/// Senders repeat reports that they do not know to have arrived.
#[test]
fn a_status_that_comes_twice_is_the_status_as_it_is() {
    let server = TestServer::start();
    let developer = server.developer();
    let (report, list) = paths(&server, COMMIT);
    for state in ["pending", "running", "success"] {
        let body = json!({ "state": state });
        let first = developer.post(&report, &body).expect(201);
        let again = developer.post(&report, &body).expect(201);
        assert_eq!(again, first, "{state}");
    }
    let ended = pipeline(&developer, &server, 1);
    // Other fields are updated, and the times stay.
    let body = json!({ "state": "success", "description": "All is well" });
    let updated = developer.post(&report, &body).expect(201);
    let listed = developer.get(&format!("{list}?all=true")).list();
    assert_eq!((&listed[0], listed.len()), (&updated, 1));
    assert_eq!(updated["description"], "All is well");
    assert_eq!(pipeline(&developer, &server, 1), ended);
}

#[test]
fn a_status_joins_the_pipeline_of_its_commit_and_ref() {
    let server = TestServer::start();
    let developer = server.developer();
    let (report, list) = paths(&server, COMMIT);
    let send = |body: Value| developer.post(&report, &body).expect(201)["pipeline_id"].clone();
    let state = |name: &str, reference: Option<&str>| {
        let mut body = json!({ "state": "success", "name": name });
        if let Some(reference) = reference {
            body["ref"] = json!(reference);
        }
        body
    };
    assert_eq!(send(state("a", Some("main"))), 1);
    assert_eq!(send(state("b", Some("main"))), 1);
    assert_eq!(send(state("a", Some("refs/tags/v1"))), 2);
    assert_eq!(send(state("c", None)), 2);
    let in_first = json!({ "state": "failed", "name": "d", "pipeline_id": 1 });
    assert_eq!(send(in_first), 1);
    let tag = pipeline(&developer, &server, 2);
    assert_eq!((&tag["ref"], &tag["tag"]), (&json!("v1"), &json!(true)));
    assert_eq!(pipeline(&developer, &server, 1)["status"], "failed");
    let (other_path, _) = paths(&server, OTHER);
    let refused = developer.post(
        &other_path,
        &json!({ "state": "success", "pipeline_id": 1 }),
    );
    refused.assert_is(404, &json!({ "message": "404 Pipeline Not Found" }));
    for (query, expected) in [
        ("", &[1, 2, 3, 4, 5][..]),
        ("ref=v1", &[3, 4]),
        ("name=a", &[1, 3]),
        ("stage=external", &[1, 2, 3, 4, 5]),
        ("stage=test", &[]),
        ("pipeline_id=1", &[1, 2, 5]),
    ] {
        assert_eq!(
            numbers(&developer, &format!("{list}?{query}"), "id"),
            expected,
            "{query}"
        );
    }
}

#[test]
fn invalid_statuses_are_rejected() {
    let server = TestServer::start();
    // From 16.0 on, all of these have at most 255 characters.
    let developer = server.developer().with("Gatehouse-Release", "15.11");
    let (report, list) = paths(&server, COMMIT);
    let long = |length| "x".repeat(length);
    let too_long = |name: &str, most: u32| json!({ "message": { name: [format!("is too long (maximum is {most} characters)")] } });
    for (name, value, expected) in [
        ("name", json!(long(256)), too_long("name", 255)),
        ("stage", json!(long(2049)), too_long("stage", 2048)),
        ("ref", json!(long(2049)), too_long("ref", 2048)),
        (
            "description",
            json!(long(2049)),
            too_long("description", 2048),
        ),
        (
            "target_url",
            json!(long(2049)),
            too_long("target_url", 2048),
        ),
        (
            "coverage",
            json!(101),
            json!({ "error": "coverage does not have a valid value" }),
        ),
        (
            "state",
            json!("created"),
            json!({ "error": "state does not have a valid value" }),
        ),
        (
            "state",
            Value::Null,
            json!({ "message": "400 (Bad request) \"state\" not given" }),
        ),
    ] {
        let mut body = json!({ "state": "success" });
        body[name] = value;
        developer.post(&report, &body).assert_is(400, &expected);
    }
    // A long text within the limit is kept unchanged.
    let body = json!({ "state": "success", "stage": long(2048), "description": long(2048), "ref": long(2048) });
    developer.post(&report, &body).expect(201);
    for sha in ["main", "0123456789abcdef"] {
        let (report, _) = paths(&server, sha);
        let refused = developer.post(&report, &json!({ "state": "success" }));
        refused.assert_is(404, &json!({ "message": "404 Commit Not Found" }));
    }
    assert_eq!(developer.get(&list).list().len(), 1);
}
