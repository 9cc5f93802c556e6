//! `/profile`: the user's account, and a new password.

use crate::support::browser::TestBrowser;
use crate::support::{TestResponse, TestServer};

fn change(browser: &mut TestBrowser, old: &str, new: &str, again: &str) -> TestResponse {
    let fields = [
        ("user[current_password]", old),
        ("user[password]", new),
        ("user[password_confirmation]", again),
    ];
    browser.submit("/profile", "/profile/password", &fields)
}

#[test]
fn the_profile_is_for_everyone_who_is_signed_in() {
    let server = TestServer::start();
    let answer = server.browser().open("/profile");
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/users/sign_in?return_to=/profile"))
    );
    let page = server.signed_in("admin").open("/profile").text();
    assert!(page.contains("Administrator of this server"), "{page}");
    let page = server.signed_in("developer").open("/profile").text();
    assert!(
        page.contains("dev@example.com") && !page.contains("Administrator"),
        "{page}"
    );
}

/// AUTH-03, and RFC 9700 on passwords: anyone who knew the old one is signed out.
#[test]
fn another_password_ends_all_other_sessions_and_gives_another_cookie() {
    let server = TestServer::start();
    let old = server.password_of("developer");
    let mut other = server.signed_in("developer");
    let mut here = server.signed_in("developer");
    let mut copy = here.clone();
    let answer = change(&mut here, &old, "a new password", "a new password");
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/profile/personal_access_tokens"))
    );
    assert!(here.open("/profile").text().contains("Password changed."));
    assert!(!other.is_signed_in());
    assert_ne!(copy.session(), here.session());
    assert!(!copy.is_signed_in());
    assert_eq!(server.browser().try_sign_in("dev", &old).status, 422);
    server.browser().sign_in("dev", "a new password");
}

#[test]
fn without_the_old_password_nothing_changes() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let mut other = server.signed_in("developer");
    let answer = change(
        &mut browser,
        "not the old one",
        "a new password",
        "a new password",
    );
    assert_eq!(answer.status, 422);
    assert!(answer.text().contains("The current password is wrong."));
    assert!(browser.is_signed_in() && other.is_signed_in());
    server
        .browser()
        .sign_in("dev", &server.password_of("developer"));
}

#[test]
fn a_new_password_is_long_enough_and_given_twice() {
    let server = TestServer::start();
    let old = server.password_of("developer");
    let mut browser = server.signed_in("developer");
    let long = "x".repeat(1025);
    for (new, again, response) in [
        ("short", "short", "at least 8 characters"),
        (
            "a new password",
            "another password",
            "The two passwords do not match.",
        ),
        (long.as_str(), long.as_str(), "at most 1024 bytes"),
    ] {
        let answer = change(&mut browser, &old, new, again);
        assert_eq!(answer.status, 422);
        assert!(answer.text().contains(response), "{}", answer.text());
    }
    server.browser().sign_in("dev", &old);
}

#[test]
fn a_password_that_was_forgotten_is_replaced_on_the_command_line() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let set = ["user", "password", "dev", "--password-stdin"];
    assert!(
        server
            .command_with_input(&set, "a new password\n")
            .status
            .success()
    );
    crate::support::eventually("the session is over", || {
        (!browser.is_signed_in()).then_some(())
    });
    assert_eq!(
        server
            .browser()
            .try_sign_in("dev", &server.password_of("developer"))
            .status,
        422
    );
    server.browser().sign_in("dev", "a new password");
    let printed = server.command(&["user", "password", "dev"]).stdout;
    let printed = String::from_utf8(printed).unwrap();
    let made_up = printed.split_whitespace().last().unwrap();
    server.browser().sign_in("dev", made_up);
}

#[test]
fn wrong_current_passwords_lock_password_changes_but_keep_the_session() {
    let server = TestServer::start_configured("[sign_in]\nmax_failures = 2");
    let mut browser = server.signed_in("developer");
    for _ in 0..2 {
        assert_eq!(
            change(
                &mut browser,
                "wrong guess",
                "a new password",
                "a new password"
            )
            .status,
            422
        );
    }
    let old = server.password_of("developer");
    assert_eq!(
        change(&mut browser, &old, "a new password", "a new password").status,
        429
    );
    assert!(browser.is_signed_in());
}

/// DEPR-06.
#[test]
fn the_private_profile_checkbox_sets_and_clears_the_flag() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let ticked = "id=\"private-profile\" name=\"user[private_profile]\" value=\"1\" checked";
    let is_private =
        || server.developer().get("/api/v4/user").expect(200)["private_profile"].clone();
    let page = browser.open("/profile").text();
    assert!(
        page.contains("<label for=\"private-profile\">Private profile</label>"),
        "{page}"
    );
    assert!(!page.contains(ticked), "{page}");
    for (fields, expected) in [(&[("user[private_profile]", "1")][..], true), (&[], false)] {
        let answer = browser.submit("/profile", "/profile/privacy", fields);
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some("/profile"))
        );
        let page = browser.open("/profile").text();
        assert!(page.contains("Privacy setting saved."), "{page}");
        assert_eq!(page.contains(ticked), expected, "{page}");
        assert_eq!(is_private(), expected);
    }
}
