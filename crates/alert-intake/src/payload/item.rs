//! Last step of parsing: the parsed fields become an alert within its bounds.

use api_conventions::time::Timestamp;

use super::lenient::LenientValue;
use crate::model::{AlertIdentity, IncomingAlert, ReportDigest, Severity, Source};
use crate::rules::text::{
    MAX_DESCRIPTION, MAX_ENVIRONMENT, MAX_MONITORING_TOOL, MAX_SERVICE, MAX_TITLE, cut, cut_hosts,
};

/// Title of an alert that has none (the specification's generic payload table).
pub(crate) const DEFAULT_TITLE: &str = "New: Alert";

/// Parsed fields of one alert.
pub(super) struct ParsedAlert<'f> {
    pub(super) identity: AlertIdentity,
    pub(super) source: Source,
    pub(super) title: Option<&'f str>,
    pub(super) description: Option<&'f str>,
    pub(super) severity: Severity,
    pub(super) service: Option<&'f str>,
    pub(super) monitoring_tool: Option<&'f str>,
    pub(super) hosts: Vec<&'f str>,
    pub(super) environment_name: Option<&'f str>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) resolved_at: Option<Timestamp>,
    pub(super) stores_end: bool,
    pub(super) payload: &'f str,
}

impl ParsedAlert<'_> {
    /// Builds the alert with every text truncated to its bound.
    pub(super) fn into_alert(self) -> IncomingAlert {
        IncomingAlert {
            identity: self.identity,
            source: self.source,
            title: cut(self.title.unwrap_or(DEFAULT_TITLE), MAX_TITLE),
            description: cut(self.description.unwrap_or_default(), MAX_DESCRIPTION),
            severity: self.severity,
            service: cut(self.service.unwrap_or_default(), MAX_SERVICE),
            monitoring_tool: cut(
                self.monitoring_tool.unwrap_or_default(),
                MAX_MONITORING_TOOL,
            ),
            hosts: cut_hosts(self.hosts),
            environment_name: self.environment_name.map(|name| cut(name, MAX_ENVIRONMENT)),
            started_at: self.started_at,
            resolved_at: self.resolved_at,
            stores_end: self.stores_end,
            payload: self.payload.to_owned(),
            report: ReportDigest::default(),
        }
    }
}

/// Parses a time. Adds a note under `name` if the text cannot be parsed.
pub(super) fn timestamp(
    value: &LenientValue<'_>,
    name: &str,
    notes: &mut Vec<String>,
) -> Option<Timestamp> {
    let text = value.text()?;
    let read = crate::rules::datetime::parse(text);
    // Senders write year 1 or 0 for "never"; that is no mistake and needs no note.
    if read.is_none() && !text.starts_with("0001-01-01") && text != "0" {
        note(
            notes,
            &format!("{name} is not a readable timestamp and was ignored"),
        );
    }
    read
}

/// Adds a note without duplicates, up to a bound: a POST with ten thousand bad alerts does not need ten thousand notes.
pub(super) fn note(notes: &mut Vec<String>, text: &str) {
    if notes.len() < 20 && !notes.iter().any(|known| known == text) {
        notes.push(text.to_owned());
    }
}
