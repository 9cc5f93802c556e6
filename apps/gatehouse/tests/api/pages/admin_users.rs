//! `/admin/users`.

use serde_json::json;

use super::second_factor::TwoFactorUser;
use crate::support::TestServer;
use crate::support::browser::TestBrowser;
use crate::support::mail_server::MailServer;
use crate::support::rows;

const LIST: &str = "/admin/users";
const NEW: &str = "/admin/users/-/new";

/// AUTH-08. The forms work without scripts.
#[test]
fn administrators_create_block_and_delete_users_on_pages() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let links = admin.open("/admin/applications").expect_text(200);
    assert!(links.contains("href=\"/admin/users\""), "{links}");
    let fields = [
        ("user[username]", "robin"),
        ("user[name]", ""),
        ("user[email]", "robin@example.com"),
    ];
    let created = admin.submit(NEW, LIST, &fields);
    assert_eq!(created.status, 303, "{created:?}");
    let path = created.header("location").unwrap().to_owned();
    let page = admin.open(&path).expect_text(200);
    let (_, after) = page.split_once("data-copy=\"").unwrap();
    let password = after.split('"').next().unwrap().to_owned();
    server.browser().sign_in("robin", &password);
    let again = admin.open(&path).expect_text(200);
    assert!(!again.contains(&password), "the password is shown once");
    let taken = admin.submit(NEW, LIST, &fields);
    assert!(taken.expect_text(422).contains("Enter another username"));
    let wrong = [("user[username]", "-x"), ("user[email]", "x@example.com")];
    assert!(
        admin
            .submit(NEW, LIST, &wrong)
            .expect_text(422)
            .contains("role=\"alert\"")
    );

    let list = admin
        .open("/admin/users?search=ROBIN@example.com")
        .expect_text(200);
    assert!(list.contains("href=\"/admin/users/robin\""), "{list}");
    assert!(!list.contains("/admin/users/dev\""), "{list}");
    let user = "/admin/users/robin";
    let state = "/admin/users/robin/state";
    for (change, name) in [
        ("block", "blocked"),
        ("unblock", "active"),
        ("ban", "banned"),
    ] {
        assert_eq!(admin.submit(user, state, &[("change", change)]).status, 303);
        let page = admin.open(user).expect_text(200);
        assert!(page.contains(&format!("<dd>{name}</dd>")), "{name}: {page}");
    }
    assert_eq!(
        admin.submit(user, state, &[("change", "block")]).status,
        403
    );
    assert_eq!(
        admin.submit(user, state, &[("change", "delete")]).status,
        400
    );

    let delete = "/admin/users/robin/delete";
    let unconfirmed = admin.submit(user, delete, &[("confirm", "Robin")]);
    assert!(
        unconfirmed
            .expect_text(422)
            .contains("Enter the username to confirm.")
    );
    assert_eq!(
        admin.submit(user, delete, &[("confirm", "robin")]).status,
        303
    );
    assert_eq!(admin.open(user).status, 404);
    assert_eq!(
        rows::number(
            &server,
            "SELECT count(*) FROM users WHERE username = 'robin'"
        ),
        0
    );
}

/// AUTH-08.
#[test]
fn the_pages_of_users_are_for_administrators_who_cannot_end_themselves() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let own = admin.open("/admin/users/root").expect_text(200);
    assert!(
        own.contains("You cannot block or delete your own account."),
        "{own}"
    );
    let state = "/admin/users/root/state";
    assert_eq!(
        admin.submit(LIST, state, &[("change", "block")]).status,
        403
    );
    let delete = "/admin/users/root/delete";
    assert_eq!(
        admin.submit(LIST, delete, &[("confirm", "root")]).status,
        403
    );
    for path in ["/admin/users/nobody", "/admin/users/alert-bot"] {
        assert_eq!(admin.open(path).status, 404, "{path}");
    }
    let mut developer = server.signed_in("developer");
    for path in [LIST, NEW, "/admin/users/dev"] {
        assert_eq!(developer.open(path).status, 403, "{path}");
        assert_eq!(server.browser().open(path).status, 303, "{path}");
    }
    let refused = developer.submit(
        "/profile",
        "/admin/users/root/delete",
        &[("confirm", "root")],
    );
    assert_eq!(refused.status, 403);
    let page = developer.open("/root").expect_text(200);
    assert!(!page.contains("/admin/users/"), "{page}");
}

