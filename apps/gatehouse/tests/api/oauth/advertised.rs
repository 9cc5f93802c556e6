//! The server supports everything that its metadata advertises (D36).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::oauth::metadata::{metadata, words};
use crate::oauth::support::{
    CHALLENGE, IssuedTokens, Landing, OauthClient, OauthFixture, VERIFIER, approve,
};
use crate::support::browser::hidden;
use crate::support::{TestCaller, TestServer};

/// D36. Each endpoint is at the address in the document, and responds as itself.
#[test]
fn every_advertised_endpoint_responds() {
    let fixture = OauthFixture::web();
    let metadata = metadata(&fixture.server);
    for (member, method, status) in [
        ("authorization_endpoint", "GET", 400),
        ("token_endpoint", "POST", 400),
        ("revocation_endpoint", "POST", 200),
        ("introspection_endpoint", "POST", 401),
        ("userinfo_endpoint", "GET", 401),
        ("end_session_endpoint", "GET", 303),
        ("userinfo_endpoint", "POST", 401),
        ("jwks_uri", "GET", 200),
    ] {
        let address = metadata[member].as_str().unwrap();
        assert!(address.starts_with(fixture.server.base_url()), "{address}");
        let answer = fixture.server.anonymous().send(method, address, b"");
        assert_eq!(answer.status, status, "{member}: {}", answer.text());
    }
}

/// D36. An administrator can register, request and get each scope; `sudo` is only for administrators.
#[test]
fn each_scope_can_be_had() {
    let server = TestServer::start();
    let scopes = words(&metadata(&server), "scopes_supported");
    let all = scopes.join(",");
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://a.example/cb", &["--scopes", &all])
    });
    fixture.browser = fixture.server.signed_in("admin");
    for scope in &scopes {
        assert_eq!(fixture.tokens(scope).body["scope"], scope.as_str());
    }
    let together = fixture.tokens(&scopes.join(" "));
    let mut in_order = scopes.clone();
    in_order.sort();
    assert_eq!(together.body["scope"], in_order.join(" "));
}

/// D36. Each response type, each response mode, each PKCE method, and all of them together.
#[test]
fn every_advertised_response_type_mode_and_pkce_method_works() {
    let mut fixture = OauthFixture::web();
    let metadata = metadata(&fixture.server);
    for response_type in words(&metadata, "response_types_supported") {
        for mode in words(&metadata, "response_modes_supported") {
            for method in words(&metadata, "code_challenge_methods_supported") {
                let request = fixture
                    .client
                    .authorization_request()
                    .with("response_type", &response_type)
                    .with("response_mode", &mode)
                    .with("code_challenge", CHALLENGE)
                    .with("code_challenge_method", &method);
                let code = if mode == "form_post" {
                    hidden(&fixture.browser.open(&request.path()), "code")
                } else {
                    fixture.land(&request).code()
                };
                let redemption = fixture
                    .client
                    .redemption(&code)
                    .with("code_verifier", VERIFIER);
                IssuedTokens::of(&redemption.send(&fixture.server));
            }
        }
    }
}

/// D36. Each prompt value does what the standard requires, for a signed-in user who has not consented.
#[test]
fn each_prompt_is_known() {
    let mut fixture = OauthFixture::web();
    for prompt in words(&metadata(&fixture.server), "prompt_values_supported") {
        let request = fixture
            .client
            .authorization_request()
            .with("prompt", &prompt);
        let answer = fixture.browser.open(&request.path());
        let led = answer.header("location").unwrap_or_default();
        match prompt.as_str() {
            "none" => {
                assert_eq!(Landing::of(&answer).get("error"), Some("consent_required"));
            }
            "login" | "select_account" => assert!(led.starts_with("/users/sign_in"), "{led}"),
            "consent" => {
                Landing::of(&approve(&mut fixture.browser, &answer)).code();
            }
            other => panic!("nothing is known of {other}"),
        }
    }
}

