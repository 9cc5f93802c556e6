//! Messages of ntfy.

use serde_json::{Value, json};

use super::text::MessageText;
use crate::model::{MessageSeverity, shortened};

/// Longest text of a message, in characters. The server limits it to 4096 bytes.
const MAX_TEXT: usize = 1000;
/// Longest title, in characters.
const MAX_TITLE: usize = 200;

/// Returns the body of a POST to the root of an ntfy server.
pub fn ntfy_body(topic: &str, message: &MessageText) -> Value {
    let mut lines: Vec<String> = message
        .facts
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    if !message.description.is_empty() {
        lines.push(message.description.clone());
    }
    json!({
        "topic": topic,
        "title": shortened(message.headline.clone(), MAX_TITLE),
        "message": shortened(lines.join("\n"), MAX_TEXT),
        "priority": priority(message.severity),
        "click": message.url,
    })
}

/// Returns the priority, from 1 to 5. 3 is that of an ordinary message.
const fn priority(severity: Option<MessageSeverity>) -> u8 {
    match severity {
        Some(MessageSeverity::Critical) => 5,
        Some(MessageSeverity::High) => 4,
        Some(MessageSeverity::Info | MessageSeverity::Low) => 2,
        Some(MessageSeverity::Medium | MessageSeverity::Unknown) | None => 3,
    }
}
