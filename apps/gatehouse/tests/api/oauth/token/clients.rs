//! Client authentication (RFC 6749, section 2.3).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::oauth::support::{
    IssuedTokens, OauthClient, OauthFixture, OauthRequest, assert_refused,
};
use crate::support::{TestResponse, TestServer};

/// Sends a token request with an `Authorization` header.
fn with_header(server: &TestServer, request: &OauthRequest, header: &str) -> TestResponse {
    server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .with("Authorization", header)
        .send("POST", "/oauth/token", request.encoded().as_bytes())
}

/// The HTTP Basic header for a client id and a secret.
fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

fn bare(client: &OauthClient, code: &str) -> OauthRequest {
    client
        .redemption(code)
        .without("client_id")
        .without("client_secret")
}

/// D27, D36. Each advertised method works: the header, the form, and for public applications the client id alone.
#[test]
fn an_application_proves_itself_by_header_or_by_form() {
    let mut fixture = OauthFixture::web();
    let secret = fixture.client.secret.clone().unwrap();
    let code = fixture.code();
    IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
    let header = basic(&fixture.client.id, &secret);
    for header in [header.clone(), header.replace("Basic", "basic")] {
        let code = fixture.code();
        IssuedTokens::of(&with_header(
            &fixture.server,
            &bare(&fixture.client, &code),
            &header,
        ));
    }
    fixture.client = OauthClient::tool(&fixture.server);
    let code = fixture.code();
    IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
    let code = fixture.code();
    let header = basic(&fixture.client.id, "");
    IssuedTokens::of(&with_header(
        &fixture.server,
        &bare(&fixture.client, &code),
        &header,
    ));
}

/// D26, D37. The response does not reveal which of the two is wrong, and has a challenge only if a header was sent:
/// otherwise a browser would ask its user for a password.
#[test]
fn a_wrong_secret_and_an_unknown_application_are_one_refusal() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let unknown = "f".repeat(64);
    let by_form = [
        redemption.clone().with("client_secret", "wrong"),
        redemption.clone().with("client_secret", ""),
        redemption.clone().without("client_secret"),
        redemption.clone().with("client_id", &unknown),
        redemption.clone().with("client_id", "a b:c"),
        redemption
            .clone()
            .without("client_id")
            .without("client_secret"),
    ];
    let mut bodies = Vec::new();
    for request in by_form {
        let answer = request.send(&fixture.server);
        assert_refused(&answer, 401, "invalid_client");
        assert_eq!(answer.header("www-authenticate"), None);
        bodies.push(answer.text());
    }
    let bare = bare(&fixture.client, &code);
    for header in [
        basic(&fixture.client.id, "wrong"),
        basic(&fixture.client.id, ""),
        basic(&unknown, "wrong"),
        basic("", ""),
        basic(&fixture.client.id, "%ff"),
        basic(&fixture.client.id, "%00"),
        "Basic".to_owned(),
        "Basic ***".to_owned(),
        format!("Basic {}", STANDARD.encode("no colon")),
        format!("Basic {}", STANDARD.encode([0xff, b':', 0xfe])),
    ] {
        let answer = with_header(&fixture.server, &bare, &header);
        assert_refused(&answer, 401, "invalid_client");
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(
            challenge.starts_with("Basic realm=\"Gatehouse\""),
            "{challenge}"
        );
        bodies.push(answer.text());
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    IssuedTokens::of(&redemption.send(&fixture.server));
}

/// D27, lesson 24. Two methods, or two client ids, are refused.
#[test]
fn two_ways_at_once_are_refused() {
    let mut fixture = OauthFixture::web();
    let secret = fixture.client.secret.clone().unwrap();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let header = basic(&fixture.client.id, &secret);
    let named = redemption.clone().without("client_secret");
    let other = named
        .clone()
        .with("client_id", &OauthClient::tool(&fixture.server).id);
    for request in [
        &redemption,
        &other,
        &redemption.clone().without("client_id"),
    ] {
        let answer = with_header(&fixture.server, request, &header);
        assert_refused(&answer, 400, "invalid_request");
    }
    let nameless = redemption.without("client_id").send(&fixture.server);
    assert_refused(&nameless, 400, "invalid_request");
    // The same client id in both places counts as one.
    IssuedTokens::of(&with_header(&fixture.server, &named, &header));
}

/// D27, lesson 25. URLs end up in logs, so no parameter is read from the query.
#[test]
fn query_parameters_are_ignored() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let query = redemption.encoded();
    let empty = crate::oauth::support::post(&fixture.server, &format!("/oauth/token?{query}"), "");
    assert_refused(&empty, 400, "invalid_request");
    let mut without = redemption.clone();
    for (name, expected) in [
        ("client_secret", (401, "invalid_client")),
        ("code", (400, "invalid_request")),
    ] {
        without = without.without(name);
        let answer = without.post(&fixture.server, &format!("/oauth/token?{query}"));
        assert_refused(&answer, expected.0, expected.1);
    }
    let with_query_secret = redemption.post(
        &fixture.server,
        "/oauth/token?client_secret=wrong&code=x&grant_type=x",
    );
    IssuedTokens::of(&with_query_secret);
}

/// RFC 6749, section 2.3.1: both parts of the header are form-encoded before they are joined.
#[test]
fn the_halves_of_the_header_are_decoded_like_forms() {
    let mut fixture = OauthFixture::web();
    let secret = fixture.client.secret.clone().unwrap();
    // Letters and digits need no escape, but may be escaped.
    let escaped = |text: &str| {
        text.replace('a', "%61")
            .replace('_', "%5f")
            .replace('0', "%30")
    };
    let code = fixture.code();
    let header = basic(&escaped(&fixture.client.id), &escaped(&secret));
    IssuedTokens::of(&with_header(
        &fixture.server,
        &bare(&fixture.client, &code),
        &header,
    ));
}

/// OAUTH-02. A public application that sends a secret is misconfigured.
#[test]
fn a_public_application_with_a_secret_is_refused() {
    let mut fixture = OauthFixture::tool();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let guessed = redemption
        .clone()
        .with("client_secret", "guessed")
        .send(&fixture.server);
    assert_refused(&guessed, 401, "invalid_client");
    IssuedTokens::of(&redemption.with("client_secret", "").send(&fixture.server));
}

/// D26. A bearer token does not authenticate an application.
#[test]
fn a_bearer_token_proves_no_application() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let code = fixture.code();
    let header = format!("Bearer {}", tokens.access);
    let answer = with_header(&fixture.server, &bare(&fixture.client, &code), &header);
    assert_refused(&answer, 401, "invalid_client");
    // An invalid header does not affect the credentials in the form.
    IssuedTokens::of(&with_header(
        &fixture.server,
        &fixture.client.redemption(&code),
        &header,
    ));
}
