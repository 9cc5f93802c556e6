//! `/admin/users/-/invitations` and `/invitations`: registration by invitation (`AUTH-08`).

use serde_json::{Value, json};

use crate::support::browser::{TestBrowser, hidden};
use crate::support::pages::rows;
use crate::support::rows::{change, number};
use crate::support::{TestResponse, TestServer};

const LIST: &str = "/admin/users/-/invitations";
const ACCEPT: &str = "/invitations";

/// Creates an invitation by the form, and returns the path of its link.
fn invite(admin: &mut TestBrowser, fields: &[(&str, &str)]) -> String {
    let created = admin.submit(LIST, LIST, fields);
    assert_eq!(created.status, 303, "{created:?}");
    let path = created.header("location").unwrap().to_owned();
    let page = admin.open(&path).expect_text(200);
    let (_, after) = page.split_once("data-copy=\"").unwrap();
    let link = after.split('"').next().unwrap().to_owned();
    assert!(!admin.open(&path).text().contains(&link), "shown once");
    let (_, path) = link.split_once("/invitations").unwrap();
    format!("{ACCEPT}{path}")
}

/// Opens a valid link, and returns the token of its form.
fn open(browser: &mut TestBrowser, link: &str) -> String {
    hidden(&browser.open(link), "authenticity_token")
}

/// Registers with a link by the form that has this token.
fn register(browser: &mut TestBrowser, token: &str, link: &str, username: &str) -> TestResponse {
    let secret = link.rsplit('/').next().unwrap().to_owned();
    let email = format!("{username}@example.com");
    let fields = [
        ("authenticity_token", token),
        ("invitation[secret]", secret.as_str()),
        ("user[username]", username),
        ("user[name]", ""),
        ("user[email]", &email),
        ("user[password]", "correct horse"),
        ("user[password_confirmation]", "correct horse"),
    ];
    browser.post(ACCEPT, &fields)
}

/// The names and authors of the events of the instance, newest first.
fn instance_events(server: &TestServer) -> Vec<Value> {
    let path = "/api/v4/audit_events?entity_type=Gitlab::Audit::InstanceScope&entity_id=1";
    rows(&server.admin(), path)
}

/// Of two who register at once with an invitation, one gets the account, and the role that the invitation gives.
#[test]
fn an_invitation_registers_one_person_and_signs_them_in() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let link = invite(
        &mut admin,
        &[
            ("invitation[username]", "robin"),
            ("invitation[email]", "robin@example.com"),
            ("invitation[days]", "3"),
            ("invitation[place]", "acme/web-shop"),
            ("invitation[access_level]", "30"),
        ],
    );
    let list = admin.open(LIST).expect_text(200);
    assert!(list.contains("robin, robin@example.com"), "{list}");
    assert!(list.contains("Developer in <bdi"), "{list}");
    // Opening the link uses nothing up, and the form keeps what was typed after an error.
    let mut first = server.browser();
    let page = first.open(&link);
    let one_token = hidden(&page, "authenticity_token");
    let page = page.expect_text(200);
    assert!(page.contains("value=\"robin@example.com\""), "{page}");
    let taken = register(&mut first, &one_token, &link, "dev");
    assert!(taken.expect_text(422).contains("Choose another username"));
    let mut second = server.browser();
    let other_token = open(&mut second, &link);
    let statuses = std::thread::scope(|scope| {
        let one = scope.spawn(|| register(&mut first, &one_token, &link, "robin").status);
        let other = scope.spawn(|| register(&mut second, &other_token, &link, "sam").status);
        [one.join().unwrap(), other.join().unwrap()]
    });
    let mut sorted = statuses;
    sorted.sort_unstable();
    assert_eq!(sorted, [303, 404], "{statuses:?}");
    let (mut winner, name) = if statuses[0] == 303 {
        (first, "robin")
    } else {
        (second, "sam")
    };
    assert!(winner.is_signed_in());
    winner.open("/").assert_ok();
    winner.open("/acme/web-shop").assert_ok();
    let users = "SELECT count(*) FROM users WHERE username IN ('robin', 'sam')";
    assert_eq!(number(&server, users), 1);
    server.browser().sign_in(name, "correct horse");
    let events = instance_events(&server);
    let names: Vec<&Value> = events
        .iter()
        .map(|event| &event["details"]["event_name"])
        .collect();
    // The two before are of the applications of the sample data.
    assert_eq!(names[..2], ["invitation_used", "invitation_created"]);
    assert_eq!(events[0]["details"]["target_details"], json!(name));
    assert_eq!(events[0]["details"]["ip_address"], json!("127.0.0.1"));
    assert_eq!(events[1]["author_id"], server.demo["admin"]["id"]);
}

#[test]
fn used_revoked_expired_and_wrong_links_are_one_page_and_are_counted() {
    let server = TestServer::start_configured("[sign_in]\nmax_failures_per_address = 6");
    let mut admin = server.signed_in("admin");
    let [used, revoked, expired, good, orphaned] = [(); 5].map(|()| invite(&mut admin, &[]));
    let mut browser = server.browser();
    let token = open(&mut browser, &used);
    assert_eq!(register(&mut browser, &token, &used, "robin").status, 303);
    let newest = number(&server, "SELECT max(id) FROM invitations");
    let revoke = format!("{LIST}/{}/revoke", newest - 3);
    assert_eq!(admin.submit(LIST, &revoke, &[]).status, 303);
    assert_eq!(admin.submit(LIST, &revoke, &[]).status, 404);
    change(
        &server,
        &format!(
            "UPDATE invitations SET expires_at = 1 WHERE id = {}",
            newest - 2
        ),
    );
    // The creator of the last one is no administrator any more.
    change(
        &server,
        &format!("UPDATE invitations SET creator_id = 2 WHERE id = {newest}"),
    );
    let wrong = format!("{ACCEPT}/ghin_wrong");
    let mut visitor = server.browser();
    let token = open(&mut visitor, &good);
    let pages = [&used, &revoked, &expired, &orphaned, &wrong]
        .map(|link| visitor.open(link).expect_text(404));
    assert!(
        pages[0].contains("This invitation is not valid"),
        "{}",
        pages[0]
    );
    assert!(pages.iter().all(|page| *page == pages[0]));
    assert_eq!(register(&mut visitor, &token, &expired, "sam").status, 404);
    // The sixth guess was the last one. A good link has to wait, too, but other credentials need not.
    assert_eq!(visitor.open(&good).status, 429);
    assert_eq!(register(&mut visitor, &token, &good, "sam").status, 429);
    server.browser().sign_in("robin", "correct horse");
    let bursts = instance_events(&server).into_iter();
    let bursts: Vec<Value> = bursts
        .filter(|event| event["details"]["event_name"] == "address_limit_reached")
        .collect();
    assert_eq!(bursts.len(), 1, "{bursts:?}");
    assert_eq!(bursts[0]["details"]["guessed"], json!("invitation"));
    for (name, value) in [
        ("days", "31"),
        ("days", "0"),
        ("email", "nobody"),
        ("username", "-x"),
        ("place", "acme/unknown"),
    ] {
        let refused = admin.submit(LIST, LIST, &[(&format!("invitation[{name}]"), value)]);
        assert!(
            refused.expect_text(422).contains("role=\"alert\""),
            "{name}"
        );
    }
    assert_eq!(server.signed_in("developer").open(LIST).status, 403);
}
