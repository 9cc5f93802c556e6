//! Valid requests for access tokens.

use serde_json::{Value, json};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;

const TOKENS: &str = "/api/v4/personal_access_tokens";

/// A valid request for an operation of the area; `None` for any other. Destructive operations get fresh tokens.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let with = |path: String, body: &Value| SampleRequest {
        path,
        body: body.to_string(),
    };
    let of_user = |kind: &str| format!("/api/v4/users/{}/{kind}", fixture.spare);
    let personal = || format!("{TOKENS}/{}", token(fixture, "personal_access_tokens"));
    let new = json!({ "name": "deploy", "scopes": ["read_api"] });
    let new_bot = json!({ "name": "deploy", "scopes": ["read_api"], "access_level": 10 });
    let rotate = |path: String| with(format!("{path}/rotate"), &json!({}));
    Some(match operation {
        "revokeOwnToken" | "showOwnToken" => get(format!("{TOKENS}/self")),
        "rotateOwnToken" => with(format!("{TOKENS}/self/rotate"), &json!({})),
        "listPersonalAccessTokens" => get(TOKENS.to_owned()),
        "showPersonalAccessToken" | "revokePersonalAccessToken" => get(personal()),
        "rotatePersonalAccessToken" => with(format!("{}/rotate", personal()), &json!({})),
        "createPersonalAccessToken" => with(of_user("personal_access_tokens"), &new),
        "listImpersonationTokens" => get(of_user("impersonation_tokens")),
        "createImpersonationToken" => with(of_user("impersonation_tokens"), &new),
        "showImpersonationToken" | "revokeImpersonationToken" => {
            let id = token(fixture, "impersonation_tokens");
            get(format!("{}/{id}", of_user("impersonation_tokens")))
        }
        "listProjectAccessTokens" => get(of_place(fixture, "projects")),
        "listGroupAccessTokens" => get(of_place(fixture, "groups")),
        "createProjectAccessToken" => with(of_place(fixture, "projects"), &new_bot),
        "createGroupAccessToken" => with(of_place(fixture, "groups"), &new_bot),
        "showProjectAccessToken" | "revokeProjectAccessToken" => {
            get(bot_token(fixture, "projects"))
        }
        "showGroupAccessToken" | "revokeGroupAccessToken" => get(bot_token(fixture, "groups")),
        "rotateProjectAccessToken" => rotate(bot_token(fixture, "projects")),
        "rotateGroupAccessToken" => rotate(bot_token(fixture, "groups")),
        "listDeployTokens" => get("/api/v4/deploy_tokens".to_owned()),
        "listProjectDeployTokens" => get(deploy(fixture, "projects")),
        "listGroupDeployTokens" => get(deploy(fixture, "groups")),
        "createProjectDeployToken" => with(deploy(fixture, "projects"), &new_deploy_token()),
        "createGroupDeployToken" => with(deploy(fixture, "groups"), &new_deploy_token()),
        "showProjectDeployToken" | "deleteProjectDeployToken" => {
            get(deploy_token(fixture, "projects"))
        }
        "showGroupDeployToken" | "deleteGroupDeployToken" => get(deploy_token(fixture, "groups")),
        _ => return None,
    })
}

fn new_deploy_token() -> Value {
    json!({ "name": "deploy", "scopes": ["read_repository"] })
}

/// The path of the deploy tokens of a place.
fn deploy(fixture: &AuthorizationFixture<'_>, places: &str) -> String {
    of_place(fixture, places).replace("access_tokens", "deploy_tokens")
}

/// The path of a fresh deploy token of a place.
fn deploy_token(fixture: &AuthorizationFixture<'_>, places: &str) -> String {
    let path = deploy(fixture, places);
    let created = fixture.server.admin().post(&path, &new_deploy_token());
    format!("{path}/{}", created.expect(201)["id"])
}

/// The id of a fresh token of the spare user, of the kind with this path.
fn token(fixture: &AuthorizationFixture<'_>, kind: &str) -> Value {
    let path = format!("/api/v4/users/{}/{kind}", fixture.spare);
    let body = json!({ "name": "spare", "scopes": ["read_api"] });
    let created = fixture.server.admin().post(&path, &body);
    created.expect(201)["id"].clone()
}

/// The path of the tokens of a place, such as `/api/v4/{places}/1/access_tokens`.
fn of_place(fixture: &AuthorizationFixture<'_>, places: &str) -> String {
    let place = if places == "projects" {
        fixture.fill("{project}")
    } else {
        fixture.fill("{group}")
    };
    format!(
        "/api/v4/{places}/{}/access_tokens",
        place.replace('/', "%2F")
    )
}

/// The path of a fresh token of a place.
fn bot_token(fixture: &AuthorizationFixture<'_>, places: &str) -> String {
    let path = of_place(fixture, places);
    let body = json!({ "name": "bot", "scopes": ["read_api"] });
    let created = fixture.server.admin().post(&path, &body).expect(201);
    format!("{path}/{}", created["id"])
}
