//! Seed of the benchmark of stored rows: a project that has received many alerts.
//!
//! `alert_seed DATABASE_URL PROJECT_ID COUNT` writes them into a migrated database: each with its receipt and its entry
//! of the feed, as intake does. Nearly all are resolved; a few are in each other status. Their texts vary as those of
//! real alerts do: the same sentences, other machines, other numbers.

#[path = "seeding/database.rs"]
mod database;
#[path = "seeding/scatter.rs"]
mod scatter;

use alert_intake::model::{
    Alert, AlertIdentity, AlertStatus, AlertSummary, NewAlert, NewReceipt, ReceiptCounts,
    ReportDigest, SenderContext, Severity, Source, Start,
};
use anyhow::Result;
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{Clock as _, Timestamp};
use database::open_at;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::WriteTransaction;
use scatter::scatter;
use storage::{Store as _, StoreError};

/// Alerts per transaction: few, so that the journal is checkpointed in time.
const BATCH: i64 = 25;
/// Ratio of all alerts to alerts that are not resolved.
const OPEN_ONE_IN: i64 = 50;
/// Ratio of all alerts to acknowledged ones: the filter with few hits.
const ACKNOWLEDGED_ONE_IN: i64 = 25_000;

/// Titles of alerts.
const TITLES: [&str; 5] = [
    "High memory on node",
    "Disk almost full on node",
    "Checkout answers slowly behind node",
    "Certificate runs out on node",
    "Queue of deliveries grows on node",
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, project, count] = arguments.as_slice() else {
        anyhow::bail!("alert_seed DATABASE_URL PROJECT_ID COUNT");
    };
    let database = open_at(url)?;
    let project = ProjectId::new(project.parse()?);
    let now = SystemClock.now();
    let mut remaining: i64 = count.parse()?;
    while remaining > 0 {
        let size = remaining.min(BATCH);
        remaining -= size;
        let at = now.plus_seconds(-remaining / 10);
        let written = database.write(move |tx| write(tx, project, size, at));
        let written: Result<(), StoreError> = written.wait();
        written?;
    }
    database.close();
    Ok(())
}

fn write(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    size: i64,
    at: Timestamp,
) -> Result<(), StoreError> {
    tx.lock_alerts(&[project])?;
    let mut alerts = Vec::new();
    for run in tx.reserve_alert_numbers(&[(project, size)])? {
        for offset in 0..run.count {
            let id = AlertId::new(run.first_id.get() + offset);
            let iid = AlertIid::new(run.first_iid.get() + offset);
            alerts.push(alert(project, id, iid, at));
        }
    }
    tx.insert_alerts(&alerts)?;
    let receipts: Vec<NewReceipt> = alerts.iter().map(|_| receipt(project, at)).collect();
    tx.insert_receipts(&receipts)?;
    let entries: Vec<NewEvent> = alerts
        .iter()
        .map(|new| entry(&new.alert.summary, at))
        .collect();
    tx.insert_events(&entries)
}

fn alert(project_id: ProjectId, id: AlertId, iid: AlertIid, at: Timestamp) -> NewAlert {
    let number = iid.get();
    let scattered = scatter(number);
    let title = usize::try_from(scattered % 5)
        .ok()
        .and_then(|place| TITLES.get(place));
    let status = match number {
        number if number % ACKNOWLEDGED_ONE_IN == 7 => AlertStatus::Acknowledged,
        number if number % OPEN_ONE_IN == 0 => AlertStatus::Triggered,
        _ => AlertStatus::Resolved { ended_at: at },
    };
    let severity = i16::try_from(scattered % 6)
        .ok()
        .and_then(Severity::from_number);
    let description = format!(
        "The node {scattered:016x} in rack {} uses more than it should since {number} checks. {}",
        scattered % 977,
        "Look at the runbook of the team, and at what was released in the last hour. ".repeat(7)
    );
    let payload = format!(r#"{{"title":"{number}","description":"{description}"}}"#);
    let summary = AlertSummary {
        id,
        iid,
        project_id,
        integration_id: IntegrationId::new(1),
        source: Source::Generic,
        title: format!("{} {}", title.unwrap_or(&""), scattered % 9973),
        description,
        severity: severity.unwrap_or(Severity::Unknown),
        status,
        service: "checkout".to_owned(),
        monitoring_tool: "probe".to_owned(),
        hosts: vec![format!("node-{}.example.com", scattered % 9973)],
        environment_name: Some("production".to_owned()),
        assignee_id: None,
        started_at: at,
        last_start: Start::stated(at),
        occurrences: 1 + i64::try_from(scattered % 7).unwrap_or_default(),
        deliveries: 1,
        flaps: 0,
        stale_at: None,
        created_at: at,
        updated_at: at,
    };
    NewAlert {
        alert: Alert {
            summary,
            payload,
            latest_payload: None,
        },
        identity: AlertIdentity::from_bytes(
            *SecretDigest::of(&format!("seed {number}")).as_bytes(),
        ),
        report: ReportDigest::default(),
    }
}

fn receipt(project_id: ProjectId, received_at: Timestamp) -> NewReceipt {
    NewReceipt {
        project_id,
        integration_id: IntegrationId::new(1),
        received_at,
        body_bytes: 1000,
        counts: ReceiptCounts {
            created: 1,
            ..ReceiptCounts::default()
        },
        context: SenderContext::default(),
        refusal: None,
    }
}

fn entry(alert: &AlertSummary, created_at: Timestamp) -> NewEvent {
    NewEvent {
        project_id: alert.project_id,
        author_id: UserId::new(1),
        action: Action::Created,
        target: Some(EventTarget {
            kind: TargetType::Alert,
            id: alert.id.get(),
            iid: alert.iid.get(),
            title: Some(alert.title.clone()),
        }),
        audience: Audience::Developers,
        push: None,
        created_at,
    }
}
