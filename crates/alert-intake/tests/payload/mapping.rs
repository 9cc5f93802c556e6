//! Mapping of a sender's fields, severities of an endpoint, and labels that do not count (`ALRT-01`, `ALRT-09`).

use alert_intake::model::{Delivery, IncomingAlert, IntegrationSettings, Severity, Source};
use alert_intake::payload::{ParseContext, parse};
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde_json::{Value, json};

const PROJECT: ProjectId = ProjectId::new(7);

fn received() -> Timestamp {
    Timestamp::parse_rfc3339("2026-03-01T12:00:00Z").unwrap()
}

fn read(settings: &Value, body: &Value, source: Source) -> Delivery {
    let mut context = ParseContext::from_parts(PROJECT, IntegrationId::new(1), received(), [0; 16]);
    context.settings = serde_json::from_value::<IntegrationSettings>(settings.clone()).unwrap();
    context.settings.validate(source).unwrap();
    parse(body.to_string().as_bytes(), source, &context).unwrap()
}

fn alert(settings: &Value, body: &Value) -> IncomingAlert {
    let mut delivery = read(settings, body, Source::Generic);
    assert_eq!(delivery.alerts.len(), 1, "{body}");
    delivery.alerts.remove(0)
}

/// Settings with every field mapped; the title has a fallback.
fn everything() -> Value {
    json!({"mapping": [
        {"field": "title", "path": ["check", "label"]},
        {"field": "title", "path": ["check", "id"]},
        {"field": "description", "path": ["why", 0]},
        {"field": "severity", "path": ["prio"], "values": {"rot": "high", "7": "low"}},
        {"field": "state", "path": ["zustand"], "values": {"behoben": "resolved", "kaputt": "firing"}},
        {"field": "start_time", "path": ["seit"]},
        {"field": "end_time", "path": ["bis"]},
        {"field": "service", "path": ["dienst"]},
        {"field": "monitoring_tool", "path": ["von"]},
        {"field": "hosts", "path": ["rechner"]},
        {"field": "environment_name", "path": ["umgebung"]},
        {"field": "fingerprint", "path": ["ids"]},
    ]})
}

#[test]
fn every_field_comes_from_its_path() {
    let body = json!({
        "check": {"label": "Disk", "id": 9}, "why": ["full", "not this"], "prio": "Rot", "zustand": "kaputt",
        "seit": "2026-03-01T10:00:00Z", "dienst": "db", "von": "eigenbau", "rechner": ["h1", "h2"],
        "umgebung": "production", "ids": ["a", "b"], "title": "not this",
    });
    let read = alert(&everything(), &body);
    let texts = [
        &read.title,
        &read.description,
        &read.service,
        &read.monitoring_tool,
    ];
    assert_eq!(texts, ["Disk", "full", "db", "eigenbau"]);
    assert_eq!(read.hosts, ["h1", "h2"]);
    assert_eq!(read.severity, Severity::High);
    assert_eq!(read.environment_name.as_deref(), Some("production"));
    assert_eq!(
        read.started_at,
        Timestamp::parse_rfc3339("2026-03-01T10:00:00Z")
    );
    assert_eq!(read.resolved_at, None);
    let other = alert(
        &everything(),
        &json!({"ids": ["a", "b"], "prio": 7, "check": {"id": 9}}),
    );
    assert_eq!(
        other.identity, read.identity,
        "the mapped fingerprint is the identity"
    );
    assert_eq!((other.title.as_str(), other.severity), ("9", Severity::Low));
}

#[test]
fn fields_without_a_mapped_value_are_read_as_usual() {
    let settings = json!({"mapping": [{"field": "title", "path": ["name", "long"]}]});
    let usual = json!({"title": "Usual", "severity": "low", "service": "s", "name": "n"});
    let read = alert(&settings, &usual);
    assert_eq!((read.title.as_str(), read.service.as_str()), ("Usual", "s"));
    assert_eq!(read.severity, Severity::Low);
    assert_eq!(read.identity, alert(&json!({}), &usual).identity);
    let empty = alert(&settings, &json!({"name": {"long": null}}));
    assert_eq!(empty.title, "New: Alert");
}

