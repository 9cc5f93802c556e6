//! Bodies of well-known senders, recognised by their fields.
//!
//! A body that has only fields of the specification never gets here. The recognisers are tried in the order of
//! [`RECOGNISERS`]; the first that knows the body reads it. Each looks at a few fields, so a body of another sender costs
//! a handful of look-ups.

mod azure;
mod cloudwatch;
mod datadog;
mod grafana;
mod grafana_legacy;
mod healthchecks;
mod kapacitor;
mod nagios;
mod netdata;
mod new_relic;
mod opsgenie;
mod pagerduty;
mod prometheus;
mod sns;
mod sonarqube;
mod uptime_kuma;
mod victorops;
mod zabbix;

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::ParseContext;
use super::item::ParsedAlert;
use crate::model::{AlertIdentity, IncomingAlert, Severity, SeverityTable, Source};
use crate::rules::identity;
use crate::rules::state::ReportedState;

/// Content of a recognised body.
#[derive(Debug)]
pub(super) enum SenderBody {
    /// A single alert.
    Alert(Box<SenderAlert>),
    /// A list of items under `alerts`, as a metrics webhook has them, from this tool.
    Webhook(&'static str),
    /// Report that somebody works on this alert.
    Acknowledgement(Box<SenderAlert>),
    /// Not an alert: a sentence for the receipt.
    Notice(String),
}

/// Recogniser of one sender's bodies, with the severities of the sender's words: returns `None` for any other body.
type Recogniser = fn(&Value, &SeverityTable) -> Option<SenderBody>;

/// All recognisers, in order: those with a fixed shape first, those with fields that users choose last.
const RECOGNISERS: [Recogniser; 18] = [
    grafana::read,
    prometheus::read,
    grafana_legacy::read,
    pagerduty::read,
    victorops::read,
    sns::read,
    cloudwatch::read,
    azure::read,
    uptime_kuma::read,
    new_relic::read,
    opsgenie::read,
    datadog::read,
    zabbix::read,
    nagios::read,
    netdata::read,
    kapacitor::read,
    healthchecks::read,
    sonarqube::read,
];

/// Recognises a body.
pub(super) fn recognise(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    RECOGNISERS.iter().find_map(|read| read(body, severities))
}

/// Time at which an alert ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The sender states it.
    At(Timestamp),
    /// The sender only says that the alert is over.
    Unstated,
}

impl End {
    /// Creates the end that a time states.
    pub(super) fn of(time: Option<Timestamp>) -> Self {
        time.map_or(Self::Unstated, Self::At)
    }

    /// Returns the time, which is that of the receipt if the sender states none.
    pub(super) fn or_receipt(self, received_at: Timestamp) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Unstated => received_at,
        }
    }
}

/// An alert in the words of its sender. Empty texts are absent.
#[derive(Debug, Default)]
pub(super) struct SenderAlert {
    /// Name of the sender, which is the monitoring tool of the alert.
    pub(super) tool: &'static str,
    pub(super) title: String,
    pub(super) description: String,
    /// Critical if absent.
    pub(super) severity: Option<Severity>,
    pub(super) service: String,
    pub(super) hosts: Vec<String>,
    pub(super) environment: String,
    pub(super) started_at: Option<Timestamp>,
    pub(super) end: Option<End>,
    /// Parts of the identity; without any, the title is the identity.
    pub(super) key: Vec<String>,
    /// Identity that the body shares with bodies of unknown senders: the value of a field such as `alias`.
    pub(super) common_key: String,
}

impl SenderAlert {
    /// Returns the alert as a body.
    fn into_body(self) -> SenderBody {
        SenderBody::Alert(Box::new(self))
    }

    /// Sets the start of an alert that fires, or the end of one that is over, to `time`.
    /// A start that comes with an end is dropped: many senders move it, which would look like another occurrence.
    fn dated(mut self, state: ReportedState, time: Option<Timestamp>) -> Self {
        match state {
            ReportedState::Over => self.end = Some(End::of(time)),
            ReportedState::Firing | ReportedState::Noted => self.started_at = time,
        }
        self
    }

    /// Returns the identity of the alert.
    pub(super) fn identity(&self, context: &ParseContext) -> AlertIdentity {
        let scope = context.identity_scope();
        if !self.common_key.is_empty() {
            return identity::of_sender(scope, "", &["key", &self.common_key]);
        }
        let parts = self.key.iter().map(String::as_str);
        let mut key: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if key.is_empty() {
            key.push(&self.title);
        }
        identity::of_sender(scope, self.tool, &key)
    }

    /// Builds the alert; `text` is the body.
    pub(super) fn into_alert(self, text: &str, context: &ParseContext) -> IncomingAlert {
        let identity = self.identity(context);
        let some = |text| Some(text).filter(|text: &&str| !text.is_empty());
        let found = ParsedAlert {
            identity,
            source: Source::Generic,
            title: some(&self.title),
            description: some(&self.description),
            severity: self.severity.unwrap_or(Severity::Critical),
            service: some(&self.service),
            monitoring_tool: Some(self.tool),
            hosts: self.hosts.iter().map(String::as_str).collect(),
            environment_name: some(&self.environment),
            started_at: self.started_at,
            resolved_at: self.end.map(|end| end.or_receipt(context.received_at)),
            stores_end: false,
            payload: text,
        };
        found.into_alert()
    }
}

/// Returns the notice about a body that reports neither a start nor an end.
fn noted(tool: &str, what: &str) -> SenderBody {
    SenderBody::Notice(format!(
        "{tool} reports neither a start nor an end ({what}); no alert was stored"
    ))
}
