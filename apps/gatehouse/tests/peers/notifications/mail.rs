//! Mail to a real mail server: its headers, a second attempt, and encryption.

use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{create, end, messages, open, wait_for_failure, wait_until_sent};
use crate::support::TestServer;

/// Addresses of the channel.
const RECIPIENTS: [&str; 2] = ["on-call@example.com", "b.o'neill+night@example.org"];

/// Headers of a mail about an alert; there are no others.
const HEADERS: [&str; 10] = [
    "Auto-Submitted",
    "Content-Type",
    "Date",
    "From",
    "In-Reply-To",
    "MIME-Version",
    "Message-ID",
    "References",
    "Subject",
    "To",
];

/// Login at a mail server that wants one.
const LOGIN: &str = "username = \"gatehouse\"\npassword = \"s3cret\"\n";

/// Returns the configuration of a mail server.
fn configuration(smtp: &Receiver, host: &str, settings: &str) -> String {
    let from = "'\"Wächter, acme\" <gatehouse@example.com>'";
    let port = smtp.port();
    format!("[mail]\nhost = \"{host}\"\nport = {port}\nfrom = {from}\n{settings}")
}

/// Creates an email channel.
fn create_channel(server: &TestServer) {
    let recipient = RECIPIENTS.join(", ");
    let channel = json!({ "kind": "email", "name": "Mail", "recipient": recipient });
    create(server, &channel);
}

/// Starts a mail server in a mode that its script describes, and a server with an email channel. `None` if a package is
/// missing.
pub(super) fn start(mode: &str, settings: &str) -> Option<(Receiver, TestServer)> {
    let smtp = Receiver::python("mail_server.py", &[mode])?;
    let server = TestServer::start_configured(&configuration(&smtp, "127.0.0.1", settings));
    create_channel(&server);
    Some((smtp, server))
}

/// Starts a mail server with encryption and a login, and a server that trusts its certificate and knows it as `host`.
fn start_trusting(host: &str) -> Option<(Receiver, TestServer)> {
    let smtp = Receiver::python("mail_server.py", &["starttls"])?;
    let certificate = smtp.first["certificate"].as_str().unwrap();
    let settings = configuration(&smtp, host, LOGIN);
    let server = TestServer::start_trusting(certificate, &settings);
    create_channel(&server);
    Some((smtp, server))
}

/// Checks that the mail server could read nothing before encryption: no mail, and no password.
#[track_caller]
fn check_clear(smtp: &Receiver) {
    for expected in ["EHLO example.com\r\n", "STARTTLS\r\n"] {
        assert_eq!(smtp.next(), json!({ "clear": expected }));
    }
}

/// Checks the envelope and the headers of a received mail without defects, and returns the mail.
#[track_caller]
pub(super) fn check_headers(received: &Value, reply: &str, message: &Value) -> Value {
    assert_eq!(received.get("defect"), None, "{received}");
    assert_eq!(received["sender"], "gatehouse@example.com");
    assert_eq!(received["recipients"], json!(RECIPIENTS));
    assert_eq!(received["reply"], reply);
    let mail = &received["mail"];
    assert_eq!(mail["names"], json!(HEADERS));
    let from = json!([["Wächter, acme", "gatehouse@example.com"]]);
    assert_eq!(mail["from"], from);
    assert_eq!(mail["to"], json!(RECIPIENTS));
    let created = &message["created_at"].as_str().unwrap()[..19];
    assert_eq!(mail["date"], format!("{created}+00:00"));
    let key = message["key"].as_str().unwrap();
    assert_eq!(mail["message_id"], format!("<{key}@example.com>"));
    assert_eq!(mail["auto_submitted"], "auto-generated");
    let types = ["multipart/alternative", "text/plain", "text/html"];
    assert_eq!(mail["types"], json!(types));
    mail.clone()
}

#[test]
fn attempts_have_one_message_id_and_the_mails_of_an_alert_one_thread() {
    let Some((smtp, server)) = start("busy", "security = \"none\"\n") else {
        return;
    };
    let queued = "250 2.0.0 queued";
    open(&server, "Disk full", &json!({}));
    let attempts = smtp.take(2);
    let sent = wait_until_sent(&server, 1);
    end(&server, "Disk full");
    let resolved = smtp.next();
    let resolved = check_headers(&resolved, queued, &wait_until_sent(&server, 2)[1]);
    open(&server, "Other disk full", &json!({}));
    let other = smtp.next();
    let other = check_headers(&other, queued, &wait_until_sent(&server, 3)[2]);
    let first = check_headers(&attempts[0], "451 4.3.2 busy", &sent[0]);
    let second = check_headers(&attempts[1], queued, &sent[0]);
    assert_eq!(first, second);
    assert_eq!(sent[0]["attempts"][0]["detail"], "mail: 451 4.3.2 busy");
    assert_eq!(sent[0]["attempts"][0]["status"], 451);

    let root = &first["references"];
    assert!(root.as_str().unwrap().ends_with("@example.com>"), "{root}");
    for mail in [&first, &resolved, &other] {
        assert_eq!(mail["references"], mail["in_reply_to"]);
        assert_ne!(mail["message_id"], *root);
    }
    assert_eq!(resolved["references"], *root);
    assert_ne!(other["references"], *root);
    assert_ne!(first["message_id"], resolved["message_id"]);
    assert_eq!(first["subject"], "Critical alert: Disk full");
    assert_eq!(resolved["subject"], "Resolved: Disk full");
    assert_eq!(smtp.rest(), [json!(null); 0]);
}

#[test]
fn mail_and_password_are_encrypted_for_a_trusted_mail_server() {
    let Some((smtp, server)) = start_trusting("127.0.0.1") else {
        return;
    };
    open(&server, "Disk full", &json!({}));
    check_clear(&smtp);
    let received = smtp.next();
    check_headers(
        &received,
        "250 2.0.0 queued",
        &wait_until_sent(&server, 1)[0],
    );
    assert_eq!(received["encrypted"], true);
    assert_eq!(received["logged_in"], true);
}

#[test]
fn a_certificate_of_another_name_gets_neither_mail_nor_password() {
    if let Some((smtp, server)) = start_trusting("localhost") {
        check_refused(&smtp, &server);
    }
}

#[test]
fn a_certificate_that_nobody_trusts_gets_neither_mail_nor_password() {
    if let Some((smtp, server)) = start("starttls", LOGIN) {
        check_refused(&smtp, &server);
    }
}

/// Checks that an attempt ends with the certificate of the mail server, and the message waits.
#[track_caller]
fn check_refused(smtp: &Receiver, server: &TestServer) {
    open(server, "Disk full", &json!({}));
    let detail = wait_for_failure(server);
    let expected = "STARTTLS: TLS failed: invalid peer certificate";
    assert!(detail.starts_with(expected), "{detail}");
    check_clear(smtp);
    assert_eq!(smtp.rest(), [json!(null); 0]);
    assert_eq!(messages(server)[0]["state"], "queued");
}

#[test]
fn a_mail_server_without_starttls_gets_no_mail() {
    let Some((smtp, server)) = start("open", "") else {
        return;
    };
    open(&server, "Disk full", &json!({}));
    let detail = wait_for_failure(&server);
    assert!(detail.contains("does not offer STARTTLS"), "{detail}");
    assert_eq!(smtp.rest(), [json!(null); 0]);
}
