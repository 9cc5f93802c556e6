//! Invalid requests (`OAUTH-11`, `OAUTH-14`).

use serde_json::json;

use crate::oauth::support::{
    IssuedTokens, OauthFixture, OauthRequest, assert_refused, assert_unstored, post,
};
use crate::support::{TestResponse, TestServer};

const TOKEN: &str = "/oauth/token";

fn token_form(fixture: &OauthFixture, grant_type: &str) -> OauthRequest {
    fixture.client.form(grant_type)
}

/// OAUTH-11. Missing parameters are named, in the order that existing clients know.
#[test]
fn missing_parameters_are_named_in_the_error() {
    let fixture = OauthFixture::web();
    let cases = [
        (token_form(&fixture, ""), "grant_type"),
        (
            token_form(&fixture, "x").without("grant_type"),
            "grant_type",
        ),
        (token_form(&fixture, "authorization_code"), "code"),
        (
            token_form(&fixture, "authorization_code").with("code", "x"),
            "redirect_uri",
        ),
        (token_form(&fixture, "refresh_token"), "refresh_token"),
        (token_form(&fixture, "password"), "username"),
        (
            token_form(&fixture, "password").with("username", "dev"),
            "password",
        ),
    ];
    for (request, name) in cases {
        let answer = request.send(&fixture.server);
        assert_unstored(&answer);
        let text = format!("Missing required parameter: {name}.");
        answer.assert_is(
            400,
            &json!({ "error": "invalid_request", "error_description": text }),
        );
    }
}

/// OAUTH-14, D12. The device, client credentials and implicit grants do not exist.
#[test]
fn every_other_grant_is_unsupported() {
    let fixture = OauthFixture::web();
    for grant_type in [
        "urn:ietf:params:oauth:grant-type:device_code",
        "client_credentials",
        "implicit",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "urn:ietf:params:oauth:grant-type:token-exchange",
        "Authorization_Code",
        "password ",
    ] {
        let request = token_form(&fixture, grant_type).with("device_code", "x");
        let text = "The authorization grant type is not supported by the authorization server.";
        let answer = request.send(&fixture.server);
        assert_unstored(&answer);
        let body = json!({ "error": "unsupported_grant_type", "error_description": text });
        answer.assert_is(400, &body);
    }
    let device = post(&fixture.server, "/oauth/authorize_device", "client_id=x");
    assert_eq!(device.status, 404);
}

/// D12, lessons 19 and 23. One text value each; anything else is refused, and is never a server error.
#[test]
fn a_parameter_that_is_no_single_text_is_refused() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let whole = fixture.client.redemption(&code);
    let good = whole.encoded();
    let long = "x".repeat(4097);
    let many = "&x=1".repeat(64);
    for more in [
        "&code=x",
        "&grant_type=authorization_code",
        "&client_id=x",
        "&client_secret=x",
        "&redirect_uri=x",
        "&scope[]=api",
        "&scope%5B%5D=api",
        "&username[a][b]=c",
        "&code_verifier=%00",
        "&state=%ff%fe",
        "&scope=%c3%28",
        &format!("&code_verifier={long}"),
        &format!("&scope={long}"),
        &many,
    ] {
        let answer = post(&fixture.server, TOKEN, &format!("{good}{more}"));
        assert_refused(&answer, 400, "invalid_request");
    }
    let answer = post(
        &fixture.server,
        TOKEN,
        &format!("{good}&unknown=1&unknown=2&x[]=%00"),
    );
    IssuedTokens::of(&answer);
}