/// Checks that the form of a user is refused with a sentence, and keeps the value of a field.
#[track_caller]
fn assert_edit_refused(admin: &mut TestBrowser, path: &str, field: (&str, &str), sentence: &str) {
    let others = [
        ("user[name]", "Dana"),
        ("user[email]", "dana@example.org"),
        ("user[admin]", "1"),
    ];
    let others = others.into_iter().filter(|(name, _)| *name != field.0);
    let fields: Vec<(&str, &str)> = others.chain([field]).collect();
    let page = admin.submit(path, path, &fields).expect_text(422);
    assert!(page.contains(sentence), "{sentence}: {page}");
    let kept = format!("name=\"{}\" value=\"{}\"", field.0, field.1.trim());
    assert!(page.contains(&kept), "{kept}: {page}");
}

/// AUTH-08. The form has the rules of `PUT /users/:id`, and the audit log records the changed fields.
#[test]
fn administrators_edit_users_on_the_page() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let path = "/admin/users/dev";
    let is_ticked = |page: &str| page.contains("name=\"user[admin]\" value=\"1\" checked");
    let page = admin.open(path).expect_text(200);
    for part in [
        "name=\"user[name]\" value=\"Dana Developer\"",
        "name=\"user[email]\" value=\"dev@example.com\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!is_ticked(&page), "{page}");

    let taken = format!("{}@EXAMPLE.com", server.name_of("reporter"));
    for (field, sentence) in [
        (("user[email]", &*taken), "a user has this one."),
        (("user[email]", "dana"), "email is invalid."),
        (("user[name]", " "), "User not saved: name can"),
    ] {
        assert_edit_refused(&mut admin, path, field, sentence);
    }
    let own = || server.developer().get("/api/v4/user").expect(200);
    assert_eq!(own()["email"], "dev@example.com");

    let name = ("user[name]", " Dana D ");
    let email = ("user[email]", "dana@example.org");
    let fields = [name, email, ("user[admin]", "1")];
    let saved = admin.submit(path, path, &fields);
    assert_eq!((saved.status, saved.header("location")), (303, Some(path)));
    let page = admin.open(path).expect_text(200);
    for part in ["User saved.", "Dana D<", "value=\"dana@example.org\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(is_ticked(&page), "{page}");
    let user = own();
    assert_eq!(
        (&user["name"], &user["email"], &user["is_admin"]),
        (&json!("Dana D"), &json!("dana@example.org"), &json!(true))
    );
    let recorded = |changed: &str| {
        let like = format!("details LIKE '%{changed}%'");
        let sql = format!("SELECT count(*) FROM audit_entries WHERE {like}");
        rows::number(&server, &sql)
    };
    assert_eq!(recorded("name, email, admin"), 1);

    // An empty checkbox takes the role away.
    assert_eq!(admin.submit(path, path, &[name, email]).status, 303);
    assert_eq!(server.developer().get("/api/v4/applications").status, 403);
    let unknown = "/admin/users/nobody";
    assert_eq!(admin.submit(path, unknown, &fields).status, 404);
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.submit("/profile", path, &fields).status, 403);
}

/// AUTH-08. Administrators stay administrators when they edit themselves.
#[test]
fn the_form_of_ones_own_account_keeps_the_role() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let path = "/admin/users/root";
    let page = admin.open(path).expect_text(200);
    assert!(page.contains("name=\"user[name]\""), "{page}");
    assert!(!page.contains("user[admin]"), "{page}");
    let fields = [("user[name]", "Ada"), ("user[email]", "root@example.com")];
    assert_eq!(admin.submit(path, path, &fields).status, 303);
    let page = admin.open(path).expect_text(200);
    assert!(page.contains("Administrator</span>"), "{page}");
    let own = server.admin().get("/api/v4/user").expect(200);
    assert_eq!(own["name"], "Ada");
}

