//! Places without secrets of the provider: the database, the log, and data shown to others.

use crate::oauth::support::{IssuedTokens, Landing, OauthClient, OauthFixture, VERIFIER, approve};
use crate::support::TestServer;
use crate::support::browser::hidden;

/// Performs every operation of the provider that uses secrets, and returns them.
fn every_secret(server: TestServer) -> (OauthFixture, Vec<(&'static str, String)>) {
    let mut fixture = OauthFixture::of(server, OauthClient::web);
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "openid api")
        .with_challenge();
    let page = fixture.browser.open(&request.path());
    let handle = hidden(&page, "handle");
    let code = Landing::of(&approve(&mut fixture.browser, &page)).code();
    let redemption = fixture
        .client
        .redemption(&code)
        .with("code_verifier", VERIFIER);
    let first = IssuedTokens::of(&redemption.send(&fixture.server));
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    fixture.use_token(&next.access).assert_ok();
    let query = format!("/oauth/token/info?access_token={}", next.access);
    fixture.server.anonymous().get(&query).assert_ok();
    let by_password = fixture.client.form("password").with("username", "dev");
    let password = fixture.server.password_of("developer");
    let by_password = by_password
        .with("password", &password)
        .send(&fixture.server)
        .expect(200);
    let unredeemed = fixture.code();
    let open = fixture
        .client
        .authorization_request()
        .with("prompt", "consent");
    let waiting = hidden(&fixture.browser.open(&open.path()), "handle");
    let secrets = vec![
        ("handle", handle),
        ("waiting handle", waiting),
        ("code", code),
        ("unredeemed code", unredeemed),
        ("verifier", VERIFIER.to_owned()),
        ("access token", first.access),
        ("refresh token", first.refresh),
        ("next access token", next.access),
        ("next refresh token", next.refresh),
        (
            "id token",
            next.body["id_token"].as_str().unwrap().to_owned(),
        ),
        (
            "token by password",
            by_password["access_token"].as_str().unwrap().to_owned(),
        ),
        ("client secret", fixture.client.secret.clone().unwrap()),
        ("session", fixture.browser.session().to_owned()),
        ("password", password),
    ];
    (fixture, secrets)
}

/// D34, lesson 13. A reader of the database finds no usable secret, in no table and no file beside it.
#[test]
fn the_database_contains_no_plain_text_secrets() {
    let (mut fixture, secrets) = every_secret(TestServer::start());
    let files = || {
        let entries = std::fs::read_dir(fixture.server.data()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let of_database = |path: &std::path::PathBuf| path.to_string_lossy().contains("sqlite3");
        let files: Vec<Vec<u8>> = paths
            .filter(of_database)
            .map(|path| std::fs::read(path).unwrap())
            .collect();
        assert!(!files.is_empty());
        files
    };
    let running = files();
    assert!(fixture.server.stop().success());
    let entries = std::fs::read_dir(fixture.server.data()).unwrap();
    let stopped = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("sqlite3"))
        .map(|path| std::fs::read(path).unwrap());
    let all: Vec<Vec<u8>> = running.into_iter().chain(stopped).collect();
    let uid = fixture.client.id.as_bytes();
    let holds = |needle: &[u8]| {
        all.iter()
            .any(|file| file.windows(needle.len()).any(|window| window == needle))
    };
    assert!(holds(uid), "what is no secret is found");
    for (name, secret) in secrets {
        assert!(!holds(secret.as_bytes()), "the database tells the {name}");
    }
}

/// D29, lesson 13. Logs have no secrets, even with every level enabled.
#[test]
fn no_level_logs_a_secret() {
    for level in ["debug", "trace"] {
        let server = TestServer::start_logged(&format!("[log]\nlevel = \"{level}\"\n"));
        let (mut fixture, secrets) = every_secret(server);
        assert!(fixture.server.stop().success());
        let log = fixture.server.log();
        assert!(log.contains("/oauth/token"), "{level}");
        for (name, secret) in secrets {
            let line = log.lines().find(|line| line.contains(&secret));
            assert_eq!(line, None, "the log tells the {name} at {level}");
        }
    }
}

/// Lesson 12. Lists of applications, for their owners and for users, never show the secret again.
#[test]
fn no_list_shows_a_secret_again() {
    let (mut fixture, _) = every_secret(TestServer::start());
    let secret = fixture.client.secret.clone().unwrap();
    let mut admin = fixture.server.signed_in("admin");
    let listed = fixture.server.admin().get("/api/v4/applications");
    assert!(
        listed.text().contains(&fixture.client.id),
        "{}",
        listed.text()
    );
    let pages = [
        listed,
        fixture.browser.visit("/profile/applications"),
        admin.visit("/admin/applications"),
        fixture.browser.open(
            &fixture
                .client
                .authorization_request()
                .with("prompt", "consent")
                .path(),
        ),
    ];
    for page in pages {
        page.assert_ok();
        assert!(!page.text().contains(&secret));
    }
}
