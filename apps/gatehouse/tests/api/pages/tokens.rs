//! `/profile/personal_access_tokens`.

use crate::support::browser::TestBrowser;
use crate::support::{TestCaller, TestResponse, TestServer};

const PAGE: &str = "/profile/personal_access_tokens";
const FORM: [(&str, &str); 2] = [("token[name]", "Deploy"), ("token[scopes][]", "read_api")];

/// Creates a token, and returns the page with its secret.
fn create(browser: &mut TestBrowser) -> TestResponse {
    let answer = browser.submit(PAGE, PAGE, &FORM);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let path = answer.header("location").unwrap().to_owned();
    browser.open(&path)
}

/// The secret that a page shows.
pub(crate) fn secret_of(page: &TestResponse) -> Option<String> {
    let text = page.text();
    let (_, rest) = text.split_once("<p class=\"secret\"><code tabindex=\"0\">")?;
    rest.split_once('<').map(|(secret, _)| secret.to_owned())
}

/// The path of the form that revokes or rotates the first token with this name.
pub(super) fn form_of(page: &TestResponse, action: &str, name: &str) -> String {
    let text = page.text();
    let (before, _) = text
        .split_once(&format!("aria-label=\"{action} {name}\""))
        .unwrap();
    let (_, action) = before.rsplit_once("action=\"").unwrap();
    action.split_once('"').unwrap().0.to_owned()
}

/// AUTH-02. The secret of a token is shown once and works until the token is revoked.
#[test]
fn a_user_creates_uses_and_revokes_a_token() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let page = create(&mut browser);
    let secret = secret_of(&page).unwrap();
    assert!(secret.starts_with("ghat_"), "{secret}");
    let caller = TestCaller::new(server.base_url(), Some(&secret));
    caller.get("/api/v4/user").assert_ok();
    let again = browser.open(PAGE);
    assert!(again.text().contains("Deploy"));
    assert_eq!(secret_of(&again), None);
    let path = form_of(&again, "Revoke", "Deploy");
    let revoked = browser.submit(PAGE, &path, &[("_method", "delete")]);
    assert_eq!(
        (revoked.status, revoked.header("location")),
        (303, Some(PAGE))
    );
    assert_eq!(caller.get("/api/v4/user").status, 401);
    let page = browser.open(PAGE).text();
    assert!(!page.contains("aria-label=\"Revoke Deploy\""));
    let page = browser.open(&format!("{PAGE}?state=inactive")).text();
    assert!(
        page.contains("Deploy") && page.contains("Revoked"),
        "{page}"
    );
}

/// The secret is sealed for the session that created it, so the address of its page shows it to nobody else.
#[test]
fn only_the_session_that_created_a_token_sees_its_secret() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let answer = browser.submit(PAGE, PAGE, &FORM);
    let path = answer.header("location").unwrap().to_owned();
    assert_eq!(secret_of(&server.signed_in("developer").open(&path)), None);
    assert_eq!(secret_of(&server.signed_in("reporter").open(&path)), None);
    assert!(secret_of(&browser.open(&path)).is_some());
    assert_eq!(secret_of(&browser.open(&path)), None);
}

#[test]
fn an_invalid_form_is_shown_again_with_its_fields() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let long = "x".repeat(256);
    let name = ("token[name]", "Deploy");
    let scope = ("token[scopes][]", "read_user");
    for (form, problem) in [
        (
            vec![scope, ("token[name]", " ")],
            "Enter a name of at most 255 characters.",
        ),
        (
            vec![scope, ("token[name]", &*long)],
            "Enter a name of at most 255 characters.",
        ),
        (vec![name], "Choose at least one scope."),
        (
            vec![name, ("token[scopes][]", "everything")],
            "Choose at least one scope.",
        ),
        (
            vec![name, scope, ("token[expires_at]", "2001-01-01")],
            "Enter a day of expiry",
        ),
        (
            vec![name, scope, ("token[expires_at]", "tomorrow")],
            "Enter a day of expiry",
        ),
        (
            vec![name, ("token[scopes][]", "sudo")],
            "only tokens of administrators",
        ),
    ] {
        let answer = browser.submit(PAGE, PAGE, &form);
        assert_eq!(answer.status, 422, "{form:?}");
        let text = answer.text();
        assert!(text.contains(problem), "{form:?} {text}");
        if form.contains(&scope) {
            assert!(text.contains("value=\"read_user\" checked"), "{form:?}");
        }
    }
    assert!(
        !browser
            .open(PAGE)
            .text()
            .contains("aria-label=\"Revoke Deploy\"")
    );
}

/// A token of another user, and one that an administrator created to act as the user, are not found.
#[test]
fn users_revoke_their_own_tokens_only() {
    let server = TestServer::start();
    let id = server
        .developer()
        .get("/api/v4/personal_access_tokens/self");
    let path = format!("{PAGE}/{}", id.expect(200)["id"]);
    let mut other = server.signed_in("reporter");
    let answer = other.submit(PAGE, &path, &[("_method", "delete")]);
    assert_eq!(answer.status, 404);
    server.developer().get("/api/v4/user").assert_ok();
}

