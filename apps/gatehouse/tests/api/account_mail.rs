//! Mail about accounts: forgotten passwords, invitations, changed passwords, and tokens that expire.

use std::thread;

use serde_json::json;

use crate::database::database;
use crate::support::browser::{TestBrowser, hidden};
use crate::support::mail_server::MailServer;
use crate::support::polling::eventually;
use crate::support::rows::{HeldRows, change, number};
use crate::support::{TestResponse, TestServer};

const NEW: &str = "/users/password/new";
const SIGN_IN: &str = "/users/sign_in";
const TOKENS: &str = "/profile/personal_access_tokens";

fn server(mail: &MailServer) -> TestServer {
    TestServer::start_configured(&mail.configuration())
}

/// Requests a link for a login.
fn request_link(server: &TestServer, login: &str) -> TestResponse {
    let fields = [("user[login]", login)];
    server.browser().submit(NEW, "/users/password", &fields)
}

/// Sends the form behind a link.
fn reset(server: &TestServer, path: &str, password: &str) -> TestResponse {
    reset_in(&mut server.browser(), path, password)
}

/// Sends the form behind a link from this browser.
fn reset_in(browser: &mut TestBrowser, path: &str, password: &str) -> TestResponse {
    let page = browser.open(path);
    let fields = [
        ("authenticity_token", &*hidden(&page, "authenticity_token")),
        (
            "user[reset_password_token]",
            &*hidden(&page, "user[reset_password_token]"),
        ),
        ("user[password]", password),
        ("user[password_confirmation]", password),
    ];
    browser.post("/users/password/edit", &fields)
}

fn waiting_or_sent(server: &TestServer) -> i64 {
    number(server, "SELECT count(*) FROM notification_messages")
}

#[test]
fn a_forgotten_password_is_replaced_once_through_the_link_in_a_mail() {
    let mail = MailServer::start();
    let server = server(&mail);
    let name = server.name_of("developer");
    let mut old_session = server.signed_in("developer");
    let requested = request_link(&server, &name);
    assert_eq!(
        (requested.status, requested.header("location")),
        (303, Some(SIGN_IN))
    );
    let sent = mail.wait_for(1);
    assert!(
        sent[0]
            .header("Subject")
            .starts_with("Reset your password for ")
    );
    assert!(sent[0].text.contains(&format!("Account: {name}")));
    let path = sent[0].path(server.base_url());
    // Programs that check mail open links.
    server.browser().open(&path).assert_ok();
    assert!(old_session.is_signed_in());
    let short = reset(&server, &path, "short");
    assert!(short.expect_text(422).contains("at least 8 characters"));
    let done = reset(&server, &path, "a new password");
    assert_eq!(done.status, 303, "{}", done.text());
    assert!(!old_session.is_signed_in());
    server.browser().sign_in(&name, "a new password");
    let again = server.browser().open(&path).expect_text(404);
    assert!(again.contains("This link is not valid"), "{again}");
    let sent = mail.wait_for(2);
    assert!(sent[1].text.contains("was changed"), "{:?}", sent[1]);
    assert_eq!(sent[1].to, sent[0].to);
    let audit = "SELECT count(*) FROM audit_entries WHERE details LIKE '%forgotten password%'";
    assert_eq!(number(&server, audit), 1);
}

/// Tokens keep working after a new password, so the sign-in leads to their list, which offers to revoke all of them.
#[test]
fn a_replaced_password_leads_through_the_sign_in_to_the_tokens() {
    let mail = MailServer::start();
    let server = server(&mail);
    let name = server.name_of("developer");
    request_link(&server, &name);
    let path = mail.wait_for(1)[0].path(server.base_url());
    let mut browser = server.browser();
    let done = reset_in(&mut browser, &path, "a new password");
    let sign_in = format!("{SIGN_IN}?return_to={TOKENS}");
    assert_eq!(
        (done.status, done.header("location")),
        (303, Some(&*sign_in))
    );
    let page = browser.open(&sign_in);
    let text = page.expect_text(200);
    assert!(
        text.contains("Access tokens of the account still work"),
        "{text}"
    );
    let fields = [
        ("authenticity_token", &*hidden(&page, "authenticity_token")),
        ("return_to", &*hidden(&page, "return_to")),
        ("user[login]", &*name),
        ("user[password]", "a new password"),
    ];
    let signed_in = browser.post(SIGN_IN, &fields);
    assert_eq!(
        (signed_in.status, signed_in.header("location")),
        (303, Some(TOKENS))
    );
    server.developer().get("/api/v4/user").assert_ok();
    let list = browser.open(TOKENS).expect_text(200);
    assert!(list.contains("Revoke all tokens"), "{list}");
    let revoked = browser.submit(TOKENS, &format!("{TOKENS}/revocation"), &[]);
    assert_eq!(
        (revoked.status, revoked.header("location")),
        (303, Some(TOKENS))
    );
    assert_eq!(server.developer().get("/api/v4/user").status, 401);
}

