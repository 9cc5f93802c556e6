//! What a record touches: an operation, a parameter, a field or a value, and what becomes of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::Endpoint;

/// One thing that a record touches.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Where it is.
    pub site: Site,
    /// What becomes of it.
    pub effect: Effect,
}

/// Where a record touches something.
#[derive(Debug, Clone, PartialEq)]
pub enum Site {
    /// A whole operation.
    Operation(Endpoint),
    /// A parameter of an operation, in its path, query or body.
    Parameter {
        /// The operation.
        endpoint: Endpoint,
        /// The name of the parameter.
        name: String,
        /// The one value of it that is meant; `None` for all.
        value: Option<Value>,
    },
    /// A field of what an operation answers.
    Field {
        /// The operation.
        endpoint: Endpoint,
        /// The names that lead to the field, from the outside. Arrays are passed through: `assets`, `links`, `external` is
        /// the field of every link.
        path: Vec<String>,
        /// The one value of it that is meant; `None` for all.
        value: Option<Value>,
    },
    /// A field, an argument or a value of a GraphQL type, such as `Note.confidential`.
    Graphql(String),
    /// Pages whose addresses have one of these names right after the path of a project, without `/-/` before it.
    Pages(Vec<String>),
    /// Something that a server does, by a name that the server knows.
    Behaviour(String),
}

/// What becomes of what is touched, once a record counts: from its removal on, or for what is introduced before that.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Effect {
    /// It is not there: an operation is answered with 404, a parameter is ignored, a field is absent, a value is refused.
    Gone,
    /// The value stands for another one as long as the record does not count; then it is taken as it is sent.
    StandsFor(Value),
    /// The parameter sets all of these that are not given themselves, as long as the record does not count.
    Sets(Vec<String>),
    /// A text may have at most so many characters.
    AtMost(usize),
    /// A text must have at least so many characters.
    AtLeast(usize),
    /// The parameter needs another one with a certain value.
    Needs(Pairing),
    /// The field is empty: an array without elements.
    Empty,
}

/// Which other parameters must be given beside one, and with which values.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// The parameters and their values, all of which are needed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, String>,
    /// Parameters of which one is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// What the refusal says.
    pub message: String,
}

impl Pairing {
    /// Whether parameters have what it needs; `parameter` gives the value of one.
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

/// Whether what was sent for a parameter is a value that a record names. Queries and forms have texts only, and an empty one
/// there stands for `null`.
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
    /// The operation that it belongs to, if it belongs to one.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Self::Operation(endpoint)
            | Self::Parameter { endpoint, .. }
            | Self::Field { endpoint, .. } => Some(endpoint),
            Self::Graphql(_) | Self::Pages(_) | Self::Behaviour(_) => None,
        }
    }
}
