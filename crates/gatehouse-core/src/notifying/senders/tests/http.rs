//! Requests of the kinds of channels, and the meaning of responses.

use std::io::{ErrorKind, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use notifications::formats::{secret_of, sign};
use notifications::model::{AttemptOutcome, AttemptReport, ChannelKind};
use serde_json::json;

use super::http_server::{Received, respond, response};
use super::{delivery, now, place, senders};
use crate::notifying::MessageSenders;

/// Sends a message to a server with this response.
fn send(kind: ChannelKind, secret: Option<&str>, answer: &str) -> (Received, AttemptReport) {
    let (address, served) = respond(answer);
    let recipient = match kind {
        ChannelKind::Matrix => "!abc:example.com",
        ChannelKind::Ntfy => "shop",
        _ => "",
    };
    let url = format!("http://{address}/hook?x=1");
    let url = if kind == ChannelKind::Webhook {
        url
    } else {
        format!("http://{address}")
    };
    let delivery = delivery(kind, &url, recipient, "Disk full");
    let secret = secret.map(|secret| secret.replace("{address}", &address.to_string()));
    let report = senders(None).send(&delivery, &place(), secret.as_deref(), now());
    (served.join().unwrap(), report)
}

fn webhook(answer: &str) -> (Received, AttemptReport) {
    send(ChannelKind::Webhook, Some(&secret_of(&[7; 32])), answer)
}

#[test]
fn a_webhook_is_signed_over_the_bytes_that_arrive() {
    let (request, report) = webhook(&response(200, "", "ok"));
    assert_eq!(request.line, "POST /hook?x=1 HTTP/1.1");
    let key = delivery(ChannelKind::Webhook, "", "", "").message.key();
    let seconds = now().as_unix_seconds();
    let signature = sign(&secret_of(&[7; 32]), &key, seconds, &request.body).unwrap();
    let agent = format!("Gatehouse/{}", env!("CARGO_PKG_VERSION"));
    for (name, value) in [
        ("webhook-id", key.as_str()),
        ("webhook-timestamp", &seconds.to_string()),
        ("webhook-signature", &signature),
        ("idempotency-key", &key),
        ("content-type", "application/json"),
        ("user-agent", &agent),
        ("connection", "close"),
    ] {
        assert_eq!(request.header(name), Some(value), "{name}");
    }
    assert_eq!(request.header("cookie"), None);
    let body = request.json();
    assert_eq!(body["type"], "alert.opened");
    assert_eq!(body["data"]["alert"]["title"], "Disk full");
    let expected = (AttemptOutcome::Delivered, Some(200), "ok");
    assert_eq!(
        (report.outcome, report.status, report.detail.as_str()),
        expected
    );
}

#[test]
fn slack_gets_its_message_at_the_secret_url() {
    let secret = "http://{address}/services/T1/hunter2hunter2hunter2";
    let answer = response(404, "", "Cannot POST /services/T1/hunter2hunter2hunter2");
    let (request, report) = send(ChannelKind::Slack, Some(secret), &answer);
    assert_eq!(
        request.line,
        "POST /services/T1/hunter2hunter2hunter2 HTTP/1.1"
    );
    let text = request.json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("Disk full"), "{text}");
    assert_eq!(request.header("webhook-signature"), None);
    assert_eq!(report.outcome, AttemptOutcome::Rejected);
    assert_eq!(report.detail, "Cannot POST [secret]");
}

#[test]
fn ntfy_gets_a_topic_and_a_token_if_there_is_one() {
    for (secret, authorization) in [(Some("tk_1"), Some("Bearer tk_1")), (None, None)] {
        let (request, report) = send(ChannelKind::Ntfy, secret, &response(200, "", "{}"));
        assert_eq!(request.line, "POST / HTTP/1.1");
        assert_eq!(request.header("authorization"), authorization);
        assert_eq!(request.json()["topic"], "shop");
        assert_eq!(report.outcome, AttemptOutcome::Delivered);
    }
}

