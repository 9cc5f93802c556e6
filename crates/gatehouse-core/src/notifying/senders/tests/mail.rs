//! Mail: its headers and parts, and the replies of servers.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use notifications::flow::MessageDelivery;
use notifications::model::{AttemptOutcome, AttemptReport, ChannelKind};
use zeroize::Zeroizing;

use super::smtp_server::{Replies, serve};
use super::{delivery, now, place, senders};
use crate::notifying::{MailSettingsError, MailTransport, MessageSenders};
use crate::settings::{MailLogin, MailSecurity, MailSettings};

fn settings(address: SocketAddr, security: MailSecurity) -> MailSettings {
    MailSettings {
        port: address.port(),
        security,
        ..MailSettings::new("127.0.0.1", "Gatehouse <gatehouse@example.com>")
    }
}

fn mail(recipient: &str, title: &str) -> MessageDelivery {
    delivery(ChannelKind::Email, "", recipient, title)
}

/// Sends a message without encryption, and returns the lines of the client.
fn send(replies: Replies, delivery: &MessageDelivery) -> (Vec<String>, AttemptReport) {
    let (address, served) = serve(replies);
    let transport = MailTransport::new(&settings(address, MailSecurity::None)).unwrap();
    let report = senders(Some(transport)).send(delivery, &place(), None, now());
    (served.join().unwrap(), report)
}

/// Returns the headers of a mail, unfolded.
fn headers(lines: &[String]) -> Vec<String> {
    let start = lines.iter().position(|line| line == "DATA").unwrap();
    let mut headers: Vec<String> = Vec::new();
    for line in lines[start + 1..]
        .iter()
        .take_while(|line| !line.is_empty())
    {
        match headers.last_mut().filter(|_| line.starts_with(' ')) {
            Some(last) => last.push_str(line),
            None => headers.push(line.clone()),
        }
    }
    headers
}

#[test]
fn one_mail_goes_to_all_addresses() {
    let delivery = mail("a@example.com, b@example.org", "Disk full");
    let (lines, report) = send(Replies::default(), &delivery);
    for line in [
        "EHLO example.com",
        "MAIL FROM:<gatehouse@example.com>",
        "RCPT TO:<a@example.com>",
        "RCPT TO:<b@example.org>",
    ] {
        assert!(lines.iter().any(|known| known == line), "{line}: {lines:?}");
    }
    let key = delivery.message.key();
    let headers = headers(&lines);
    for header in [
        "From: Gatehouse <gatehouse@example.com>".to_owned(),
        "To: a@example.com, b@example.org".to_owned(),
        "Subject: High alert: Disk full".to_owned(),
        "Date: Sun, 01 Mar 2026 11:59:58 +0000".to_owned(),
        format!("Message-ID: <{key}@example.com>"),
        "References: <alert-12.project-3@example.com>".to_owned(),
        "In-Reply-To: <alert-12.project-3@example.com>".to_owned(),
        "Auto-Submitted: auto-generated".to_owned(),
        "MIME-Version: 1.0".to_owned(),
    ] {
        assert!(headers.contains(&header), "{header}: {headers:?}");
    }
    let types = lines
        .iter()
        .filter(|line| line.starts_with("Content-Type: "));
    let types: Vec<&str> = types
        .filter_map(|line| line.split([' ', ';']).nth(1))
        .collect();
    assert_eq!(types, ["multipart/alternative", "text/plain", "text/html"]);
    assert_eq!(
        (report.outcome, report.status, report.detail.as_str()),
        (AttemptOutcome::Delivered, Some(250), "queued as 42")
    );
}

#[test]
fn a_hostile_title_stays_in_the_subject() {
    let title = "x\r\nBcc: evil@example.com\r\n\r\n.\r\nMAIL FROM:<evil@example.com>\r\n\u{e4}";
    let mut hostile = mail("a@example.com", title);
    hostile.message.content.description = title.to_owned();
    let (lines, report) = send(Replies::default(), &hostile);
    assert_eq!(report.outcome, AttemptOutcome::Delivered, "{lines:?}");
    let headers = headers(&lines);
    let subject = headers.iter().find(|line| line.starts_with("Subject: "));
    let subject = subject.unwrap();
    assert!(subject.is_ascii(), "{subject}");
    assert!(subject.contains("=?utf-8?b?"), "{subject}");
    assert!(
        !headers.iter().any(|line| line.starts_with("Bcc")),
        "{headers:?}"
    );
    let after = lines.iter().skip_while(|line| *line != ".").skip(1);
    assert_eq!(after.collect::<Vec<_>>(), ["QUIT"]);
}

#[test]
fn a_refusal_is_final_or_passes() {
    let to_nowhere = "a@nowhere";
    for (refused, mail_reply, outcome, status, detail) in [
        (
            "550 no such user",
            "250 ok",
            AttemptOutcome::Rejected,
            550,
            "a@nowhere: 550 no such user",
        ),
        (
            "450-come\r\n450 later",
            "250 ok",
            AttemptOutcome::Failed,
            450,
            "a@nowhere: 450 come later",
        ),
        (
            "250 ok",
            "554 spam",
            AttemptOutcome::Rejected,
            554,
            "mail: 554 spam",
        ),
        (
            "250 ok",
            "452 full",
            AttemptOutcome::Failed,
            452,
            "mail: 452 full",
        ),
    ] {
        let replies = Replies {
            refused: ("@nowhere", refused),
            mail: mail_reply,
            ..Replies::default()
        };
        let (_, report) = send(replies, &mail(to_nowhere, "x"));
        assert_eq!(
            (report.outcome, report.status, report.detail.as_str()),
            (outcome, Some(status), detail)
        );
    }
}