#[test]
fn a_mapped_end_or_state_resolves_the_alert_of_the_same_name() {
    let settings = everything();
    let fires = alert(
        &settings,
        &json!({"check": {"label": "Disk"}, "zustand": "kaputt", "dienst": "db"}),
    );
    let ends = [
        (
            json!({"check": {"label": "Disk"}, "zustand": "behoben", "dienst": "db"}),
            received(),
            false,
        ),
        (
            json!({"check": {"label": "Disk"}, "bis": "2026-03-01T11:00:00Z", "dienst": "db"}),
            Timestamp::parse_rfc3339("2026-03-01T11:00:00Z").unwrap(),
            true,
        ),
        (
            json!({"check": {"label": "Disk"}, "zustand": "ok", "dienst": "db", "x": 1}),
            received(),
            false,
        ),
    ];
    for (body, end, stores_end) in ends {
        let ended = alert(&settings, &body);
        assert_eq!(
            (ended.resolved_at, ended.stores_end),
            (Some(end), stores_end),
            "{body}"
        );
        assert_eq!(ended.identity, fires.identity, "{body}");
    }
    let fires_again =
        json!({"check": {"label": "Disk"}, "zustand": "kaputt", "status": "resolved"});
    assert_eq!(
        alert(&settings, &fires_again).resolved_at,
        None,
        "the mapped state counts"
    );
    let noted = json!({"check": {"label": "Disk"}, "zustand": "acknowledged"});
    assert!(read(&settings, &noted, Source::Generic).alerts.is_empty());
}

#[test]
fn values_that_cannot_be_used_are_noted() {
    let body = json!({"check": {"label": "Disk"}, "bis": "soon", "zustand": "blau"});
    let delivery = read(&everything(), &body, Source::Generic);
    assert_eq!(delivery.alerts[0].resolved_at, None);
    assert_eq!(
        delivery.context.notes,
        [
            "read by the general rule: the title from \"check.label\"",
            "the mapped end_time is not a readable timestamp and was ignored",
            "the mapped state is not a known word and was ignored",
        ]
    );
}

#[test]
fn a_mapping_applies_to_recognised_senders_and_not_to_lists() {
    let settings =
        json!({"mapping": [{"field": "title", "path": ["payload", "custom_details", "name"]}]});
    let event = json!({"event_action": "trigger", "dedup_key": "k", "routing_key": "r",
        "payload": {"summary": "s", "source": "h", "severity": "info", "custom_details": {"name": "Mapped"}}});
    let read_event = alert(&settings, &event);
    assert_eq!(
        (read_event.title.as_str(), read_event.severity),
        ("Mapped", Severity::Info)
    );
    assert_eq!(read_event.identity, alert(&json!({}), &event).identity);
    let item = json!({"status": "firing", "startsAt": "2026-03-01T11:00:00Z", "labels": {"alertname": "A"}});
    let list = read(&settings, &json!([item, item]), Source::Generic);
    assert_eq!(list.alerts[0].title, "A");
    let note = "the body is a list of alerts, to which the mapping does not apply".to_owned();
    assert!(list.context.notes.contains(&note));
}

#[test]
fn severities_of_the_endpoint_come_first() {
    let settings = json!({"severities": {"none": "info", "warning": "critical"}});
    let generic = |word| alert(&settings, &json!({"title": "t", "severity": word})).severity;
    assert_eq!(
        (generic("None"), generic("warning"), generic("low")),
        (Severity::Info, Severity::Critical, Severity::Low)
    );
    let event = json!({"event_action": "trigger", "dedup_key": "k", "routing_key": "r",
        "payload": {"summary": "s", "source": "h", "severity": "warning"}});
    assert_eq!(alert(&settings, &event).severity, Severity::Critical);
    let item = json!([{"status": "firing", "startsAt": "2026-03-01T11:00:00Z",
        "labels": {"alertname": "A", "severity": "none"}}]);
    assert_eq!(
        read(&settings, &item, Source::Metrics).alerts[0].severity,
        Severity::Info
    );
}

#[test]
fn labels_that_are_left_out_do_not_distinguish_alerts() {
    let settings = json!({"ignored_labels": ["prometheus_replica"]});
    let item = |replica| {
        let list = json!([{"status": "firing", "startsAt": "2026-03-01T11:00:00Z",
            "labels": {"alertname": "A", "prometheus_replica": replica}}]);
        read(&settings, &list, Source::Metrics)
            .alerts
            .remove(0)
            .identity
    };
    assert_eq!(item("0"), item("1"));
    let generic = |replica| {
        alert(
            &settings,
            &json!({"title": "t", "prometheus_replica": replica}),
        )
        .identity
    };
    assert_eq!(generic("0"), generic("1"));
}