#[test]
fn matrix_gets_an_event_with_the_key_and_may_ask_for_a_wait() {
    let answer = response(429, "", r#"{"errcode":"M_LIMIT","retry_after_ms":2500}"#);
    let (request, report) = send(ChannelKind::Matrix, Some("syt_1"), &answer);
    let key = delivery(ChannelKind::Matrix, "", "", "").message.key();
    let key = key.replace('_', "%5F").replace('-', "%2D");
    assert_eq!(
        request.line,
        format!(
            "PUT /_matrix/client/v3/rooms/%21abc%3Aexample%2Ecom/send/m.room.message/{key} HTTP/1.1"
        )
    );
    assert_eq!(request.header("authorization"), Some("Bearer syt_1"));
    assert_eq!(request.json()["msgtype"], json!("m.text"));
    assert_eq!(
        (report.outcome, report.status, report.retry_after),
        (AttemptOutcome::Failed, Some(429), Some(3))
    );
}

#[test]
fn a_status_decides_the_outcome() {
    let long = "x".repeat(20_000);
    for (status, headers, body, outcome, detail, wait) in [
        (204, "", "", AttemptOutcome::Delivered, "", None),
        (200, "", long.as_str(), AttemptOutcome::Delivered, "", None),
        (
            400,
            "",
            "no\r\nhook\x07",
            AttemptOutcome::Rejected,
            "no hook",
            None,
        ),
        (410, "", "gone", AttemptOutcome::Gone, "gone", None),
        (
            429,
            "Retry-After: 90\r\n",
            "",
            AttemptOutcome::Failed,
            "",
            Some(90),
        ),
        (
            503,
            "Retry-After: Sun, 01 Mar 2026 12:00:30 GMT\r\n",
            "busy",
            AttemptOutcome::Failed,
            "busy",
            Some(30),
        ),
    ] {
        let (_, report) = webhook(&response(status, headers, body));
        let found = (report.outcome, report.status, report.detail.as_str());
        assert_eq!(found, (outcome, Some(status), detail));
        assert_eq!(report.retry_after, wait, "{status}");
    }
    let (_, report) = webhook(&response(500, "", &long));
    assert_eq!(report.detail.chars().count(), AttemptReport::MAX_DETAIL);
}

#[test]
fn a_redirect_is_not_followed() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let target = format!("http://{}/new", other.local_addr().unwrap());
    let headers = format!("Location: {target}?key=1\r\n");
    let (_, report) = webhook(&response(301, &headers, ""));
    assert_eq!(report.outcome, AttemptOutcome::Rejected);
    assert_eq!(
        report.detail,
        format!("redirects are not followed (301 to {target})")
    );
    let met = other.accept().unwrap_err();
    assert_eq!(met.kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_private_address_is_not_even_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let senders = MessageSenders::new(|_| false, None, MessageSenders::TIMEOUT);
    for host in ["127.0.0.1", "localhost", "[::1]", "0x7f.1"] {
        let url = format!("http://{host}:{port}/");
        let delivery = delivery(ChannelKind::Ntfy, &url, "shop", "x");
        let report = senders.send(&delivery, &place(), None, now());
        assert_eq!(report.outcome, AttemptOutcome::Rejected, "{host}");
        assert_eq!(
            report.detail,
            "the address is not public; an administrator can allow it with `notifications.allowed_networks`"
        );
    }
    let met = listener.accept().unwrap_err();
    assert_eq!(met.kind(), ErrorKind::WouldBlock);
}

/// Report of a message to this URL.
fn failure(url: &str, senders: &MessageSenders) -> AttemptReport {
    let delivery = delivery(ChannelKind::Ntfy, url, "shop", "x");
    senders.send(&delivery, &place(), None, now())
}

#[test]
fn a_receiver_that_hangs_or_is_absent_gets_another_attempt() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let hasty = MessageSenders::new(|_| true, None, Duration::from_millis(300));
    let report = failure(&format!("http://{address}/"), &hasty);
    assert_eq!(report.outcome, AttemptOutcome::Failed);
    assert_eq!(report.detail, "timed out after 0.3 s");
    assert!(report.millis >= 250, "{}", report.millis);
    // The port is taken on the other address, so no other test listens here by chance.
    let absent = format!("http://127.0.0.2:{}/", address.port());
    let report = failure(&absent, &senders(None));
    assert_eq!(report.outcome, AttemptOutcome::Failed);
    assert_eq!(report.detail, "connection refused");
}

#[test]
fn a_server_without_tls_is_distinguished_from_an_absent_one() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 X\r\n\r\n").unwrap();
        // Reads the client's farewell, so that the response is not lost with a reset.
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap_or_default();
    });
    let report = failure(&format!("https://{address}/"), &senders(None));
    assert_eq!(report.outcome, AttemptOutcome::Failed);
    assert!(
        report.detail.starts_with("TLS failed: "),
        "{}",
        report.detail
    );
    served.join().unwrap();
}

#[test]
fn a_channel_without_its_secret_sends_nothing() {
    for (kind, secret, expected) in [
        (
            ChannelKind::Webhook,
            None,
            "the channel has no signing secret; enter it in the settings of the channel",
        ),
        (
            ChannelKind::Slack,
            None,
            "the channel has no URL; enter it in the settings of the channel",
        ),
        (
            ChannelKind::Slack,
            Some("file:///etc/passwd"),
            "the URL of the channel is not an http or https URL",
        ),
        (
            ChannelKind::Matrix,
            None,
            "the channel has no access token; enter it in the settings of the channel",
        ),
        (
            ChannelKind::Matrix,
            Some("a\r\nb"),
            "the access token contains characters that no HTTP header can carry",
        ),
        (
            ChannelKind::Webhook,
            Some("x"),
            "the signing secret is malformed: a signing secret is whsec_ followed by the Base64 form of 24 to 64 bytes",
        ),
    ] {
        let delivery = delivery(
            kind,
            "https://hook.example/",
            "!abc:example.com",
            "Disk full",
        );
        let report = senders(None).send(&delivery, &place(), secret, now());
        assert_eq!(report.outcome, AttemptOutcome::Rejected);
        assert_eq!(report.detail, expected);
    }
}
