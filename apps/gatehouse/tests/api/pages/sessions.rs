//! Sessions: their lifetime, and ending them.

use crate::support::rows;
use crate::support::{TestServer, eventually};

fn change_sessions(server: &TestServer, assignment: &str) {
    rows::change_and_revoke(server, &format!("UPDATE sessions SET {assignment}"));
}

/// AUTH-03.
#[test]
fn a_session_ends_after_a_week_without_use() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    change_sessions(&server, "last_seen_at = last_seen_at - 6 * 86400000000");
    assert!(browser.is_signed_in());
    change_sessions(&server, "last_seen_at = last_seen_at - 7 * 86400000000");
    eventually("the session is over", || {
        (!browser.is_signed_in()).then_some(())
    });
}

#[test]
fn a_session_ends_after_a_month_however_much_it_is_used() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    assert!(browser.is_signed_in());
    change_sessions(&server, "expires_at = expires_at - 30 * 86400000000");
    eventually("the session is over", || {
        (!browser.is_signed_in()).then_some(())
    });
}

#[test]
fn a_restart_ends_no_session() {
    let mut server = TestServer::start();
    let mut browser = server.signed_in("developer");
    server.kill_and_restart();
    assert!(browser.is_signed_in());
}

#[test]
fn active_sessions_are_listed_by_browser_and_can_be_ended() {
    let server = TestServer::start();
    let mut here = server.browser().with(
        "User-Agent",
        "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0",
    );
    here.sign_in("dev", &server.password_of("developer"));
    let mut there = server
        .browser()
        .with("User-Agent", "Mozilla/5.0 (iPhone) Safari/604.1");
    there.sign_in("dev", &server.password_of("developer"));
    let page = here.open("/profile").text();
    assert!(
        page.contains("Firefox on Linux") && page.contains("Safari on iPhone"),
        "{page}"
    );
    assert_eq!(page.matches("This session").count(), 1);
    let there_path = session_paths(&page).into_iter().next().unwrap();
    let ended = here.submit("/profile", &there_path, &[("_method", "delete")]);
    let (mut live, mut dead) = if here.is_signed_in() {
        (here, there)
    } else {
        (there, here)
    };
    assert_eq!(ended.status, 303);
    assert!(!dead.is_signed_in());
    let page = live.open("/profile").text();
    assert_eq!(session_paths(&page).len(), 1);
}

/// A script that signs in each time must not make the page endless, or push the password form out of sight.
#[test]
fn the_session_list_is_bounded_and_follows_the_password_form() {
    let server = TestServer::start();
    let mut here = server.signed_in("developer");
    let copies = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO sessions (digest, user_id, stage, user_agent, address, authenticated_at, last_seen_at, expires_at)
        SELECT randomblob(32), user_id, stage, user_agent, address, authenticated_at, last_seen_at + i, expires_at
        FROM sessions, n WHERE sessions.id = (SELECT max(id) FROM sessions)";
    rows::change(&server, copies);
    let page = here.open("/profile").text();
    assert_eq!(session_paths(&page).len(), 20);
    assert_eq!(page.matches("This session").count(), 1);
    assert!(page.contains("10001 sessions"), "{page}");
    assert!(page.len() < 60_000, "{} bytes", page.len());
    let place = |text: &str| page.find(text).unwrap();
    assert!(place("Change your password") < place("Where you are signed in"));
}

#[test]
fn every_session_is_on_a_page_and_can_be_ended_there() {
    let server = TestServer::start();
    let mut here = server.signed_in("developer");
    let mut others: Vec<_> = (0..24).map(|_| server.signed_in("developer")).collect();
    let first = here.open("/profile").text();
    assert!(
        first.contains("href=\"/profile?sessions=2#sessions\""),
        "{first}"
    );
    let second = here.open("/profile?sessions=2").text();
    assert!(
        second.contains("href=\"/profile?sessions=1#sessions\""),
        "{second}"
    );
    let mut all = session_paths(&first);
    all.extend(session_paths(&second));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 25);
    assert_eq!(second.matches("This session").count(), 0);
    for path in session_paths(&second) {
        let ended = here.submit("/profile", &path, &[("_method", "delete")]);
        assert_eq!(ended.status, 303);
    }
    assert!(here.is_signed_in());
    let ended = others
        .iter_mut()
        .filter_map(|other| (!other.is_signed_in()).then_some(()));
    assert_eq!(ended.count(), 5);
    // A page beyond the end shows the last one.
    assert_eq!(
        session_paths(&here.open("/profile?sessions=2").text()).len(),
        20
    );
}

#[test]
fn signing_out_everywhere_else_leaves_the_session_in_which_it_is_done() {
    let server = TestServer::start();
    let mut others = [server.signed_in("developer"), server.signed_in("developer")];
    let mut here = server.signed_in("developer");
    let mut rita = server.signed_in("reporter");
    let answer = here.submit("/profile", "/profile/sessions/others", &[]);
    assert_eq!(answer.status, 303);
    assert!(
        here.visit("/profile")
            .text()
            .contains("All other sessions signed out.")
    );
    assert!(others.iter_mut().all(|other| !other.is_signed_in()));
    assert!(rita.is_signed_in());
}

#[test]
fn users_cannot_end_sessions_of_other_users() {
    let server = TestServer::start();
    let mut dev = server.signed_in("developer");
    let mut rita = server.signed_in("reporter");
    let path = session_paths(&dev.open("/profile").text()).remove(0);
    let answer = rita.submit("/profile", &path, &[("_method", "delete")]);
    assert_eq!(answer.status, 404);
    let unknown = rita.submit("/profile", "/profile/sessions/999999", &[]);
    assert_eq!(unknown.status, 404);
    assert!(dev.is_signed_in());
}

#[test]
fn blocking_an_account_ends_its_sessions() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    assert!(browser.is_signed_in());
    server.block("dev");
    eventually("the session is over", || {
        (!browser.is_signed_in()).then_some(())
    });
    let unblocked = server.command(&["user", "unblock", "dev"]);
    assert!(unblocked.status.success());
    assert!(!browser.is_signed_in());
    browser.sign_in("dev", &server.password_of("developer"));
}

/// The paths that end the sessions of a profile.
fn session_paths(page: &str) -> Vec<String> {
    let forms = page.split("action=\"/profile/sessions/").skip(1);
    let ids = forms.filter_map(|rest| rest.split_once('"').map(|(id, _)| id));
    let numbers = ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    numbers
        .map(|id| format!("/profile/sessions/{id}"))
        .collect()
}

#[test]
fn password_managers_find_where_a_password_is_changed() {
    let server = TestServer::start();
    let answer = server.browser().open("/.well-known/change-password");
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/profile#password"))
    );
}
