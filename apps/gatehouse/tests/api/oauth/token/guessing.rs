//! Guessing the secrets of applications (D38).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::oauth::support::{Client, Request, Stage, Tokens, assert_refused};
use crate::support::rows::change;
use crate::support::{Answer, Server};

/// Few allowed failures, and a proxy that reports its clients' addresses.
const FEW: &str = "[sign_in]\nmax_failures = 3\nmax_failures_per_address = 5\n[server]\ntrusted_proxies = \"127.0.0.0/8\"";

/// Sends a form to an endpoint from an address.
fn from(address: &str, server: &Server, path: &str, request: &Request) -> Answer {
    server
        .anonymous()
        .with("X-Forwarded-For", address)
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", path, request.encoded().as_bytes())
}

/// A request that only needs the secret of the application: it introspects a token.
fn asks(client: &Client) -> Request {
    client.form("x").with("token", "x")
}

/// The same with a wrong secret.
fn guesses(client: &Client) -> Request {
    asks(client).with("client_secret", "wrong")
}

const INTROSPECT: &str = "/oauth/introspect";

/// Asserts a refusal because of too many failures.
#[track_caller]
fn assert_shut(answer: &Answer) {
    assert_refused(answer, 429, "temporarily_unavailable");
    let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=600).contains(&seconds), "{seconds}");
}

/// D38. After too many wrong secrets further ones are not checked for that address. At other addresses the application
/// still works.
#[test]
fn wrong_secrets_are_limited_where_they_come_from() {
    let stage = Stage::configured(FEW);
    let (server, client) = (&stage.server, &stage.client);
    let ask = |address: &str, request: &Request| from(address, server, INTROSPECT, request);
    for _ in 0..3 {
        let wrong = ask("192.0.2.1", &guesses(client));
        assert_refused(&wrong, 401, "invalid_client");
    }
    for _ in 0..2 {
        assert_shut(&ask("192.0.2.1", &guesses(client)));
        assert_shut(&ask("192.0.2.1", &asks(client)));
        ask("192.0.2.2", &asks(client)).assert_ok();
    }
    // Another application at the same address is not affected.
    let other = Client::register(server, "https://shop.example/cb", &[]);
    ask("192.0.2.1", &asks(&other)).assert_ok();
}

/// D38. After the window of failures, the correct secret works again.
#[test]
fn the_door_opens_again() {
    let stage = Stage::configured(FEW);
    let (server, client) = (&stage.server, &stage.client);
    for _ in 0..3 {
        from("192.0.2.1", server, INTROSPECT, &guesses(client));
    }
    let right = || from("192.0.2.1", server, INTROSPECT, &asks(client));
    assert_shut(&right());
    change(
        server,
        "UPDATE sign_in_failures SET since = since - 600000000",
    );
    right().assert_ok();
    assert_refused(
        &from("192.0.2.1", server, INTROSPECT, &guesses(client)),
        401,
        "invalid_client",
    );
}

/// D38, D37. Limiting does not reveal whether the application exists either.
#[test]
fn an_application_that_does_not_exist_is_limited_alike() {
    let stage = Stage::configured(FEW);
    let nobody = Client {
        id: "f".repeat(64),
        ..stage.client.clone()
    };
    let statuses: Vec<u16> = (0..5)
        .map(|_| from("192.0.2.1", &stage.server, INTROSPECT, &guesses(&nobody)).status)
        .collect();
    assert_eq!(statuses, [401, 401, 401, 429, 429]);
}

/// D38. Every endpoint that checks a secret counts, in the form and in the header, and all share one count.
#[test]
fn every_door_counts() {
    let stage = Stage::configured(FEW);
    let (server, client) = (&stage.server, &stage.client);
    let grant = guesses(client).with("grant_type", "refresh_token");
    let grant = grant.with("refresh_token", "x");
    let at = "192.0.2.1";
    assert_refused(
        &from(at, server, "/oauth/token", &grant),
        401,
        "invalid_client",
    );
    // A wrong secret revokes nothing, and an unknown token counts as revoked.
    from(at, server, "/oauth/revoke", &guesses(client)).assert_ok();
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
    let stage = Stage::configured(FEW);
    let (server, client) = (&stage.server, &stage.client);
    for _ in 0..2 {
        for _ in 0..2 {
            let wrong = from("192.0.2.1", server, INTROSPECT, &guesses(client));
            assert_refused(&wrong, 401, "invalid_client");
        }
        from("192.0.2.1", server, INTROSPECT, &asks(client)).assert_ok();
    }
}

/// D38. An address that tries many applications is blocked as a whole. Users can still sign in there.
#[test]
fn an_address_that_guesses_at_many_applications_is_shut_out() {
    let stage = Stage::configured(FEW);
    let (server, client) = (&stage.server, &stage.client);
    for name in ["a", "b", "c", "d", "e"] {
        let other = Client {
            id: name.to_owned(),
            ..client.clone()
        };
        let wrong = from("192.0.2.1", server, INTROSPECT, &guesses(&other));
        assert_refused(&wrong, 401, "invalid_client");
    }
    assert_shut(&from("192.0.2.1", server, INTROSPECT, &asks(client)));
    from("192.0.2.2", server, INTROSPECT, &asks(client)).assert_ok();
    let mut browser = server.browser().with("X-Forwarded-For", "192.0.2.1");
    browser.sign_in("dev", &server.password_of("developer"));
}

/// D38. Concurrent guesses get no more attempts than sequential ones.
#[test]
fn guesses_at_the_same_time_are_all_counted() {
    let stage = Stage::configured(FEW);
    let (server, client) = (&stage.server, &stage.client);
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let guess = || scope.spawn(|| from("192.0.2.1", server, INTROSPECT, &guesses(client)));
        let guesses: Vec<_> = (0..12).map(|_| guess()).collect();
        let ended = guesses.into_iter().map(|guess| guess.join().unwrap());
        ended.map(|answer| answer.status).collect()
    });
    let count = |status| answers.iter().filter(|answer| **answer == status).count();
    assert_eq!((count(401), count(429)), (3, 9), "{answers:?}");
}

/// D38. A request without a secret is not a guess: a public application has none, and a client that forgets it gets the
/// same refusal each time.
#[test]
fn a_missing_secret_is_no_guess() {
    let mut stage = Stage::configured(FEW);
    for _ in 0..6 {
        let answer = asks(&stage.client).without("client_secret");
        let answer = answer.post(&stage.server, INTROSPECT);
        assert_refused(&answer, 401, "invalid_client");
    }
    asks(&stage.client)
        .post(&stage.server, INTROSPECT)
        .assert_ok();
    stage.client = Client::tool(&stage.server);
    let code = stage.code();
    Tokens::of(&stage.client.redeems(&code).ask(&stage.server));
}
