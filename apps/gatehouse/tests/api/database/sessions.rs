//! Signing in on PostgreSQL, and at several servers on one database.

use std::thread;

use super::{database, server_on};
use crate::pages::second_factor::TwoFactorUser;
use crate::support::{TestServer, eventually};

/// AUTH-03. A change of a session at one server takes effect at the other.
#[test]
fn a_session_is_good_at_both_servers_and_ends_at_both() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    let mut here = first.signed_in("developer");
    let mut there = here.clone().at(&second);
    assert!(there.is_signed_in());
    let signed_out = here.submit("/profile", "/users/sign_out", &[]);
    assert_eq!(signed_out.status, 303);
    eventually("the session is over at the other server", || {
        (!there.is_signed_in()).then_some(())
    });
}

/// A form of one server may be sent to the other.
#[test]
fn a_form_is_ours_at_both_servers() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    let here = first.signed_in("developer");
    let token =
        crate::support::browser::hidden(&here.clone().open("/profile"), "authenticity_token");
    let fields = [("authenticity_token", token.as_str())];
    assert_eq!(
        here.at(&second)
            .post("/profile/sessions/others", &fields)
            .status,
        303
    );
}

/// OAUTH-12. The secret of an application that was registered at one server is shown once at the other.
#[test]
fn a_new_secret_is_shown_at_the_other_server() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    let mut here = first.signed_in("developer");
    let form = [
        ("application[name]", "Dashboard"),
        ("application[redirect_uri]", "https://app.example/cb"),
        ("application[confidential]", "1"),
        ("application[scopes][]", "openid"),
    ];
    let answer = here.submit("/oauth/applications/new", "/oauth/applications", &form);
    let path = answer.header("location").unwrap();
    let mut there = here.at(&second);
    assert!(there.open(path).text().contains(">ghos_"));
    assert!(!there.open(path).text().contains(">ghos_"));
}

/// AUTH-03.
#[test]
fn a_second_factor_and_a_recovery_code_work_once() {
    let Some(database) = database() else { return };
    let user = TwoFactorUser::on_server(server_on(&database));
    let code = user.next_code();
    let statuses = |given: &str| {
        [(); 2].map(|()| TwoFactorUser::submit_code(&mut user.after_password(), given).status)
    };
    assert_eq!(statuses(&code), [303, 422]);
    assert_eq!(statuses(&user.codes[0]), [303, 422]);
}

/// Transactions run concurrently here, and still no guess escapes between counting and checking.
#[test]
fn guesses_at_the_same_time_are_all_counted_at_all_servers() {
    let Some(database) = database() else { return };
    let configured = "[sign_in]\nmax_failures = 3";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("few.toml");
    std::fs::write(&file, configured).unwrap();
    let file = file.display().to_string();
    let first = TestServer::start_with(&["--database", database.url(), "--config", &file]);
    let second = first.peer();
    let answers: Vec<u16> = thread::scope(|scope| {
        let guesses: Vec<_> = [
            &first, &second, &first, &second, &first, &second, &first, &second,
        ]
        .map(TestServer::browser)
        .into_iter()
        .map(|mut browser| scope.spawn(move || browser.try_sign_in("dev", "wrong guess").status))
        .collect();
        guesses
            .into_iter()
            .map(|guess| guess.join().unwrap())
            .collect()
    });
    let count = |status| answers.iter().filter(|answer| **answer == status).count();
    assert_eq!((count(422), count(429)), (3, 5), "{answers:?}");
}
