//! Public snippets that look like spam.

use serde_json::json;

use super::SpamFixture;
use crate::support::fake_service::FakeService;
use crate::support::rows;

const LINK: &str = "see https://spam.example";
const SNIPPETS: &str = "/api/v4/snippets";

#[test]
fn a_public_snippet_is_held_until_a_captcha_is_solved() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let zoe = &fixture.stranger;
    let body = |visibility: &str| json!({ "title": "a", "file_name": "a.txt", "content": LINK, "visibility": visibility });
    // Only public text is checked, when it is created and when it becomes public.
    let private = zoe.post(SNIPPETS, &body("private")).expect(201);
    let path = format!("{SNIPPETS}/{}", private["id"]);
    let publish = json!({ "visibility": "public" });
    let held = zoe.put(&path, &publish);
    assert_eq!(held.status, 409, "{}", held.text());
    assert_eq!(zoe.get(&path).expect(200)["visibility"], "private");
    let before = rows::count(&fixture.server, "snippets");
    let held = zoe.post(SNIPPETS, &body("public"));
    assert_eq!(held.status, 409, "{}", held.text());
    assert_eq!(rows::count(&fixture.server, "snippets"), before);
    let held = held.json();
    let advice = "Your snippet looks like spam. Edit the text, or solve the CAPTCHA to publish it.";
    assert_eq!(held["message"]["error"], advice);
    provider.json(&json!({ "success": true }));
    let solved = zoe
        .clone()
        .with("X-Service-Captcha-Response", "proof")
        .with("X-Service-Spam-Log-Id", &held["spam_log_id"].to_string());
    solved.post(SNIPPETS, &body("public")).expect(201);
    // Administrators publish what they like, and see what was held.
    fixture
        .server
        .admin()
        .post(SNIPPETS, &body("public"))
        .expect(201);
    let page = fixture.server.signed_in("admin").open("/admin/spam_logs");
    let page = page.expect_text(200);
    let id = &private["id"];
    for part in [
        "personal snippet",
        "@zoe",
        "too many links",
        &format!("/-/snippets/{id}\""),
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_form_is_held_with_what_was_entered() {
    let fixture = SpamFixture::without_links();
    let refusal = json!({ "message": { "error": "Your snippet looks like spam. Edit the text to publish it." } });
    let body = json!({ "title": LINK, "file_name": "a", "content": "b", "visibility": "public" });
    fixture
        .stranger
        .post(SNIPPETS, &body)
        .assert_is(400, &refusal);
    let mut browser = fixture.server.signed_in("reporter");
    let fields = [
        ("title", "Offers"),
        ("visibility", "public"),
        ("path_0", "a.txt"),
        ("content_0", LINK),
    ];
    let answer = browser.submit("/-/snippets/new", "/-/snippets", &fields);
    let page = answer.expect_text(422);
    for part in ["Your snippet looks like spam", LINK, "value=\"Offers\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(rows::count(&fixture.server, "snippets"), 0);
}
