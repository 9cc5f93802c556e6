//! Event data besides the stack traces.

use api_conventions::time::Timestamp;
use error_tracking::event::{Breadcrumb, EventUser, Report, Request};
use serde_json::{Map, Value};

use crate::frame::page::format::DisplayTime;
use crate::frame::page::pill::Pill;

/// Maximum length of a value on the page, in characters.
/// The API returns the whole value.
const MAX_VALUE_LENGTH: usize = 600;
/// Maximum number of breadcrumbs on the page: the latest ones.
const MAX_BREADCRUMBS: usize = 50;
/// Maximum number of fields per section.
const MAX_FIELDS: usize = 60;

/// A name and a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventField {
    pub(super) name: String,
    pub(super) value: String,
}

/// Fields under a heading.
pub(super) struct EventSection {
    pub(super) title: String,
    pub(super) fields: Vec<EventField>,
}

/// A breadcrumb on the page.
pub(super) struct BreadcrumbRow {
    pub(super) time: String,
    pub(super) level: Option<Pill>,
    pub(super) category: String,
    pub(super) message: String,
}

/// Truncates a long text, and marks the cut with an ellipsis.
pub(super) fn clamped(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut cut: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        cut.push('…');
    }
    cut
}

/// Formats a value: strings as they are, others as JSON.
fn format_value(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    clamped(&text, MAX_VALUE_LENGTH)
}

fn field(name: &str, value: &str) -> EventField {
    EventField {
        name: clamped(name, 200),
        value: clamped(value, MAX_VALUE_LENGTH),
    }
}

/// Fields of an object.
pub(super) fn fields(object: &Map<String, Value>) -> Vec<EventField> {
    let all = object.iter().take(MAX_FIELDS);
    all.map(|(name, value)| field(name, &format_value(value)))
        .collect()
}

fn pairs(pairs: &[(String, String)]) -> Vec<EventField> {
    let all = pairs.iter().take(MAX_FIELDS);
    all.map(|(name, value)| field(name, value)).collect()
}

/// The latest breadcrumbs, oldest first.
pub(super) fn breadcrumbs(report: &Report) -> Vec<BreadcrumbRow> {
    let all = &report.breadcrumbs;
    let shown = all.iter().skip(all.len().saturating_sub(MAX_BREADCRUMBS));
    shown.map(breadcrumb_row).collect()
}

fn breadcrumb_row(crumb: &Breadcrumb) -> BreadcrumbRow {
    let at = crumb.at.and_then(Timestamp::from_micros);
    let time = at.map(|at| at.to_chrono().format("%H:%M:%S").to_string());
    let data = match &crumb.data {
        Value::Null => String::new(),
        Value::Object(object) if object.is_empty() => String::new(),
        data => format_value(data),
    };
    let message = crumb.message.clone().unwrap_or_default();
    let parts = [message, data];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    BreadcrumbRow {
        time: time.unwrap_or_default(),
        level: crumb.level.map(Into::into),
        category: crumb
            .category
            .clone()
            .or_else(|| crumb.kind.clone())
            .unwrap_or_default(),
        message: clamped(&parts.join(" "), MAX_VALUE_LENGTH),
    }
}

/// Non-empty sections of an event, in the order in which readers look for them.
pub(super) fn sections(report: &Report) -> Vec<EventSection> {
    let mut all = Vec::new();
    let mut add = |title: &str, fields: Vec<EventField>| {
        if !fields.is_empty() {
            all.push(EventSection {
                title: title.to_owned(),
                fields,
            });
        }
    };
    if let Some(request) = &report.request {
        add("Request", of_request(request));
        add("Request headers", pairs(&request.headers));
        add("Request cookies", pairs(&request.cookies));
    }
    add(
        "User",
        report.user.as_ref().map(of_user).unwrap_or_default(),
    );
    for (name, context) in &report.contexts {
        if let Value::Object(object) = context {
            let shown = object.iter().filter(|(name, _)| *name != "type");
            let shown = shown.map(|(name, value)| (name.clone(), value.clone()));
            add(
                &format!("Context: {}", clamped(name, 100)),
                fields(&shown.collect()),
            );
        }
    }
    add("Additional data", fields(&report.extra));
    add("Program", of_program(report));
    if let Some(policy) = &report.policy_report {
        add("Policy", policy.as_object().map(fields).unwrap_or_default());
    }
    all
}

