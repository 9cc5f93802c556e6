//! Applications lose trust: one user's, or everybody's.

use serde_json::json;

use super::{ALL, Powers, server};

/// D24, lesson 8: what the user had permitted is over at once, and the next time the user is asked again. Other users
/// and other applications keep theirs.
#[test]
fn a_user_who_takes_a_permission_back_ends_all_that_followed_from_it() {
    let server = server();
    let [shop, other] = ["Shop", "Other"].map(|name| server.relying_party(name));
    let mut powers = Powers::of(&server, "developer", &shop);
    let elsewhere = Powers::in_browser(powers.browser.clone(), &other);
    let rita = Powers::of(&server, "reporter", &shop);
    let path = format!("/oauth/authorized_applications/{}", shop.id);
    let answer = powers
        .browser
        .submit("/profile/applications", &path, &[("_method", "delete")]);
    assert_eq!(answer.status, 303);
    let asked_again = powers.browser.open(&shop.authorize_path(&[]));
    assert_eq!(asked_again.status, 200);
    let silent = powers
        .browser
        .open(&shop.authorize_path(&[("prompt", "none")]));
    let address = silent.header("location").unwrap();
    assert!(address.contains("error=consent_required"), "{address}");
    assert_eq!(powers.left(), ["session", "question"]);
    assert_eq!(elsewhere.left(), ALL);
    assert_eq!(rita.left(), ALL);
}

/// Nobody takes back what others permitted.
#[test]
fn a_user_ends_nothing_of_others() {
    let server = server();
    let shop = server.relying_party("Shop");
    let powers = Powers::of(&server, "developer", &shop);
    let mut rita = server.signed_in("reporter");
    let path = format!("/oauth/authorized_applications/{}", shop.id);
    rita.submit("/profile/applications", &path, &[("_method", "delete")]);
    assert_eq!(powers.left(), ALL);
}

#[test]
fn an_application_that_is_deleted_over_the_api_is_over_for_everybody() {
    let server = server();
    let [shop, other] = ["Shop", "Other"].map(|name| server.relying_party(name));
    let everybody = ["developer", "reporter"].map(|person| Powers::of(&server, person, &shop));
    let elsewhere = Powers::of(&server, "developer", &other);
    let path = format!("/api/v4/applications/{}", shop.id);
    assert_eq!(server.admin().delete(&path).status, 204);
    for powers in everybody {
        assert_eq!(powers.left(), ["session"]);
    }
    assert_eq!(elsewhere.left(), ALL);
}

#[test]
fn an_application_that_is_deleted_on_its_page_is_over_for_everybody() {
    let server = server();
    let shop = server.relying_party("Shop");
    let powers = Powers::of(&server, "developer", &shop);
    let path = format!("/admin/applications/{}", shop.id);
    let mut admin = server.signed_in("admin");
    let answer = admin.submit(&path, &path, &[("_method", "delete")]);
    assert_eq!(answer.status, 303);
    assert_eq!(powers.left(), ["session"]);
}

/// The secret proves who calls; what users permitted does not hang on it.
#[test]
fn another_secret_ends_the_old_one_and_nothing_else() {
    let server = server();
    let shop = server.relying_party("Shop");
    let mut powers = Powers::of(&server, "developer", &shop);
    let path = format!("/api/v4/applications/{}/renew-secret", shop.id);
    let renewed = server.admin().post(&path, &json!({}));
    for refused in [
        shop.refresh(&powers.tokens.refresh),
        shop.redeem(&powers.code),
    ] {
        assert_eq!(refused.expect(401)["error"], "invalid_client");
    }
    assert_eq!(shop.revoke(&powers.tokens.access).status, 403);
    powers.shop = shop.with_secret_of(&renewed);
    assert_eq!(powers.left(), ALL);
}
