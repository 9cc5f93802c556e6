//! `/admin/users/:username/tokens`.

use serde_json::json;

use super::tokens::{form_of, secret_of};
use crate::support::{TestCaller, TestServer};

const PAGE: &str = "/admin/users/dev/tokens";
const FORM: [(&str, &str); 2] = [("token[name]", "Support"), ("token[scopes][]", "api")];

/// AUTH-04. The token acts as the user until an administrator revokes it, and its secret is shown once.
#[test]
fn an_administrator_creates_and_revokes_an_impersonation_token() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let answer = admin.submit(PAGE, PAGE, &FORM);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let location = answer.header("location").unwrap().to_owned();
    // Another session of the same administrator does not see the secret.
    assert_eq!(secret_of(&server.signed_in("admin").open(&location)), None);
    let shown = admin.open(&location);
    let secret = secret_of(&shown).unwrap();
    let caller = TestCaller::new(server.base_url(), Some(&secret));
    assert_eq!(caller.get("/api/v4/user").expect(200)["username"], "dev");
    assert_eq!(secret_of(&admin.open(&location)), None);
    let path = form_of(&shown, "Revoke", "Support");
    let revoked = admin.submit(PAGE, &path, &[("_method", "delete")]);
    assert_eq!(
        (revoked.status, revoked.header("location")),
        (303, Some(PAGE))
    );
    assert_eq!(caller.get("/api/v4/user").status, 401);
    let listed = admin.open(PAGE).text();
    assert!(listed.contains("Token revoked."), "{listed}");
    assert!(!listed.contains("aria-label=\"Revoke Support\""));
    let inactive = admin.open(&format!("{PAGE}?state=inactive")).text();
    assert!(
        inactive.contains("Support") && inactive.contains(">Revoked<"),
        "{inactive}"
    );
}

/// The list has the tokens of both kinds, whose descriptions do not address the administrator.
#[test]
fn an_administrator_sees_all_tokens_of_a_user_and_revokes_personal_ones() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    assert_eq!(admin.submit(PAGE, PAGE, &FORM).status, 303);
    let page = admin.open("/admin/users/DEV/tokens");
    let text = page.expect_text(200);
    for part in [
        "Access tokens of <a href=\"/dev\">@dev</a>",
        "data-label=\"Kind\">Personal<",
        "data-label=\"Kind\">Impersonation<",
        "everything that the user of the token can",
        "Create an impersonation token",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in [
        "/rotate\"",
        "that you can",
        "Revoke all tokens",
        "value=\"sudo\"",
    ] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    // A script deletes the token itself.
    let developer = server.developer();
    let own = "/api/v4/personal_access_tokens/self";
    let id = developer.get(own).expect(200)["id"].clone();
    let token = crate::support::browser::hidden(&page, "authenticity_token");
    let body = crate::support::browser::form(&[("authenticity_token", &*token)]);
    let answer = admin.send("DELETE", &format!("{PAGE}/{id}"), &body);
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(developer.get(own).status, 401);
    // Only for the token of an administrator, the scope for administrators is offered.
    let own = admin.open("/admin/users/root/tokens").expect_text(200);
    assert!(own.contains("value=\"sudo\""), "{own}");
}

#[test]
fn tokens_of_other_users_and_of_bots_are_not_found() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let own = "/api/v4/personal_access_tokens/self";
    let id = server.reporter().get(own).expect(200)["id"].clone();
    let delete = [("_method", "delete")];
    for path in [
        format!("{PAGE}/{id}"),
        format!("{PAGE}/999999"),
        format!("{PAGE}/x"),
        format!("/admin/users/nobody/tokens/{id}"),
    ] {
        assert_eq!(admin.submit(PAGE, &path, &delete).status, 404, "{path}");
    }
    server.reporter().get(own).assert_ok();
    let fields = json!({ "name": "deploy", "scopes": ["api"], "access_level": 20 });
    let tokens = server.below_project("/access_tokens");
    let bot = server.admin().post(&tokens, &fields).expect(201);
    let bot = server
        .admin()
        .get(&format!("/api/v4/users/{}", bot["user_id"]));
    let bot = bot.expect(200)["username"].as_str().unwrap().to_owned();
    for name in [&*bot, "alert-bot", "nobody", "acme", "a%20b"] {
        let path = format!("/admin/users/{name}/tokens");
        assert_eq!(admin.open(&path).status, 404, "{name}");
        assert_eq!(admin.submit(PAGE, &path, &FORM).status, 404, "{name}");
    }
    // The page of a bot links to no tokens.
    let page = admin.open(&format!("/{bot}")).expect_text(200);
    assert!(!page.contains("/admin/users/"), "{page}");
}

/// AUTH-04, AUTH-08. The tokens of a user are for administrators.
#[test]
fn other_visitors_do_not_see_the_tokens_of_a_user() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    for path in [PAGE, "/admin/users/nobody/tokens"] {
        assert_eq!(developer.open(path).status, 403, "{path}");
        assert_eq!(developer.submit("/profile", path, &FORM).status, 403);
        assert_eq!(server.browser().open(path).status, 303, "{path}");
    }
    let own = "/api/v4/personal_access_tokens/self";
    let id = server.developer().get(own).expect(200)["id"].clone();
    let path = format!("{PAGE}/{id}");
    let revoked = developer.submit("/profile", &path, &[("_method", "delete")]);
    assert_eq!(revoked.status, 403);
    server.developer().get(own).assert_ok();
    let link = format!("href=\"{PAGE}\"");
    assert!(!developer.open("/dev").expect_text(200).contains(&link));
    let page = server.signed_in("admin").open("/dev").expect_text(200);
    assert!(page.contains(&link), "{page}");
}

#[test]
fn an_invalid_impersonation_token_is_refused_with_the_reason() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let (name, scope) = (FORM[0], FORM[1]);
    for (form, problem) in [
        (
            vec![scope, ("token[name]", " ")],
            "Enter a name of at most 255 characters.",
        ),
        (vec![name], "Choose at least one scope."),
        (
            vec![name, scope, ("token[expires_at]", "2001-01-01")],
            "Enter a day of expiry",
        ),
        (
            vec![name, ("token[scopes][]", "sudo")],
            "only tokens of administrators",
        ),
    ] {
        let answer = admin.submit(PAGE, PAGE, &form);
        let text = answer.expect_text(422);
        assert!(text.contains(problem), "{form:?} {text}");
    }
    assert!(!admin.open(PAGE).text().contains("Revoke Support"));
}

/// AUTH-04.
#[test]
fn a_server_without_impersonation_offers_no_form() {
    let server = TestServer::start_configured("[tokens]\nimpersonation_enabled = false\n");
    let mut admin = server.signed_in("admin");
    let text = admin.open(PAGE).expect_text(200);
    assert!(text.contains("This server refuses impersonation tokens"));
    assert!(!text.contains("token[name]"), "{text}");
    let refused = admin.submit(PAGE, PAGE, &FORM).expect_text(403);
    assert!(refused.contains("Impersonation is turned off"), "{refused}");
    let path = form_of(&admin.open(PAGE), "Revoke", "demo");
    let revoked = admin.submit(PAGE, &path, &[("_method", "delete")]);
    assert_eq!(revoked.status, 303, "{}", revoked.text());
    assert_eq!(server.developer().get("/api/v4/user").status, 401);
}
