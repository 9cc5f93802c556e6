//! Incoming webhooks of Slack, which other chat servers accept as well.

use serde_json::{Value, json};

use super::text::MessageText;

/// Returns the body of a POST to an incoming webhook.
pub fn slack_body(message: &MessageText) -> Value {
    let headline = escaped(&message.headline).replace('|', "\u{2758}");
    let mut text = format!("*<{}|{headline}>*", escaped(&message.url));
    let facts = message
        .facts
        .iter()
        .map(|(name, value)| format!("{name}: {}", escaped(value)));
    text.push('\n');
    text.push_str(&facts.collect::<Vec<_>>().join(" \u{b7} "));
    if !message.description.is_empty() {
        text.push('\n');
        text.push_str(&escaped(&message.description));
    }
    json!({ "text": text })
}

/// Escapes the characters that control links and mentions.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
