//! Valid requests for reports of external CI systems.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;

/// A commit.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A valid request for an operation of the area; `None` for any other. Destructive operations get fresh resources.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let below = |rest: &str| fixture.server.below_project(rest);
    let with = |path: String, body: Value| SampleRequest {
        path,
        body: body.to_string(),
    };
    Some(match operation {
        "listEnvironments" => get(below("/environments")),
        "listProjectEnvironmentOverviews" => get(below("/operations_dashboard")),
        "listEnvironmentOverviews" => get("/api/v4/operations_dashboard".to_owned()),
        "createEnvironment" => with(below("/environments"), json!({ "name": fresh() })),
        "showEnvironment" => get(environment(fixture)),
        "updateEnvironment" => with(environment(fixture), json!({ "tier": "testing" })),
        "stopEnvironment" => get(format!("{}/stop", environment(fixture))),
        "deleteEnvironment" => {
            let path = environment(fixture);
            let admin = fixture.server.admin();
            admin.post(&format!("{path}/stop"), &json!({})).expect(200);
            get(path)
        }
        "listDeployments" => get(below("/deployments")),
        "createDeployment" => with(below("/deployments"), reported()),
        "showDeployment" | "deleteDeployment" => get(deployment(fixture)),
        "updateDeployment" => with(deployment(fixture), json!({ "status": "failed" })),
        "setCommitStatus" => with(
            status(fixture),
            json!({ "state": "running", "name": fresh() }),
        ),
        "listCommitStatuses" => get(below(&format!("/repository/commits/{COMMIT}/statuses"))),
        "createPipeline" => with(below("/pipeline"), json!({ "ref": "main" })),
        "listPipelines" => get(below("/pipelines")),
        "showPipeline" => get(pipeline(fixture)),
        "listPipelineVariables" => get(format!("{}/variables", pipeline(fixture))),
        "listPipelineJobs" => get(format!("{}/jobs", pipeline(fixture))),
        "listJobs" => get(below("/jobs")),
        "showJob" => {
            let state = json!({ "state": "running", "name": fresh() });
            let created = fixture.server.admin().post(&status(fixture), &state);
            get(below(&format!("/jobs/{}", created.expect(201)["id"])))
        }
        _ => return None,
    })
}

/// A fresh name.
fn fresh() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("ci-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

fn status(fixture: &AuthorizationFixture<'_>) -> String {
    let path = format!("/statuses/{COMMIT}");
    fixture.server.below_project(&path)
}

fn reported() -> Value {
    json!({ "environment": "production", "sha": COMMIT, "ref": "main", "tag": false, "status": "created" })
}

/// The path of a fresh resource.
fn create(fixture: &AuthorizationFixture<'_>, at: &str, listed: &str, body: &Value) -> String {
    let admin = fixture.server.admin();
    let created = admin.post(&fixture.server.below_project(at), body);
    let path = format!("{listed}/{}", created.expect(201)["id"]);
    fixture.server.below_project(&path)
}

fn environment(fixture: &AuthorizationFixture<'_>) -> String {
    let name = json!({ "name": fresh() });
    create(fixture, "/environments", "/environments", &name)
}

fn deployment(fixture: &AuthorizationFixture<'_>) -> String {
    create(fixture, "/deployments", "/deployments", &reported())
}

fn pipeline(fixture: &AuthorizationFixture<'_>) -> String {
    create(
        fixture,
        "/pipeline",
        "/pipelines",
        &json!({ "ref": "main" }),
    )
}
