//! Application of an endpoint's mapping to a payload.
//!
//! A mapped field replaces what the payload says without the mapping, also for a recognised sender. A field whose paths
//! have no value stays as it is.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::fields::{text_of, texts};
use super::general::stable_name;
use super::item::note;
use super::{BodyAlerts, ParseContext, PayloadError, generic};
use crate::model::{
    AlertField, FieldMapping, IncomingAlert, MappedField, SenderContext, Severity, Source, folded,
};
use crate::rules::exact::ExactJson;
use crate::rules::mapping::value_at;
use crate::rules::state::{self, ReportedState};
use crate::rules::text::{
    MAX_DESCRIPTION, MAX_ENVIRONMENT, MAX_MONITORING_TOOL, MAX_SERVICE, MAX_TITLE, cut, cut_hosts,
};
use crate::rules::{datetime, identity};

/// Applies the endpoint's mapping to the alerts that were read from a body, if it has one and the body is one alert.
pub(super) fn apply(
    read: BodyAlerts,
    text: &str,
    source: Source,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<BodyAlerts, PayloadError> {
    let mapping = &context.settings.mapping;
    if mapping.is_empty() || source == Source::Metrics || read.acknowledged.is_some() {
        return Ok(read);
    }
    let is_list = read.alerts.len() > 1
        || read
            .alerts
            .iter()
            .any(|alert| alert.source == Source::Metrics);
    if is_list || text.trim_start().starts_with('[') {
        note(
            &mut sender.notes,
            "the body is a list of alerts, to which the mapping does not apply",
        );
        return Ok(read);
    }
    let body = ExactJson::parse(text).map_err(PayloadError::Malformed)?;
    let mapped = MappedValues {
        mapping,
        body: body.tree(),
    };
    let base = match read.alerts.into_iter().next() {
        Some(alert) => alert,
        None => generic::read_specified(text, context, &mut sender.notes)?,
    };
    let alert = mapped.alert(base, context, &mut sender.notes);
    Ok(BodyAlerts::from(Vec::from_iter(alert)))
}

/// A mapping and the payload that it is applied to.
struct MappedValues<'b> {
    mapping: &'b FieldMapping,
    body: &'b Value,
}

impl MappedValues<'_> {
    /// Returns the entry of a field whose path has a value, with the value.
    fn entry(&self, field: AlertField) -> Option<(&MappedField, &Value)> {
        let mut entries = self.mapping.0.iter().filter(|entry| entry.field == field);
        entries.find_map(|entry| {
            let value = value_at(self.body, &entry.path)?;
            (text_of(value).is_some() || !texts(Some(value)).is_empty()).then_some((entry, value))
        })
    }

    /// Returns the text of a field, after the entry's table of values.
    fn text(&self, field: AlertField) -> Option<String> {
        let (entry, value) = self.entry(field)?;
        let text = text_of(value)?;
        let replaced = entry.values.get(&folded(&text));
        Some(replaced.cloned().unwrap_or_else(|| text.into_owned()))
    }

    /// Returns the time of a field, and notes one that is not readable.
    fn time(&self, field: AlertField, notes: &mut Vec<String>) -> Option<Timestamp> {
        let text = self.text(field)?;
        let time = datetime::parse(&text);
        if time.is_none() {
            let name = field.as_str();
            note(
                notes,
                &format!("the mapped {name} is not a readable timestamp and was ignored"),
            );
        }
        time
    }

    /// Returns the alert with the mapped fields, or `None` if a mapped state says that it neither fires nor is over.
    fn alert(
        &self,
        mut alert: IncomingAlert,
        context: &ParseContext,
        notes: &mut Vec<String>,
    ) -> Option<IncomingAlert> {
        let bounded = |field, most| Some(cut(&self.text(field)?, most));
        alert.title = bounded(AlertField::Title, MAX_TITLE).unwrap_or(alert.title);
        alert.description =
            bounded(AlertField::Description, MAX_DESCRIPTION).unwrap_or(alert.description);
        alert.service = bounded(AlertField::Service, MAX_SERVICE).unwrap_or(alert.service);
        let tool = bounded(AlertField::MonitoringTool, MAX_MONITORING_TOOL);
        alert.monitoring_tool = tool.unwrap_or(alert.monitoring_tool);
        let environment = bounded(AlertField::EnvironmentName, MAX_ENVIRONMENT);
        alert.environment_name = environment.or(alert.environment_name);
        if let Some((_, hosts)) = self.entry(AlertField::Hosts) {
            alert.hosts = cut_hosts(texts(Some(hosts)).iter().map(String::as_str));
        }
        if let Some(word) = self.text(AlertField::Severity) {
            let known = context.severities().of_sender(&word);
            alert.severity = known.unwrap_or(Severity::Critical);
        }
        alert.started_at = self.time(AlertField::StartTime, notes).or(alert.started_at);
        self.set_end(&mut alert, context, notes)?;
        self.set_identity(&mut alert, context);
        Some(alert)
    }

    /// Sets the end: a mapped end time resolves the alert, and so does a mapped state that says that it is over.
    fn set_end(
        &self,
        alert: &mut IncomingAlert,
        context: &ParseContext,
        notes: &mut Vec<String>,
    ) -> Option<()> {
        let end = self.time(AlertField::EndTime, notes);
        if let Some(end) = end {
            alert.resolved_at = Some(end);
            alert.stores_end = true;
        }
        let word = self.text(AlertField::State);
        match word.as_deref().map(state::parse) {
            Some(Some(ReportedState::Over)) => {
                alert.resolved_at = end.or(alert.resolved_at).or(Some(context.received_at));
                alert.stores_end = end.is_some();
            }
            Some(Some(ReportedState::Firing)) => alert.resolved_at = None,
            Some(Some(ReportedState::Noted)) => {
                note(
                    notes,
                    "the mapped state is neither a start nor an end; no alert was stored",
                );
                return None;
            }
            Some(None) => note(
                notes,
                "the mapped state is not a known word and was ignored",
            ),
            None => {}
        }
        Some(())
    }

    /// Sets the identity: the mapped fingerprint, else the name of the alert if a mapped field changes with its state, so
    /// that the report of the end has the identity of the start.
    fn set_identity(&self, alert: &mut IncomingAlert, context: &ParseContext) {
        let scope = context.identity_scope();
        let fingerprint = self
            .entry(AlertField::Fingerprint)
            .map(|(_, value)| texts(Some(value)));
        let fingerprint: Vec<&str> = fingerprint.iter().flatten().map(String::as_str).collect();
        if let Some(identity) = identity::of_fingerprint(scope, &fingerprint) {
            alert.identity = identity;
        } else if self.mapping.has(&[AlertField::EndTime, AlertField::State]) {
            let name = stable_name(&alert.title, false);
            let environment = alert.environment_name.as_deref().unwrap_or_default();
            let parts = ["name", &name, &alert.service, environment];
            let hosts = alert.hosts.iter().map(String::as_str);
            let parts: Vec<&str> = parts.into_iter().chain(hosts).collect();
            alert.identity = identity::of_sender(scope, "", &parts);
        }
    }
}
