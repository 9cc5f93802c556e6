//! Guessing the secrets of applications (D38).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::oauth::support::{
    IssuedTokens, OauthClient, OauthFixture, OauthRequest, assert_refused,
};
use crate::support::rows::change;
use crate::support::{TestResponse, TestServer};

/// Few allowed failures, and a proxy that reports its clients' addresses.
const FEW: &str = "[sign_in]\nmax_failures = 3\nmax_failures_per_address = 5\n[server]\ntrusted_proxies = \"127.0.0.0/8\"";

/// Sends a form to an endpoint from an address.
fn from(address: &str, server: &TestServer, path: &str, request: &OauthRequest) -> TestResponse {
    server
        .anonymous()
        .with("X-Forwarded-For", address)
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", path, request.encoded().as_bytes())
}

/// A request that only needs the secret of the application: it introspects a token.
fn introspection(client: &OauthClient) -> OauthRequest {
    client.form("x").with("token", "x")
}

/// The same with a wrong secret.
fn wrong_introspection(client: &OauthClient) -> OauthRequest {
    introspection(client).with("client_secret", "wrong")
}

const INTROSPECT: &str = "/oauth/introspect";

/// Asserts a refusal because of too many failures.
#[track_caller]
fn assert_shut(answer: &TestResponse) {
    assert_refused(answer, 429, "temporarily_unavailable");
    let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=600).contains(&seconds), "{seconds}");
}

/// D38. After too many wrong secrets further ones are not checked for that address. At other addresses the application
/// still works.
#[test]
fn wrong_secrets_are_limited_where_they_come_from() {
    let fixture = OauthFixture::configured(FEW);
    let (server, client) = (&fixture.server, &fixture.client);
    let introspect =
        |address: &str, request: &OauthRequest| from(address, server, INTROSPECT, request);
    for _ in 0..3 {
        let wrong = introspect("192.0.2.1", &wrong_introspection(client));
        assert_refused(&wrong, 401, "invalid_client");
    }
    for _ in 0..2 {
        assert_shut(&introspect("192.0.2.1", &wrong_introspection(client)));
        assert_shut(&introspect("192.0.2.1", &introspection(client)));
        introspect("192.0.2.2", &introspection(client)).assert_ok();
    }
    // Another application at the same address is not affected.
    let other = OauthClient::register(server, "https://shop.example/cb", &[]);
    introspect("192.0.2.1", &introspection(&other)).assert_ok();
}

/// D38. After the window of failures, the correct secret works again.
#[test]
fn the_door_opens_again() {
    let fixture = OauthFixture::configured(FEW);
    let (server, client) = (&fixture.server, &fixture.client);
    for _ in 0..3 {
        from(
            "192.0.2.1",
            server,
            INTROSPECT,
            &wrong_introspection(client),
        );
    }
    let right = || from("192.0.2.1", server, INTROSPECT, &introspection(client));
    assert_shut(&right());
    change(
        server,
        "UPDATE sign_in_failures SET since = since - 600000000",
    );
    right().assert_ok();
    assert_refused(
        &from(
            "192.0.2.1",
            server,
            INTROSPECT,
            &wrong_introspection(client),
        ),
        401,
        "invalid_client",
    );
}

/// D38, D37. Limiting does not reveal whether the application exists either.
#[test]
fn an_application_that_does_not_exist_is_limited_alike() {
    let fixture = OauthFixture::configured(FEW);
    let unknown_client = OauthClient {
        id: "f".repeat(64),
        ..fixture.client.clone()
    };
    let statuses: Vec<u16> = (0..5)
        .map(|_| {
            from(
                "192.0.2.1",
                &fixture.server,
                INTROSPECT,
                &wrong_introspection(&unknown_client),
            )
            .status
        })
        .collect();
    assert_eq!(statuses, [401, 401, 401, 429, 429]);
}