/// Both uses find the link valid before either has changed the password.
#[test]
fn one_of_two_uses_of_a_link_at_the_same_time_is_valid() {
    let Some(database) = database() else { return };
    let mail = MailServer::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, mail.configuration()).unwrap();
    let configuration = ["--config", file.path().to_str().unwrap()];
    let place = ["--database", database.url()];
    let server = TestServer::start_with(&[place, configuration].concat());
    let name = server.name_of("developer");
    request_link(&server, &name);
    let path = mail.wait_for(1)[0].path(server.base_url());
    let row = format!("SELECT id FROM users WHERE username = '{name}' FOR UPDATE");
    let mut held = HeldRows::by(database.url(), &row);
    let passwords = ["the first password", "the second password"];
    let answers = thread::scope(|scope| {
        let uses = passwords.map(|password| scope.spawn(|| reset(&server, &path, password)));
        held.wait_for(2);
        held.commit();
        uses.map(|used| used.join().unwrap())
    });
    let valid = answers.iter().position(|answer| answer.status == 303);
    let valid = valid.expect("one use is valid");
    let refused = answers[1 - valid].expect_text(404);
    assert!(refused.contains("This link is not valid"), "{refused}");
    server.browser().sign_in(&name, passwords[valid]);
}

#[test]
fn a_request_for_nobody_looks_like_any_other_and_sends_nothing() {
    let mail = MailServer::start();
    let server = server(&mail);
    let blocked = server.name_of("reporter");
    server.block(&blocked);
    for login in ["nobody", "nobody@example.com", &blocked, "alert-bot"] {
        let requested = request_link(&server, login);
        assert_eq!(
            (requested.status, requested.header("location")),
            (303, Some(SIGN_IN)),
            "{login}"
        );
    }
    let empty = request_link(&server, " ");
    assert_eq!(empty.header("location"), Some(NEW));
    // The last request is written after those before it.
    request_link(&server, &server.name_of("developer"));
    mail.wait_for(1);
    assert_eq!(waiting_or_sent(&server), 1);
}

#[test]
fn a_link_ends_with_its_time_and_with_another_change_of_the_password() {
    let mail = MailServer::start();
    let server = server(&mail);
    let name = server.name_of("developer");
    request_link(&server, &name);
    let path = mail.wait_for(1)[0].path(server.base_url());
    let mut longer = path.clone();
    longer.push('x');
    for wrong in [longer.as_str(), "/users/password/edit/x"] {
        server.browser().open(wrong).expect_text(404);
    }
    let command = ["user", "password", &name, "--password-stdin"];
    let changed = server.command_with_input(&command, "another password\n");
    assert!(changed.status.success(), "{changed:?}");
    server.browser().open(&path).expect_text(404);
    // The message about the change is written by the command, and sent by the server.
    assert!(mail.wait_for(2)[1].text.contains("was changed"));
}

#[test]
fn without_a_mail_server_the_page_names_the_administrator() {
    let server = TestServer::start();
    let page = server.browser().open(NEW).expect_text(200);
    assert!(page.contains("Ask an administrator"), "{page}");
    let sign_in = server.browser().open(SIGN_IN).expect_text(200);
    assert!(sign_in.contains(NEW), "{sign_in}");
    let fields = [("user[login]", "admin")];
    let requested = server.browser().submit(SIGN_IN, "/users/password", &fields);
    assert_eq!(requested.header("location"), Some(NEW));
    assert_eq!(waiting_or_sent(&server), 0);
}

