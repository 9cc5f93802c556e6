//! `/-/settings/deploy_tokens` of projects and groups.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::tokens::{form_of, secret_of};
use crate::support::{TestServer, rows};

const PAGES: [&str; 2] = [
    "/acme/web-shop/-/settings/deploy_tokens",
    "/groups/acme/-/settings/deploy_tokens",
];

const NAME: (&str, &str) = ("deploy_token[name]", "Build host");
const SCOPE: (&str, &str) = ("deploy_token[scopes][]", "read_repository");
const FORM: [(&str, &str); 3] = [NAME, ("deploy_token[username]", "builder"), SCOPE];

/// Status of a fetch from the demo's project with a deploy token.
fn fetch(server: &TestServer, username: &str, token: &str) -> u16 {
    let credentials = STANDARD.encode(format!("{username}:{token}"));
    let caller = server.anonymous();
    let caller = caller.with("Authorization", &format!("Basic {credentials}"));
    let path = "/-/git/access?path=acme%2Fweb-shop&service=git-upload-pack";
    caller.get(path).status
}

/// AUTH-06. The secret of a token is shown once and works until the token is revoked.
#[test]
fn a_deploy_token_is_created_listed_and_revoked_on_the_page() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    for page in PAGES {
        let empty = admin.open(page).expect_text(200);
        assert!(empty.contains("No deploy tokens."), "{empty}");
        let created = admin.submit(page, page, &FORM);
        assert_eq!(created.status, 303, "{}", created.text());
        let location = created.header("location").unwrap().to_owned();
        let shown = admin.open(&location);
        assert!(shown.text().contains("Token created."), "{}", shown.text());
        let secret = secret_of(&shown).unwrap();
        assert!(secret.starts_with("ghdt_"), "{secret}");
        assert_eq!(secret_of(&admin.open(&location)), None, "{page}");
        let list = admin.open(page);
        for part in [
            ">Build host<",
            "data-label=\"Username\"><code>builder</code>",
            "data-label=\"Scopes\">read_repository<",
            "data-label=\"Expires\">Never<",
        ] {
            assert!(list.text().contains(part), "{part}: {}", list.text());
        }
        assert_eq!(fetch(&server, "builder", &secret), 200, "{page}");
        let path = form_of(&list, "Revoke", "Build host");
        let revoked = admin.submit(page, &path, &[("_method", "delete")]);
        assert_eq!(
            (revoked.status, revoked.header("location")),
            (303, Some(page))
        );
        let list = admin.open(page).expect_text(200);
        for part in ["Token revoked.", "No deploy tokens."] {
            assert!(list.contains(part), "{part}: {list}");
        }
        assert_eq!(fetch(&server, "builder", &secret), 401, "{page}");
        let again = admin.submit(page, &path, &[("_method", "delete")]);
        assert_eq!(again.status, 404, "{page}");
    }
    let entries = |event: u8| {
        let sql = format!("SELECT count(*) FROM audit_entries WHERE event_name = {event}");
        rows::number(&server, &sql)
    };
    assert_eq!((entries(30), entries(31)), (2, 2));
}

#[test]
fn an_invalid_form_of_a_deploy_token_is_shown_again_with_its_fields() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let page = PAGES[0];
    for (form, problem) in [
        (
            vec![("deploy_token[name]", " "), SCOPE],
            "Enter a name of at most 255 characters.",
        ),
        (vec![NAME], "Choose at least one scope."),
        (
            vec![NAME, ("deploy_token[scopes][]", "api")],
            "Choose at least one scope.",
        ),
        (
            vec![NAME, SCOPE, ("deploy_token[username]", "a b")],
            "Enter a username of letters",
        ),
        (
            vec![NAME, SCOPE, ("deploy_token[expires_at]", "2001-01-01")],
            "Enter a day of expiry that is after today.",
        ),
        (
            vec![NAME, SCOPE, ("deploy_token[expires_at]", "soon")],
            "Enter a day of expiry that is after today.",
        ),
    ] {
        let refused = admin.submit(page, page, &form).expect_text(422);
        assert!(refused.contains(problem), "{form:?}: {refused}");
        for (field, kept) in [
            (NAME, "value=\"Build host\""),
            (SCOPE, "value=\"read_repository\" checked"),
        ] {
            assert_eq!(
                refused.contains(kept),
                form.contains(&field),
                "{form:?}: {refused}"
            );
        }
    }
    let list = admin.open(page).expect_text(200);
    assert!(list.contains("No deploy tokens."), "{list}");
}

/// AUTH-11. Maintainers create the tokens of a project and Owners those of a group, whose Maintainers see them.
#[test]
fn roles_decide_who_opens_the_pages_of_deploy_tokens() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    for page in PAGES {
        assert_eq!(admin.submit(page, page, &FORM).status, 303, "{page}");
    }
    let mut developer = server.signed_in("developer");
    for page in PAGES {
        assert_eq!(developer.open(page).status, 404, "{page}");
        let refused = developer.submit("/profile", page, &FORM);
        assert_eq!(refused.status, 403, "{page}");
    }
    let id = server.developer().get("/api/v4/user").expect(200)["id"].clone();
    let member = format!("/api/v4/groups/acme/members/{id}");
    let maintainer = json!({ "access_level": 40 });
    server.admin().put(&member, &maintainer).expect(200);
    for (page, creates) in PAGES.into_iter().zip([true, false]) {
        let list = developer.open(page).expect_text(200);
        assert!(list.contains(">Build host<"), "{list}");
        for part in ["Create a token", "aria-label=\"Revoke Build host\""] {
            assert_eq!(list.contains(part), creates, "{part}: {list}");
        }
        let status = developer.submit(page, page, &FORM).status;
        assert_eq!(status, if creates { 303 } else { 403 }, "{page}");
    }
}
