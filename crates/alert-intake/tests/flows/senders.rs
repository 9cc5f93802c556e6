//! Bodies of well-known senders (`tests/data/senders`): the alert that each becomes, its repeat and its recovery.

use std::fmt::Write as _;

use alert_intake::model::{AlertStatus, Delivery, Source};
use alert_intake::payload::{DeliveryFormat, ParseContext, parse};
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{HERE, Intake, counts};

/// Name of a sender, how its bodies are sent, its body that fires, and its recovery.
type SenderBodies = (&'static str, &'static str, &'static str, &'static str);

macro_rules! senders {
    ($($name:literal $extension:literal $content_type:literal),* $(,)?) => {
        [$((
            $name,
            $content_type,
            include_str!(concat!("../data/senders/", $name, ".firing.", $extension)).trim_ascii_end(),
            include_str!(concat!("../data/senders/", $name, ".recovery.", $extension))
                .trim_ascii_end(),
        )),*]
    };
}

const SENDERS: [SenderBodies; 28] = senders! {
    "alertmanager-partial" "json" "",
    "azure" "json" "",
    "datadog" "json" "",
    "dynatrace" "json" "",
    "gatus" "json" "",
    "gatus-zero-start" "json" "",
    "google-cloud" "json" "",
    "grafana" "json" "",
    "grafana-legacy" "json" "",
    "healthchecks" "json" "",
    "icinga" "json" "",
    "kapacitor" "json" "",
    "nagios-form" "txt" "application/x-www-form-urlencoded",
    "nagios-host" "txt" "application/x-www-form-urlencoded",
    "netdata" "json" "",
    "new-relic" "json" "",
    "opsgenie" "json" "",
    "pagerduty-v2" "json" "",
    "pingdom" "json" "",
    "prometheus-direct" "json" "",
    "sns-cloudwatch" "txt" "text/plain; charset=UTF-8",
    "statuscake-form" "txt" "application/x-www-form-urlencoded",
    "titled-script" "json" "",
    "unknown-script" "json" "",
    "uptime-kuma" "json" "",
    "uptime-kuma-form" "multipart" "multipart/form-data; boundary=----------------------------930583",
    "vmalert" "json" "",
    "zabbix" "json" "",
};

