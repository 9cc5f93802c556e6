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
        _ => return None,
    })
}

/// The id of a fresh token of the spare user, of the kind with this path.
fn token(fixture: &AuthorizationFixture<'_>, kind: &str) -> Value {
    let path = format!("/api/v4/users/{}/{kind}", fixture.spare);
    let body = json!({ "name": "spare", "scopes": ["read_api"] });
    let created = fixture.server.admin().post(&path, &body);
    created.expect(201)["id"].clone()
}
