//! Data scrubbing: removes secrets from events before anything is stored.
//! Field names, and the look of values, decide what is secret. A removed value is shown as filtered, with the rule that
//! removed it.

mod names;
mod values;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::{FieldNote, Report};
use crate::protocol::feedback::Comment;

pub use names::Rule;

/// Placeholder for a removed value.
pub const FILTERED: &str = "[Filtered]";

/// Notes on filtered values that are kept per event.
/// Values beyond them are filtered without a note.
const MAX_NOTES: usize = 100;

/// Scrubbing settings of a project.
/// The default rules apply unless they are turned off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScrubSettings {
    /// True if the default rules apply.
    pub has_defaults: bool,
    /// True if the IP addresses of users are removed, too.
    pub hides_addresses: bool,
    /// Names of further fields with secret values.
    pub sensitive: Vec<String>,
    /// Names of fields that are never filtered by their name.
    pub safe: Vec<String>,
}

impl Default for ScrubSettings {
    fn default() -> Self {
        Self {
            has_defaults: true,
            hides_addresses: false,
            sensitive: Vec::new(),
            safe: Vec::new(),
        }
    }
}

/// Removes the secrets from a report.
/// Exception values, the message and function names stay: people recognise the error by them.
pub fn scrub(report: &mut Report, settings: &ScrubSettings) {
    let mut pass = Scrubber {
        settings,
        notes: Vec::new(),
    };
    pass.objects(report);
    if let Some(request) = &mut report.request {
        pass.pairs(&FieldPath::top("request.headers"), &mut request.headers);
        pass.pairs(&FieldPath::top("request.query_string"), &mut request.query);
        if settings.has_defaults {
            for (name, value) in &mut request.cookies {
                pass.filter(&REQUEST_COOKIES.with(name), value, &Rule::Cookie);
            }
        } else {
            pass.pairs(&REQUEST_COOKIES, &mut request.cookies);
        }
        if let Some(url) = &mut request.url {
            pass.text(&FieldPath::top("request.url"), url);
        }
        pass.body(&mut request.data);
        pass.object(&FieldPath::top("request.env"), &mut request.env);
    }
    pass.pairs(&FieldPath::top("tags"), &mut report.tags);
    if let Some(user) = &mut report.user {
        pass.object(&FieldPath::top("user"), &mut user.data);
        if settings.hides_addresses && user.ip_address.take().is_some() {
            pass.note(&FieldPath::top("user.ip_address"), &Rule::Address);
        }
    }
    let notes = pass.notes;
    report.notes.extend(notes);
}

/// Removes the secrets from user feedback.
/// The name and the email address stay: users give them to get a reply.
pub fn scrub_comment(comment: &mut Comment, settings: &ScrubSettings) {
    let mut pass = Scrubber {
        settings,
        notes: Vec::new(),
    };
    pass.text(&FieldPath::top("feedback.message"), &mut comment.text);
    if let Some(url) = &mut comment.url {
        pass.text(&FieldPath::top("feedback.url"), url);
    }
}

const REQUEST_COOKIES: FieldPath<'static> = FieldPath::top("request.cookies");

/// Path to a value in a report.
/// It is formatted only for a note.
#[derive(Clone, Copy)]
struct FieldPath<'p> {
    within: Option<&'p FieldPath<'p>>,
    name: &'p str,
}

impl<'p> FieldPath<'p> {
    const fn top(name: &'p str) -> Self {
        Self { within: None, name }
    }

    const fn with(&'p self, name: &'p str) -> Self {
        Self {
            within: Some(self),
            name,
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(within) = self.within {
            write!(formatter, "{within}.")?;
        }
        formatter.write_str(self.name)
    }
}

/// Pass over a report.
struct Scrubber<'s> {
    settings: &'s ScrubSettings,
    notes: Vec<FieldNote>,
}

