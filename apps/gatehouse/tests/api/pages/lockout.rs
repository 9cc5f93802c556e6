//! Consequences of guessing passwords.

use crate::support::TestServer;

const FEW: &str = "[sign_in]\nmax_failures = 3\nmax_failures_per_address = 5";

/// AUTH-03.
#[test]
fn too_many_failures_lock_out_the_correct_password_too() {
    let server = TestServer::start_configured(FEW);
    let right = server.password_of("developer");
    for _ in 0..3 {
        assert_eq!(
            server.browser().try_sign_in("dev", "wrong password").status,
            422
        );
    }
    for login in ["dev", "DEV"] {
        let answer = server.browser().try_sign_in(login, &right);
        assert_eq!(answer.status, 429, "{login}");
        let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=601).contains(&wait), "{wait}");
        assert!(
            answer.text().contains("Wait 10 minutes"),
            "{}",
            answer.text()
        );
    }
    assert_eq!(
        server
            .browser()
            .try_sign_in("rita", &server.password_of("reporter"))
            .status,
        303
    );
}

/// D38. An account has two logins and one count, so that trying both does not double the guesses.
#[test]
fn the_name_and_the_address_of_an_account_are_counted_together() {
    let server = TestServer::start_configured(FEW);
    for login in ["dev", "dev@example.com", "DEV@example.com"] {
        let answer = server.browser().try_sign_in(login, "wrong password");
        assert_eq!(answer.status, 422, "{login}");
    }
    let right = server.password_of("developer");
    for login in ["dev", "dev@example.com"] {
        let answer = server.browser().try_sign_in(login, &right);
        assert_eq!(answer.status, 429, "{login}");
    }
}

#[test]
fn unknown_users_are_locked_out_like_existing_ones() {
    let server = TestServer::start_configured(FEW);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(
            server
                .browser()
                .try_sign_in("nobody", "wrong password")
                .status,
        );
    }
    assert_eq!(statuses, [422, 422, 422, 429]);
}

#[test]
fn a_live_session_goes_on_while_others_guess() {
    let server = TestServer::start_configured(FEW);
    let mut live = server.signed_in("developer");
    for _ in 0..4 {
        server.browser().try_sign_in("dev", "wrong password");
    }
    assert_eq!(
        server.browser().try_sign_in("dev", "wrong password").status,
        429
    );
    assert!(live.is_signed_in());
    server.developer().get("/api/v4/user").assert_ok();
}

#[test]
fn the_right_password_forgets_the_failures_before_it() {
    let server = TestServer::start_configured(FEW);
    for _ in 0..2 {
        for _ in 0..2 {
            assert_eq!(
                server.browser().try_sign_in("dev", "wrong password").status,
                422
            );
        }
        server
            .browser()
            .sign_in("dev", &server.password_of("developer"));
    }
}

#[test]
fn an_ip_address_is_locked_out_after_failures_with_many_logins() {
    let server = TestServer::start_configured(FEW);
    for login in ["a", "b", "c", "d", "e"] {
        assert_eq!(
            server.browser().try_sign_in(login, "wrong password").status,
            422
        );
    }
    let answer = server
        .browser()
        .try_sign_in("dev", &server.password_of("developer"));
    assert_eq!(answer.status, 429);
}

#[test]
fn behind_a_trusted_proxy_the_clients_are_counted_apart() {
    let server = TestServer::start_configured(&format!(
        "{FEW}\n[server]\ntrusted_proxies = \"127.0.0.0/8\""
    ));
    let at = |address: &str| server.browser().with("X-Forwarded-For", address);
    for login in ["a", "b", "c", "d", "e"] {
        assert_eq!(
            at("6.6.6.6, 192.0.2.1")
                .try_sign_in(login, "wrong password")
                .status,
            422
        );
    }
    let right = server.password_of("developer");
    assert_eq!(at("192.0.2.1").try_sign_in("dev", &right).status, 429);
    assert_eq!(at("192.0.2.2").try_sign_in("dev", &right).status, 303);
}

#[test]
fn x_forwarded_for_from_untrusted_clients_is_ignored() {
    let server = TestServer::start_configured(FEW);
    for (number, login) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        let mut browser = server
            .browser()
            .with("X-Forwarded-For", &format!("192.0.2.{number}"));
        assert_eq!(browser.try_sign_in(login, "wrong password").status, 422);
    }
    let mut browser = server.browser().with("X-Forwarded-For", "192.0.2.99");
    assert_eq!(browser.try_sign_in("f", "wrong password").status, 429);
}

#[test]
fn guesses_at_the_same_time_are_all_counted() {
    let server = TestServer::start_configured(FEW);
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let guess = || {
            let mut browser = server.browser();
            scope.spawn(move || browser.try_sign_in("dev", "wrong password").status)
        };
        let guesses: Vec<_> = (0..8).map(|_| guess()).collect();
        guesses
            .into_iter()
            .map(|guess| guess.join().unwrap())
            .collect()
    });
    let count = |status| answers.iter().filter(|answer| **answer == status).count();
    assert_eq!((count(422), count(429)), (3, 5), "{answers:?}");
}

#[test]
fn a_full_hashing_queue_returns_503_with_retry_after() {
    let server = TestServer::start_configured(
        "[passwords]\nconcurrency = 1\nqueue = 0\n[sign_in]\nmax_failures = 1000\nmax_failures_per_address = 1000",
    );
    let answers: Vec<(u16, Option<String>)> = std::thread::scope(|scope| {
        let guess = || {
            let mut browser = server.browser();
            scope.spawn(move || {
                let answer = browser.try_sign_in("dev", "wrong password");
                (
                    answer.status,
                    answer.header("retry-after").map(str::to_owned),
                )
            })
        };
        let guesses: Vec<_> = (0..24).map(|_| guess()).collect();
        guesses
            .into_iter()
            .map(|guess| guess.join().unwrap())
            .collect()
    });
    assert!(
        answers.iter().any(|(status, _)| *status == 422),
        "{answers:?}"
    );
    for (status, wait) in &answers {
        assert!(matches!(status, 422 | 503), "{answers:?}");
        assert_eq!(wait.as_deref(), (*status == 503).then_some("2"));
    }
}
