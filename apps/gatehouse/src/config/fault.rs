//! What is wrong with the configuration, and how it is reported.

use std::fmt;
use std::path::Path;

use figment::value::Value;
use figment::{Error, Metadata, Source};

use gatehouse_core::settings::DatabaseSettings;

use super::keys::KEYS;

/// Everything that is wrong with the configuration.
#[derive(Debug, Clone)]
pub struct ConfigError {
    /// One sentence each.
    pub faults: Vec<String>,
    /// The database, when nothing is wrong with what is said of it. It may be looked at while the rest is put
    /// right.
    pub database: Option<Box<DatabaseSettings>>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration has {} fault(s):", self.faults.len())?;
        self.faults
            .iter()
            .try_for_each(|fault| write!(f, "\n  - {fault}"))
    }
}

impl std::error::Error for ConfigError {}

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    /// The key that it is about, or the variable that sets none; `None` when it is about a whole source.
    key: Option<String>,
    text: String,
}

impl Fault {
    /// About a key.
    pub(super) fn of_key(key: &str, text: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            text: text.into(),
        }
    }

    /// About a source.
    pub(super) fn of_source(text: String) -> Self {
        Self { key: None, text }
    }

    /// About a value that is not what `rule` says.
    pub(super) fn of_type(key: &str, rule: &str, found: &Value, source: Option<&Metadata>) -> Self {
        let place = source.map(|source| format!(" in {}", place(source, key)));
        let (found, place) = (shown(found), place.unwrap_or_default());
        Self::of_key(key, format!("must be {rule}, and is {found}{place}"))
    }

    /// About a file that cannot be parsed.
    pub(super) fn of_syntax(file: Option<&Path>, error: &Error) -> Self {
        let file = file.map_or_else(String::new, |file| format!("{}: ", file.display()));
        let complaint = without_quotation(&error.kind.to_string());
        Self::of_source(format!("{file}{complaint}"))
    }

    /// Whether it leaves open which database is meant.
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{key}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// A value in the words of people.
fn shown(value: &Value) -> String {
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

/// Where the value of a key comes from: a file, a flag, or else the variable, which is the one source that the
/// library knows by no place.
fn place(data: &Metadata, key: &str) -> String {
    match &data.source {
        Some(file @ Source::File(_)) => file.to_string(),
        Some(_) => "a flag".to_owned(),
        None => {
            let known = KEYS.iter().find(|known| known.path == key);
            known.map_or_else(|| "the environment".to_owned(), super::Key::variable)
        }
    }
}

/// A parser's complaint on one line. The lines of the file that it quotes are left out, because they may hold a
/// password.
fn without_quotation(complaint: &str) -> String {
    let is_quotation = |line: &str| {
        line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
            .starts_with('|')
    };
    let lines = complaint.lines().filter(|line| !is_quotation(line));
    lines.collect::<Vec<_>>().join(": ")
}
