//! The forms about issues check texts as the API does.

use serde_json::json;

use super::{ADVICE, ADVICE_WITH_CAPTCHA, SpamFixture};
use crate::support::browser::{TestBrowser, hidden};
use crate::support::fake_service::FakeService;

const LINK: &str = "see https://spam.example";
const NEW: &str = "/open/tools/-/issues/new";
const LIST: &str = "/open/tools/-/issues";

fn browser(fixture: &SpamFixture) -> TestBrowser {
    let server = &fixture.server;
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", created["password"].as_str().unwrap());
    browser
}

#[test]
fn a_form_that_looks_like_spam_comes_back_as_it_was_written() {
    let fixture = SpamFixture::without_links();
    let mut browser = browser(&fixture);
    let fields = [
        ("title", LINK),
        ("description", "kept"),
        ("issue_type", "issue"),
    ];
    let held = browser.submit(NEW, LIST, &fields);
    let page = held.expect_text(422);
    for word in [ADVICE, LINK, "kept"] {
        assert!(page.contains(word), "{word}: {page}");
    }
    assert!(!page.contains("g-recaptcha"), "{page}");
    assert_eq!(fixture.titles(), [""; 0]);
    // Changes are checked, too, and form errors come first.
    let iid = fixture.create(&fixture.stranger, "a").expect(201)["iid"].clone();
    let (edit, one) = (format!("{LIST}/{iid}/edit"), format!("{LIST}/{iid}"));
    let fields = [("title", LINK), ("description", ""), ("_method", "put")];
    assert!(
        browser
            .submit(&edit, &one, &fields)
            .expect_text(422)
            .contains(ADVICE)
    );
    let fields = [("title", LINK), ("issue_type", "poem")];
    let page = browser.submit(NEW, LIST, &fields).expect_text(422);
    assert!(
        page.contains("Fix the errors below") && !page.contains(ADVICE),
        "{page}"
    );
    let fields = [("title", "b"), ("issue_type", "issue")];
    assert_eq!(browser.submit(NEW, LIST, &fields).status, 303);
    assert_eq!(fixture.titles(), ["b", "a"]);
}

#[test]
fn a_captcha_in_the_form_lets_it_through() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let mut browser = browser(&fixture);
    let fields = [("title", LINK), ("issue_type", "issue")];
    let held = browser.submit(NEW, LIST, &fields);
    let policy = held.header("content-security-policy").unwrap().to_owned();
    let page = held.expect_text(422);
    let script = format!("<script src=\"{}/api.js\" async defer>", provider.url());
    for word in [ADVICE_WITH_CAPTCHA, "data-sitekey=\"site\"", &script] {
        assert!(page.contains(word), "{word}: {page}");
    }
    let source = format!("script-src 'self' {}", provider.url());
    assert!(policy.contains(&source), "{policy}");
    // Other pages load nothing from the provider.
    let new = browser.open(NEW);
    let policy = new.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self';"), "{policy}");
    let log = hidden(&held, "spam_log_id");
    let solved = [
        fields[0],
        fields[1],
        ("spam_log_id", &log),
        ("g-recaptcha-response", "proof"),
    ];
    // The provider fails, then refuses, and finally accepts.
    provider.queue_response(500, "", b"");
    let page = browser.submit(NEW, LIST, &solved).expect_text(503);
    assert!(
        page.contains("The CAPTCHA could not be verified") && page.contains(LINK),
        "{page}"
    );
    provider.json(&json!({ "success": false }));
    let page = browser.submit(NEW, LIST, &solved).expect_text(422);
    assert!(page.contains(ADVICE_WITH_CAPTCHA), "{page}");
    provider.json(&json!({ "success": true }));
    assert_eq!(browser.submit(NEW, LIST, &solved).status, 303);
    assert_eq!(fixture.titles(), [LINK]);
}
