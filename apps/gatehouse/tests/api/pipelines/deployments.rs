//! `/api/v4/projects/:id/deployments`.

use serde_json::{Value, json};

use super::{COMMIT, OTHER, numbers};
use crate::support::rows::change;
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

fn report(environment: &str, reference: &str, status: &str) -> Value {
    json!({ "environment": environment, "sha": COMMIT, "ref": reference, "tag": false, "status": status })
}

/// Responses that v4 clients read, from creation to deletion.
#[test]
fn a_deployment_is_reported_read_changed_and_deleted() {
    let server = TestServer::start();
    let deployment = |status: &str, finished: Value| {
        json!({
            "id": 1, "iid": 1, "ref": "main", "sha": COMMIT, "tag": false, "status": status, "created_at": "*",
            "updated_at": "*", "finished_at": finished, "deployable": null,
            "user": { "username": "admin", "...": 1 },
            "environment": { "id": 1, "name": "production", "slug": "production", "external_url": null, "...": 1 },
        })
    };
    let user = server.admin().get("/api/v4/user").expect(200)["username"].clone();
    let [created, running, failed] = [
        deployment("created", Value::Null),
        deployment("running", Value::Null),
        deployment("failed", json!("*")),
    ]
    .map(|mut shown| {
        shown["user"]["username"] = user.clone();
        shown
    });
    let script = format!(
        r#"
        POST . {body}
        201 {created}
        GET /1
        200 {created}
        GET .
        200 [{created}]
        PUT /1 {{"status": "running"}}
        200 {running}
        DELETE /1
        400 {{"message": "400 Bad request - Cannot destroy running deployment"}}
        PUT /1 {{"status": "failed"}}
        200 {failed}
        PUT /1 {{"status": "failed"}}
        200 {failed}
        PUT /1 {{"status": "running"}}
        400 {{"message": "400 Bad request - a deployment with the status failed cannot change to running"}}
        PUT /1 {{"status": "created"}}
        400 "*"
        DELETE /1
        204
        GET /1
        404 {{"message": "404 Deployment Not Found"}}
        "#,
        body = report("production", "main", "created"),
    );
    play(
        &server.admin(),
        &server.below_project("/deployments"),
        &script,
    );
}

#[test]
fn the_current_deployment_is_undeletable_and_its_environment_available() {
    let server = TestServer::start();
    let (admin, path) = (server.admin(), server.below_project("/deployments"));
    let environments = server.below_project("/environments");
    admin
        .post(&path, &report("production", "v1", "success"))
        .expect(201);
    admin
        .post(&format!("{environments}/1/stop"), &json!({}))
        .expect(200);
    admin
        .post(&path, &report("production", "v2", "failed"))
        .expect(201);
    let state = || admin.get(&format!("{environments}/1")).expect(200)["state"].clone();
    assert_eq!(state(), "stopped");
    admin
        .post(&path, &report("production", "v3", "success"))
        .expect(201);
    assert_eq!(state(), "available");
    let refused = admin.delete(&format!("{path}/3"));
    refused.assert_is(
        400,
        &json!({ "message": "400 Bad request - Deployment currently deployed to environment" }),
    );
    assert_eq!(admin.delete(&format!("{path}/1")).status, 204);
}

/// Deployments 1 to 4, which changed and finished in the order 2, 1, 4, 3; 3 and 4 are in another environment.
fn reported(server: &TestServer) -> (TestCaller, String) {
    let (developer, path) = (server.developer(), server.below_project("/deployments"));
    for (environment, reference, status) in [
        ("production", "b", "success"),
        ("production", "a", "success"),
        ("staging", "c", "success"),
        ("staging", "a", "failed"),
    ] {
        developer
            .post(&path, &report(environment, reference, status))
            .expect(201);
    }
    for (id, day) in [(1, 2), (2, 1), (3, 4), (4, 3)] {
        // The days after the first of 2024.
        let micros = (1_704_067_200 + day * 86_400) * 1_000_000_i64;
        let set = format!(
            "UPDATE deployments SET updated_at = {micros}, finished_at = {micros} WHERE id = {id}"
        );
        change(server, &set);
    }
    (developer, path)
}

