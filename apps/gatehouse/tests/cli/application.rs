//! `gatehouse application create`.

use serde_json::json;

use crate::shell::{CommandResult, TestShell};
use crate::support::TestServer;

const URI: &str = "https://shop.example/cb";

fn create(shell: &TestShell, more: &[&str]) -> CommandResult {
    let fixed = [
        "application",
        "create",
        "--name",
        "Shop",
        "--redirect-uri",
        URI,
    ];
    shell.run(&[&fixed[..], more].concat())
}

#[test]
fn credentials_are_printed_with_the_registered_application() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    let more = [
        "--redirect-uri",
        "https://b.example/",
        "--post-logout-redirect-uri",
        "https://b.example/bye",
        "--scopes",
        "openid,read_user",
    ];
    let more = [&more[..], &["--owner", "ann", "--trusted", "--json"]].concat();
    let mut created = create(&shell, &more).json();
    let id = created["client_id"].take();
    let secret = created["client_secret"].take();
    assert_eq!(id.as_str().map(str::len), Some(64));
    assert!(
        secret
            .as_str()
            .is_some_and(|secret| secret.starts_with("ghos_")),
        "{secret}"
    );
    assert_eq!(
        created,
        json!({
            "id": 1,
            "name": "Shop",
            "client_id": null,
            "client_secret": null,
            "redirect_uris": [URI, "https://b.example/"],
            "post_logout_redirect_uris": ["https://b.example/bye"],
            "scopes": ["openid", "read_user"],
            "confidential": true,
            "trusted": true,
            "owner": "ann",
        })
    );
    let printed = create(&shell, &[]).checked_output();
    assert!(
        printed.contains("ghos_") && printed.contains(URI),
        "{printed}"
    );
}

#[test]
fn a_public_application_has_no_secret_to_keep() {
    let shell = TestShell::migrated();
    let created = create(&shell, &["--public", "--json"]).json();
    assert_eq!(
        (&created["client_secret"], &created["confidential"]),
        (&json!(null), &json!(false))
    );
    assert_eq!(
        (&created["scopes"], &created["owner"]),
        (&json!(["api"]), &json!(null))
    );
    let printed = create(&shell, &["--public"]).checked_output();
    assert!(!printed.contains("ghos_"), "{printed}");
}

/// OAUTH-13. All mistakes are reported at once, and nothing is created.
#[test]
fn wrong_flags_are_reported_in_one_line() {
    let shell = TestShell::migrated();
    let more = ["--redirect-uri", "http://shop.test/", "--scopes", "mystery"];
    let error_output = create(&shell, &more).error_message();
    assert!(
        error_output.contains(
            "redirect_uri must be an HTTPS/SSL URI.; scopes doesn't match configured on the server."
        ),
        "{error_output}"
    );
    let listed = "(\"mystery\" is not a known scope; available scopes: api, ";
    assert!(error_output.contains(listed), "{error_output}");
    let lenient = shell.with("GATEHOUSE_OAUTH_ALLOW_INSECURE_REDIRECTS", "true");
    let created = create(&lenient, &["--redirect-uri", "http://shop.test/", "--json"]).json();
    assert_eq!(created["id"], 1);
    let error_output = create(&lenient, &["--owner", "nobody"]).error_message();
    assert!(
        error_output.contains("there is no user \"nobody\""),
        "{error_output}"
    );
}

/// OAUTH-12.
#[test]
fn a_name_with_bidi_controls_is_rejected_with_the_reason() {
    let shell = TestShell::migrated();
    let name = ["--name", "Shop\u{202e}elgooG", "--redirect-uri", URI];
    let error_output = shell
        .run(&[&["application", "create"], &name[..]].concat())
        .error_message();
    assert!(
        error_output.contains("name can't contain line breaks"),
        "{error_output}"
    );
}

/// A running server accepts the application without a restart.
#[test]
fn the_printed_credentials_work_at_a_running_server() {
    let server = TestServer::start();
    let created = server.command_json(&[
        "application",
        "create",
        "--name",
        "Shop",
        "--redirect-uri",
        URI,
        "--json",
    ]);
    let form = format!(
        "grant_type=password&username=dev&password={}&client_id={}&client_secret={}",
        server.text("/developer/password"),
        created["client_id"].as_str().unwrap(),
        created["client_secret"].as_str().unwrap(),
    );
    let caller = server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded");
    let answer = caller
        .send("POST", "/oauth/token", form.as_bytes())
        .expect(200);
    assert_eq!(answer["expires_in"], 7200);
}
