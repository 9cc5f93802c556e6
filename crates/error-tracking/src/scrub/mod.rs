//! Taking secrets out of events before anything is stored: by the names of fields, and by what values look like. What is taken out
//! is shown as filtered, with the rule that did it.

mod names;
mod values;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::{Note, Report};
use crate::protocol::feedback::Comment;

pub use names::Rule;

/// What stands in place of what was taken out.
pub const FILTERED: &str = "[Filtered]";

/// Notes on what was filtered that are kept of one event. What is beyond them is filtered without one.
const MOST_NOTES: usize = 100;

/// What a project wants filtered. All of it is on unless somebody says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScrubSettings {
    /// Whether the rules that everybody has apply.
    pub has_defaults: bool,
    /// Whether the addresses of users are taken out, too.
    pub hides_addresses: bool,
    /// Names of further fields whose values are secret.
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

/// Takes the secrets out of a report. What an exception says, the message and the names of functions stay as they are: people
/// read the error by them.
pub fn scrub(report: &mut Report, settings: &ScrubSettings) {
    let mut pass = Pass {
        settings,
        notes: Vec::new(),
    };
    pass.objects(report);
    if let Some(request) = &mut report.request {
        pass.pairs(&Place::top("request.headers"), &mut request.headers);
        pass.pairs(&Place::top("request.query_string"), &mut request.query);
        if settings.has_defaults {
            for (name, value) in &mut request.cookies {
                pass.filter(&REQUEST_COOKIES.with(name), value, &Rule::Cookie);
            }
        } else {
            pass.pairs(&REQUEST_COOKIES, &mut request.cookies);
        }
        if let Some(url) = &mut request.url {
            pass.text(&Place::top("request.url"), url);
        }
        pass.body(&mut request.data);
        pass.object(&Place::top("request.env"), &mut request.env);
    }
    pass.pairs(&Place::top("tags"), &mut report.tags);
    if let Some(user) = &mut report.user {
        pass.object(&Place::top("user"), &mut user.data);
        if settings.hides_addresses && user.ip_address.take().is_some() {
            pass.note(&Place::top("user.ip_address"), &Rule::Address);
        }
    }
    let notes = pass.notes;
    report.notes.extend(notes);
}

/// Takes the secrets out of what a user wrote. The name and the address of mail stay: they are given to be answered.
pub fn scrub_comment(comment: &mut Comment, settings: &ScrubSettings) {
    let mut pass = Pass {
        settings,
        notes: Vec::new(),
    };
    pass.text(&Place::top("feedback.message"), &mut comment.text);
    if let Some(url) = &mut comment.url {
        pass.text(&Place::top("feedback.url"), url);
    }
}

const REQUEST_COOKIES: Place<'static> = Place::top("request.cookies");

/// Where in a report something is. It becomes a text only for a note.
#[derive(Clone, Copy)]
struct Place<'p> {
    within: Option<&'p Place<'p>>,
    name: &'p str,
}

impl<'p> Place<'p> {
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

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(within) = self.within {
            write!(formatter, "{within}.")?;
        }
        formatter.write_str(self.name)
    }
}

/// One pass over a report.
struct Pass<'s> {
    settings: &'s ScrubSettings,
    notes: Vec<Note>,
}

impl Pass<'_> {
    fn objects(&mut self, report: &mut Report) {
        self.object(&Place::top("extra"), &mut report.extra);
        self.object(&Place::top("contexts"), &mut report.contexts);
        if let Some(message) = &mut report.message {
            self.value(&Place::top("logentry.params"), &mut message.params);
        }
        let of_exceptions = report.exceptions.iter_mut().filter_map(|exception| {
            if let Some(mechanism) = &mut exception.mechanism {
                // What signals and error numbers say holds no secrets, but a program may put anything there.
                self.value(&Place::top("mechanism.data"), &mut mechanism.data);
            }
            exception.stacktrace.as_mut()
        });
        let of_exceptions: Vec<_> = of_exceptions.collect();
        let of_threads = report.threads.iter_mut();
        let of_threads = of_threads.filter_map(|thread| thread.stacktrace.as_mut());
        for trace in of_exceptions.into_iter().chain(of_threads) {
            for frame in &mut trace.frames {
                self.object(&Place::top("vars"), &mut frame.vars);
            }
        }
        for breadcrumb in &mut report.breadcrumbs {
            self.value(&Place::top("breadcrumbs.data"), &mut breadcrumb.data);
            if let Some(message) = &mut breadcrumb.message {
                self.text(&Place::top("breadcrumbs.message"), message);
            }
        }
    }

    fn note(&mut self, field: &Place<'_>, rule: &Rule) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(Note {
                field: crate::event::cut(&field.to_string(), 200),
                text: format!("is filtered: {rule}"),
            });
        }
    }

    fn filter(&mut self, field: &Place<'_>, value: &mut String, rule: &Rule) {
        if value != FILTERED && !value.is_empty() {
            FILTERED.clone_into(value);
            self.note(field, rule);
        }
    }

    /// A text without what looks like a secret in it.
    fn text(&mut self, field: &Place<'_>, text: &mut String) {
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

    fn pairs(&mut self, field: &Place<'_>, pairs: &mut [(String, String)]) {
        for (name, value) in pairs {
            let field = field.with(name);
            match names::rule_of(name, self.settings) {
                Some(rule) => self.filter(&field, value, &rule),
                None => self.text(&field, value),
            }
        }
    }

    fn object(&mut self, field: &Place<'_>, object: &mut Map<String, Value>) {
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

    fn value(&mut self, field: &Place<'_>, value: &mut Value) {
        match value {
            Value::Object(object) => self.object(field, object),
            Value::Array(items) => {
                // A pair whose first part is a name: headers and parameters are written so.
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

    /// The body of a request, which may be a text of JSON or of a form.
    fn body(&mut self, data: &mut Value) {
        if let Value::String(text) = data
            && text.trim_start().starts_with(['{', '['])
            && let Ok(inner) = serde_json::from_str(text)
        {
            *data = inner;
        }
        self.value(&Place::top("request.data"), data);
    }
}

#[cfg(test)]
mod tests;
