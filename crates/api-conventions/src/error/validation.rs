//! Validation failures of records.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

/// Validation failures of a record, by attribute, in the nested format of the API (`API-12`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationFailures {
    attributes: BTreeMap<String, Vec<String>>,
    embedded: BTreeMap<String, ValidationFailures>,
}

impl ValidationFailures {
    /// Adds the failure `text` to `attribute`, such as `can't be blank`.
    pub fn add(&mut self, attribute: &str, text: impl Into<String>) {
        self.attributes
            .entry(attribute.to_owned())
            .or_default()
            .push(text.into());
    }

    /// Returns the failures of an embedded entity, to add to them.
    pub fn embedded(&mut self, entity: &str) -> &mut Self {
        self.embedded.entry(entity.to_owned()).or_default()
    }

    /// Adds all failures of another record.
    pub fn append(&mut self, others: Self) {
        for (name, texts) in others.attributes {
            self.attributes.entry(name).or_default().extend(texts);
        }
        for (entity, failures) in others.embedded {
            self.embedded(&entity).append(failures);
        }
    }

    /// Returns the failures of `attribute`, in the order they were added.
    pub fn of(&self, attribute: &str) -> &[String] {
        self.attributes.get(attribute).map_or(&[], Vec::as_slice)
    }

    /// True if nothing failed.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty() && self.embedded.values().all(Self::is_empty)
    }

    /// Appends the record's location within a larger input to each failure: `is too long (line 3 of a.txt)`.
    #[must_use]
    pub fn located(mut self, place: &impl fmt::Display) -> Self {
        for text in self.attributes.values_mut().flatten() {
            *text = format!("{text} ({place})");
        }
        let embedded = self.embedded.into_iter();
        self.embedded = embedded
            .map(|(name, inner)| (name, inner.located(place)))
            .collect();
        self
    }

    pub(super) fn to_value(&self) -> Value {
        let attributes = self
            .attributes
            .iter()
            .map(|(name, texts)| (name.clone(), json!(texts)));
        let embedded = self
            .embedded
            .iter()
            .map(|(name, inner)| (name.clone(), inner.to_value()));
        Value::Object(attributes.chain(embedded).collect())
    }
}

/// Text for people at a terminal: `name can't be blank; path is too long`.
impl fmt::Display for ValidationFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self
            .attributes
            .iter()
            .flat_map(|(name, texts)| texts.iter().map(move |text| format!("{name} {text}")));
        let embedded = self
            .embedded
            .iter()
            .filter(|(_, inner)| !inner.is_empty())
            .map(|(name, inner)| format!("{name}: {inner}"));
        f.write_str(&own.chain(embedded).collect::<Vec<_>>().join("; "))
    }
}