/// Lesson 23. For any bytes, the response is a refusal in the format of the protocol.
#[test]
fn no_bytes_are_a_fault_of_ours() {
    let server = TestServer::start();
    for path in [TOKEN, "/oauth/revoke", "/oauth/introspect"] {
        for body in [
            "",
            "&",
            "=",
            "%",
            "%zz%",
            "grant_type",
            "grant_type=%00",
            "grant_type=%ff",
            "\u{0}\u{1}\u{2}",
            "{\"grant_type\":\"password\"}",
            "token=%00&client_id=%00&client_secret=%00",
            "token=%ff&client_id=%ff",
            "token[]=x",
            "grant_type=password&username=%00&password=%00",
            "grant_type=password&username=dev%00&password=x",
            "grant_type=refresh_token&refresh_token=%00",
            "grant_type=refresh_token&client_id=x%00&refresh_token=x",
        ] {
            let answer = post(&server, path, body);
            let is_empty = path == "/oauth/revoke" && answer.text() == "{}";
            assert!(
                is_empty || matches!(answer.status, 400 | 401),
                "{path} {body:?}: {answer:?}"
            );
            assert_unstored(&answer);
        }
    }
}

/// D25, lesson 23. A form that is too large is refused before it is read, and the refusal may not be stored either.
#[test]
fn a_form_has_an_end() {
    let server = TestServer::start();
    for path in [TOKEN, "/oauth/revoke", "/oauth/introspect"] {
        let answer = post(&server, path, &format!("x={}", "y".repeat(70_000)));
        assert_refused(&answer, 413, "invalid_request");
    }
}

/// RFC 6749, section 5.2. Errors of the HTTP layer also have the protocol's format, so that a client finds the reason
/// where it expects it.
#[test]
fn every_refusal_has_the_shape_of_the_protocol() {
    let server = TestServer::start();
    let form = server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded");
    for path in [
        TOKEN,
        "/oauth/revoke",
        "/oauth/introspect",
        "/oauth/userinfo",
    ] {
        let send = |encoding: &str, body: &[u8]| {
            let caller = form.clone().with("Content-Encoding", encoding);
            caller.send("POST", path, body)
        };
        assert_refused(&send("gzip", b"no gzip"), 400, "invalid_request");
        assert_refused(&send("br", b"x=1"), 415, "invalid_request");
        let bomb = crate::support::packed::gzip(&vec![b'x'; 1_000_000]);
        assert_refused(&send("gzip", &bomb), 413, "invalid_request");
        let long = format!("{path}?x={}", "y".repeat(20_000));
        assert_refused(&form.send("POST", &long, b""), 414, "invalid_request");
        let refused = form.send("PATCH", path, b"");
        assert_refused(&refused, 405, "invalid_request");
        assert!(refused.header("allow").is_some(), "{path}");
    }
    let unknown = server.anonymous().get("/oauth/nothing");
    assert_refused(&unknown, 404, "invalid_request");
}

/// OAUTH-11. Token requests are forms; other content types are refused with that reason.
#[test]
fn a_body_that_is_no_form_is_refused() {
    let server = TestServer::start();
    let send = |content_type: &str, body: &str| -> TestResponse {
        let caller = server.anonymous().with("Content-Type", content_type);
        caller.send("POST", TOKEN, body.as_bytes())
    };
    let body = r#"{"grant_type":"password","username":"dev","password":"x"}"#;
    for content_type in [
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
    ] {
        assert_refused(&send(content_type, body), 400, "invalid_request");
    }
    let form = "grant_type=x";
    for content_type in [
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=UTF-8",
        "Application/X-WWW-Form-Urlencoded",
    ] {
        assert_refused(&send(content_type, form), 400, "unsupported_grant_type");
    }
}

/// OAUTH-11. A refused code is only reported as invalid: the body is the same whatever the reason.
#[test]
fn why_a_code_is_no_good_is_not_reported() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let refused = [
        redemption.clone().with("code", "x"),
        redemption
            .clone()
            .with("redirect_uri", "https://evil.example/"),
        redemption
            .clone()
            .with("code_verifier", crate::oauth::support::VERIFIER),
    ];
    for request in refused {
        let answer = request.send(&fixture.server);
        insta::allow_duplicates! {
            insta::assert_snapshot!(answer.text(), @r#"{"error":"invalid_grant","error_description":"The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client."}"#);
        }
    }
}