/// The secret that a page shows with a button that copies it.
fn shown_once(admin: &mut TestBrowser, path: &str) -> String {
    let page = admin.open(path).expect_text(200);
    let (_, after) = page.split_once("data-copy=\"").unwrap();
    let secret = after.split('"').next().unwrap().to_owned();
    let again = admin.open(path).expect_text(200);
    assert!(!again.contains(&secret), "the password is shown once");
    secret
}

/// AUTH-08. What an administrator does for a user who is locked out is in the audit log.
#[test]
fn administrators_help_users_who_lost_a_password_or_a_second_factor() {
    let user = TwoFactorUser::on_server(TestServer::start());
    let server = &user.server;
    let mut session = user.after_password();
    TwoFactorUser::submit_code(&mut session, &user.next_code());
    let mut admin = server.signed_in("admin");
    let path = "/admin/users/dev";
    let page = admin.open(path).expect_text(200);
    assert!(!page.contains("password_link"), "no mail, no link: {page}");
    let link = admin.submit(path, "/admin/users/dev/password_link", &[]);
    assert!(link.expect_text(400).contains("sends no mail"));

    let off = "/admin/users/dev/second_factor_off";
    assert_eq!(admin.submit(path, off, &[]).status, 303);
    server
        .browser()
        .sign_in("dev", &server.password_of("developer"));
    let page = admin.open(path).expect_text(200);
    assert!(!page.contains("second_factor_off"), "{page}");
    assert_eq!(admin.submit(path, off, &[]).status, 403);

    let set = admin.submit(path, "/admin/users/dev/password", &[]);
    assert_eq!(set.status, 303);
    let password = shown_once(&mut admin, set.header("location").unwrap());
    assert_eq!(session.open("/profile").status, 303, "the session ended");
    let old = server
        .browser()
        .try_sign_in("dev", &server.password_of("developer"));
    assert_ne!(old.status, 303);
    server.browser().sign_in("dev", &password);
    let log = admin.open("/admin/audit_events").expect_text(200);
    for changed in ["two-factor authentication", "password"] {
        assert!(log.contains(changed), "{changed}: {log}");
    }
}

/// AUTH-08.
#[test]
fn administrators_send_links_to_choose_a_password() {
    let mail = MailServer::start();
    let server = TestServer::start_configured(&mail.configuration());
    let mut admin = server.signed_in("admin");
    let sent = admin.submit("/admin/users/dev", "/admin/users/dev/password_link", &[]);
    assert_eq!(sent.status, 303);
    let text = mail.wait_for(1)[0].text.clone();
    assert!(text.contains("/users/password/edit/"), "{text}");
    server
        .browser()
        .sign_in("dev", &server.password_of("developer"));
    for own in ["password", "password_link", "second_factor_off"] {
        let path = format!("/admin/users/root/{own}");
        assert_eq!(
            admin.submit("/admin/users/dev", &path, &[]).status,
            403,
            "{own}"
        );
    }
    assert_eq!(
        admin
            .submit(
                "/admin/users/dev",
                "/admin/users/dev/state",
                &[("change", "block")]
            )
            .status,
        303
    );
    let blocked = admin.submit("/admin/users/dev", "/admin/users/dev/password_link", &[]);
    assert_eq!(blocked.status, 403);
}

/// Nothing is said to be on its way that is not sent.
#[test]
fn a_link_is_not_sent_while_another_waits() {
    let unreachable = "[mail]\nhost = \"127.0.0.1\"\nport = 1\nsecurity = \"none\"\nfrom = \"gate@example.com\"\n";
    let server = TestServer::start_configured(unreachable);
    let mut admin = server.signed_in("admin");
    let path = "/admin/users/dev/password_link";
    assert_eq!(admin.submit("/admin/users/dev", path, &[]).status, 303);
    let second = admin.submit("/admin/users/dev", path, &[]);
    assert!(second.expect_text(403).contains("No link was sent"));
}
