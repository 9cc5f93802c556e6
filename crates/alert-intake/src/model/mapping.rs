//! Mapping of a sender's fields to the fields of an alert (`ALRT-09`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Field of an alert that a mapping can fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertField {
    /// Title.
    Title,
    /// Description.
    Description,
    /// Start of the alert.
    StartTime,
    /// End of the alert; a time in it resolves the alert.
    EndTime,
    /// State of the alert: a word that says whether it fires, or is over, which resolves it.
    State,
    /// Affected service.
    Service,
    /// Monitoring tool.
    MonitoringTool,
    /// Affected hosts.
    Hosts,
    /// Severity.
    Severity,
    /// Identity of the alert.
    Fingerprint,
    /// Name of the environment.
    EnvironmentName,
}

impl AlertField {
    /// All fields, in the order of a form.
    pub const ALL: [Self; 11] = [
        Self::Title,
        Self::Description,
        Self::Severity,
        Self::State,
        Self::StartTime,
        Self::EndTime,
        Self::Service,
        Self::MonitoringTool,
        Self::Hosts,
        Self::EnvironmentName,
        Self::Fingerprint,
    ];

    /// Names of all fields, for documentation, in the order of [`Self::ALL`].
    pub const NAMES: [&str; 11] = [
        "title",
        "description",
        "severity",
        "state",
        "start_time",
        "end_time",
        "service",
        "monitoring_tool",
        "hosts",
        "environment_name",
        "fingerprint",
    ];

    /// Returns the name in bodies and parameters.
    pub fn as_str(self) -> &'static str {
        let named = Self::ALL.iter().zip(Self::NAMES);
        let found = named.into_iter().find(|(field, _)| **field == self);
        found.map_or("title", |(_, name)| name)
    }

    /// Parses the name of a field.
    pub fn parse(word: &str) -> Option<Self> {
        let mut named = Self::ALL.into_iter().zip(Self::NAMES);
        named
            .find(|(_, name)| *name == word)
            .map(|(field, _)| field)
    }
}

/// Step from a JSON value to one inside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathStep {
    /// Item of a list, counted from 0.
    Item(usize),
    /// Value of an object's field.
    Name(String),
}

/// Source of one field of an alert: the place of its value in a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedField {
    /// Field of the alert.
    pub field: AlertField,
    /// Steps to the value, from the root of the payload.
    pub path: Vec<PathStep>,
    /// Values to replace, in lower case, with their replacements. Other values stay.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
}

/// Mapping of an endpoint's payloads. Of several entries for one field, the first whose path has a value counts; without
/// one, the field is read as without a mapping.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldMapping(pub Vec<MappedField>);

/// Reasons to refuse a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// The mapping has too many entries.
    #[error("a mapping has at most {} entries", FieldMapping::MAX_ENTRIES)]
    Entries,
    /// A path is empty or too deep, or a name in it is too long.
    #[error(
        "a path has 1 to {} steps, and each name in it 1 to {} characters",
        FieldMapping::MAX_STEPS,
        FieldMapping::MAX_NAME
    )]
    Path,
    /// A table of values is too large, or a value in it is too long or has a separator.
    #[error(
        "a table of values has at most {} entries of at most {} characters, without commas and line breaks",
        FieldMapping::MAX_VALUES,
        FieldMapping::MAX_NAME
    )]
    Values,
    /// A severity in a table is unknown.
    #[error("a severity is critical, high, medium, low, info or unknown")]
    Severity,
    /// A state in a table is unknown.
    #[error("a state is firing or resolved")]
    State,
}

impl FieldMapping {
    /// Largest number of entries.
    pub const MAX_ENTRIES: usize = 50;
    /// Largest number of steps of a path.
    pub const MAX_STEPS: usize = 20;
    /// Longest name in a path and longest value in a table, in characters.
    pub const MAX_NAME: usize = 255;
    /// Largest number of values in one table.
    pub const MAX_VALUES: usize = 100;

    /// True if no field is mapped.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if one of these fields is mapped.
    pub fn has(&self, fields: &[AlertField]) -> bool {
        self.0.iter().any(|entry| fields.contains(&entry.field))
    }

