//! Adaptation of an operation's requests and responses to an edition.
//!
//! [`Adaptation::of`] collects the records about one operation once. A request is adapted before its handler sees it,
//! and a response before it is written; both are trees of JSON.

mod request;
mod response;

use crate::model::{Edition, Effect, Life, Record, RecordStatus, Site, Touch};
use crate::schedule::Schedule;

pub use self::request::{DeprecatedFeatures, EditionRefusal, EditionRefusalReason};

/// The records about one operation.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {
    operation: Vec<Note>,
    parameters: Vec<(Note, ParameterStep)>,
    fields: Vec<(Note, FieldStep)>,
}

/// The part of a record that requests need.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Id of the record.
    pub id: String,
    /// Lifetime of its subject.
    pub life: Life,
}

#[derive(Debug, Clone)]
struct ParameterStep {
    name: String,
    value: Option<serde_json::Value>,
    effect: Effect,
}

#[derive(Debug, Clone)]
struct FieldStep {
    path: Vec<String>,
    value: Option<serde_json::Value>,
    is_emptied: bool,
}

impl Note {
    fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            life: record.life,
        }
    }

    /// True if the effect of the record applies at an edition.
    pub fn counts(&self, at: Edition) -> bool {
        matches!(
            self.life.status(at),
            RecordStatus::Removed | RecordStatus::Absent
        )
    }

    /// True if its subject is deprecated at an edition, but not removed yet.
    pub fn is_deprecated(&self, at: Edition) -> bool {
        self.life.status(at) == RecordStatus::Deprecated
    }
}

impl Adaptation {
    /// Collects the enforced records of a schedule about the operation with this method and path; `None` if there are
    /// none.
    pub fn of(schedule: &Schedule, method: &str, path: &str) -> Option<Self> {
        let mut found = Self::default();
        for (record, touch) in schedule.enforced_at(method, path) {
            found.add(record, touch);
        }
        let is_empty =
            found.operation.is_empty() && found.parameters.is_empty() && found.fields.is_empty();
        (!is_empty).then_some(found)
    }

    fn add(&mut self, record: &Record, touch: &Touch) {
        let note = Note::of(record);
        match &touch.site {
            Site::Operation(_) => self.operation.push(note),
            Site::Parameter { name, value, .. } => {
                let step = ParameterStep {
                    name: name.clone(),
                    value: value.clone(),
                    effect: touch.effect.clone(),
                };
                self.parameters.push((note, step));
            }
            Site::Field { path, value, .. } => {
                let step = FieldStep {
                    path: path.clone(),
                    value: value.clone(),
                    is_emptied: touch.effect == Effect::Empty,
                };
                self.fields.push((note, step));
            }
            Site::Graphql(_) | Site::Pages(_) | Site::Behaviour(_) => {}
        }
    }

    /// True if the operation exists at an edition.
    pub fn is_alive(&self, at: Edition) -> bool {
        !self.operation.iter().any(|note| note.counts(at))
    }

    /// Records about the whole operation.
    pub fn of_operation(&self) -> impl Iterator<Item = &Note> {
        self.operation.iter()
    }

    /// Records that remove or introduce a whole parameter, each with the name of its parameter.
    /// Rules about a parameter, and single values of it, are not included.
    pub fn of_parameters(&self) -> impl Iterator<Item = (&Note, &str)> {
        let whole = self.parameters.iter().filter(|(_, step)| {
            let is_whole = matches!(step.effect, Effect::Gone | Effect::Sets(_));
            is_whole && step.value.is_none()
        });
        whole.map(|(note, step)| (note, step.name.as_str()))
    }

    /// Names of the parameters whose text length is bounded by records.
    pub fn names_with_bounds(&self) -> impl Iterator<Item = &str> {
        let bounded = self
            .parameters
            .iter()
            .filter(|(_, step)| matches!(step.effect, Effect::AtLeast(_) | Effect::AtMost(_)));
        bounded.map(|(_, step)| step.name.as_str())
    }

    /// Minimum and maximum length of a parameter's text at an edition, in characters, if records set any.
    pub fn bounds(&self, at: Edition, name: &str) -> (Option<usize>, Option<usize>) {
        let mut bounds = (None, None);
        let of_it = self.parameters.iter().filter(|(_, step)| step.name == name);
        for (_, step) in of_it.filter(|(note, _)| note.counts(at)) {
            match step.effect {
                Effect::AtLeast(least) => bounds.0 = Some(least),
                Effect::AtMost(most) => bounds.1 = Some(most),
                _ => {}
            }
        }
        bounds
    }

    /// Records about fields, each with the path of its field.
    pub fn of_fields(&self) -> impl Iterator<Item = (&Note, &[String])> {
        let fields = self.fields.iter();
        fields.map(|(note, step)| (note, step.path.as_slice()))
    }
}
