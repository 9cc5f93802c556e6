//! `gatehouse application create`.

use serde_json::json;

use crate::shell::{Outcome, Shell};
use crate::support::Server;

const URI: &str = "https://shop.example/cb";

fn create(shell: &Shell, more: &[&str]) -> Outcome {
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
fn the_credentials_are_printed_with_what_was_registered() {
    let shell = Shell::migrated();
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
    let mut made = create(&shell, &more).json();
    let id = made["client_id"].take();
    let secret = made["client_secret"].take();
    assert_eq!(id.as_str().map(str::len), Some(64));
    assert!(
        secret
            .as_str()
            .is_some_and(|secret| secret.starts_with("ghos_")),
        "{secret}"
    );
    assert_eq!(
        made,
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
    let printed = create(&shell, &[]).printed();
    assert!(
        printed.contains("ghos_") && printed.contains(URI),
        "{printed}"
    );
}

#[test]
fn a_public_application_has_no_secret_to_keep() {
    let shell = Shell::migrated();
    let made = create(&shell, &["--public", "--json"]).json();
    assert_eq!(
        (&made["client_secret"], &made["confidential"]),
        (&json!(null), &json!(false))
    );
    assert_eq!(
        (&made["scopes"], &made["owner"]),
        (&json!(["api"]), &json!(null))
    );
    let printed = create(&shell, &["--public"]).printed();
    assert!(!printed.contains("ghos_"), "{printed}");
}

/// OAUTH-13. All mistakes are reported at once, and nothing is created.
#[test]
fn wrong_flags_are_reported_in_one_line() {
    let shell = Shell::migrated();
    let more = ["--redirect-uri", "http://shop.test/", "--scopes", "mystery"];
    let complaint = create(&shell, &more).complained();
    assert!(
        complaint.contains(
            "redirect_uri must be an HTTPS/SSL URI.; scopes doesn't match configured on the server."
        ),
        "{complaint}"
    );
    let listed = "(\"mystery\" is not a scope; the scopes are api, ";
    assert!(complaint.contains(listed), "{complaint}");
    let lenient = shell.with("GATEHOUSE_OAUTH_ALLOW_INSECURE_REDIRECTS", "true");
    let made = create(&lenient, &["--redirect-uri", "http://shop.test/", "--json"]).json();
    assert_eq!(made["id"], 1);
    let complaint = create(&lenient, &["--owner", "nobody"]).complained();
    assert!(
        complaint.contains("there is no user \"nobody\""),
        "{complaint}"
    );
}

/// OAUTH-12.
#[test]
fn a_name_that_reorders_text_is_refused_with_what_is_wrong() {
    let shell = Shell::migrated();
    let name = ["--name", "Shop\u{202e}elgooG", "--redirect-uri", URI];
    let complaint = shell
        .run(&[&["application", "create"], &name[..]].concat())
        .complained();
    assert!(
        complaint.contains("name can't contain line breaks"),
        "{complaint}"
    );
}

/// A running server accepts the application without a restart.
#[test]
fn the_printed_credentials_work_at_a_running_server() {
    let server = Server::start();
    let made = server.command_json(&[
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
        made["client_id"].as_str().unwrap(),
        made["client_secret"].as_str().unwrap(),
    );
    let caller = server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded");
    let answer = caller
        .send("POST", "/oauth/token", form.as_bytes())
        .expect(200);
    assert_eq!(answer["expires_in"], 7200);
}
