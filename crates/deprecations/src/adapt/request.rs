//! Adaptation of requests.

use serde_json::{Map, Value};

use super::{Adaptation, Note, ParameterStep};
use crate::model::{Edition, Effect, is_sent_as};

/// Refusal of a request by an edition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditionRefusal {
    /// Id of the record that requires the refusal.
    pub record: String,
    /// Reason for the refusal.
    pub reason: EditionRefusalReason,
}

/// Reason why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditionRefusalReason {
    /// An attribute failed validation.
    #[error("{name} {problem}")]
    Attribute {
        /// The attribute.
        name: String,
        /// Description of the problem, to follow the name.
        problem: String,
    },
    /// The value of a parameter is unknown at the edition.
    #[error("{0} does not have a valid value")]
    Value(String),
    /// The request as a whole is invalid.
    #[error("{0}")]
    Request(String),
}

/// Deprecated features that a request uses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeprecatedFeatures<'a> {
    /// Their records, without duplicates.
    pub notes: Vec<&'a Note>,
}

impl<'a> DeprecatedFeatures<'a> {
    fn add(&mut self, note: &'a Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl Adaptation {
    /// Converts a request from a client of an edition into one for the handler, and returns the deprecated features it
    /// uses.
    ///
    /// # Errors
    /// The first problem for which the edition refuses the request.
    pub fn adapt_request(
        &self,
        at: Edition,
        parameters: &mut Map<String, Value>,
    ) -> Result<DeprecatedFeatures<'_>, EditionRefusal> {
        let mut seen = DeprecatedFeatures::default();
        for note in &self.operation {
            if note.is_deprecated(at) {
                seen.add(note);
            }
        }
        for (note, step) in &self.parameters {
            if !step.is_given(parameters) {
                continue;
            }
            let counts = note.counts(at);
            let problem = step.take_effect(counts, parameters);
            match problem {
                Some(reason) if counts => {
                    let record = note.id.clone();
                    return Err(EditionRefusal { record, reason });
                }
                Some(_) if note.is_deprecated(at) => seen.add(note),
                None if note.is_deprecated(at) && !step.is_rule() => seen.add(note),
                _ => {}
            }
        }
        Ok(seen)
    }
}

impl ParameterStep {
    fn is_given(&self, parameters: &Map<String, Value>) -> bool {
        match (parameters.get(&self.name), &self.value) {
            (None, _) => false,
            (Some(found), Some(value)) => is_sent_as(found, value),
            (Some(found), None) => !found.is_null(),
        }
    }

    /// True for a rule that most values satisfy, so that sending the parameter is no reason for a warning.
    fn is_rule(&self) -> bool {
        matches!(
            self.effect,
            Effect::AtMost(_) | Effect::AtLeast(_) | Effect::Needs(_)
        )
    }

    /// Applies the effect to the parameters. Returns the problem if they violate the record and it counts.
    fn take_effect(
        &self,
        counts: bool,
        parameters: &mut Map<String, Value>,
    ) -> Option<EditionRefusalReason> {
        match &self.effect {
            Effect::Gone if counts && self.value.is_none() => {
                parameters.remove(&self.name);
                None
            }
            Effect::Gone if counts => Some(EditionRefusalReason::Value(self.name.clone())),
            Effect::StandsFor(value) if !counts => {
                parameters.insert(self.name.clone(), value.clone());
                None
            }
            Effect::Sets(names) => {
                let value = parameters.remove(&self.name).filter(|_| !counts)?;
                for name in names {
                    parameters
                        .entry(name.clone())
                        .or_insert_with(|| value.clone());
                }
                None
            }
            Effect::AtMost(most) => {
                let is_over = self.longest(parameters) > *most;
                is_over
                    .then(|| self.attribute(format!("is too long (maximum is {most} characters)")))
            }
            Effect::AtLeast(least) => {
                let length = self.longest(parameters);
                let is_under = length > 0 && length < *least;
                is_under.then(|| {
                    self.attribute(format!("is too short (minimum is {least} characters)"))
                })
            }
            Effect::Needs(pairing) => {
                let is_met = pairing.is_met(|name| parameters.get(name));
                (!is_met).then(|| EditionRefusalReason::Request(pairing.message.clone()))
            }
            Effect::Gone | Effect::StandsFor(_) | Effect::Empty => None,
        }
    }

    /// Length of the parameter's text, in characters.
    fn longest(&self, parameters: &Map<String, Value>) -> usize {
        let text = parameters.get(&self.name).and_then(Value::as_str);
        text.map_or(0, |text| text.chars().count())
    }

    fn attribute(&self, problem: String) -> EditionRefusalReason {
        EditionRefusalReason::Attribute {
            name: self.name.clone(),
            problem,
        }
    }
}
