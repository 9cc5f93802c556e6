//! Faults of the configuration, and their messages.

use std::fmt;
use std::path::Path;

use figment::value::Value;
use figment::{Error, Metadata, Source};

use gatehouse_core::settings::DatabaseSettings;

use super::keys::KEYS;
use super::sources::VARIABLES;

/// All faults of the configuration.
#[derive(Debug, Clone)]
pub struct ConfigError {
    /// Messages, one sentence each.
    pub faults: Vec<String>,
    /// Database settings, if they have no fault.
    /// They allow a check of the database while other faults are being fixed.
    pub database: Option<Box<DatabaseSettings>>,
}

impl ConfigError {
    /// Creates the error of a single fault, after which no value is known.
    pub(super) fn of_fault(fault: &ConfigFault) -> Self {
        Self {
            faults: vec![fault.to_string()],
            database: None,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration has {} error(s):", self.faults.len())?;
        self.faults
            .iter()
            .try_for_each(|fault| write!(f, "\n  - {fault}"))
    }
}

impl std::error::Error for ConfigError {}

/// Fault of the configuration.
#[derive(Debug)]
pub(super) struct ConfigFault {
    /// Key of the fault, or a variable that sets no key; `None` if the fault concerns a whole source.
    key: Option<String>,
    text: String,
}

impl ConfigFault {
    /// Creates a fault of a key.
    pub(super) fn of_key(key: &str, text: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            text: text.into(),
        }
    }

    /// Creates a fault of a source.
    pub(super) fn of_source(text: String) -> Self {
        Self { key: None, text }
    }

    /// Creates a fault of a value that breaks `rule`.
    pub(super) fn of_type(key: &str, rule: &str, found: &Value, source: Option<&Metadata>) -> Self {
        let place = source.map(|source| format!(" in {}", place(source, key)));
        let (found, place) = (shown(found), place.unwrap_or_default());
        Self::of_key(key, format!("must be {rule}, but is {found}{place}"))
    }

    /// Creates a fault of a file that cannot be parsed.
    pub(super) fn of_syntax(file: Option<&Path>, error: &Error) -> Self {
        let file = file.map_or_else(String::new, |file| format!("{}: ", file.display()));
        let complaint = without_quotation(&error.kind.to_string());
        Self::of_source(format!("{file}{complaint}"))
    }

    /// True if the fault leaves the choice of database uncertain.
    pub(super) fn concerns_database(&self) -> bool {
        let Some(key) = &self.key else {
            return true;
        };
        let key = key.trim_start_matches("GATEHOUSE_").to_lowercase();
        ["database", "data"]
            .iter()
            .any(|section| key.starts_with(section))
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{key}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// Describes a value for a message.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(_, text) => format!("{text:?}"),
        Value::Char(_, letter) => format!("{letter:?}"),
        Value::Bool(_, is_true) => is_true.to_string(),
        Value::Num(_, number) => match (number.to_i128(), number.to_u128(), number.to_f64()) {
            (Some(number), _, _) => number.to_string(),
            (None, Some(number), _) => number.to_string(),
            (None, None, Some(number)) => number.to_string(),
            (None, None, None) => "a number".to_owned(),
        },
        Value::Array(..) => "a list".to_owned(),
        Value::Dict(..) => "a section".to_owned(),
        Value::Empty(..) => "nothing".to_owned(),
    }
}

/// Describes the source of a key's value.
/// A flag is the only source without a name of its own.
fn place(data: &Metadata, key: &str) -> String {
    match &data.source {
        Some(file @ Source::File(_)) => file.to_string(),
        _ if data.name != VARIABLES => "a flag".to_owned(),
        _ => {
            let known = KEYS.iter().find(|known| known.path == key);
            known.map_or_else(|| "the environment".to_owned(), super::ConfigKey::variable)
        }
    }
}

/// Reduces a parser's message to one line.
/// Quoted lines of the file are left out, because they may contain a password.
fn without_quotation(complaint: &str) -> String {
    let is_quotation = |line: &str| {
        line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
            .starts_with('|')
    };
    let lines = complaint.lines().filter(|line| !is_quotation(line));
    lines.collect::<Vec<_>>().join(": ")
}
