//! Client authentication (RFC 6749, section 2.3).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::oauth::support::{Client, Request, Stage, Tokens, assert_refused};
use crate::support::{Answer, Server};

/// Sends a token request with an `Authorization` header.
fn with_header(server: &Server, request: &Request, header: &str) -> Answer {
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

fn bare(client: &Client, code: &str) -> Request {
    client
        .redeems(code)
        .without("client_id")
        .without("client_secret")
}

/// D27, D36. Each advertised method works: the header, the form, and for public applications the client id alone.
#[test]
fn an_application_proves_itself_by_header_or_by_form() {
    let mut stage = Stage::web();
    let secret = stage.client.secret.clone().unwrap();
    let code = stage.code();
    Tokens::of(&stage.client.redeems(&code).ask(&stage.server));
    let header = basic(&stage.client.id, &secret);
    for header in [header.clone(), header.replace("Basic", "basic")] {
        let code = stage.code();
        Tokens::of(&with_header(
            &stage.server,
            &bare(&stage.client, &code),
            &header,
        ));
    }
    stage.client = Client::tool(&stage.server);
    let code = stage.code();
    Tokens::of(&stage.client.redeems(&code).ask(&stage.server));
    let code = stage.code();
    let header = basic(&stage.client.id, "");
    Tokens::of(&with_header(
        &stage.server,
        &bare(&stage.client, &code),
        &header,
    ));
}

/// D26, D37. The response does not reveal which of the two is wrong, and has a challenge only if a header was sent:
/// otherwise a browser would ask its user for a password.
#[test]
fn a_wrong_secret_and_an_unknown_application_are_one_refusal() {
    let mut stage = Stage::web();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let unknown = "f".repeat(64);
    let by_form = [
        redeems.clone().with("client_secret", "wrong"),
        redeems.clone().with("client_secret", ""),
        redeems.clone().without("client_secret"),
        redeems.clone().with("client_id", &unknown),
        redeems.clone().with("client_id", "a b:c"),
        redeems
            .clone()
            .without("client_id")
            .without("client_secret"),
    ];
    let mut bodies = Vec::new();
    for request in by_form {
        let answer = request.ask(&stage.server);
        assert_refused(&answer, 401, "invalid_client");
        assert_eq!(answer.header("www-authenticate"), None);
        bodies.push(answer.text());
    }
    let bare = bare(&stage.client, &code);
    for header in [
        basic(&stage.client.id, "wrong"),
        basic(&stage.client.id, ""),
        basic(&unknown, "wrong"),
        basic("", ""),
        basic(&stage.client.id, "%ff"),
        basic(&stage.client.id, "%00"),
        "Basic".to_owned(),
        "Basic ***".to_owned(),
        format!("Basic {}", STANDARD.encode("no colon")),
        format!("Basic {}", STANDARD.encode([0xff, b':', 0xfe])),
    ] {
        let answer = with_header(&stage.server, &bare, &header);
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
    Tokens::of(&redeems.ask(&stage.server));
}

/// D27, lesson 24. Two methods, or two client ids, are refused.
#[test]
fn two_ways_at_once_are_refused() {
    let mut stage = Stage::web();
    let secret = stage.client.secret.clone().unwrap();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let header = basic(&stage.client.id, &secret);
    let named = redeems.clone().without("client_secret");
    let other = named
        .clone()
        .with("client_id", &Client::tool(&stage.server).id);
    for request in [&redeems, &other, &redeems.clone().without("client_id")] {
        let answer = with_header(&stage.server, request, &header);
        assert_refused(&answer, 400, "invalid_request");
    }
    let nameless = redeems.without("client_id").ask(&stage.server);
    assert_refused(&nameless, 400, "invalid_request");
    // The same client id in both places counts as one.
    Tokens::of(&with_header(&stage.server, &named, &header));
}

/// D27, lesson 25. URLs end up in logs, so no parameter is read from the query.
#[test]
fn nothing_is_read_from_the_address() {
    let mut stage = Stage::web();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let query = redeems.encoded();
    let empty = crate::oauth::support::post(&stage.server, &format!("/oauth/token?{query}"), "");
    assert_refused(&empty, 400, "invalid_request");
    let mut without = redeems.clone();
    for (name, expected) in [
        ("client_secret", (401, "invalid_client")),
        ("code", (400, "invalid_request")),
    ] {
        without = without.without(name);
        let answer = without.post(&stage.server, &format!("/oauth/token?{query}"));
        assert_refused(&answer, expected.0, expected.1);
    }
    let elsewhere = redeems.post(
        &stage.server,
        "/oauth/token?client_secret=wrong&code=x&grant_type=x",
    );
    Tokens::of(&elsewhere);
}

/// RFC 6749, section 2.3.1: both parts of the header are form-encoded before they are joined.
#[test]
fn the_halves_of_the_header_are_decoded_like_forms() {
    let mut stage = Stage::web();
    let secret = stage.client.secret.clone().unwrap();
    // Letters and digits need no escape, but may be escaped.
    let escaped = |text: &str| {
        text.replace('a', "%61")
            .replace('_', "%5f")
            .replace('0', "%30")
    };
    let code = stage.code();
    let header = basic(&escaped(&stage.client.id), &escaped(&secret));
    Tokens::of(&with_header(
        &stage.server,
        &bare(&stage.client, &code),
        &header,
    ));
}

/// OAUTH-02. A public application that sends a secret is misconfigured.
#[test]
fn a_public_application_with_a_secret_is_refused() {
    let mut stage = Stage::tool();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let guessed = redeems
        .clone()
        .with("client_secret", "guessed")
        .ask(&stage.server);
    assert_refused(&guessed, 401, "invalid_client");
    Tokens::of(&redeems.with("client_secret", "").ask(&stage.server));
}

/// D26. A bearer token does not authenticate an application.
#[test]
fn a_bearer_token_proves_no_application() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("api");
    let code = stage.code();
    let header = format!("Bearer {}", tokens.access);
    let answer = with_header(&stage.server, &bare(&stage.client, &code), &header);
    assert_refused(&answer, 401, "invalid_client");
    // An invalid header does not affect the credentials in the form.
    Tokens::of(&with_header(
        &stage.server,
        &stage.client.redeems(&code),
        &header,
    ));
}