    /// Checks the bounds, and the words of severities and states.
    ///
    /// # Errors
    /// See [`MappingError`].
    pub fn validate(&self) -> Result<(), MappingError> {
        if self.0.len() > Self::MAX_ENTRIES {
            return Err(MappingError::Entries);
        }
        self.0.iter().try_for_each(MappedField::validate)
    }
}

impl MappedField {
    fn validate(&self) -> Result<(), MappingError> {
        let is_bounded = |text: &str| (1..=FieldMapping::MAX_NAME).contains(&text.chars().count());
        let is_step = |step: &PathStep| match step {
            PathStep::Item(_) => true,
            PathStep::Name(name) => is_bounded(name),
        };
        if !(1..=FieldMapping::MAX_STEPS).contains(&self.path.len())
            || !self.path.iter().all(is_step)
        {
            return Err(MappingError::Path);
        }
        // Tables are written as `word=value` with commas or line breaks between them.
        let is_value = |text: &String| is_bounded(text) && !text.contains([',', '\n']);
        let is_entry =
            |(from, to): (&String, &String)| is_value(from) && is_value(to) && !from.contains('=');
        if self.values.len() > FieldMapping::MAX_VALUES || !self.values.iter().all(is_entry) {
            return Err(MappingError::Values);
        }
        let mut results = self.values.values();
        match self.field {
            AlertField::Severity if !results.all(|word| super::Severity::parse(word).is_some()) => {
                Err(MappingError::Severity)
            }
            AlertField::State
                if !results.all(|word| matches!(word.as_str(), "firing" | "resolved")) =>
            {
                Err(MappingError::State)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(field: AlertField, path: &[&str], values: &[(&str, &str)]) -> FieldMapping {
        let path = path
            .iter()
            .map(|name| PathStep::Name((*name).to_owned()))
            .collect();
        let pair = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        let values = values.iter().map(pair).collect();
        FieldMapping(vec![MappedField {
            field,
            path,
            values,
        }])
    }

    #[test]
    fn fields_have_distinct_names_that_are_parsed() {
        for (field, name) in AlertField::ALL.into_iter().zip(AlertField::NAMES) {
            assert_eq!(field.as_str(), name);
            assert_eq!(AlertField::parse(name), Some(field));
            assert_eq!(
                serde_json::to_string(&field).unwrap(),
                format!("\"{name}\"")
            );
        }
        assert_eq!(AlertField::parse("TITLE"), None);
    }

    #[test]
    fn a_mapping_outside_its_bounds_is_refused() {
        use AlertField::{Severity, State, Title};

        let long = "x".repeat(256);
        let deep = ["a"; 21];
        for (mapping, expected) in [
            (entry(Title, &["a", "b"], &[]), Ok(())),
            (entry(Title, &[], &[]), Err(MappingError::Path)),
            (entry(Title, &[""], &[]), Err(MappingError::Path)),
            (entry(Title, &[&long], &[]), Err(MappingError::Path)),
            (entry(Title, &deep, &[]), Err(MappingError::Path)),
            (
                entry(Title, &["a"], &[("", "b")]),
                Err(MappingError::Values),
            ),
            (
                entry(Title, &["a"], &[("b", &long)]),
                Err(MappingError::Values),
            ),
            (entry(Severity, &["a"], &[("bad", "high")]), Ok(())),
            (
                entry(Severity, &["a"], &[("bad", "worse")]),
                Err(MappingError::Severity),
            ),
            (
                entry(State, &["a"], &[("0", "resolved"), ("1", "firing")]),
                Ok(()),
            ),
            (
                entry(State, &["a"], &[("0", "over")]),
                Err(MappingError::State),
            ),
            (
                FieldMapping(vec![entry(Title, &["a"], &[]).0[0].clone(); 51]),
                Err(MappingError::Entries),
            ),
        ] {
            assert_eq!(mapping.validate(), expected, "{mapping:?}");
        }
    }

    #[test]
    fn a_mapping_is_stored_as_a_list() {
        let mapping = FieldMapping(vec![MappedField {
            field: AlertField::Title,
            path: vec![PathStep::Name("a".to_owned()), PathStep::Item(0)],
            values: BTreeMap::new(),
        }]);
        let text = serde_json::to_string(&mapping).unwrap();
        assert_eq!(text, r#"[{"field":"title","path":["a",0]}]"#);
        assert_eq!(
            serde_json::from_str::<FieldMapping>(&text).unwrap(),
            mapping
        );
    }
}
