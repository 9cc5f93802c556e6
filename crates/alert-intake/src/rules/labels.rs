//! Labels of stored alerts, as Alertmanager's API shows them and silences compare them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::details;
use super::exact::ExactJson;
use crate::model::{Alert, AlertSummary, Source};

/// Labels with their values, sorted by name.
pub type LabelSet = BTreeMap<String, String>;

/// Name of the label that every alert has.
pub const NAME: &str = "alertname";

/// Returns the labels of an alert: those of its newest payload, without empty ones. An alert of a sender without labels has
/// the ones that a rule of Prometheus would give it: `alertname`, `severity`, and where they are known `service`,
/// `environment`, `monitoring_tool`, and `instance` for a single host.
pub fn labels_of(alert: &Alert) -> LabelSet {
    labels_in(payload_of(alert).tree(), &alert.summary)
}

fn payload_of(alert: &Alert) -> ExactJson {
    ExactJson::parse(alert.newest_payload()).unwrap_or_default()
}

fn labels_in(payload: &Value, summary: &AlertSummary) -> LabelSet {
    let mut labels: LabelSet = details::labels_in(payload).into_iter().collect();
    if summary.source == Source::Generic || labels.is_empty() {
        for (name, value) in of_columns(summary) {
            labels
                .entry(name.to_owned())
                .or_insert_with(|| value.to_owned());
        }
    }
    labels
}

fn of_columns(alert: &AlertSummary) -> impl Iterator<Item = (&'static str, &str)> {
    let host = match alert.hosts.as_slice() {
        [host] => host.as_str(),
        _ => "",
    };
    [
        (NAME, alert.title.as_str()),
        ("severity", alert.severity.as_str()),
        ("service", &alert.service),
        (
            "environment",
            alert.environment_name.as_deref().unwrap_or_default(),
        ),
        ("monitoring_tool", &alert.monitoring_tool),
        ("instance", host),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
}

/// Alert in the words of Prometheus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledAlert {
    /// [Labels](labels_of).
    pub labels: LabelSet,
    /// Annotations, sorted by name. An alert without any has its title and description as `summary` and `description`.
    pub annotations: LabelSet,
    /// Link to the source of the alert, if it is a web link.
    pub generator_url: Option<String>,
}

impl LabelledAlert {
    /// Reads the newest payload of an alert.
    pub fn of(alert: &Alert) -> Self {
        let payload = payload_of(alert);
        let mut annotations: LabelSet = details::annotations_in(payload.tree())
            .into_iter()
            .collect();
        if annotations.is_empty() {
            let summary = &alert.summary;
            let texts = [
                ("summary", summary.title.as_str()),
                ("description", summary.description.as_str()),
            ];
            let given = texts.into_iter().filter(|(_, text)| !text.is_empty());
            annotations.extend(given.map(|(name, text)| (name.to_owned(), text.to_owned())));
        }
        Self {
            labels: labels_in(payload.tree(), &alert.summary),
            annotations,
            generator_url: details::generator_url_in(payload.tree()),
        }
    }
}

/// Returns the fingerprint that Alertmanager gives to a set of labels: 64-bit FNV-1a over the sorted names and values, each
/// followed by a byte of ones, in hexadecimal digits.
pub fn fingerprint(labels: &LabelSet) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let texts = labels.iter().flat_map(|(name, value)| [name, value]);
    let bytes = texts.flat_map(|text| text.bytes().chain([0xff]));
    let hash = bytes.fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId};
    use api_conventions::time::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::model::{AlertStatus, Severity, Start};

    fn alert(source: Source, payload: &Value) -> Alert {
        let summary = AlertSummary {
            id: AlertId::new(1),
            iid: AlertIid::new(1),
            project_id: ProjectId::new(1),
            integration_id: IntegrationId::new(1),
            source,
            title: "Disk full".to_owned(),
            description: String::new(),
            severity: Severity::High,
            status: AlertStatus::Triggered,
            service: "shop".to_owned(),
            monitoring_tool: String::new(),
            hosts: vec!["web-1".to_owned()],
            environment_name: None,
            assignee_id: None,
            started_at: Timestamp::MIN,
            last_start: Start::arrival(Timestamp::MIN),
            occurrences: 1,
            deliveries: 1,
            flaps: 0,
            stale_at: None,
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MIN,
        };
        Alert {
            summary,
            payload: payload.to_string(),
            latest_payload: None,
        }
    }

    fn labels(pairs: &[(&str, &str)]) -> LabelSet {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn labels_of_prometheus_are_exact_and_others_are_completed() {
        let item = json!({"labels": {"alertname": "Up", "empty": "", "job": "api"}});
        assert_eq!(
            labels_of(&alert(Source::Metrics, &item)),
            labels(&[("alertname", "Up"), ("job", "api")])
        );
        let completed = [
            ("alertname", "Disk full"),
            ("instance", "web-1"),
            ("service", "shop"),
            ("severity", "high"),
        ];
        for (source, payload) in [
            (Source::Generic, json!({"title": "Disk full"})),
            (Source::Metrics, json!({"labels": {}})),
            (Source::Generic, json!("no object")),
        ] {
            assert_eq!(labels_of(&alert(source, &payload)), labels(&completed));
        }
        let own = json!({"labels": {"severity": "page", "team": "db"}});
        let own = labels_of(&alert(Source::Generic, &own));
        assert_eq!(own.get("severity").map(String::as_str), Some("page"));
        assert_eq!(own.get("team").map(String::as_str), Some("db"));
        assert_eq!(own.get(NAME).map(String::as_str), Some("Disk full"));
    }

    #[test]
    fn annotations_are_those_of_the_payload_or_the_texts_of_the_alert() {
        let item = json!({
            "annotations": {"summary": "down", "x": 1},
            "generatorURL": "http://a.example/",
        });
        let found = LabelledAlert::of(&alert(Source::Metrics, &item));
        assert_eq!(
            found.annotations,
            labels(&[("summary", "down"), ("x", "1")])
        );
        assert_eq!(found.generator_url.as_deref(), Some("http://a.example/"));
        let found = LabelledAlert::of(&alert(Source::Generic, &json!({"generatorURL": "x:y"})));
        assert_eq!(found.annotations, labels(&[("summary", "Disk full")]));
        assert_eq!((found.labels.len(), found.generator_url), (4, None));
    }

    /// Alertmanager 0.25 sent the second one with these labels.
    #[test]
    fn fingerprints_are_those_of_alertmanager() {
        assert_eq!(fingerprint(&LabelSet::new()), "cbf29ce484222325");
        let sent = labels(&[
            ("alertname", "HighLatency"),
            ("cluster", "b"),
            ("instance", "web1:8080"),
            ("severity", "s2"),
        ]);
        assert_eq!(fingerprint(&sent), "ffc84ecc92452e7c");
    }
}
