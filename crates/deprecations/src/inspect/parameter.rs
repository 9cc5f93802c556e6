//! Check of sent parameters and response fields against the records.

use api_conventions::params::Params;
use api_conventions::reference::decode_segment;
use serde_json::Value;

use crate::model::{Effect, Endpoint, Pairing, is_sent_as};

use super::report::Certainty;

/// The parameters of a call.
pub(super) struct SentParameters<'c> {
    /// Parameters in the query and the body.
    pub(super) parameters: &'c Params,
    /// Value in the path.
    pub(super) in_path: Option<Value>,
    /// True if these are all parameters of the call.
    pub(super) is_all: bool,
}

impl SentParameters<'_> {
    /// Certainty and description of a use of a parameter that a record touches; `None` if it is not used.
    pub(super) fn outcome(
        &self,
        name: &str,
        value: Option<&Value>,
        effect: &Effect,
    ) -> Option<(Certainty, String)> {
        let mut found = values(self.parameters, name);
        found.extend(&self.in_path);
        let is_given = found.iter().any(|found| is_meant(found, value));
        let shown = shown("the parameter", name, value);
        let certain = |detail: String| Some((Certainty::Certain, detail));
        match effect {
            Effect::AtMost(most) => {
                let is_over = found.iter().any(|found| length(found) > *most);
                certain(format!("{shown}, longer than {most} characters")).filter(|_| is_over)
            }
            Effect::AtLeast(least) => {
                let is_under = |found: &&Value| (1..*least).contains(&length(found));
                let detail = format!("{shown}, shorter than {least} characters");
                certain(detail).filter(|_| found.iter().any(is_under))
            }
            Effect::Needs(pairing)
                if is_given && !pairing.is_met(|name| self.parameters.get(name)) =>
            {
                // The body, which the file does not show, may contain the required parameter.
                let certainty = if self.is_all {
                    Certainty::Certain
                } else {
                    Certainty::CannotTell
                };
                Some((certainty, format!("{shown} without {}", needs(pairing))))
            }
            Effect::Needs(_) => None,
            _ if is_given => certain(shown),
            _ if !self.is_all && found.is_empty() => Some((
                Certainty::CannotTell,
                format!("{shown}, which the file might not show"),
            )),
            _ => None,
        }
    }
}

/// Formats a name, with the value that the record is about, if there is one.
pub(super) fn shown(what: &str, name: &str, value: Option<&Value>) -> String {
    match value {
        None => format!("{what} `{name}`"),
        Some(Value::String(value)) => format!("{what} `{name}` with the value `{value}`"),
        Some(value) => format!("{what} `{name}` with the value `{value}`"),
    }
}

/// Formats the requirements of a pairing.
pub(super) fn needs(pairing: &Pairing) -> String {
    let with = pairing
        .with
        .iter()
        .map(|(name, value)| format!("`{name}={value}`"));
    let mut parts: Vec<String> = with.collect();
    let choices: Vec<String> = pairing
        .one_of
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    if !choices.is_empty() {
        parts.push(choices.join(" or "));
    }
    parts.join(" and ")
}

/// Splits the name of a parameter into steps: `assets.links.filepath` and `assets[links][][filepath]` are the same.
pub(super) fn steps(name: &str) -> Vec<&str> {
    let steps = name.split(['.', '[', ']']);
    steps.filter(|step| !step.is_empty()).collect()
}

/// Returns all values of a parameter: each element of an array, or the array itself if it is empty.
fn values<'p>(parameters: &'p Params, name: &str) -> Vec<&'p Value> {
    let mut found = Vec::new();
    if let Some(value) = parameters.get(name) {
        walk::<&str>(value, &[], &mut found);
    } else if let [first, inner @ ..] = steps(name).as_slice()
        && let Some(value) = parameters.get(first)
    {
        walk(value, inner, &mut found);
    }
    found
}

/// Collects the values at a path of names, passing through arrays. Parsers bound how deeply these are nested.
fn walk<'v, S: AsRef<str>>(value: &'v Value, path: &[S], found: &mut Vec<&'v Value>) {
    match (path, value) {
        (_, Value::Array(items)) if !items.is_empty() => {
            for item in items {
                walk(item, path, found);
            }
        }
        ([], value) => found.push(value),
        ([name, inner @ ..], Value::Object(fields)) => {
            if let Some(value) = fields.get(name.as_ref()) {
                walk(value, inner, found);
            }
        }
        _ => {}
    }
}

/// True if a response has the field, with the value that the record is about.
pub(super) fn has_field(
    answer: &Value,
    path: &[String],
    value: Option<&Value>,
    effect: &Effect,
) -> bool {
    let mut found = Vec::new();
    walk(answer, path, &mut found);
    let is_emptied = *effect == Effect::Empty;
    let is_empty = |found: &Value| found.as_array().is_some_and(Vec::is_empty);
    found.into_iter().any(|found| match value {
        Some(value) => found == value,
        None => !(is_emptied && is_empty(found)),
    })
}

fn is_meant(found: &Value, value: Option<&Value>) -> bool {
    match value {
        None => !found.is_null(),
        Some(value) => is_sent_as(found, value),
    }
}

/// Length of a text, in characters.
fn length(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

/// Returns the value of a path parameter of an operation.
pub(super) fn in_path(endpoint: &Endpoint, path: &str, name: &str) -> Option<Value> {
    let mut pairs = endpoint.path().split('/').zip(path.split('/'));
    let (_, sent) = pairs.find(|(own, _)| own.strip_prefix(':') == Some(name))?;
    decode_segment(sent).map(Value::String)
}
