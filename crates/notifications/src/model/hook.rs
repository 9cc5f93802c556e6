//! Events of a project that its hooks report.

use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Channel, ChannelKind, MessageContent, MessageEvent, MessageSubject, NewMessage, shortened,
};

/// Events that a project hook reports, besides alerts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct HookTriggers {
    /// True to report issues that are not confidential.
    pub issues: bool,
    /// True to report confidential issues.
    pub confidential_issues: bool,
    /// True to report comments that everybody sees who sees the project.
    pub notes: bool,
    /// True to report internal comments, and those on confidential issues.
    pub confidential_notes: bool,
}

/// Body of the request of a hook, at most [`Self::MAX_BYTES`]. URLs in it are paths below the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HookBody(Value);

impl HookBody {
    /// Largest size as JSON, in bytes.
    pub const MAX_BYTES: usize = 64 * 1024;
    /// Lengths to which texts are cut, in characters, until the body is small enough.
    const TEXT_LIMITS: [usize; 4] = [30_000, 8_000, 2_000, 500];
    /// Number of entries to which lists are cut if that does not suffice.
    const LIST_LIMIT: usize = 10;

    /// Creates the body. One that is too large loses the ends of its longest texts, and then of its lists.
    pub fn new(mut value: Value) -> Self {
        let is_small = |value: &Value| value.to_string().len() <= Self::MAX_BYTES;
        for limit in Self::TEXT_LIMITS {
            if is_small(&value) {
                return Self(value);
            }
            cut(&mut value, limit, usize::MAX);
        }
        if !is_small(&value) {
            cut(&mut value, Self::LIST_LIMIT * 10, Self::LIST_LIMIT);
        }
        Self(value)
    }

    /// Returns the JSON.
    pub const fn value(&self) -> &Value {
        &self.0
    }
}

/// Cuts all texts to a number of characters, and all lists to a number of entries.
fn cut(value: &mut Value, text_limit: usize, list_limit: usize) {
    match value {
        Value::String(text) => *text = shortened(std::mem::take(text), text_limit),
        Value::Array(items) => {
            items.truncate(list_limit);
            for item in items {
                cut(item, text_limit, list_limit);
            }
        }
        Value::Object(fields) => {
            for (_, field) in fields {
                cut(field, text_limit, list_limit);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

/// An event that hooks may report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEvent {
    /// Project.
    pub project_id: ProjectId,
    /// Kind of event: one of those of hooks.
    pub event: MessageEvent,
    /// True if only hooks that report confidential events get it.
    pub is_confidential: bool,
    /// Title of the subject.
    pub title: String,
    /// Number of the subject in the project.
    pub iid: i64,
    /// Body of the request.
    pub body: HookBody,
    /// Time of the event.
    pub at: Timestamp,
}

impl HookEvent {
    /// Returns the message to a channel. It is about no subject: an event was an event, whatever follows, so nothing cancels
    /// the message.
    pub fn message(&self, channel: ChannelId) -> NewMessage {
        NewMessage {
            project_id: Some(self.project_id),
            channel_id: channel,
            event: self.event,
            subject: MessageSubject::NONE,
            content: MessageContent {
                title: self.title.clone(),
                iid: Some(self.iid),
                hook: Some(self.body.clone()),
                ..MessageContent::default()
            }
            .shortened(),
            created_at: self.at,
            send_at: self.at,
        }
    }
}

impl Channel {
    /// True if the channel is a hook that reports events of this kind.
    pub fn reports(&self, event: MessageEvent, is_confidential: bool) -> bool {
        let (settings, triggers) = (&self.settings, self.settings.hook_triggers);
        let is_selected = match (event, is_confidential) {
            (MessageEvent::IssueHook, false) => triggers.issues,
            (MessageEvent::IssueHook, true) => triggers.confidential_issues,
            (MessageEvent::NoteHook, false) => triggers.notes,
            (MessageEvent::NoteHook, true) => triggers.confidential_notes,
            (MessageEvent::AlertHook, _) => settings.alert_events,
            _ => false,
        };
        self.kind == ChannelKind::ProjectHook && settings.is_active && is_selected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_small_body_stays_and_a_large_one_is_cut() {
        let small = json!({ "title": "x".repeat(40_000), "labels": vec![1; 100] });
        assert_eq!(HookBody::new(small.clone()).value(), &small);
        let large =
            json!({ "description": "\u{e4}".repeat(1_000_000), "title": "Disk", "labels": [1, 2] });
        let cut = HookBody::new(large);
        assert!(cut.value().to_string().len() <= HookBody::MAX_BYTES);
        let text = cut.value()["description"].as_str().unwrap();
        assert!(text.chars().count() == 30_000 && text.ends_with('\u{2026}'));
        assert_eq!(cut.value()["title"], "Disk");
        assert_eq!(cut.value()["labels"], json!([1, 2]));
    }

    #[test]
    fn lists_are_cut_last() {
        let many = vec![json!({ "title": "\u{1}".repeat(200), "id": 1 }); 500];
        let body = HookBody::new(json!({ "labels": many, "changes": { "labels": many } }));
        assert!(body.value().to_string().len() <= HookBody::MAX_BYTES);
        assert_eq!(body.value()["labels"].as_array().unwrap().len(), 10);
        assert_eq!(body.value()["labels"][0]["id"], 1);
    }
}
