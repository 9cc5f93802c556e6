//! Revocation of an application: for one user, or for everyone.

use serde_json::json;

use super::{ALL, SignInCredentials, on_each_database};
use crate::support::relying_party::{
    REDIRECT_URI, RelyingParty, RelyingPartyTokens, agree, code_of,
};
use crate::support::{TestCaller, TestServer};

/// D24, lesson 8: the user's grants end at once, and the user is asked again the next time. Other users and other
/// applications keep theirs.
#[test]
fn a_user_who_takes_a_permission_back_ends_all_that_followed_from_it() {
    on_each_database(|server| {
        let [shop, other] = ["Shop", "Other"].map(|name| server.relying_party(name));
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        let other_application = SignInCredentials::in_browser(credentials.browser.clone(), &other);
        let rita = SignInCredentials::of(&server, "reporter", &shop);
        let path = format!("/oauth/authorized_applications/{}", shop.id);
        let answer =
            credentials
                .browser
                .submit("/profile/applications", &path, &[("_method", "delete")]);
        assert_eq!(answer.status, 303);
        let consent_page = credentials.browser.open(&shop.authorize_path(&[]));
        assert_eq!(consent_page.status, 200);
        let silent = credentials
            .browser
            .open(&shop.authorize_path(&[("prompt", "none")]));
        let address = silent.header("location").unwrap();
        assert!(address.contains("error=consent_required"), "{address}");
        assert_eq!(credentials.still_valid(), ["session", "question"]);
        assert_eq!(other_application.still_valid(), ALL);
        assert_eq!(rita.still_valid(), ALL);
    });
}

/// Users cannot revoke grants of others.
#[test]
fn a_user_ends_nothing_of_others() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let credentials = SignInCredentials::of(&server, "developer", &shop);
        let mut rita = server.signed_in("reporter");
        let path = format!("/oauth/authorized_applications/{}", shop.id);
        rita.submit("/profile/applications", &path, &[("_method", "delete")]);
        assert_eq!(credentials.still_valid(), ALL);
    });
}

#[test]
fn an_application_that_is_deleted_over_the_api_is_over_for_everybody() {
    on_each_database(|server| {
        let [shop, other] = ["Shop", "Other"].map(|name| server.relying_party(name));
        let everybody =
            ["developer", "reporter"].map(|person| SignInCredentials::of(&server, person, &shop));
        let other_application = SignInCredentials::of(&server, "developer", &other);
        let path = format!("/api/v4/applications/{}", shop.id);
        assert_eq!(server.admin().delete(&path).status, 204);
        for credentials in everybody {
            assert_eq!(credentials.still_valid(), ["session"]);
        }
        assert_eq!(other_application.still_valid(), ALL);
    });
}

#[test]
fn an_application_that_is_deleted_on_its_page_is_over_for_everybody() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let credentials = SignInCredentials::of(&server, "developer", &shop);
        let path = format!("/admin/applications/{}", shop.id);
        let mut admin = server.signed_in("admin");
        let answer = admin.submit(&path, &path, &[("_method", "delete")]);
        assert_eq!(answer.status, 303);
        assert_eq!(credentials.still_valid(), ["session"]);
    });
}

/// The secret only authenticates the application; the users' grants do not depend on it.
#[test]
fn another_secret_ends_the_old_one_and_nothing_else() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        let path = format!("/api/v4/applications/{}/renew-secret", shop.id);
        let renewed = server.admin().post(&path, &json!({}));
        for refused in [
            shop.refresh(&credentials.tokens.refresh),
            shop.redeem(&credentials.code),
        ] {
            assert_eq!(refused.expect(401)["error"], "invalid_client");
        }
        assert_eq!(shop.revoke(&credentials.tokens.access).status, 403);
        credentials.shop = shop.with_secret_of(&renewed);
        assert_eq!(credentials.still_valid(), ALL);
    });
}

/// Limits the application to these scopes.
fn narrow(server: &TestServer, shop: &RelyingParty, scopes: &[&str]) {
    let path = format!("/admin/applications/{}", shop.id);
    let mut fields = vec![
        ("_method", "patch"),
        ("application[name]", "Shop"),
        ("application[redirect_uri]", REDIRECT_URI),
        ("application[confidential]", "1"),
    ];
    let scopes = scopes.iter().map(|scope| ("application[scopes][]", *scope));
    fields.extend(scopes);
    let mut admin = server.signed_in("admin");
    let answer = admin.submit(&format!("{path}/edit"), &path, &fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
}

/// Lesson 29, RFC 9700, section 4.14: an application's scopes are checked whenever it gets a token, and whenever it
/// uses one. Users are asked again for scopes that they consented to before.
#[test]
fn scopes_removed_from_an_application_apply_to_all_its_credentials() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        let projects = TestCaller::bearer(server.base_url(), &credentials.tokens.access);
        projects.get("/api/v4/projects").assert_ok();
        narrow(&server, &shop, &["read_user"]);
        let refused = projects.get("/api/v4/projects").expect(403);
        assert_eq!(refused["error"], "insufficient_scope");
        shop.call(&credentials.tokens.access).assert_ok();
        let response = projects.get("/oauth/token/info").expect(200);
        assert_eq!(response["scope"], json!(["read_user"]));
        let too_much = shop.refresh_for(&credentials.tokens.refresh, "api");
        assert_eq!(too_much.expect(400)["error"], "invalid_scope");
        for answer in [
            shop.redeem(&credentials.code),
            shop.refresh(&credentials.tokens.refresh),
        ] {
            assert_eq!(answer.expect(200)["scope"], "read_user");
            let access = RelyingPartyTokens::of(&answer).access;
            let refused = TestCaller::bearer(server.base_url(), &access).get("/api/v4/projects");
            assert_eq!(refused.status, 403);
        }
        assert_eq!(
            code_of(&agree(&mut credentials.browser, &credentials.question)),
            None
        );
    });
}

/// If none of the granted scopes is left, no tokens are issued.
#[test]
fn an_application_that_may_hold_none_of_it_gets_nothing() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        narrow(&server, &shop, &["openid"]);
        assert_eq!(shop.call(&credentials.tokens.access).status, 403);
        for refused in [
            shop.redeem(&credentials.code),
            shop.refresh(&credentials.tokens.refresh),
        ] {
            assert_eq!(refused.status, 400, "{}", refused.text());
        }
        assert_eq!(
            code_of(&agree(&mut credentials.browser, &credentials.question)),
            None
        );
    });
}