#[test]
fn a_refused_address_does_not_keep_mail_from_the_others() {
    let (lines, report) = send(Replies::default(), &mail("a@nowhere, b@example.com", "x"));
    assert!(lines.iter().any(|line| line == "DATA"), "{lines:?}");
    assert_eq!(report.outcome, AttemptOutcome::Delivered);
    assert_eq!(
        report.detail,
        "refused for 1 of 2 addresses: a@nowhere: 550 no such user"
    );
}

#[test]
fn a_server_without_encryption_gets_neither_mail_nor_password() {
    for (security, extensions, expected) in [
        (
            MailSecurity::Starttls,
            "250-AUTH PLAIN\r\n",
            "the mail server does not offer STARTTLS, so it got no mail; an administrator can set mail.security to tls",
        ),
        (
            MailSecurity::Starttls,
            "250-STARTTLS\r\n250-AUTH PLAIN\r\n",
            "STARTTLS: TLS failed: ",
        ),
        (MailSecurity::Tls, "", "connection: TLS failed: "),
    ] {
        let (address, served) = serve(Replies {
            extensions,
            ..Replies::default()
        });
        let login = MailLogin {
            username: "gatehouse".to_owned(),
            password: Arc::new(Zeroizing::new("s3cret".to_owned())),
        };
        let settings = MailSettings {
            login: Some(login),
            ..settings(address, security)
        };
        let transport = MailTransport::new(&settings).unwrap();
        let delivery = mail("a@example.com", "Disk full");
        let report = senders(Some(transport)).send(&delivery, &place(), None, now());
        assert_eq!(report.outcome, AttemptOutcome::Failed);
        assert!(report.detail.starts_with(expected), "{}", report.detail);
        let lines = served.join().unwrap();
        for verb in ["AUTH", "MAIL", "RCPT", "DATA"] {
            assert!(
                !lines.iter().any(|line| line.starts_with(verb)),
                "{lines:?}"
            );
        }
    }
}

#[test]
fn a_wrong_password_is_reported_and_the_mail_waits_for_the_right_one() {
    let (address, served) = serve(Replies {
        extensions: "250-AUTH PLAIN\r\n",
        ..Replies::default()
    });
    let login = MailLogin {
        username: "gatehouse".to_owned(),
        password: Arc::new(Zeroizing::new("s3cret".to_owned())),
    };
    let settings = MailSettings {
        login: Some(login),
        ..settings(address, MailSecurity::None)
    };
    let transport = MailTransport::new(&settings).unwrap();
    let delivery = mail("a@example.com", "Disk full");
    let report = senders(Some(transport)).send(&delivery, &place(), None, now());
    assert_eq!(
        (report.outcome, report.status, report.detail.as_str()),
        (
            AttemptOutcome::Failed,
            Some(535),
            "login: 535 wrong password"
        )
    );
    let lines = served.join().unwrap();
    assert!(
        !lines.iter().any(|line| line.starts_with("MAIL")),
        "{lines:?}"
    );
}

#[test]
fn a_mail_server_that_hangs_or_is_absent_gets_another_attempt() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let report = |host: &str, timeout| {
        let settings = MailSettings {
            host: host.to_owned(),
            ..settings(address, MailSecurity::None)
        };
        let transport = MailTransport::new(&settings).unwrap();
        let senders = MessageSenders::new(|_| false, Some(transport), timeout);
        senders.send(&mail("a@example.com", "x"), &place(), None, now())
    };
    let hanging = report("127.0.0.1", Duration::from_millis(300));
    assert_eq!(hanging.outcome, AttemptOutcome::Failed);
    assert_eq!(hanging.detail, "connection: timed out after 0.3 s");
    // The port is taken on the other address, so no other test listens here by chance.
    let absent = report("127.0.0.2", Duration::from_secs(10));
    assert_eq!(absent.outcome, AttemptOutcome::Failed);
    assert_eq!(absent.detail, "connection: connection refused");
}

#[test]
fn without_a_mail_server_mail_is_rejected() {
    let report = senders(None).send(&mail("a@example.com", "x"), &place(), None, now());
    assert_eq!(report.outcome, AttemptOutcome::Rejected);
    assert_eq!(
        report.detail,
        "no mail server is configured; an administrator sets mail.host"
    );
}

#[test]
fn plaintext_is_for_this_machine_alone_unless_it_is_allowed() {
    let new = |host: &str, allow_plaintext| {
        MailTransport::new(&MailSettings {
            security: MailSecurity::None,
            allow_plaintext,
            ..MailSettings::new(host, "gatehouse@example.com")
        })
    };
    for host in ["localhost", "127.0.0.1", "127.3.2.1", "::1", "[::1]"] {
        assert!(new(host, false).is_ok(), "{host}");
    }
    for host in ["mail.example.com", "10.0.0.1", "localhost.example.com"] {
        let refused = new(host, false);
        assert!(
            matches!(refused, Err(MailSettingsError::Plaintext)),
            "{host}"
        );
        assert!(new(host, true).is_ok(), "{host}");
    }
    assert!(matches!(new(" ", true), Err(MailSettingsError::Host)));
    let from = MailTransport::new(&MailSettings::new("localhost", "Gatehouse"));
    assert!(matches!(from, Err(MailSettingsError::From)));
}
