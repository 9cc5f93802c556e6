//! User feedback: what users of a program write about an event.

use serde_json::{Map, Value};

use super::json;
use crate::event::cut;
use crate::model::EventId;

/// The longest text, in characters.
const MAX_LENGTH: usize = 4096;

/// Comment of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Event that the comment is about, if any.
    pub event_id: Option<EventId>,
    /// Name of the user.
    pub name: Option<String>,
    /// Email address of the user.
    pub email: Option<String>,
    /// Text of the comment; never blank.
    pub text: String,
    /// URL of the page on which the user was.
    pub url: Option<String>,
}

/// Parses an item of the type `user_report`; `None` if it has no text.
pub fn user_report(payload: &[u8]) -> Option<Comment> {
    let sent = object(payload)?;
    comment(&sent, ["comments", "email", "event_id"])
}

/// Parses an item of the type `feedback`, which is an event with a context of that name.
pub fn feedback(payload: &[u8]) -> Option<Comment> {
    let sent = object(payload)?;
    let inner = sent.get("contexts")?.get("feedback")?.as_object()?;
    comment(inner, ["message", "contact_email", "associated_event_id"])
}

fn object(payload: &[u8]) -> Option<Map<String, Value>> {
    match json::read(payload).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn comment(sent: &Map<String, Value>, [message, email, event]: [&str; 3]) -> Option<Comment> {
    let text = |name: &str, longest: usize| {
        let text = sent.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| cut(text, longest))
    };
    Some(Comment {
        event_id: text(event, 64).as_deref().and_then(EventId::parse),
        name: text("name", 200),
        email: text(email, 254),
        text: text(message, MAX_LENGTH)?,
        url: text("url", 2048),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "fc6d8c0c43fc4630ad850ee518f1b9d0";

    #[test]
    fn both_forms_say_the_same() {
        let old = format!(
            r#"{{"event_id": "{ID}", "name": "Jane", "email": "jane@shop.example", "comments": " it broke "}}"#
        );
        let new = format!(
            r#"{{"contexts": {{"feedback": {{"associated_event_id": "{ID}", "name": "Jane",
            "contact_email": "jane@shop.example", "message": "it broke"}}}}}}"#
        );
        let old = user_report(old.as_bytes()).unwrap();
        assert_eq!(feedback(new.as_bytes()).as_ref(), Some(&old));
        assert_eq!(old.text, "it broke");
        assert_eq!(old.event_id, EventId::parse(ID));
    }

    #[test]
    fn feedback_without_a_comment_is_none() {
        for payload in ["", "[]", "{}", r#"{"comments": " "}"#, r#"{"comments": 7}"#] {
            assert_eq!(user_report(payload.as_bytes()), None, "{payload}");
            assert_eq!(feedback(payload.as_bytes()), None, "{payload}");
        }
        let alone = user_report(br#"{"comments": "x", "event_id": "no"}"#).unwrap();
        assert_eq!((alone.event_id, alone.name), (None, None));
    }
}
