//! Publication of a held text with a solved CAPTCHA.

use serde_json::{Value, json};

use super::{ADVICE, ADVICE_WITH_CAPTCHA, SpamFixture};
use crate::support::fake_service::FakeService;
use crate::support::{TestCaller, TestResponse};

const LINK: &str = "see https://spam.example";

/// Asserts that a response requests a CAPTCHA, and returns the entry of the log.
#[track_caller]
fn expect_captcha(answer: &TestResponse) -> Value {
    assert_eq!(answer.status, 409, "{}", answer.text());
    let body = answer.json();
    let log = body["spam_log_id"].clone();
    let expected = json!({
        "needs_captcha_response": true,
        "spam_log_id": log,
        "captcha_site_key": "site",
        "message": { "error": ADVICE_WITH_CAPTCHA },
    });
    assert_eq!(body, expected);
    assert!(log.is_i64(), "{log}");
    log
}

/// The caller with the solution of a CAPTCHA.
fn solved(caller: &TestCaller, log: &Value) -> TestCaller {
    let caller = caller.clone();
    let caller = caller.with("X-Service-Captcha-Response", "proof");
    caller.with("X-Service-Spam-Log-Id", &log.to_string())
}

#[test]
fn a_held_issue_is_created_with_a_solved_captcha() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let log = expect_captcha(&fixture.create(&fixture.stranger, LINK));
    assert_eq!(provider.requests().len(), 0);
    provider.json(&json!({ "success": true, "hostname": "localhost" }));
    let created = fixture
        .create(&solved(&fixture.stranger, &log), LINK)
        .expect(201);
    assert_eq!(
        (&created["title"], &created["author"]["username"]),
        (&json!(LINK), &json!("zoe"))
    );
    let [request] = &provider.requests()[..] else {
        panic!("{:?}", provider.requests());
    };
    assert!(
        request.starts_with("POST /api/siteverify HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.ends_with("\r\n\r\nsecret=hush&response=proof"),
        "{request}"
    );
    // The next time it is required again.
    assert_eq!(
        expect_captcha(&fixture.create(&fixture.stranger, LINK)),
        log
    );
    let page = fixture.server.signed_in("admin").open("/admin/spam_logs");
    assert!(page.text().contains("solved <"), "{}", page.text());
}

#[test]
fn a_change_goes_through_in_the_same_way() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let iid = fixture.create(&fixture.stranger, "a").expect(201)["iid"].clone();
    let issue = format!("{}/{iid}", fixture.issues);
    let body = json!({ "description": LINK, "state_event": "close" });
    let log = expect_captcha(&fixture.stranger.put(&issue, &body));
    let shown = fixture.stranger.get(&issue).expect(200);
    assert_eq!(
        (&shown["description"], &shown["state"]),
        (&Value::Null, &json!("opened"))
    );
    provider.json(&json!({ "success": true }));
    let changed = solved(&fixture.stranger, &log)
        .put(&issue, &body)
        .expect(200);
    assert_eq!(
        (&changed["description"], &changed["state"]),
        (&json!(LINK), &json!("closed"))
    );
}

#[test]
fn a_solution_is_for_its_user_and_its_words_and_must_be_right() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let log = expect_captcha(&fixture.create(&fixture.stranger, LINK));
    // Another text, another user, a missing entry, and half a solution: the provider is not contacted.
    let with_proof = solved(&fixture.stranger, &log);
    assert_ne!(
        expect_captcha(&fixture.create(&with_proof, &format!("{LINK}/2"))),
        log
    );
    let other = solved(&fixture.server.stranger("yan"), &log);
    assert_ne!(expect_captcha(&fixture.create(&other, LINK)), log);
    for wrong in [json!(4711), json!("x"), json!(-1)] {
        expect_captcha(&fixture.create(&solved(&fixture.stranger, &wrong), LINK));
    }
    for half in [
        fixture
            .stranger
            .clone()
            .with("X-Service-Captcha-Response", "proof"),
        fixture
            .stranger
            .clone()
            .with("X-Service-Spam-Log-Id", &log.to_string()),
    ] {
        assert_eq!(expect_captcha(&fixture.create(&half, LINK)), log);
    }
    assert_eq!(provider.requests(), [""; 0]);
    // A wrong solution.
    provider.json(&json!({ "success": false, "error-codes": ["timeout-or-duplicate"] }));
    assert_eq!(expect_captcha(&fixture.create(&with_proof, LINK)), log);
    assert_eq!(provider.requests().len(), 1);
    assert_eq!(fixture.titles(), [""; 0]);
}

#[test]
fn a_provider_that_gives_no_answer_leaves_it_open() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let log = expect_captcha(&fixture.create(&fixture.stranger, LINK));
    let with_proof = solved(&fixture.stranger, &log);
    provider.queue_response(500, "", b"{\"success\":true}");
    provider.queue_response(200, "", b"<html>");
    provider.queue_response(302, "Location: /elsewhere\r\n", b"{\"success\":true}");
    for _ in 0..3 {
        let refused = fixture.create(&with_proof, LINK);
        assert_eq!(refused.status, 503, "{}", refused.text());
        assert_eq!(refused.header("retry-after"), Some("10"));
    }
    assert_eq!(fixture.titles(), [""; 0]);
    provider.json(&json!({ "success": true }));
    fixture.create(&with_proof, LINK).expect(201);
}

#[test]
fn before_release_14_9_nothing_lets_it_through() {
    let provider = FakeService::start();
    let fixture = SpamFixture::with_captcha(&provider);
    let log = expect_captcha(&fixture.create(&fixture.stranger, LINK));
    let with_proof = solved(&fixture.stranger, &log);
    let refusal = json!({ "message": { "error": ADVICE } });
    for release in ["13.10", "14.8"] {
        let old = with_proof.clone().with("Gatehouse-Release", release);
        fixture.create(&old, LINK).assert_is(400, &refusal);
    }
    assert_eq!(provider.requests(), [""; 0]);
    let new = fixture.stranger.clone().with("Gatehouse-Release", "14.9");
    assert_eq!(expect_captcha(&fixture.create(&new, LINK)), log);
}

#[test]
fn the_headers_have_the_name_of_the_service() {
    let provider = FakeService::start();
    let fixture = SpamFixture::configured(&format!(
        "max_links = 0\ncaptcha_url = \"{}/\"\ncaptcha_site_key = \"site\"\ncaptcha_secret = \"hush\"\n[naming]\nservice = \"forge\"",
        provider.url()
    ));
    let log = expect_captcha(&fixture.create(&fixture.stranger, LINK));
    provider.json(&json!({ "success": true }));
    expect_captcha(&fixture.create(&solved(&fixture.stranger, &log), LINK));
    let named = fixture
        .stranger
        .clone()
        .with("X-Forge-Captcha-Response", "proof");
    let named = named.with("X-Forge-Spam-Log-Id", &log.to_string());
    fixture.create(&named, LINK).expect(201);
}
