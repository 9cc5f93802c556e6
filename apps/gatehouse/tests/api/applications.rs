//! `/api/v4/applications`.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::snapshot::{redacted, snapshot_of};
use crate::support::pages::{column, follow};
use crate::support::{TestCaller, TestResponse, TestServer};

pub(crate) const APPLICATIONS: &str = "/api/v4/applications";

fn metadata(name: &str) -> Value {
    json!({ "name": name, "redirect_uri": "https://shop.example/cb", "scopes": "api read_user" })
}

pub(crate) fn create(server: &TestServer, name: &str) -> Value {
    server
        .admin()
        .post(APPLICATIONS, &metadata(name))
        .expect(201)
}

/// Requests a token with the developer's password, on behalf of an application.
pub(crate) fn ask_for_token(server: &TestServer, id: &str, secret: &str) -> TestResponse {
    let (name, password) = (
        server.text("/developer/username"),
        server.text("/developer/password"),
    );
    let form = format!(
        "grant_type=password&username={name}&password={password}&client_id={id}&client_secret={secret}"
    );
    server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", "/oauth/token", form.as_bytes())
}

/// OAUTH-12. Client id and secret are returned together, once.
#[test]
fn a_new_application_is_shown_with_its_secret_once() {
    let server = TestServer::start();
    let mut body = metadata("Shop");
    body["redirect_uri"] = json!("https://shop.example/cb\r\nhttps://shop.example/other");
    let answer = server.admin().post(APPLICATIONS, &body);
    let mut settings = insta::Settings::clone_current();
    settings.add_redaction(".body.application_id", "[uid]");
    settings.add_redaction(".body.secret", "[secret]");
    let _secrets = settings.bind_to_scope();
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "access_token_seconds": null,
        "application_id": "[uid]",
        "application_name": "Shop",
        "callback_url": "https://shop.example/cb\nhttps://shop.example/other",
        "confidential": true,
        "groups_claim": false,
        "id": 3,
        "id_token_seconds": null,
        "issuer_in_response": true,
        "post_logout_redirect_uris": [],
        "reduce_scopes": false,
        "secret": "[secret]"
      },
      "headers": {
        "cache-control": "no-store",
        "content-type": "application/json",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 201
    }
    "#);
    let created = answer.json();
    assert_eq!(created["application_id"].as_str().map(str::len), Some(64));
    assert!(created["secret"].as_str().unwrap().starts_with("ghos_"));
    let listed = server.admin().get(APPLICATIONS).list();
    assert_eq!(listed.len(), 3, "with the two of the demo");
    let mut expected = created;
    expected.as_object_mut().unwrap().remove("secret");
    assert_eq!(listed.last(), Some(&expected));
    assert!(listed.iter().all(|one| one.get("secret").is_none()));
}

/// OpenID Connect RP-Initiated Logout 1.0, section 3.1. The URIs are sent as a list or as one text.
#[test]
fn addresses_for_after_signing_out_are_registered() {
    let server = TestServer::start();
    for sent in [
        json!(["https://shop.example/bye", "https://shop.example/"]),
        json!("https://shop.example/bye\nhttps://shop.example/"),
    ] {
        let mut body = metadata("Shop");
        body["post_logout_redirect_uris"] = sent;
        let created = server.admin().post(APPLICATIONS, &body).expect(201);
        let kept = json!(["https://shop.example/bye", "https://shop.example/"]);
        assert_eq!(created["post_logout_redirect_uris"], kept);
    }
    let mut body = metadata("Shop");
    body["post_logout_redirect_uris"] = json!(["javascript:alert(1)"]);
    let refused = server.admin().post(APPLICATIONS, &body).expect(400);
    assert_eq!(
        refused["message"]["post_logout_redirect_uris"],
        json!(["is forbidden by the server."])
    );
}

#[test]
fn a_public_application_is_returned_with_confidential_false() {
    let server = TestServer::start();
    let mut body = metadata("Tool");
    body["confidential"] = json!(false);
    let created = server.admin().post(APPLICATIONS, &body).expect(201);
    assert_eq!(created["confidential"], false);
}

/// API-12. Clients know these messages.
#[test]
fn validation_errors_are_reported_by_attribute() {
    let server = TestServer::start();
    let body = json!({
        "name": "n".repeat(256),
        "redirect_uri": "https://shop.example/#x http://shop.example/ javascript:x",
        "scopes": "api mystery",
    });
    let refused = server.admin().post(APPLICATIONS, &body);
    refused.assert_is(
        400,
        &json!({ "message": {
            "name": ["is too long (maximum is 255 characters)"],
            "redirect_uri": [
                "cannot contain a fragment.",
                "must be an HTTPS/SSL URI.",
                "is forbidden by the server.",
            ],
            "scopes": ["doesn't match configured on the server."],
        } }),
    );
    for name in ["name", "redirect_uri", "scopes"] {
        let mut body = metadata("Shop");
        body.as_object_mut().unwrap().remove(name);
        let expected = json!({ "message": format!("400 (Bad request) \"{name}\" not given") });
        server
            .admin()
            .post(APPLICATIONS, &body)
            .assert_is(400, &expected);
    }
    let mut body = metadata("Shop");
    body["confidential"] = json!("perhaps");
    server
        .admin()
        .post(APPLICATIONS, &body)
        .assert_is(400, &json!({ "error": "confidential is invalid" }));
}

