//! Mail of a message.

use std::time::{Duration, UNIX_EPOCH};

use api_conventions::ids::ProjectId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message as Mail};
use notifications::flow::MessageDelivery;
use notifications::formats::{MessageText, mail};
use notifications::model::{MessageSubjectKind, OutboxMessage};

/// Returns the mail of a message to these addresses.
///
/// The `Message-ID` is the same in all attempts. Mail about one alert or incident refers to one invented message, so that
/// mail programs show it as one thread.
pub(super) fn build(
    from: &Mailbox,
    to: &[Address],
    delivery: &MessageDelivery,
    text: &MessageText,
) -> Result<Mail, lettre::error::Error> {
    let message = &delivery.message;
    let host = from.email.domain();
    let micros = u64::try_from(message.created_at.as_micros()).unwrap_or_default();
    let content = mail(text);
    let mut builder = Mail::builder()
        .from(from.clone())
        .message_id(Some(format!("<{}@{host}>", message.key())))
        .date(UNIX_EPOCH + Duration::from_micros(micros))
        .raw_header(subject_header(content.subject))
        // Keeps vacation notices away (RFC 3834).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ));
    for address in to {
        builder = builder.to(Mailbox::new(None, address.clone()));
    }
    if let Some(root) = thread_root(message, host) {
        builder = builder.references(root.clone()).in_reply_to(root);
    }
    builder.multipart(MultiPart::alternative_plain_html(
        content.text,
        content.html,
    ))
}

/// Longest part of a subject in one encoded word, in bytes: an encoded word has at most 75 characters (RFC 2047, section 2).
const WORD_BYTES: usize = 45;

/// Returns the header with a subject. The library copies ASCII as it is, so a title that looks like an encoded word would
/// be decoded into other characters, line breaks among them. Such a subject is encoded as a whole.
fn subject_header(subject: String) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Subject");
    if !subject.contains("=?") {
        return HeaderValue::new(name, subject);
    }
    let mut words = vec![String::new()];
    for letter in subject.chars() {
        match words.last_mut() {
            Some(word) if word.len() + letter.len_utf8() <= WORD_BYTES => word.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    let words = words
        .iter()
        .map(|word| format!("=?utf-8?b?{}?=", STANDARD.encode(word)));
    let encoded = words.collect::<Vec<_>>().join("\r\n ");
    HeaderValue::dangerous_new_pre_encoded(name, subject, encoded)
}

/// Returns the id of the invented message that begins the thread of a subject.
fn thread_root(message: &OutboxMessage, host: &str) -> Option<String> {
    let subject = message.subject;
    let has_thread = matches!(
        subject.kind,
        MessageSubjectKind::Alert | MessageSubjectKind::Incident | MessageSubjectKind::Error
    );
    has_thread.then(|| {
        let (kind, project) = (
            subject.kind.as_str(),
            message.project_id.map_or(0, ProjectId::get),
        );
        format!("<{kind}-{}.project-{project}@{host}>", subject.id)
    })
}
