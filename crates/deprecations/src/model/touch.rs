//! Touches of a record: an operation, parameter, field or value, with the effect on it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::Endpoint;

/// A site that a record touches, with the effect on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// The affected site.
    pub site: Site,
    /// Effect on the site.
    pub effect: Effect,
}

/// A site that a record touches.
#[derive(Debug, Clone, PartialEq)]
pub enum Site {
    /// A whole operation.
    Operation(Endpoint),
    /// A parameter of an operation, in its path, query or body.
    Parameter {
        /// Operation with the parameter.
        endpoint: Endpoint,
        /// Name of the parameter.
        name: String,
        /// The only affected value; `None` for all.
        value: Option<Value>,
    },
    /// A response field of an operation.
    Field {
        /// Operation with the field.
        endpoint: Endpoint,
        /// Names that lead to the field, from the outside in.
        /// Arrays are passed through: `assets`, `links`, `external` is the field of every link.
        path: Vec<String>,
        /// The only affected value; `None` for all.
        value: Option<Value>,
    },
    /// A field, an argument or a value of a GraphQL type, such as `Note.confidential`.
    Graphql(String),
    /// Pages with one of these names right after the path of a project in their address, without `/-/` before it.
    Pages(Vec<String>),
    /// A behaviour of the server, by a name that the server knows.
    Behaviour(String),
}

/// Effect on a site while a record counts: from the removal on, or before an introduction.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Effect {
    /// The site does not exist: an operation returns 404, a parameter is ignored, a field is absent, a value is
    /// refused.
    Gone,
    /// The value is replaced by another one while the record does not count; after that it is accepted as sent.
    StandsFor(Value),
    /// The parameter sets all of these that are not given themselves, while the record does not count.
    Sets(Vec<String>),
    /// The text may have at most this many characters.
    AtMost(usize),
    /// The text must have at least this many characters.
    AtLeast(usize),
    /// The parameter requires another one with a certain value.
    Needs(Pairing),
    /// The field is empty: an array without elements.
    Empty,
}

/// Other parameters that must be given with one, and their values.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// Required parameters and their values, all of which must be given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, String>,
    /// Parameters of which at least one must be given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// Message of the refusal.
    pub message: String,
}

impl Pairing {
    /// True if the parameters meet the requirements; `parameter` returns the value of one.
    pub fn is_met<'v>(&self, parameter: impl Fn(&str) -> Option<&'v Value>) -> bool {
        let is_given = |name: &String| {
            let found = parameter(name);
            found.is_some_and(|value| !value.is_null() && *value != "")
        };
        let has = |(name, value): (&String, &String)| {
            let found = parameter(name).and_then(Value::as_str);
            found == Some(value.as_str())
        };
        self.with.iter().all(has) && (self.one_of.is_empty() || self.one_of.iter().any(is_given))
    }
}

/// True if a sent parameter has the value that a record names.
/// Queries and forms contain only text, and an empty text there means `null`.
pub fn is_sent_as(sent: &Value, value: &Value) -> bool {
    match (sent, value) {
        (Value::String(text), Value::Null) => text.is_empty(),
        (Value::String(text), Value::Bool(flag)) => text.parse() == Ok(*flag),
        (Value::String(text), Value::Number(number)) => text
            .parse()
            .is_ok_and(|sent: serde_json::Number| sent == *number),
        _ => sent == value,
    }
}

impl Site {
    /// The operation that the site belongs to, if there is one.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Self::Operation(endpoint)
            | Self::Parameter { endpoint, .. }
            | Self::Field { endpoint, .. } => Some(endpoint),
            Self::Graphql(_) | Self::Pages(_) | Self::Behaviour(_) => None,
        }
    }
}
