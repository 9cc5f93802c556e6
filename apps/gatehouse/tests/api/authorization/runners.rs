//! Valid requests for runners. Those of the programs have a token in the body, or in the query of a deletion.

use serde_json::{Value, json};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::number;

const RUNNERS: &str = "/api/v4/runners";

/// A valid request for an operation of the area; `None` for any other. Destructive operations get fresh runners.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let with = |path: &str, body: Value| SampleRequest {
        path: path.to_owned(),
        body: body.to_string(),
    };
    let below = |rest: &str| fixture.server.below_project(rest);
    let of_group = |rest: &str| format!("/api/v4/groups/{}/runners{rest}", fixture.group);
    let token = || json!({ "token": runner(fixture)["token"] });
    let one = |rest: &str| get(format!("{RUNNERS}/{}{rest}", runner(fixture)["id"]));
    Some(match operation {
        "registerRunner" => with(RUNNERS, json!({ "token": registration_token(fixture) })),
        "deleteRunnerByToken" => {
            let token = runner(fixture)["token"].clone();
            get(format!("{RUNNERS}?token={}", token.as_str()?))
        }
        "verifyRunner" => with("/api/v4/runners/verify", token()),
        "requestJob" => with("/api/v4/jobs/request", token()),
        "createRunner" => with(
            "/api/v4/user/runners",
            new_runner(&fixture.server.project().into()),
        ),
        "listOwnRunners" => get(RUNNERS.to_owned()),
        "listRunners" => get(format!("{RUNNERS}/all")),
        "showRunner" | "deleteRunner" => one(""),
        "updateRunner" => with(&one("").path, json!({ "paused": true })),
        "listRunnerJobs" => one("/jobs"),
        "resetRunnerToken" => one("/reset_authentication_token"),
        "resetInstanceRegistrationToken" => get(format!("{RUNNERS}/reset_registration_token")),
        "listProjectRunners" => get(below("/runners")),
        "listGroupRunners" => get(of_group("")),
        "assignRunner" => {
            let id = runner_in(fixture, &spare_project(fixture))["id"].clone();
            with(&below("/runners"), json!({ "runner_id": id }))
        }
        "unassignRunner" => get(below(&format!("/runners/{}", shared_runner(fixture)))),
        "resetProjectRegistrationToken" => get(below("/runners/reset_registration_token")),
        "resetGroupRegistrationToken" => get(of_group("/reset_registration_token")),
        _ => return None,
    })
}

/// The id of another project of the group.
fn spare_project(fixture: &AuthorizationFixture<'_>) -> Value {
    let found = number(
        fixture.server,
        "SELECT coalesce(max(id), 0) FROM projects WHERE full_path = 'acme/spare'",
    );
    if found > 0 {
        return found.into();
    }
    let new = json!({ "name": "spare", "path": "spare", "namespace_id": fixture.group });
    let created = fixture.server.admin().post("/api/v4/projects", &new);
    created.expect(201)["id"].clone()
}

fn new_runner(project: &Value) -> Value {
    json!({ "runner_type": "project_type", "project_id": project })
}

/// A fresh runner of the project.
fn runner(fixture: &AuthorizationFixture<'_>) -> Value {
    runner_in(fixture, &fixture.server.project().into())
}

fn runner_in(fixture: &AuthorizationFixture<'_>, project: &Value) -> Value {
    let admin = fixture.server.admin();
    let created = admin.post("/api/v4/user/runners", &new_runner(project));
    created.expect(201)
}

/// The id of a fresh runner of the project and of another one.
fn shared_runner(fixture: &AuthorizationFixture<'_>) -> Value {
    let id = runner(fixture)["id"].clone();
    let other = number(
        fixture.server,
        "SELECT id FROM projects WHERE full_path = 'shared/other'",
    );
    let path = format!("/api/v4/projects/{other}/runners");
    let assigned = fixture
        .server
        .admin()
        .post(&path, &json!({ "runner_id": id }));
    assigned.expect(201);
    id
}

/// A fresh registration token of the project.
fn registration_token(fixture: &AuthorizationFixture<'_>) -> Value {
    let path = fixture
        .server
        .below_project("/runners/reset_registration_token");
    let reset = fixture.server.admin().post(&path, &json!({}));
    reset.expect(201)["token"].clone()
}
