//! Message in words, as all formats for people show it.

use api_conventions::time::Timestamp;

use crate::model::{MessageEvent, MessageSeverity, OutboxMessage};

/// Project of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceProject {
    /// Id.
    pub id: i64,
    /// Name with the groups.
    pub name: String,
    /// Path with the groups.
    pub path: String,
    /// URL of the project's page.
    pub url: String,
}

/// Project of a message, if it has one, and the page that the message links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Project; `None` for a message about an account, and for one about a channel of a user.
    pub project: Option<PlaceProject>,
    /// Host of the server, as people know it.
    pub host: String,
    /// URL of the page of the message's subject, or of the project if there is none. A GET of it changes nothing.
    pub url: String,
}

impl Place {
    /// Returns the name of the project, or the host of the server.
    pub fn name(&self) -> &str {
        let project = self.project.as_ref();
        project.map_or(self.host.as_str(), |project| project.name.as_str())
    }
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
    /// Name of the project, or host of the server.
    pub place_name: String,
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
            headline: plain(&headline(message, place.name())),
            facts: facts(message, place, is_about_subject),
            description: plain_lines(account_text(message.event).unwrap_or(&content.description)),
            url: place.url.clone(),
            place_name: plain(place.name()),
            severity: content.severity.filter(|_| !is_over),
        }
    }
}

/// Returns the text of a message about an account; `None` for other messages.
const fn account_text(event: MessageEvent) -> Option<&'static str> {
    match event {
        MessageEvent::PasswordReset => Some(
            "Open the link to choose a new password. It works once.\n\
             If you did not ask for it, ignore this message: your password stays as it is.",
        ),
        MessageEvent::PasswordChanged => Some(
            "You were signed out everywhere, and applications lost their access.\n\
             If you did not change the password, ask an administrator to block the account.",
        ),
        MessageEvent::Invitation => Some("Open the link to create your account. It works once."),
        MessageEvent::TokenExpiry => {
            Some("Programs that use the token stop working then. Open the link to rotate it.")
        }
        _ => None,
    }
}

fn headline(message: &OutboxMessage, place: &str) -> String {
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
        // Hooks have bodies of their own.
        MessageEvent::IssueHook | MessageEvent::NoteHook | MessageEvent::AlertHook => {
            title.to_owned()
        }
        MessageEvent::AlertsOpened => format!("{count} new alerts, among them: {title}"),
        MessageEvent::ErrorCreated => format!("New error: {title}"),
        MessageEvent::ErrorRegressed => format!("Error again: {title}"),
        MessageEvent::ErrorsCreated => format!("{count} new errors, among them: {title}"),
        MessageEvent::IncidentOpened => format!("Incident{number} opened: {title}"),
        MessageEvent::IncidentClosed => format!("Incident{number} closed: {title}"),
        MessageEvent::MessagesDropped if count == 1 => {
            format!("{place}: 1 message was not sent, because there were too many")
        }
        MessageEvent::MessagesDropped => {
            format!("{place}: {count} messages were not sent, because there were too many")
        }
        MessageEvent::Test => format!("{place}: test message"),
        MessageEvent::PasswordReset => format!("Reset your password for {place}"),
        MessageEvent::PasswordChanged => format!("Your password for {place} was changed"),
        MessageEvent::Invitation => format!("{title} invites you to {place}"),
        MessageEvent::TokenExpiry => format!("Access token expires soon: {title}"),
        MessageEvent::IssueAssigned => format!("Issue{number} is yours: {title}"),
        MessageEvent::AlertAssigned => format!("Alert{number} is yours: {title}"),
        MessageEvent::Mention => format!("You are mentioned: {title}"),
    }
}

fn facts(
    message: &OutboxMessage,
    place: &Place,
    is_about_subject: bool,
) -> Vec<(&'static str, String)> {
    let content = &message.content;
    if message.event.is_about_account() {
        return account_facts(message, &place.host);
    }
    let label = if place.project.is_some() {
        "Project"
    } else {
        "Server"
    };
    let mut facts = vec![(label, plain(place.name()))];
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

/// Returns the names and values of a message about an account. Its service is the username.
fn account_facts(message: &OutboxMessage, host: &str) -> Vec<(&'static str, String)> {
    let content = &message.content;
    let mut facts = vec![("Server", plain(host))];
    if !content.service.is_empty() {
        facts.push(("Account", plain(&content.service)));
    }
    let end = match message.event {
        MessageEvent::TokenExpiry => "Expires",
        _ => "Valid until",
    };
    facts.extend(content.ended_at.map(|time| (end, minute(time))));
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
