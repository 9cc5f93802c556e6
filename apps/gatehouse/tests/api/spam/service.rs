//! An external service that checks texts.

use serde_json::json;

use super::{ADVICE, SpamFixture};
use crate::support::fake_service::FakeService;

fn checked_by(service: &FakeService) -> SpamFixture {
    SpamFixture::configured(&format!(
        "max_links = 3\nservice_url = \"{}\"\nservice_key = \"hush\"",
        service.url()
    ))
}

#[test]
fn the_spam_service_is_called_if_no_rule_matches() {
    let service = FakeService::start();
    let fixture = checked_by(&service);
    service.queue_response(200, "", b"true");
    let sender = fixture.stranger.clone().with("User-Agent", "poster/1");
    let body = json!({ "title": "Buy & sell", "description": "now" });
    let refusal = json!({ "message": { "error": ADVICE } });
    sender.post(&fixture.issues, &body).assert_is(400, &refusal);
    let [request] = &service.requests()[..] else {
        panic!("{:?}", service.requests());
    };
    assert!(
        request.starts_with("POST /1.1/comment-check HTTP/1.1\r\n"),
        "{request}"
    );
    for field in [
        "api_key=hush",
        "user_ip=127.0.0.1",
        "user_agent=poster%2F1",
        "comment_type=forum-post",
        "comment_author=zoe",
        "comment_content=Buy+%26+sell%0A%0Anow",
    ] {
        assert!(request.contains(field), "{field}: {request}");
    }
    service.queue_response(200, "", b"false\n");
    fixture.create(&fixture.stranger, "a").expect(201);
    // A text that breaks a rule is not sent to the service.
    let links = "https://a.example ".repeat(4);
    assert_eq!(fixture.create(&fixture.stranger, &links).status, 400);
    assert_eq!(service.requests().len(), 2);
    let page = fixture.server.signed_in("admin").open("/admin/spam_logs");
    assert!(
        page.text().contains("rejected by the spam service"),
        "{}",
        page.text()
    );
}

#[test]
fn issues_are_created_if_the_spam_service_fails() {
    let service = FakeService::start();
    let fixture = checked_by(&service);
    service.queue_response(500, "", b"true");
    service.queue_response(200, "X-akismet-debug-help: no key\r\n", b"invalid");
    service.queue_response(200, "", &vec![b' '; 100_000]);
    for title in ["a", "b", "c"] {
        fixture.create(&fixture.stranger, title).expect(201);
    }
    assert_eq!(service.requests().len(), 3);
}

#[test]
fn trusted_or_non_public_text_is_not_sent_to_the_service() {
    let service = FakeService::start();
    let fixture = checked_by(&service);
    fixture.create(&fixture.server.developer(), "a").expect(201);
    let hidden = json!({ "title": "b", "confidential": true });
    fixture.stranger.post(&fixture.issues, &hidden).expect(201);
    let inside = fixture.server.below_project("/issues");
    fixture
        .server
        .reporter()
        .post(&inside, &json!({ "title": "c" }))
        .expect(201);
    assert_eq!(service.requests(), [""; 0]);
}
