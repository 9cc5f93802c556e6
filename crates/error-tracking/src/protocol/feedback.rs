//! What users of a program write about what happened to them.

use serde_json::{Map, Value};

use super::json;
use crate::event::cut;
use crate::model::EventId;

/// The longest text, in characters.
const LONGEST: usize = 4096;

/// What a user wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The event that it is about, if it is about one.
    pub event_id: Option<EventId>,
    /// Their name.
    pub name: Option<String>,
    /// Their address of mail.
    pub email: Option<String>,
    /// What they wrote; never blank.
    pub text: String,
    /// Where they were.
    pub url: Option<String>,
}

/// Reads an item of the type `user_report`; none where it says nothing.
pub fn user_report(payload: &[u8]) -> Option<Comment> {
    let sent = object(payload)?;
    comment(&sent, ["comments", "email", "event_id"])
}

/// Reads an item of the type `feedback`, which is an event with a context of that name.
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
        text: text(message, LONGEST)?,
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
    fn what_says_nothing_is_none() {
        for payload in ["", "[]", "{}", r#"{"comments": " "}"#, r#"{"comments": 7}"#] {
            assert_eq!(user_report(payload.as_bytes()), None, "{payload}");
            assert_eq!(feedback(payload.as_bytes()), None, "{payload}");
        }
        let alone = user_report(br#"{"comments": "x", "event_id": "no"}"#).unwrap();
        assert_eq!((alone.event_id, alone.name), (None, None));
    }
}
