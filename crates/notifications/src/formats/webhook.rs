//! Webhooks for programs, signed as Standard Webhooks defines.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::text::Place;
use crate::model::{MessageEvent, MessageSeverity, MessageSubjectKind, OutboxMessage};

/// Beginning of a signing secret.
const PREFIX: &str = "whsec_";

/// A signing secret is malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a signing secret is whsec_ followed by the Base64 form of 24 to 64 bytes")]
pub struct InvalidSecret;

/// Returns the signing secret of random bytes, 24 to 64 of them.
pub fn secret_of(bytes: &[u8]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(bytes))
}

/// Returns the value of the header `webhook-signature` of an attempt: the signature of key, time and body.
///
/// # Errors
/// [`InvalidSecret`].
pub fn sign(
    secret: &str,
    key: &str,
    unix_seconds: i64,
    body: &[u8],
) -> Result<String, InvalidSecret> {
    let encoded = secret.strip_prefix(PREFIX).ok_or(InvalidSecret)?;
    let secret = STANDARD.decode(encoded).map_err(|_| InvalidSecret)?;
    if !(24..=64).contains(&secret.len()) {
        return Err(InvalidSecret);
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).map_err(|_| InvalidSecret)?;
    mac.update(format!("{key}.{unix_seconds}.").as_bytes());
    mac.update(body);
    Ok(format!(
        "v1,{}",
        STANDARD.encode(mac.finalize().into_bytes())
    ))
}

/// Returns the body of a webhook: the type, the time of the event, and what it is about.
pub fn webhook_body(message: &OutboxMessage, place: &Place) -> Value {
    let content = &message.content;
    let is_open = matches!(
        message.event,
        MessageEvent::AlertOpened
            | MessageEvent::AlertReminder
            | MessageEvent::IncidentOpened
            | MessageEvent::ErrorCreated
            | MessageEvent::ErrorRegressed
            | MessageEvent::IssueAssigned
            | MessageEvent::AlertAssigned
            | MessageEvent::Mention
    );
    let project = place.project.as_ref().map(|project| {
        json!({
            "id": project.id,
            "name": project.name,
            "path_with_namespace": project.path,
            "web_url": project.url,
        })
    });
    let mut data = json!({ "project": project });
    let subject = json!({
        "id": message.subject.id,
        "iid": content.iid,
        "title": content.title,
        "description": content.description,
        "severity": content.severity.map(MessageSeverity::as_str),
        "status": if is_open { "open" } else { "closed" },
        "service": Some(&content.service).filter(|service| !service.is_empty()),
        "environment": content.environment,
        "started_at": content.started_at,
        "ended_at": content.ended_at,
        "web_url": place.url,
    });
    let name = match message.subject.kind {
        MessageSubjectKind::Alert | MessageSubjectKind::AlertOfUser => Some("alert"),
        MessageSubjectKind::Incident => Some("incident"),
        MessageSubjectKind::Error => Some("error"),
        MessageSubjectKind::Issue => Some("issue"),
        _ => None,
    };
    if let Some(fields) = data.as_object_mut() {
        fields.extend(name.map(|name| (name.to_owned(), subject)));
        let count = content.count.map(Value::from);
        fields.extend(count.map(|count| ("count".to_owned(), count)));
        if matches!(
            message.event,
            MessageEvent::AlertsOpened | MessageEvent::ErrorsCreated
        ) {
            let worst = json!({
                "title": content.title,
                "severity": content.severity.map(MessageSeverity::as_str),
                "web_url": place.url,
            });
            fields.insert("most_severe".to_owned(), worst);
        }
    }
    json!({
        "type": message.event.as_str(),
        "timestamp": message.created_at,
        "data": data,
    })
}
