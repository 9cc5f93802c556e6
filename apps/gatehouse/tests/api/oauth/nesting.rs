//! Input nested so deeply that parsing it could exhaust the stack.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::oauth::support::{Landing, OauthFixture, post};

/// A list in a list in a list.
fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

/// Lesson 30. Every parser of untrusted input has a bound: the JSON and the forms of the API, the forms of the
/// provider, and the tokens that are sent back as hints.
#[test]
fn deeply_nested_json_forms_and_tokens_are_refused() {
    let mut fixture = OauthFixture::web();
    let admin = fixture.server.admin();
    let body = format!(r#"{{"name":{}}}"#, nested(400_000));
    let answer = admin.clone().with("Content-Type", "application/json").send(
        "POST",
        "/api/v4/applications",
        body.as_bytes(),
    );
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("nested deeper than 32 levels"));
    let form = format!("name{}=x", "[a]".repeat(50_000));
    let answer = admin
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", "/api/v4/applications", form.as_bytes());
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("nested deeper than 32 levels"));
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/introspect"] {
        let form = format!("token{}=x", "%5Ba%5D".repeat(2_000));
        let answer = post(&fixture.server, path, &form);
        assert!(
            matches!(answer.status, 400 | 401),
            "{path}: {}",
            answer.status
        );
    }
    for part in [nested(1_400), r#"{"alg":"#.repeat(400)] {
        let part = URL_SAFE_NO_PAD.encode(part);
        let hint = format!("{part}.{part}.{part}");
        let request = fixture
            .client
            .authorization_request()
            .with("id_token_hint", &hint);
        let landing: Landing = fixture.land(&request);
        assert_eq!(landing.get("error"), Some("invalid_request"));
    }
    fixture.tokens("api");
}