/// D38. Every endpoint that checks a secret counts, in the form and in the header, and all share one count.
#[test]
fn every_door_counts() {
    let fixture = OauthFixture::configured(FEW);
    let (server, client) = (&fixture.server, &fixture.client);
    let grant = wrong_introspection(client).with("grant_type", "refresh_token");
    let grant = grant.with("refresh_token", "x");
    let at = "192.0.2.1";
    assert_refused(
        &from(at, server, "/oauth/token", &grant),
        401,
        "invalid_client",
    );
    // A wrong secret revokes nothing, and an unknown token counts as revoked.
    from(at, server, "/oauth/revoke", &wrong_introspection(client)).assert_ok();
    let header = STANDARD.encode(format!("{}:wrong", client.id));
    let by_header = server
        .anonymous()
        .with("X-Forwarded-For", at)
        .with("Authorization", &format!("Basic {header}"))
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", INTROSPECT, b"token=x");
    assert_refused(&by_header, 401, "invalid_client");
    for path in ["/oauth/token", "/oauth/revoke", INTROSPECT] {
        let request = grant.clone().with("token", "x");
        assert_shut(&from(at, server, path, &request));
    }
}

/// D38. A correct secret resets the failures before it, as a correct password does.
#[test]
fn a_right_secret_forgets_the_wrong_ones_before_it() {
    let fixture = OauthFixture::configured(FEW);
    let (server, client) = (&fixture.server, &fixture.client);
    for _ in 0..2 {
        for _ in 0..2 {
            let wrong = from(
                "192.0.2.1",
                server,
                INTROSPECT,
                &wrong_introspection(client),
            );
            assert_refused(&wrong, 401, "invalid_client");
        }
        from("192.0.2.1", server, INTROSPECT, &introspection(client)).assert_ok();
    }
}

/// D38. An address that tries many applications is blocked as a whole. Users can still sign in there.
#[test]
fn an_address_guessing_at_many_applications_is_blocked() {
    let fixture = OauthFixture::configured(FEW);
    let (server, client) = (&fixture.server, &fixture.client);
    for name in ["a", "b", "c", "d", "e"] {
        let other = OauthClient {
            id: name.to_owned(),
            ..client.clone()
        };
        let wrong = from(
            "192.0.2.1",
            server,
            INTROSPECT,
            &wrong_introspection(&other),
        );
        assert_refused(&wrong, 401, "invalid_client");
    }
    assert_shut(&from(
        "192.0.2.1",
        server,
        INTROSPECT,
        &introspection(client),
    ));
    from("192.0.2.2", server, INTROSPECT, &introspection(client)).assert_ok();
    let mut browser = server.browser().with("X-Forwarded-For", "192.0.2.1");
    browser.sign_in("dev", &server.password_of("developer"));
}

/// D38. Concurrent guesses get no more attempts than sequential ones.
#[test]
fn guesses_at_the_same_time_are_all_counted() {
    let fixture = OauthFixture::configured(FEW);
    let (server, client) = (&fixture.server, &fixture.client);
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let guess = || {
            scope.spawn(|| {
                from(
                    "192.0.2.1",
                    server,
                    INTROSPECT,
                    &wrong_introspection(client),
                )
            })
        };
        let wrong_introspection: Vec<_> = (0..12).map(|_| guess()).collect();
        let ended = wrong_introspection
            .into_iter()
            .map(|guess| guess.join().unwrap());
        ended.map(|answer| answer.status).collect()
    });
    let count = |status| answers.iter().filter(|answer| **answer == status).count();
    assert_eq!((count(401), count(429)), (3, 9), "{answers:?}");
}

/// D38. A request without a secret is not a guess: a public application has none, and a client that forgets it gets the
/// same refusal each time.
#[test]
fn a_missing_secret_is_no_guess() {
    let mut fixture = OauthFixture::configured(FEW);
    for _ in 0..6 {
        let answer = introspection(&fixture.client).without("client_secret");
        let answer = answer.post(&fixture.server, INTROSPECT);
        assert_refused(&answer, 401, "invalid_client");
    }
    introspection(&fixture.client)
        .post(&fixture.server, INTROSPECT)
        .assert_ok();
    fixture.client = OauthClient::tool(&fixture.server);
    let code = fixture.code();
    IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
}
