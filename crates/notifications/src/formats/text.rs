//! Message in words, as all formats for people show it.

use api_conventions::time::Timestamp;

use crate::model::{MessageContent, MessageEvent, MessageSeverity, OutboxMessage};

/// Project of a message, and the pages that it links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Id of the project.
    pub project_id: i64,
    /// Name of the project with its groups.
    pub project_name: String,
    /// Path of the project with its groups.
    pub project_path: String,
    /// URL of the project's page.
    pub project_url: String,
    /// URL of the page of the message's subject, or of the project if there is none. A GET of it changes nothing.
    pub url: String,
}

/// A message in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageText {
    /// First line, without control characters.
    pub headline: String,
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// Description, maybe empty. It may have several lines.
    pub description: String,
    /// URL of the page with the rest.
    pub url: String,
    /// Name of the project.
    pub project_name: String,
    /// Severity, if the subject is open and has one.
    pub severity: Option<MessageSeverity>,
}

impl MessageText {
    /// Returns the text of a message.
    pub fn new(message: &OutboxMessage, place: &Place) -> Self {
        let content = &message.content;
        let is_about_subject = !matches!(
            message.event,
            MessageEvent::MessagesDropped | MessageEvent::Test
        );
        let is_over = matches!(
            message.event,
            MessageEvent::AlertResolved | MessageEvent::IncidentClosed
        );
        Self {
            headline: plain(&headline(message, &place.project_name)),
            facts: facts(content, &place.project_name, is_about_subject),
            description: plain_lines(&content.description),
            url: place.url.clone(),
            project_name: plain(&place.project_name),
            severity: content.severity.filter(|_| !is_over),
        }
    }
}

fn headline(message: &OutboxMessage, project: &str) -> String {
    let content = &message.content;
    let title = content.title.as_str();
    let number = content
        .iid
        .map_or_else(String::new, |iid| format!(" #{iid}"));
    let count = content.count.unwrap_or_default();
    match message.event {
        MessageEvent::AlertOpened => match content.severity {
            Some(severity) if severity != MessageSeverity::Unknown => {
                format!("{} alert: {title}", capitalized(severity.as_str()))
            }
            _ => format!("Alert: {title}"),
        },
        MessageEvent::AlertReminder => format!("Still open, and nobody acknowledged it: {title}"),
        MessageEvent::AlertResolved => format!("Resolved: {title}"),
        MessageEvent::AlertsOpened => format!("{count} new alerts, among them: {title}"),
        MessageEvent::ErrorCreated => format!("New error: {title}"),
        MessageEvent::ErrorRegressed => format!("Error again: {title}"),
        MessageEvent::ErrorsCreated => format!("{count} new errors, among them: {title}"),
        MessageEvent::IncidentOpened => format!("Incident{number} opened: {title}"),
        MessageEvent::IncidentClosed => format!("Incident{number} closed: {title}"),
        MessageEvent::MessagesDropped if count == 1 => {
            format!("{project}: 1 message was not sent, because there were too many")
        }
        MessageEvent::MessagesDropped => {
            format!("{project}: {count} messages were not sent, because there were too many")
        }
        MessageEvent::Test => format!("{project}: test message"),
    }
}

fn facts(
    content: &MessageContent,
    project: &str,
    is_about_subject: bool,
) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Project", plain(project))];
    if !is_about_subject {
        return facts;
    }
    let mut add = |name, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        facts.extend(value.map(|value| (name, plain(&value))));
    };
    let severity = content.severity.map(MessageSeverity::as_str);
    add("Severity", severity.map(capitalized));
    add("Service", Some(content.service.clone()));
    add("Environment", content.environment.clone());
    add("Started", content.started_at.map(minute));
    add("Ended", content.ended_at.map(minute));
    facts
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Returns a time to the minute, as people read it.
fn minute(time: Timestamp) -> String {
    let text = time.to_string();
    let date = text.get(..10).unwrap_or_default();
    let minute = text.get(11..16).unwrap_or_default();
    format!("{date} {minute} UTC")
}

/// Replaces control characters, such as line breaks, by spaces.
fn plain(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect()
}

/// Replaces control characters by spaces, except line breaks.
fn plain_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(plain).collect();
    lines.join("\n")
}

/// Escapes a text for HTML, in elements and quoted attributes.
pub(super) fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