/// AUTH-09. The new token is shown once and has the lifetime of the old one, which no longer works.
#[test]
fn a_user_rotates_a_token() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let page = create(&mut browser);
    let old = TestCaller::new(server.base_url(), secret_of(&page).as_deref());
    let before = old.get("/api/v4/personal_access_tokens/self").expect(200);
    let path = form_of(&page, "Rotate", "Deploy");
    let rotated = browser.submit(PAGE, &path, &[]);
    assert_eq!(rotated.status, 303);
    let location = rotated.header("location").unwrap().to_owned();
    let secret = secret_of(&browser.open(&location));
    let new = TestCaller::new(server.base_url(), secret.as_deref());
    let after = new.get("/api/v4/personal_access_tokens/self").expect(200);
    assert_eq!(after["expires_at"], before["expires_at"]);
    assert_eq!(old.get("/api/v4/user").status, 401);
    // The page of an earlier load still has the form of the old token.
    let again = browser.submit(PAGE, &path, &[]);
    assert_eq!(again.header("location"), Some(PAGE));
    let text = browser.open(PAGE).text();
    assert!(text.contains("it was already revoked"), "{text}");
    new.get("/api/v4/user").assert_ok();
    let mut other = server.signed_in("reporter");
    let path = format!("{PAGE}/{}/rotate", after["id"]);
    assert_eq!(other.submit(PAGE, &path, &[]).status, 404);
    new.get("/api/v4/user").assert_ok();
}

/// A new password does not end tokens, so the next page lists them and offers to revoke all.
#[test]
fn a_changed_password_leads_to_the_tokens_which_still_work() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let page = create(&mut browser);
    let token = TestCaller::new(server.base_url(), secret_of(&page).as_deref());
    let password = server.password_of("developer");
    let change = |browser: &mut TestBrowser, old: &str, new: &str| {
        let fields = [
            ("user[current_password]", old),
            ("user[password]", new),
            ("user[password_confirmation]", new),
        ];
        let answer = browser.submit("/profile", "/profile/password", &fields);
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").unwrap().to_owned()
    };
    let new = "another long password";
    assert_eq!(change(&mut browser, &password, new), PAGE);
    let text = browser.open(PAGE).text();
    assert!(text.contains("The tokens below still work"), "{text}");
    token.get("/api/v4/user").assert_ok();
    let path = format!("{PAGE}/revocation");
    let revoked = browser.submit(PAGE, &path, &[]);
    assert_eq!(revoked.header("location"), Some(PAGE));
    let text = browser.open(PAGE).text();
    assert!(text.contains("All tokens revoked"), "{text}");
    assert!(text.contains("You have no active tokens"), "{text}");
    assert_eq!(token.get("/api/v4/user").status, 401);
    assert_eq!(change(&mut browser, new, &password), "/profile");
    // Tokens of other users are not affected.
    server.reporter().get("/api/v4/user").assert_ok();
}

/// Paths of the pages of a project's and of a group's tokens.
const PLACES: [&str; 2] = [
    "/acme/web-shop/-/settings/access_tokens",
    "/groups/acme/-/settings/access_tokens",
];

/// AUTH-02. The members of a project or group manage its tokens on a page.
#[test]
fn managers_create_rotate_and_revoke_tokens_of_a_place() {
    let server = TestServer::start();
    let mut browser = server.signed_in("admin");
    for page in PLACES {
        let form = [&FORM[..], &[("token[access_level]", "20")]].concat();
        let answer = browser.submit(page, page, &form);
        assert_eq!(answer.status, 303, "{}", answer.text());
        let shown = browser.open(answer.header("location").unwrap());
        assert!(shown.text().contains("data-label=\"Role\">Reporter<"));
        let secret = secret_of(&shown).unwrap();
        let caller = TestCaller::new(server.base_url(), Some(&secret));
        assert_eq!(caller.get("/api/v4/user").expect(200)["name"], "Deploy");
        assert_eq!(secret_of(&browser.open(page)), None);
        let path = form_of(&shown, "Rotate", "Deploy");
        let answer = browser.submit(page, &path, &[]);
        assert_eq!(answer.status, 303, "{}", answer.text());
        let rotated = browser.open(answer.header("location").unwrap());
        let successor = TestCaller::new(server.base_url(), secret_of(&rotated).as_deref());
        successor.get("/api/v4/user").assert_ok();
        assert_eq!(caller.get("/api/v4/user").status, 401);
        let path = form_of(&rotated, "Revoke", "Deploy");
        let answer = browser.submit(page, &path, &[("_method", "delete")]);
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some(page))
        );
        assert_eq!(successor.get("/api/v4/user").status, 401);
        let ended = browser.open(&format!("{page}?state=inactive")).text();
        assert!(ended.contains("data-label=\"Role\">None<"), "{ended}");
        let members = browser.open(&page.replace("settings/access_tokens", "project_members"));
        let members = if members.status == 200 {
            members
        } else {
            browser.open("/groups/acme/-/group_members")
        };
        assert!(members.text().contains(&format!("href=\"{page}\"")));
        for wrong in [
            vec![("token[name]", "Deploy")],
            vec![("token[name]", " "), ("token[scopes][]", "api")],
            vec![("token[name]", "Deploy"), ("token[scopes][]", "sudo")],
        ] {
            let answer = browser.submit(page, page, &wrong);
            assert_eq!(answer.status, 422, "{wrong:?}");
            assert!(answer.text().contains("id=\"problem\""), "{wrong:?}");
        }
    }
}

#[test]
fn members_with_a_low_role_do_not_see_the_tokens_of_a_place() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    for page in PLACES {
        assert_eq!(browser.open(page).status, 404);
        let form = [&FORM[..], &[("token[access_level]", "10")]].concat();
        let path = page.replace("settings/access_tokens", "project_members");
        let from = if page.starts_with("/groups") {
            "/groups/acme/-/group_members"
        } else {
            &*path
        };
        assert_eq!(browser.submit(from, page, &form).status, 403);
    }
}