impl Scrubber<'_> {
    fn objects(&mut self, report: &mut Report) {
        self.object(&FieldPath::top("extra"), &mut report.extra);
        self.object(&FieldPath::top("contexts"), &mut report.contexts);
        if let Some(message) = &mut report.message {
            self.value(&FieldPath::top("logentry.params"), &mut message.params);
        }
        let of_exceptions = report.exceptions.iter_mut().filter_map(|exception| {
            if let Some(mechanism) = &mut exception.mechanism {
                // Signals and error numbers hold no secrets, but a program may put anything there.
                self.value(&FieldPath::top("mechanism.data"), &mut mechanism.data);
            }
            exception.stacktrace.as_mut()
        });
        let of_exceptions: Vec<_> = of_exceptions.collect();
        let of_threads = report.threads.iter_mut();
        let of_threads = of_threads.filter_map(|thread| thread.stacktrace.as_mut());
        for trace in of_exceptions.into_iter().chain(of_threads) {
            for frame in &mut trace.frames {
                self.object(&FieldPath::top("vars"), &mut frame.vars);
            }
        }
        for breadcrumb in &mut report.breadcrumbs {
            self.value(&FieldPath::top("breadcrumbs.data"), &mut breadcrumb.data);
            if let Some(message) = &mut breadcrumb.message {
                self.text(&FieldPath::top("breadcrumbs.message"), message);
            }
        }
    }

    fn note(&mut self, field: &FieldPath<'_>, rule: &Rule) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(FieldNote {
                field: crate::event::cut(&field.to_string(), 200),
                text: format!("was filtered: {rule}"),
            });
        }
    }

    fn filter(&mut self, field: &FieldPath<'_>, value: &mut String, rule: &Rule) {
        if value != FILTERED && !value.is_empty() {
            FILTERED.clone_into(value);
            self.note(field, rule);
        }
    }

    /// Removes what looks like a secret from a text.
    fn text(&mut self, field: &FieldPath<'_>, text: &mut String) {
        if !self.settings.has_defaults {
            return;
        }
        let settings = self.settings;
        let is_secret = |name: &str| names::rule_of(name, settings).is_some();
        if let Some((clean, rule)) = values::scrubbed(text, is_secret) {
            *text = clean;
            self.note(field, &rule);
        }
    }

    fn pairs(&mut self, field: &FieldPath<'_>, pairs: &mut [(String, String)]) {
        for (name, value) in pairs {
            let field = field.with(name);
            match names::rule_of(name, self.settings) {
                Some(rule) => self.filter(&field, value, &rule),
                None => self.text(&field, value),
            }
        }
    }

    fn object(&mut self, field: &FieldPath<'_>, object: &mut Map<String, Value>) {
        for (name, value) in object.iter_mut() {
            let field = field.with(name);
            match names::rule_of(name, self.settings) {
                Some(rule) if !matches!(value, Value::Null | Value::Bool(_)) => {
                    *value = Value::String(FILTERED.to_owned());
                    self.note(&field, &rule);
                }
                _ => self.value(&field, value),
            }
        }
    }

    fn value(&mut self, field: &FieldPath<'_>, value: &mut Value) {
        match value {
            Value::Object(object) => self.object(field, object),
            Value::Array(items) => {
                // The first part of a pair is a name: headers and parameters are written this way.
                if let [Value::String(name), Value::String(second)] = items.as_mut_slice()
                    && let Some(rule) = names::rule_of(name, self.settings)
                {
                    let field = field.with(name);
                    self.filter(&field, second, &rule);
                    return;
                }
                for item in items {
                    self.value(field, item);
                }
            }
            Value::String(text) => self.text(field, text),
            Value::Number(number) => {
                let mut text = number.to_string();
                if self.settings.has_defaults && values::is_card(&text) {
                    self.filter(field, &mut text, &Rule::Card);
                    *value = Value::String(text);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Scrubs the body of a request, which may be a text of JSON or of a form.
    fn body(&mut self, data: &mut Value) {
        if let Value::String(text) = data
            && text.trim_start().starts_with(['{', '['])
            && let Ok(inner) = serde_json::from_str(text)
        {
            *data = inner;
        }
        self.value(&FieldPath::top("request.data"), data);
    }
}

#[cfg(test)]
mod tests;