fn read(project: ProjectId, content_type: &str, body: &str, minute: i64) -> Delivery {
    let start = Timestamp::parse_rfc3339("2026-11-25T03:00:10Z").unwrap();
    let now = start.plus_seconds(60 * minute);
    let mut context = ParseContext::from_parts(project, IntegrationId::new(10), now, [7; 16]);
    context.format = DeliveryFormat::of_content_type(content_type).unwrap_or_default();
    let read = parse(body.as_bytes(), Source::Generic, &context);
    read.unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Describes the one alert of a sender after its body fired, was repeated, and recovered.
fn outline(intake: &Intake, project: ProjectId, sender: SenderBodies) -> String {
    let (name, content_type, fires, recovers) = sender;
    intake.receive(&[read(project, content_type, fires, 0)]);
    intake.receive(&[read(project, content_type, fires, 1)]);
    let outcome = intake.counts_of(read(project, content_type, recovers, 6));
    let rows = intake.rows(project);
    let [alert] = rows.alerts.as_slice() else {
        return format!("{name}: {outcome:?} {:?}\n", rows.outline());
    };
    let alert = &alert.summary;
    let mut text = format!("{name}: {:?} {}\n", alert.title, alert.severity.as_str());
    let end = alert
        .status
        .ended_at()
        .map_or("?".to_owned(), |end| end.to_string());
    let counted = (alert.occurrences, alert.deliveries);
    writeln!(text, "  {} to {end}, counts {counted:?}", alert.started_at).unwrap();
    let (tool, service) = (&alert.monitoring_tool, &alert.service);
    let environment = alert.environment_name.as_deref().unwrap_or_default();
    writeln!(
        text,
        "  tool {tool:?} service {service:?} hosts {:?} environment {environment:?}",
        alert.hosts
    )
    .unwrap();
    writeln!(text, "  {:?}", alert.description).unwrap();
    for note in &rows.receipts[0].receipt.context.notes {
        writeln!(text, "  note: {note}").unwrap();
    }
    text
}

/// ALRT-02, ALRT-03, ALRT-08.
#[test]
fn each_sender_opens_counts_and_resolves_one_alert() {
    let intake = Intake::default();
    let projects = (1..).map(ProjectId::new);
    let outlines = SENDERS.into_iter().zip(projects);
    let outlines = outlines.map(|(sender, project)| outline(&intake, project, sender));
    let found: String = outlines.collect();
    assert!(found == include_str!("../data/senders.txt"), "\n{found}");
}

#[test]
fn a_recovery_alone_stores_no_alert_and_says_so() {
    let intake = Intake::default();
    for ((name, content_type, _, recovers), number) in SENDERS.into_iter().zip(1..) {
        let project = ProjectId::new(number);
        let outcome = intake.counts_of(read(project, content_type, recovers, 6));
        let rows = intake.rows(project);
        let notes = &rows.receipts[0].receipt.context.notes;
        // The ends of the specification are stored as alerts that are already over.
        let is_specified = ["gatus", "gatus-zero-start", "vmalert"].contains(&name);
        if is_specified {
            assert_eq!(
                (outcome, rows.outline().iter().all(|row| row.1.is_some())),
                (counts(0, 0, 1, 0), true),
                "{name}"
            );
        } else {
            assert_eq!(
                (outcome, rows.alerts.len()),
                (counts(0, 0, 0, 1), 0),
                "{name}"
            );
            let reason = "1 ignored: it reports an end, and no alert with its identity is open";
            assert!(notes.iter().any(|note| note == reason), "{name}: {notes:?}");
        }
    }
}

/// A subscription is a receipt with its link, and an acknowledgement is one with a reason.
#[test]
fn what_is_neither_a_start_nor_an_end_is_a_receipt() {
    let acknowledged =
        include_str!("../data/senders/pagerduty-v2.firing.json").replace("trigger", "acknowledge");
    let subscription = include_str!("../data/senders/sns-subscription.firing.txt").trim_ascii_end();
    for (body, expected) in [
        (
            subscription,
            "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription",
        ),
        (
            &acknowledged,
            "it reports an acknowledgement, and no alert with its identity is triggered",
        ),
        (
            r#"{"name":"a","status":"acknowledged"}"#,
            "read by the general rule",
        ),
    ] {
        let intake = Intake::default();
        assert_eq!(
            intake.counts_of(read(HERE, "text/plain", body, 0)),
            counts(0, 0, 0, 0)
        );
        let rows = intake.rows(HERE);
        let notes = &rows.receipts[0].receipt.context.notes;
        assert!(
            rows.alerts.is_empty() && notes.iter().any(|note| note.contains(expected)),
            "{notes:?}"
        );
    }
}

/// An acknowledgement of the sender changes the status of the alert that its events opened, once.
#[test]
fn an_acknowledgement_is_a_status() {
    let event = include_str!("../data/senders/pagerduty-v2.firing.json");
    let intake = Intake::default();
    let acknowledged = event.replace("trigger", "acknowledge");
    let resolved = event.replace("trigger", "resolve");
    for (body, status, changes) in [
        (event, AlertStatus::Triggered, 1),
        (&acknowledged, AlertStatus::Acknowledged, 1),
        (&acknowledged, AlertStatus::Acknowledged, 0),
        (event, AlertStatus::Acknowledged, 0),
    ] {
        let outcome = intake.decide(&[read(HERE, "", body, 0)]).remove(0).unwrap();
        assert_eq!(outcome.changes.len(), changes);
        let alerts = intake.rows(HERE).alerts;
        assert_eq!((alerts.len(), alerts[0].summary.status), (1, status));
    }
    // A group with an acknowledgement has the outcome of its POSTs one after the other.
    let group = [&resolved, event, &acknowledged].map(|body| read(HERE, "", body, 1));
    intake.decide(&group);
    let alerts = intake.rows(HERE).alerts;
    let statuses: Vec<&str> = alerts
        .iter()
        .map(|alert| alert.summary.status.as_str())
        .collect();
    assert_eq!(statuses, ["resolved", "acknowledged"]);
}

/// A sender that no recogniser knows: the alert that its bodies are about.
#[derive(Deserialize)]
struct UnknownSender {
    sender: String,
    title: String,
    /// Empty if the body has none.
    severity: String,
    fires: Value,
    recovers: Value,
}

/// The general rule reads the documented bodies of many more services.
#[test]
fn alerts_of_unknown_senders_open_and_recover() {
    let intake = Intake::default();
    let lines = include_str!("../data/unknown-senders.jsonl").lines();
    let mut faults = Vec::new();
    for (line, number) in lines.zip(1..) {
        let sender: UnknownSender = serde_json::from_str(line).unwrap();
        let [fires, recovers] = [&sender.fires, &sender.recovers].map(Value::to_string);
        let (project, other) = (ProjectId::new(number), ProjectId::new(1000 + number));
        intake.receive(&[read(project, "", &fires, 0)]);
        intake.receive(&[read(project, "", &recovers, 6)]);
        let rows = intake.rows(project);
        let alert = &rows.alerts[0].summary;
        let severity = if sender.severity.is_empty() {
            alert.severity.as_str()
        } else {
            &sender.severity
        };
        let is_over = rows.alerts.len() == 1 && !alert.status.is_open();
        let is_read = (alert.title.as_str(), alert.severity.as_str()) == (&sender.title, severity);
        intake.receive(&[read(other, "", &recovers, 6)]);
        let opened = intake.rows(other).alerts;
        let is_end = opened.iter().all(|alert| !alert.summary.status.is_open());
        if !(is_over && is_read && is_end) {
            let shown = (&sender.sender, &alert.title, alert.severity.as_str());
            faults.push(format!("{shown:?} over {is_over}, end {is_end}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
