//! The pictures at `avatar_url`.

use crate::support::{TestResponse, TestServer};

fn fetch(server: &TestServer, url: &str) -> TestResponse {
    server
        .anonymous()
        .get(url.strip_prefix(server.base_url()).unwrap())
}

#[test]
fn an_avatar_is_a_picture_that_caches_keep_and_that_does_nothing() {
    let server = TestServer::start();
    let user = server.developer().get("/api/v4/user").expect(200);
    let url = user["avatar_url"].as_str().unwrap();
    let picture = fetch(&server, url);
    assert!(
        picture.expect_text(200).contains(">DD</text>"),
        "{}",
        picture.text()
    );
    let header = |name| picture.header(name).unwrap_or_default().to_owned();
    assert_eq!(header("content-type"), "image/svg+xml");
    assert_eq!(
        header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(header("content-security-policy").starts_with("default-src 'none'"));
    let again = server.anonymous().with("If-None-Match", &header("etag"));
    let again = again.get(url.strip_prefix(server.base_url()).unwrap());
    assert_eq!((again.status, again.body.len()), (304, 0));
}

/// A file name of no avatar cannot inject anything into the picture.
#[test]
fn no_other_picture_is_drawn() {
    let server = TestServer::start();
    for name in [
        "0-%3Cb%3E.svg",
        "99-AB.svg",
        "0-ABC.svg",
        "0-AB.png",
        "0-A%00.svg",
        "0-%FF.svg",
        "0-AB",
    ] {
        let answer = server.anonymous().get(&format!("/assets/avatars/{name}"));
        assert_eq!(answer.status, 404, "{name}");
        assert!(!answer.text().contains("<svg xmlns"), "{name}");
    }
}

/// The picture depends on the name, and two users with the same name differ in their color.
#[test]
fn the_picture_follows_the_name() {
    let server = TestServer::start();
    let body = serde_json::json!({ "name": "Änne <Öst>" });
    let user = server.admin().put("/api/v4/users/2", &body).expect(200);
    let picture = fetch(&server, user["avatar_url"].as_str().unwrap());
    assert!(
        picture.expect_text(200).contains(">ÄÖ</text>"),
        "{}",
        picture.text()
    );
    let bot = server.admin().get("/api/v4/users").list();
    for user in bot {
        fetch(&server, user["avatar_url"].as_str().unwrap()).expect_text(200);
    }
}
