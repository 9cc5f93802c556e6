//! Requests of project hooks, as v4 clients know them.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::model::{MessageEvent, OutboxMessage};

/// Request of a project hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRequest {
    /// Name of the event, such as `Issue Hook`.
    pub event: String,
    /// UUID of the event: the same in all attempts and for all hooks.
    pub event_uuid: String,
    /// UUID of the attempt.
    pub attempt_uuid: String,
    /// Body, with absolute URLs.
    pub body: Value,
}

/// Returns the request of a message of a hook, with URLs below `server_url`, which has no trailing slash. `None` for a message
/// that is not one of hooks.
pub fn hook_request(message: &OutboxMessage, server_url: &str) -> Option<HookRequest> {
    let name = match message.event {
        MessageEvent::IssueHook => "Issue Hook",
        MessageEvent::NoteHook => "Note Hook",
        MessageEvent::AlertHook => "Alert Hook",
        _ => return None,
    };
    let stored = message.content.hook.as_ref()?.value();
    let kind = stored["event_type"].as_str().unwrap_or_default();
    let event = if kind.starts_with("confidential_") {
        format!("Confidential {name}")
    } else {
        name.to_owned()
    };
    let host = Url::parse(server_url).ok();
    let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
    let mut body = stored.clone();
    make_absolute(&mut body, server_url, host);
    Some(HookRequest {
        event,
        event_uuid: uuid(&format!("{} {stored}", message.created_at.as_micros())),
        attempt_uuid: uuid(&format!("{} {}", message.key(), message.attempts)),
        body,
    })
}

/// Replaces the paths of URLs by URLs.
fn make_absolute(value: &mut Value, server_url: &str, host: &str) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let path = field.as_str().and_then(|text| text.strip_prefix('/'));
                match (name.as_str(), path) {
                    (
                        "url" | "web_url" | "avatar_url" | "homepage" | "git_http_url" | "http_url",
                        Some(path),
                    ) => *field = format!("{server_url}/{path}").into(),
                    ("git_ssh_url" | "ssh_url", Some(path)) => {
                        *field = format!("git@{host}:{path}").into();
                    }
                    _ => make_absolute(field, server_url, host),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                make_absolute(item, server_url, host);
            }
        }
        _ => (),
    }
}

/// Returns a UUID (version 8, RFC 9562) that depends on a text alone.
fn uuid(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 16];
    for (byte, of_digest) in bytes.iter_mut().zip(digest) {
        *byte = of_digest;
    }
    let bits = u128::from_be_bytes(bytes);
    let bits = bits & !(0xf << 76) | 8 << 76;
    let bits = bits & !(0b11 << 62) | 0b10 << 62;
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ]
    .join("-")
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{ChannelId, MessageId, ProjectId};
    use api_conventions::time::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::model::{HookBody, HookEvent};

    fn message(event_type: &str, attempts: u32) -> OutboxMessage {
        let event = HookEvent {
            project_id: ProjectId::new(1),
            event: MessageEvent::IssueHook,
            is_confidential: false,
            title: "Disk".to_owned(),
            iid: 7,
            body: HookBody::new(json!({
                "event_type": event_type,
                "project": { "web_url": "/a/b", "ssh_url": "/a/b.git", "avatar_url": null },
                "object_attributes": { "url": "/a/b/-/issues/7", "title": "/a/b", "labels": [{ "title": "/x" }] },
                "assignees": [{ "avatar_url": "/avatar.svg" }],
            })),
            at: Timestamp::MIN,
        };
        OutboxMessage {
            attempts,
            ..event.message(ChannelId::new(2)).stored(MessageId::new(3))
        }
    }

    #[test]
    fn paths_of_urls_become_urls_and_texts_stay() {
        let server = "https://example.com:8443/gate";
        let request = hook_request(&message("issue", 1), server).unwrap();
        assert_eq!(request.event, "Issue Hook");
        assert_eq!(
            request.body,
            json!({
                "event_type": "issue",
                "project": {
                    "web_url": "https://example.com:8443/gate/a/b",
                    "ssh_url": "git@example.com:a/b.git",
                    "avatar_url": null,
                },
                "object_attributes": {
                    "url": "https://example.com:8443/gate/a/b/-/issues/7",
                    "title": "/a/b",
                    "labels": [{ "title": "/x" }],
                },
                "assignees": [{ "avatar_url": "https://example.com:8443/gate/avatar.svg" }],
            })
        );
        let confidential = hook_request(&message("confidential_issue", 1), server).unwrap();
        assert_eq!(confidential.event, "Confidential Issue Hook");
        let mut test = message("issue", 1);
        test.event = MessageEvent::Test;
        assert_eq!(hook_request(&test, server), None);
    }

    #[test]
    fn an_event_keeps_its_uuid_and_an_attempt_has_its_own() {
        let of = |attempts| hook_request(&message("issue", attempts), "https://a.example").unwrap();
        let (first, second) = (of(1), of(2));
        assert_eq!(first.event_uuid, second.event_uuid);
        assert_ne!(first.attempt_uuid, second.attempt_uuid);
        for uuid in [&first.event_uuid, &first.attempt_uuid] {
            let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12]);
            assert_eq!(uuid.get(14..15), Some("8"));
            assert!("89ab".contains(uuid.get(19..20).unwrap()), "{uuid}");
        }
    }
}
