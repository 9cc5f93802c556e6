//! E-mail channels without a mail server. With one they are tested with its real counterpart.

use serde_json::json;

use super::{channels, create, server, wait_for_messages};

#[test]
fn without_a_mail_server_the_message_fails_with_a_reason() {
    let server = server();
    let channel = create(
        &server,
        &json!({ "kind": "email", "name": "Mail", "recipient": "a@example.com" }),
    );
    let test = format!("{}/{}/test", channels(&server), channel["id"]);
    server.admin().post(&test, &json!({})).expect(201);
    let sent = wait_for_messages(&server, &[("test", "failed")]);
    let detail = sent[0]["attempts"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("mail.host"), "{detail}");
    let page = format!("/acme/web-shop/-/settings/notifications/{}", channel["id"]);
    let shown = server.signed_in("admin").open(&page).expect_text(200);
    assert!(shown.contains("This server sends no e-mail"), "{shown}");
}
