//! Title, severity and description of an incident that is created from alerts.
//!
//! The description is Markdown. Fields of the alert are escaped, because they are text that a sender wrote; only the
//! sender's incident markdown and the template of the project are Markdown themselves.

use std::fmt::Write as _;

use api_conventions::time::Timestamp;
use url::Url;

use super::details::{self, Details};
use super::text::cut;
use crate::model::{Alert, AlertSummary};
use crate::payload::DEFAULT_TITLE;

/// Longest title of an incident, in characters.
const MAX_INCIDENT_TITLE: usize = 255;
/// Longest incident markdown of a sender in a description, in characters.
const MAX_SENDER_MARKDOWN: usize = 500_000;
/// Break of a Markdown line within a paragraph.
const LINE_BREAK: &str = "  \n";
/// Horizontal rule between two parts of a description.
const RULE: &str = "\n\n---\n\n";

/// Content of an incident that is created from alerts.
#[derive(Debug, Clone, Copy)]
pub struct IncidentSource<'a> {
    /// The only alert, or the most severe one.
    pub alert: &'a Alert,
    /// Number of alerts, at least 1.
    pub alerts: usize,
    /// Absolute link to the alert.
    pub link: &'a str,
    /// Markdown of the project to append.
    pub template: &'a str,
    /// Configured service word, as for [`details::of`].
    pub service_word: &'a str,
}

impl IncidentSource<'_> {
    /// Returns the title of the incident. `None` if the only alert has the default title: the incident is then named by
    /// its own number, see [`numbered_title`].
    pub fn title(self) -> Option<String> {
        let title = &self.alert.summary.title;
        match self.alerts {
            0 | 1 if title == DEFAULT_TITLE => None,
            0 | 1 => Some(cut(title, MAX_INCIDENT_TITLE)),
            alerts => {
                let more = format!(" and {} more", alerts - 1);
                let room = MAX_INCIDENT_TITLE - more.len();
                Some(cut(title, room) + &more)
            }
        }
    }

    /// Returns the description: the fields of the alert, then the runbook, the sender's incident markdown and the
    /// template, each after a horizontal rule. Empty fields and parts are left out.
    pub fn description(self) -> String {
        let summary = &self.alert.summary;
        let payload = self.alert.newest_payload();
        let details = details::of(payload, summary.source, self.service_word);
        let mut text = String::new();
        if self.alerts > 1 {
            let _ = write!(
                text,
                "{} alerts were received at once. The most severe one:\n\n",
                self.alerts
            );
        }
        text.push_str(&fields(summary, &details, self.link).join(LINE_BREAK));
        let runbook = details.runbook.as_deref().and_then(web_link);
        let runbook = runbook.map(|link| format!("**Runbook:** {link}"));
        let markdown = details.incident_markdown.map(|markdown| {
            let markdown = cut(&markdown, MAX_SENDER_MARKDOWN);
            markdown.trim_end().to_owned()
        });
        let template = Some(self.template.to_owned());
        for part in [runbook, markdown, template].into_iter().flatten() {
            if !part.trim().is_empty() {
                text.push_str(RULE);
                text.push_str(&part);
            }
        }
        // A database may refuse this character, which JSON allows.
        text.replace('\0', "\u{fffd}")
    }
}

/// Returns the title of an incident with this number whose alert has the default title.
pub fn numbered_title(number: i64) -> String {
    format!("New: Incident {number}")
}

/// Returns the lines with the fields of an alert, in their order.
fn fields(alert: &AlertSummary, details: &Details, link: &str) -> Vec<String> {
    let hosts: Vec<String> = alert.hosts.iter().map(|host| escaped(host)).collect();
    let query = details.metric_query.as_deref().map(code);
    let lines = [
        ("Start time", start_time(alert.started_at)),
        ("Severity", alert.severity.as_str().to_owned()),
        ("full_query", query.unwrap_or_default()),
        ("Service", escaped(&alert.service)),
        ("Monitoring tool", escaped(&alert.monitoring_tool)),
        ("Hosts", hosts.join(" ").trim().to_owned()),
        ("Description", escaped(&alert.description)),
        ("Alert", web_link(link).unwrap_or_default()),
    ];
    let filled = lines.into_iter().filter(|(_, value)| !value.is_empty());
    filled
        .map(|(label, value)| format!("**{label}:** {value}"))
        .collect()
}

/// Formats a start time, such as `22 September 2020, 6:00AM (UTC)`.
fn start_time(at: Timestamp) -> String {
    let at = at.to_chrono();
    at.format("%-d %B %Y, %-I:%M%p (UTC)").to_string()
}

/// Returns a web link in angle brackets, with all characters that would end it encoded.
fn web_link(link: &str) -> Option<String> {
    let url = Url::parse(link).ok()?;
    details::is_web_link(link).then(|| format!("<{url}>"))
}

/// Returns a code span with this text on one line.
fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|one| if one.is_control() { ' ' } else { one })
        .collect();
    let longest = text.split(|one| one != '`').map(str::len).max();
    let marks = "`".repeat(longest.unwrap_or_default() + 1);
    if text.contains('`') {
        format!("{marks} {text} {marks}")
    } else {
        format!("{marks}{text}{marks}")
    }
}

/// Returns Markdown that shows a text as it is, with its lines.
fn escaped(text: &str) -> String {
    let lines = text.split(['\n', '\r']).map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).map(escaped_line);
    lines.collect::<Vec<_>>().join(LINE_BREAK)
}

/// Escapes a line without breaks. A `_` inside a word and punctuation inside a line have no meaning, and stay readable.
fn escaped_line(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let digits = line.len()
        - line
            .trim_start_matches(|one: char| one.is_ascii_digit())
            .len();
    let mut before = ' ';
    for (place, one) in line.char_indices() {
        let next = line
            .get(place + one.len_utf8()..)
            .and_then(|rest| rest.chars().next());
        let has_meaning = match one {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '~' => true,
            '_' => !(before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)),
            '#' | '-' | '+' | '=' | '|' | '/' | ':' => place == 0,
            '.' | ')' => digits > 0 && place == digits,
            _ => false,
        };
        if has_meaning {
            escaped.push('\\');
        }
        escaped.push(if one.is_control() { ' ' } else { one });
        before = one;
    }
    escaped
}

#[cfg(test)]
mod tests;
