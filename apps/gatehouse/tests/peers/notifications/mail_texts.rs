//! Texts and links of mail, with titles of strangers.

use serde_json::{Value, json};

use super::mail::{check_headers, start};
use super::{end, messages, open, wait_until_sent};
use crate::support::TestServer;

/// Settings of a mail server without encryption.
const PLAIN: &str = "security = \"none\"\n";

/// Titles that leave their header or element if they are not encoded, or that mail programs could misread.
const TITLES: [&str; 9] = [
    "a\r\nBcc: evil@example.com\r\n\r\nbody",
    "b\nSubject: other\n.\nQUIT",
    "Bcc: evil@example.com, \"c\" <c@example.com>;",
    "Größe \u{1f4a5} \u{7f51}\u{7edc} plain e\u{301}",
    "d \u{202e}gpj.exe\u{202c} \u{200b}\u{feff}",
    "<img src=x onerror=alert(1)></h1><a href=\"https://evil.example\">x</a>",
    "</title><script>alert(1)</script> &lt;b&gt; &amp;amp; &#0;",
    "e \u{0}\u{2028}\u{85}\u{b}\u{1b}[31m\u{7f}",
    ".\u{a0}\t 'quoted' \\",
];

/// Longest subject, in characters.
const MAX_SUBJECT: usize = 200;

/// Elements of a mail. None of them loads anything.
const TAGS: [&str; 12] = [
    "a", "body", "h1", "head", "html", "meta", "p", "table", "td", "th", "title", "tr",
];
/// Attributes of a mail.
const ATTRIBUTES: [&str; 6] = ["align", "cellpadding", "charset", "href", "lang", "style"];

/// Returns a text in one line, with single spaces between its words.
fn one_line(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the subject of the mail about an open alert.
fn subject_of(alert: &Value) -> String {
    let title = alert["title"].as_str().unwrap();
    let mut subject = format!("Critical alert: {title}");
    if subject.chars().count() > MAX_SUBJECT {
        subject = subject.chars().take(MAX_SUBJECT - 1).collect();
        subject.push('…');
    }
    one_line(&subject)
}

/// Returns the URL of the page of an alert.
fn page_of(server: &TestServer, alert: &Value) -> String {
    let (base, iid) = (server.base_url(), &alert["iid"]);
    format!("{base}/acme/web-shop/-/alert_management/{iid}/details")
}

/// Opens an alert for each title, and checks the mails about them.
#[track_caller]
fn check(titles: &[&str]) {
    let Some((smtp, server)) = start("open", PLAIN) else {
        return;
    };
    let open = |(number, title): (usize, &&str)| {
        let details = json!({
            "fingerprint": number.to_string(), "service": title, "description": format!("{title}\n\n{title}"),
        });
        open(&server, title, &details)
    };
    let alerts: Vec<Value> = titles.iter().enumerate().map(open).collect();
    let received = smtp.take(titles.len());
    let sent = wait_until_sent(&server, titles.len());
    for ((alert, received), message) in alerts.iter().zip(&received).zip(&sent) {
        let mail = check_headers(received, "250 2.0.0 queued", message);
        let subject = mail["subject"].as_str().unwrap();
        assert!(!subject.contains(char::is_control), "{subject:?}");
        assert_eq!(one_line(subject), subject_of(alert));
        check_texts(&mail, &page_of(&server, alert));
    }
}

/// Checks that the text and the HTML of a mail say the same, and that the HTML loads nothing and has one link.
#[track_caller]
fn check_texts(mail: &Value, url: &str) {
    assert_eq!(mail["text"], mail["html"], "{mail}");
    assert_eq!(mail["links"], json!([url]), "{mail}");
    for (kind, allowed) in [("tags", &TAGS[..]), ("attributes", &ATTRIBUTES[..])] {
        for name in mail[kind].as_array().unwrap() {
            assert!(allowed.contains(&name.as_str().unwrap()), "{name}: {mail}");
        }
    }
    let text = mail["text"].as_str().unwrap();
    assert!(text.ends_with(&format!(" {url}")), "{text}");
}

#[test]
fn titles_of_strangers_stay_in_their_place() {
    let long = ["long Ü ".repeat(36), "x".repeat(255)];
    let long = long.iter().map(String::as_str);
    check(&TITLES.into_iter().chain(long).collect::<Vec<_>>());
}

#[test]
fn a_title_that_looks_encoded_is_shown_as_it_is() {
    check(&["=?utf-8?q?Disk=0D=0Afull?= =?utf-8?b?ZXZpbA==?="]);
}

#[test]
fn links_of_mail_change_nothing() {
    let Some((smtp, server)) = start("open", PLAIN) else {
        return;
    };
    let alert = open(&server, "Disk full", &json!({}));
    let opened = smtp.next();
    wait_until_sent(&server, 1);
    open(&server, "Other disk full", &json!({}));
    let other = smtp.next();
    wait_until_sent(&server, 2);
    end(&server, "Other disk full");
    let resolved = smtp.next();
    wait_until_sent(&server, 3);
    let state = || {
        let alerts = server.developer().get(&server.alerts()).json();
        (alerts, messages(&server))
    };
    let before = state();
    // A Reporter may not see alerts.
    let people = [("reporter", 404), ("developer", 200), ("admin", 200)];
    let people = people.map(|(person, status)| (server.signed_in(person), status));
    for received in [opened, other, resolved] {
        let links = received["mail"]["links"].as_array().unwrap();
        assert_eq!(links.len(), 1, "{received}");
        let url = links[0].as_str().unwrap();
        let is_below = url.starts_with(&format!("{}/", server.base_url()));
        assert!(is_below, "{url}");
        for method in ["GET", "HEAD"] {
            let anonymous = server.browser().send(method, url, "");
            assert_eq!(anonymous.status, 303, "{}", anonymous.text());
            for (mut person, status) in people.clone() {
                let answer = person.send(method, url, "");
                assert_eq!(answer.status, status, "{method} {url}: {}", answer.text());
            }
        }
    }
    let mut developer = server.signed_in("developer");
    let page = developer.open(&page_of(&server, &alert)).expect_text(200);
    assert!(page.contains("Disk full"), "{page}");
    assert_eq!(state(), before);
}