fn of_request(request: &Request) -> Vec<EventField> {
    let method = request.method.as_deref().unwrap_or_default();
    let url = request.url.as_deref().unwrap_or_default();
    let mut all = Vec::new();
    let line = format!("{method} {url}").trim().to_owned();
    if !line.is_empty() {
        all.push(field("Request line", &line));
    }
    all.extend(pairs(&request.query).into_iter().map(|one| EventField {
        name: format!("?{}", one.name),
        ..one
    }));
    if !request.data.is_null() {
        all.push(field("Body", &format_value(&request.data)));
    }
    all.extend(fields(&request.env));
    all
}

fn of_user(user: &EventUser) -> Vec<EventField> {
    let named = [
        ("ID", &user.id),
        ("Username", &user.username),
        ("Email", &user.email),
        ("Name", &user.name),
        ("IP address", &user.ip_address),
    ];
    let named = named.into_iter();
    let mut all: Vec<EventField> = named
        .filter_map(|(name, value)| Some(field(name, value.as_deref()?)))
        .collect();
    all.extend(fields(&user.data));
    all
}

fn of_program(report: &Report) -> Vec<EventField> {
    let sdk = report.sdk.as_ref().map(|sdk| {
        let version = sdk.version.as_deref().unwrap_or_default();
        format!("{} {version}", sdk.name)
    });
    let named = [
        ("Server", report.server_name.clone()),
        ("Logger", report.logger.clone()),
        ("Transaction", report.transaction.clone()),
        ("Distribution", report.dist.clone()),
        ("SDK", sdk),
    ];
    let named = named.into_iter();
    named
        .filter_map(|(name, value)| Some(field(name, &value?)))
        .collect()
}

/// Notes about values that were filtered or could not be stored as sent.
pub(super) fn notes(report: &Report) -> Vec<EventField> {
    let notes = report.notes.iter().take(MAX_FIELDS);
    notes.map(|note| field(&note.field, &note.text)).collect()
}

/// Time of an event, to the second.
pub(super) fn moment(at: Timestamp, now: Timestamp) -> DisplayTime {
    let exact = at.to_chrono().format("%-d %b %Y, %H:%M:%S UTC").to_string();
    DisplayTime {
        short: exact,
        ..DisplayTime::at(at, now)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut_with_a_sign() {
        assert_eq!(clamped("abc", 3), "abc");
        assert_eq!(clamped("abcd", 3), "abc…");
        assert_eq!(format_value(&json!({"a": [1, null]})), r#"{"a":[1,null]}"#);
    }

    #[test]
    fn sections_without_data_are_omitted() {
        let mut report = Report::default();
        assert!(sections(&report).is_empty());
        report.contexts = json!({"runtime": {"name": "CPython", "type": "runtime"}, "odd": 1})
            .as_object()
            .cloned()
            .unwrap();
        report.request = Some(Request {
            url: Some("https://shop.example/".to_owned()),
            query: vec![("a".to_owned(), "1".to_owned())],
            ..Request::default()
        });
        let found = sections(&report);
        let titles: Vec<&str> = found.iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles, ["Request", "Context: runtime"]);
        assert_eq!(found[0].fields[1].name, "?a");
        assert_eq!(found[1].fields.len(), 1);
    }

    #[test]
    fn the_latest_breadcrumbs_are_shown() {
        let crumb = |number: usize| Breadcrumb {
            message: Some(format!("step {number}")),
            at: Some(1_000_000),
            ..Breadcrumb::default()
        };
        let report = Report {
            breadcrumbs: (0..60).map(crumb).collect(),
            ..Report::default()
        };
        let shown = breadcrumbs(&report);
        assert_eq!(
            (shown.len(), shown[0].message.as_str()),
            (MAX_BREADCRUMBS, "step 10")
        );
        assert_eq!(shown[0].time, "00:00:01");
    }
}
