//! What an operation takes and answers as an edition.
//!
//! [`Adaptation::of`] gathers once what records say of one operation. A request is adapted before its handler sees it and an
//! answer before it is written; both are trees of JSON.

mod answer;
mod request;

use crate::model::{Edition, Effect, Enforcement, Life, Record, Site, Status, Touch};
use crate::schedule::Schedule;

pub use self::request::{Reason, Refusal, Seen};

/// What records say of one operation.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {
    operation: Vec<Note>,
    parameters: Vec<(Note, ParameterStep)>,
    fields: Vec<(Note, FieldStep)>,
}

/// A record, as far as requests need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its name.
    pub id: String,
    /// From when to when.
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

    /// Whether the effect of the record counts at an edition.
    pub fn counts(&self, at: Edition) -> bool {
        matches!(self.life.status(at), Status::Removed | Status::Absent)
    }

    /// Whether it is there and will go.
    pub fn is_deprecated(&self, at: Edition) -> bool {
        self.life.status(at) == Status::Deprecated
    }
}

impl Adaptation {
    /// What the enforced records of a schedule say of the operation with this method and path; `None` where they say nothing.
    pub fn of(schedule: &Schedule, method: &str, path: &str) -> Option<Self> {
        let mut found = Self::default();
        for record in schedule.records() {
            if record.enforcement != Enforcement::Enforced {
                continue;
            }
            for touch in &record.touches {
                let endpoint = touch.site.endpoint();
                if endpoint.is_some_and(|endpoint| endpoint.is(method, path)) {
                    found.add(record, touch);
                }
            }
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

    /// Whether the operation is there at an edition.
    pub fn is_alive(&self, at: Edition) -> bool {
        !self.operation.iter().any(|note| note.counts(at))
    }

    /// The records of the whole operation.
    pub fn of_operation(&self) -> impl Iterator<Item = &Note> {
        self.operation.iter()
    }

    /// The records of parameters that go or come as a whole, each with the name of its parameter. Rules about a parameter, and
    /// single values of it, are not among them.
    pub fn of_parameters(&self) -> impl Iterator<Item = (&Note, &str)> {
        let whole = self.parameters.iter().filter(|(_, step)| {
            let is_whole = matches!(step.effect, Effect::Gone | Effect::Sets(_));
            is_whole && step.value.is_none()
        });
        whole.map(|(note, step)| (note, step.name.as_str()))
    }

    /// The parameters whose texts are bounded by records.
    pub fn names_with_bounds(&self) -> impl Iterator<Item = &str> {
        let bounded = self
            .parameters
            .iter()
            .filter(|(_, step)| matches!(step.effect, Effect::AtLeast(_) | Effect::AtMost(_)));
        bounded.map(|(_, step)| step.name.as_str())
    }

    /// The bounds of a parameter's text at an edition, in characters: the least and the most, where records set any.
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

    /// The records of fields, each with the way to its field.
    pub fn of_fields(&self) -> impl Iterator<Item = (&Note, &[String])> {
        let fields = self.fields.iter();
        fields.map(|(note, step)| (note, step.path.as_slice()))
    }
}