#[test]
fn deployments_are_filtered_and_ordered() {
    let server = TestServer::start();
    let (developer, path) = reported(&server);
    let developer = developer.with("Gatehouse-Release", "15.11");
    let finished = "status=success&order_by=finished_at";
    for (query, expected) in [
        (String::new(), &[1, 2, 3, 4][..]),
        ("sort=desc".to_owned(), &[4, 3, 2, 1]),
        ("order_by=iid&sort=desc".to_owned(), &[4, 3, 2, 1]),
        ("order_by=created_at".to_owned(), &[1, 2, 3, 4]),
        ("order_by=ref".to_owned(), &[2, 4, 1, 3]),
        ("environment=staging".to_owned(), &[3, 4]),
        ("environment=none".to_owned(), &[]),
        ("status=success&environment=staging".to_owned(), &[3]),
        ("order_by=updated_at&sort=desc".to_owned(), &[3, 4, 1, 2]),
        (
            "order_by=updated_at&updated_after=2024-01-03".to_owned(),
            &[1, 4, 3],
        ),
        // From 16.0 on this filter needs the order by the same time.
        (
            "updated_after=2024-01-03&updated_before=2024-01-04".to_owned(),
            &[1, 4],
        ),
        (format!("{finished}&finished_after=2024-01-03"), &[1, 3]),
        (
            format!("{finished}&finished_before=2024-01-03T00:00:00Z&sort=desc"),
            &[1, 2],
        ),
        ("page=2&per_page=3".to_owned(), &[4]),
    ] {
        let found = numbers(&developer, &format!("{path}?{query}"), "iid");
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn filters_that_cannot_be_combined_are_refused() {
    let server = TestServer::start();
    let both = "Both `updated_at` filter and `finished_at` filter can not be specified";
    let paired = "`finished_at` filter and `finished_at` sorting must be paired";
    let success = "`finished_at` filter must be combined with `success` status filter.";
    let bad = |text: &str| json!({ "message": format!("400 Bad request - {text}") });
    let (developer, path) = (server.developer(), server.below_project("/deployments"));
    for (query, text) in [
        (
            "updated_after=2024-01-01&finished_after=2024-01-01&order_by=updated_at",
            both,
        ),
        ("finished_after=2024-01-01&status=success", paired),
        ("order_by=finished_at&status=success", paired),
        ("finished_before=2024-01-01&order_by=finished_at", success),
        (
            "finished_before=2024-01-01&order_by=finished_at&status=failed",
            success,
        ),
        ("status=blocked", "The deployment status blocked is invalid"),
    ] {
        developer
            .get(&format!("{path}?{query}"))
            .assert_is(400, &bad(text));
    }
    let order = developer.get(&format!("{path}?order_by=sha"));
    order.assert_is(
        400,
        &json!({ "error": "order_by does not have a valid value" }),
    );
}

/// A time window in another order is bounded, and the refusal says what to do.
#[test]
fn a_wide_window_in_another_order_is_refused() {
    let server = TestServer::start();
    let (developer, path) = reported(&server);
    let developer = developer.with("Gatehouse-Release", "15.11");
    let insert = "INSERT INTO deployments (project_id, iid, environment_id, sha, reference, tag, created_at, status, updated_at) \
        WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 10000) \
        SELECT project_id, value + 10, environment_id, sha, 'x', 0, 0, 0, updated_at FROM numbers, deployments WHERE id = 1";
    change(&server, insert);
    let window = format!("{path}?updated_after=2024-01-01");
    let refused = developer.get(&window).expect(400);
    let text = refused["message"].as_str().unwrap().to_owned();
    assert!(
        text.contains("`updated_at` sorting must be paired"),
        "{text}"
    );
    let found = numbers(&developer, &format!("{window}&order_by=updated_at"), "iid");
    assert_eq!(found.len(), 20);
    let narrow = format!("{path}?updated_after=2024-01-04");
    assert_eq!(numbers(&developer, &narrow, "iid"), [3, 4]);
}

#[test]
fn invalid_deployments_are_rejected_and_create_no_environment() {
    let server = TestServer::start();
    let (developer, path) = (server.developer(), server.below_project("/deployments"));
    let missing =
        |name: &str| json!({ "message": format!("400 (Bad request) \"{name}\" not given") });
    let invalid = |name: &str, text: &str| json!({ "message": { name: [text] } });
    for (name, value, expected) in [
        ("environment", Value::Null, missing("environment")),
        (
            "environment",
            json!("x".repeat(256)),
            invalid("name", "is too long (maximum is 255 characters)"),
        ),
        (
            "sha",
            json!("main"),
            invalid("sha", "must be 40 or 64 hexadecimal digits"),
        ),
        (
            "ref",
            json!("x".repeat(2049)),
            invalid("ref", "is too long (maximum is 2048 characters)"),
        ),
        (
            "tag",
            json!("perhaps"),
            json!({ "error": "tag is invalid" }),
        ),
        (
            "status",
            json!("skipped"),
            json!({ "error": "status does not have a valid value" }),
        ),
    ] {
        let mut body = report("production", "main", "success");
        body[name] = value;
        developer.post(&path, &body).assert_is(400, &expected);
    }
    let environments = developer.get(&server.below_project("/environments"));
    assert_eq!(environments.list(), [] as [Value; 0]);
    let mut body = report("production", "main", "success");
    body["sha"] = json!(OTHER.to_uppercase());
    let created = developer.post(&path, &body).expect(201);
    assert_eq!(created["sha"], OTHER);
}
