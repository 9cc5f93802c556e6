//! Adaptation of responses.

use serde_json::Value;

use super::{Adaptation, FieldStep, Note};
use crate::model::Edition;

impl Adaptation {
    /// True if the response at an edition differs from that of the handler. If not, the response need not be a tree.
    pub fn changes_responses(&self, at: Edition) -> bool {
        self.fields.iter().any(|(note, _)| note.counts(at))
    }

    /// Converts a response of the handler to that of an edition.
    pub fn adapt_response(&self, at: Edition, body: &mut Value) {
        for (note, step) in &self.fields {
            if note.counts(at) {
                step.take_effect(&step.path, body);
            }
        }
    }

    /// Records of the response fields that are deprecated at an edition.
    pub fn deprecated_fields(&self, at: Edition) -> impl Iterator<Item = &Note> {
        let fields = self.fields.iter().map(|(note, _)| note);
        fields.filter(move |note| note.is_deprecated(at))
    }
}

impl FieldStep {
    fn take_effect(&self, path: &[String], body: &mut Value) {
        match (path, body) {
            (_, Value::Array(items)) => {
                for item in items {
                    self.take_effect(path, item);
                }
            }
            ([name], Value::Object(fields)) => {
                let found = fields.get_mut(name);
                let is_meant =
                    |found: &&mut Value| self.value.as_ref().is_none_or(|value| **found == *value);
                let Some(found) = found.filter(is_meant) else {
                    return;
                };
                if self.is_emptied {
                    *found = Value::Array(Vec::new());
                } else {
                    fields.remove(name);
                }
            }
            ([name, inner @ ..], Value::Object(fields)) => {
                if let Some(found) = fields.get_mut(name) {
                    self.take_effect(inner, found);
                }
            }
            _ => {}
        }
    }
}