#[test]
fn an_invitation_is_sent_to_its_address_unless_it_is_revoked_before() {
    const LIST: &str = "/admin/users/-/invitations";
    let mail = MailServer::start();
    let server = server(&mail);
    let mut admin = server.signed_in("admin");
    let fields = [("invitation[email]", "robin@example.com")];
    let created = admin.submit(LIST, LIST, &fields);
    let list = admin.open(created.header("location").unwrap());
    assert!(list.expect_text(200).contains("also sent to it"));
    let sent = mail.wait_for(1);
    assert_eq!(sent[0].to, "robin@example.com");
    assert!(sent[0].header("Subject").contains(" invites you to "));
    let path = sent[0].path(server.base_url());
    let page = server.browser().open(&path).expect_text(200);
    assert!(page.contains("value=\"robin@example.com\""), "{page}");
    let stored = "SELECT count(*) FROM notification_messages WHERE content LIKE '%ghin_%'";
    assert_eq!(number(&server, stored), 0, "the link is sealed");
}

#[test]
fn a_new_user_gets_a_link_to_choose_a_password() {
    let mail = MailServer::start();
    let server = server(&mail);
    let user = json!({ "username": "robin", "name": "Robin", "email": "robin@example.com", "reset_password": true });
    server.admin().post("/api/v4/users", &user).expect(201);
    let sent = mail.wait_for(1);
    let path = sent[0].path(server.base_url());
    let done = reset(&server, &path, "correct horse");
    // Without tokens there is nothing to look through.
    assert_eq!((done.status, done.header("location")), (303, Some(SIGN_IN)));
    server.browser().sign_in("robin", "correct horse");
}

#[test]
fn tokens_that_expire_within_a_week_are_announced_once() {
    let mail = MailServer::start();
    let mut server = server(&mail);
    let name = server.name_of("developer");
    server.token(&name, "api");
    server.token(&name, "read_api");
    let earlier = "UPDATE access_tokens SET created_at = created_at - 90 * 86400 * 1000000";
    change(&server, earlier);
    let today = "CAST(strftime('%s', 'now') AS INTEGER) / 86400";
    let newest = "(SELECT MAX(id) FROM access_tokens)";
    change(
        &server,
        &format!("UPDATE access_tokens SET expires_on = {today} + 5 WHERE id = {newest}"),
    );
    // The job that cleans up looks for them when the server starts.
    server.kill_and_restart();
    let sent = mail.wait_for(1);
    assert!(
        sent[0]
            .header("Subject")
            .starts_with("Access token expires soon: ")
    );
    let path = sent[0].path(server.base_url());
    assert_eq!(path, TOKENS);
    server.kill_and_restart();
    let announced = "SELECT count(*) FROM access_tokens WHERE expiry_announced";
    eventually("the job ran again", || {
        (number(&server, announced) == 1).then_some(())
    });
    assert_eq!(waiting_or_sent(&server), 1);
}

#[test]
fn an_administrator_cancels_mail_that_cannot_be_sent() {
    let mail = MailServer::start();
    let mut settings = mail.configuration();
    // Nothing listens there.
    settings = settings.replace("port = ", "port = 1 # ");
    let server = TestServer::start_configured(&settings);
    request_link(&server, &server.name_of("developer"));
    let mut admin = server.signed_in("admin");
    let mut page = String::new();
    eventually("the queue is shown", || {
        page = admin.open("/admin/notifications").text();
        page.contains("Cancel messages").then_some(())
    });
    let (_, after) = page.split_once("/admin/notifications/").unwrap();
    let id = after.split('/').next().unwrap();
    let cancel = format!("/admin/notifications/{id}/cancel");
    let done = admin.submit("/admin/notifications", &cancel, &[]);
    assert_eq!(done.header("location"), Some("/admin/notifications"));
    let unknown = admin.submit(
        "/admin/notifications",
        "/admin/notifications/999/cancel",
        &[],
    );
    assert_eq!(unknown.status, 404);
    let cancelled = "SELECT count(*) FROM notification_messages WHERE state = 4";
    eventually("the message is cancelled", || {
        (number(&server, cancelled) == 1).then_some(())
    });
}