/// OAUTH-12. Users decide by the name, so it must not be deceptive.
#[test]
fn a_name_that_hides_or_reorders_text_is_refused() {
    let server = TestServer::start();
    for name in [
        "Shop\u{202e}elgooG",
        "Shop\u{2067}x",
        "Sho\np",
        "\u{200b}\u{3164}",
    ] {
        let refused = server
            .admin()
            .post(APPLICATIONS, &metadata(name))
            .expect(400);
        assert_eq!(refused["message"]["name"].as_array().unwrap().len(), 1);
    }
    assert_eq!(
        create(&server, "متجر\u{200f}")["application_name"],
        "متجر\u{200f}"
    );
    assert_eq!(server.admin().get(APPLICATIONS).list().len(), 3);
}

/// OAUTH-13.
#[test]
fn plain_http_is_registered_where_the_settings_allow_it() {
    let server = TestServer::start_configured("[oauth]\nallow_insecure_redirects = true");
    let mut body = metadata("Shop");
    body["redirect_uri"] = json!("http://shop.test/cb");
    server.admin().post(APPLICATIONS, &body).expect(201);
}

/// The next request finds neither the application nor its tokens, although the server has used both before.
#[test]
fn a_deleted_application_is_over_at_once_with_all_its_tokens() {
    let server = TestServer::start();
    let created = create(&server, "Shop");
    let (id, secret) = (
        created["application_id"].as_str().unwrap(),
        created["secret"].as_str().unwrap(),
    );
    let token = ask_for_token(&server, id, secret).expect(200);
    let user = TestCaller::bearer(server.base_url(), token["access_token"].as_str().unwrap());
    user.get("/api/v4/user").assert_ok();
    let one = format!("{APPLICATIONS}/{}", created["id"]);
    let deleted = server.admin().delete(&one);
    assert_eq!((deleted.status, deleted.text().as_str()), (204, ""));
    assert_eq!(user.get("/api/v4/user").status, 401);
    assert_eq!(
        ask_for_token(&server, id, secret).expect(401)["error"],
        "invalid_client"
    );
    server
        .admin()
        .delete(&one)
        .assert_is(404, &json!({ "message": "404 Application Not Found" }));
}

#[test]
fn another_secret_replaces_the_first_at_once() {
    let server = TestServer::start();
    let created = create(&server, "Shop");
    let (id, first) = (
        created["application_id"].as_str().unwrap(),
        created["secret"].as_str().unwrap(),
    );
    ask_for_token(&server, id, first).assert_ok();
    let path = format!("{APPLICATIONS}/{}/renew-secret", created["id"]);
    let renewed = server.admin().post(&path, &json!({}));
    assert_eq!(renewed.header("cache-control"), Some("no-store"));
    let renewed = renewed.expect(200);
    let second = renewed["secret"].as_str().unwrap();
    let mut expected = created.clone();
    expected["secret"] = json!(second);
    assert_eq!(renewed, expected);
    ask_for_token(&server, id, second).assert_ok();
    assert_eq!(
        ask_for_token(&server, id, first).expect(401)["error"],
        "invalid_client"
    );
}

/// Applications of users are not managed as applications of the instance.
#[test]
fn applications_of_users_are_not_managed_here() {
    let server = TestServer::start();
    let create = [
        "application",
        "create",
        "--name",
        "Mine",
        "--redirect-uri",
        "https://a.example/",
    ];
    let created = server.command_json(&[&create[..], &["--owner", "dev", "--json"]].concat());
    let names = column(&server.admin(), APPLICATIONS, "application_name");
    assert_eq!(names, ["Web application", "Command-line tool"]);
    let one = format!("{APPLICATIONS}/{}", created["id"]);
    assert_eq!(server.admin().delete(&one).status, 404);
    assert_eq!(
        server
            .admin()
            .post(&format!("{one}/renew-secret"), &json!({}))
            .status,
        404
    );
    let (id, secret) = (
        created["client_id"].as_str().unwrap(),
        created["client_secret"].as_str().unwrap(),
    );
    ask_for_token(&server, id, secret).assert_ok();
}

#[test]
fn a_number_that_is_none_is_the_number_of_no_application() {
    let server = TestServer::start();
    for number in ["0", "-1", "4711", "abc", "99999999999999999999", "1.5"] {
        let answer = server.admin().delete(&format!("{APPLICATIONS}/{number}"));
        assert_eq!(answer.status, 404, "{number}");
    }
}

/// API-03.
#[test]
fn the_list_comes_in_pages() {
    let server = TestServer::start();
    for number in 0..3 {
        create(&server, &format!("App {number}"));
    }
    let pages = follow(&server.admin(), &format!("{APPLICATIONS}?per_page=2"));
    let sizes: Vec<usize> = pages.iter().map(|page| page.list().len()).collect();
    assert_eq!(sizes, [2, 2, 1]);
    assert_eq!(pages[0].header("x-total"), Some("5"));
}
