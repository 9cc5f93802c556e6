//! Access tokens that expire soon, on the home page.

use crate::support::rows;
use crate::support::{TestServer, browser::TestBrowser};

const HEADING: &str = "Access tokens that expire soon";

/// Creates a token of a user, and sets the number of days until it expires.
fn token(server: &TestServer, username: &str, name: &str, days: u8) {
    server.command_json(&[
        "token", "create", "--user", username, "--name", name, "--json",
    ]);
    let today = "CAST(strftime('%s', 'now') AS INTEGER) / 86400";
    let change = format!(
        "UPDATE access_tokens SET expires_on = {today} + {days} \
         WHERE id = (SELECT max(id) FROM access_tokens)"
    );
    rows::change(server, &change);
}

#[track_caller]
fn home(browser: &mut TestBrowser) -> String {
    browser.open("/").expect_text(200)
}

/// Only active personal tokens of the visitor are listed, at most five.
#[test]
fn home_lists_own_tokens_that_expire_soon() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    // The tokens of the demo expire in a year.
    assert!(!home(&mut developer).contains(HEADING));
    token(&server, "dev", "later", 60);
    token(&server, "dev", "expired", 0);
    token(&server, "rita", "of another", 3);
    assert!(!home(&mut developer).contains(HEADING));
    token(&server, "dev", "nightly <b>build", 20);
    let text = home(&mut developer);
    for part in [
        HEADING,
        "nightly &#60;b&#62;build",
        "href=\"/profile/personal_access_tokens\">Manage tokens<",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["later", "expired", "of another"] {
        assert!(!text.contains(&format!(">{part}<")), "{part}: {text}");
    }
    for days in 1..=5 {
        token(&server, "dev", &format!("due in {days}"), days);
    }
    let text = home(&mut developer);
    assert_eq!(text.matches("Expires on").count(), 5, "{text}");
    assert!(
        text.contains("due in 5") && !text.contains("nightly"),
        "{text}"
    );
    let revoke = "UPDATE access_tokens SET revoked_at = created_at WHERE name LIKE 'due in %'";
    rows::change_and_revoke(&server, revoke);
    let text = home(&mut developer);
    assert!(
        !text.contains("due in") && text.contains("nightly"),
        "{text}"
    );
}

#[test]
fn users_without_a_project_see_their_expiring_tokens() {
    let server = TestServer::start();
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", created["password"].as_str().unwrap());
    token(&server, "zoe", "laptop", 2);
    let text = home(&mut browser);
    for part in ["You are not a member of any project yet", HEADING, "laptop"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
