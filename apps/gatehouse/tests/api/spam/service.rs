//! An external service that checks texts.

use serde_json::json;

use super::{ADVICE, Place};
use crate::support::fake_service::FakeService;

fn judged_by(service: &FakeService) -> Place {
    Place::configured(&format!(
        "max_links = 3\nservice_url = \"{}\"\nservice_key = \"hush\"",
        service.url()
    ))
}

#[test]
fn a_service_is_asked_where_the_rules_find_nothing() {
    let service = FakeService::start();
    let place = judged_by(&service);
    service.answer(200, "", b"true");
    let sender = place.stranger.clone().with("User-Agent", "poster/1");
    let body = json!({ "title": "Buy & sell", "description": "now" });
    let refusal = json!({ "message": { "error": ADVICE } });
    sender.post(&place.issues, &body).assert_is(400, &refusal);
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
    service.answer(200, "", b"false\n");
    place.create(&place.stranger, "a").expect(201);
    // A text that breaks a rule is not sent to the service.
    let links = "https://a.example ".repeat(4);
    assert_eq!(place.create(&place.stranger, &links).status, 400);
    assert_eq!(service.requests().len(), 2);
    let page = place.server.signed_in("admin").open("/admin/spam_logs");
    assert!(
        page.text().contains("the service says so"),
        "{}",
        page.text()
    );
}

#[test]
fn nobody_waits_for_a_service_that_fails() {
    let service = FakeService::start();
    let place = judged_by(&service);
    service.answer(500, "", b"true");
    service.answer(200, "X-akismet-debug-help: no key\r\n", b"invalid");
    service.answer(200, "", &vec![b' '; 100_000]);
    for title in ["a", "b", "c"] {
        place.create(&place.stranger, title).expect(201);
    }
    assert_eq!(service.requests().len(), 3);
}

#[test]
fn what_is_not_judged_is_sent_to_nobody() {
    let service = FakeService::start();
    let place = judged_by(&service);
    place.create(&place.server.developer(), "a").expect(201);
    let hidden = json!({ "title": "b", "confidential": true });
    place.stranger.post(&place.issues, &hidden).expect(201);
    let inside = place.server.below_project("/issues");
    place
        .server
        .reporter()
        .post(&inside, &json!({ "title": "c" }))
        .expect(201);
    assert_eq!(service.requests(), [""; 0]);
}