/// D32, D36. Each grant type issues tokens.
#[test]
fn each_grant_gives_tokens() {
    let mut fixture = OauthFixture::web();
    let grants = words(&metadata(&fixture.server), "grant_types_supported");
    assert_eq!(grants, ["authorization_code", "refresh_token", "password"]);
    let code = fixture.code();
    let tokens = IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
    IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    let form = fixture.client.form("password").with("username", "dev");
    let form = form.with("password", &fixture.server.password_of("developer"));
    form.send(&fixture.server).assert_ok();
}

/// D27, D36. Each authentication method is accepted at each endpoint that lists it.
#[test]
fn every_advertised_client_authentication_method_is_accepted() {
    let mut fixture = OauthFixture::web();
    let metadata = metadata(&fixture.server);
    for (endpoint, path) in [
        ("token", "/oauth/token"),
        ("revocation", "/oauth/revoke"),
        ("introspection", "/oauth/introspect"),
    ] {
        let member = format!("{endpoint}_endpoint_auth_methods_supported");
        for method in words(&metadata, &member) {
            let of = if method == "none" {
                OauthClient::tool
            } else {
                OauthClient::web
            };
            fixture.client = of(&fixture.server);
            let tokens = fixture.tokens("api");
            let form = fixture
                .client
                .refresh_request(&tokens.refresh)
                .with("token", &tokens.access);
            let (form, header) = if method == "client_secret_basic" {
                let secret = fixture.client.secret.as_ref().unwrap();
                let pair = STANDARD.encode(format!("{}:{secret}", fixture.client.id));
                let form = form.without("client_id").without("client_secret");
                (form, format!("Basic {pair}"))
            } else {
                (form, "None".to_owned())
            };
            let caller = fixture
                .server
                .anonymous()
                .with("Content-Type", "application/x-www-form-urlencoded")
                .with("Authorization", &header);
            let answer = caller.send("POST", path, form.encoded().as_bytes());
            answer.assert_ok();
            if endpoint == "introspection" {
                assert_eq!(answer.json()["active"], true, "{method}");
            } else {
                assert_eq!(
                    fixture.use_token(&tokens.access).status,
                    401,
                    "{method} {path}"
                );
            }
        }
    }
}

/// D36. Each advertised claim can be obtained, from the id token or from userinfo, and neither has other claims.
#[test]
fn each_claim_can_be_had() {
    let mut fixture = OauthFixture::of(TestServer::start(), |server| {
        let flags = ["--scopes", "openid,profile,email,groups"];
        OauthClient::register(server, "https://a.example/cb", &flags)
    });
    let metadata = metadata(&fixture.server);
    let known = words(&metadata, "claims_supported");
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "openid profile email groups")
        .with("nonce", "n");
    let code = fixture.land(&request).code();
    let answer = fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .expect(200);
    let claims = crate::oauth::keys::claims(answer["id_token"].as_str().unwrap());
    let access = answer["access_token"].as_str().unwrap();
    let response = TestCaller::bearer(fixture.server.base_url(), access)
        .get("/oauth/userinfo")
        .expect(200);
    for claims in [&claims, &response] {
        for name in claims.as_object().unwrap().keys() {
            assert!(known.contains(name), "{name} is not told");
        }
    }
    let can_be_had = |name: &String| claims.get(name).or(response.get(name)).is_some();
    // Each of these claims is present for users with the role.
    let (roles, others): (Vec<_>, Vec<_>) = known
        .iter()
        .partition(|name| name.contains("/claims/groups/"));
    for name in others {
        assert!(
            can_be_had(name),
            "{name} cannot be had: {claims} {response}"
        );
    }
    assert_eq!(roles.len(), 3);
    assert!(roles.into_iter().any(can_be_had), "{claims} {response}");
}

/// D36. The advertised algorithm is the configured one, and signs.
#[test]
fn the_algorithm_is_the_one_that_signs() {
    for algorithm in ["RS256", "ES256", "EdDSA"] {
        let setting = format!("[oauth]\nsigning_algorithm = \"{algorithm}\"");
        let server = TestServer::start_configured(&setting);
        let response = words(&metadata(&server), "id_token_signing_alg_values_supported");
        assert_eq!(response, [algorithm]);
        let keys = server.anonymous().get("/oauth/discovery/keys").expect(200);
        assert_eq!(keys["keys"][0]["alg"], algorithm);
    }
}
