//! Environments that alerts name.

use alert_intake::model::{
    AlertFilter, AlertOrder, AlertStatus, NewAlert, OpenAlertCounts, Severity,
};
use api_conventions::ids::ProjectId;
use api_conventions::page::SortOrder;
use storage::StoreExt as _;

use super::lists::list;
use super::{alert, identity, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{HOSTILE, timestamp};

/// Environment, severity and status of alerts of a project.
const ALERTS: [(Option<&str>, Severity, AlertStatus); 9] = [
    (Some("live"), Severity::Low, AlertStatus::Triggered),
    (Some("Live"), Severity::High, AlertStatus::Acknowledged),
    (None, Severity::Critical, AlertStatus::Triggered),
    (Some("live"), Severity::Critical, AlertStatus::Acknowledged),
    (Some("live"), Severity::Low, AlertStatus::Ignored),
    (Some(HOSTILE), Severity::Info, AlertStatus::Triggered),
    (Some("live"), Severity::Low, AlertStatus::Triggered),
    (Some("quiet"), Severity::High, AlertStatus::Ignored),
    (Some("\u{10ffff}"), Severity::High, AlertStatus::Triggered),
];

/// Writes the alerts, and as many resolved ones of another environment.
fn write(store: &Alerts, project: ProjectId) {
    let mut alerts: Vec<NewAlert> = Vec::new();
    for (number, (environment, severity, status)) in (0..).zip(ALERTS) {
        let mut new = alert(project, number);
        let summary = &mut new.alert.summary;
        summary.environment_name = environment.map(str::to_owned);
        (summary.severity, summary.status) = (severity, status);
        summary.title = format!("Disk {number}");
        summary.started_at = timestamp(i64::from(number % 3));
        summary.occurrences = i64::from(number % 2) + 1;
        alerts.push(new);
        let mut resolved = alert(project, number + 100);
        resolved.alert.summary.environment_name = Some(format!("over {number}"));
        resolved.alert.summary.status = AlertStatus::Resolved {
            ended_at: timestamp(9),
        };
        alerts.push(resolved);
    }
    let inserted = store.change(move |tx| insert(tx, alerts.clone()));
    inserted.wait().unwrap();
}

pub(super) fn l90_alerts_are_listed_by_the_exact_name_of_their_environment(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    write(store, project);
    write(store, other);
    let filter = |name: &str| AlertFilter {
        environment: Some(name.to_owned()),
        sort: SortOrder::Ascending,
        ..AlertFilter::new(project)
    };
    let mut live = filter("live");
    for (order_by, expected) in [
        (AlertOrder::Created, [1, 7, 9, 13]),
        (AlertOrder::Severity, [1, 9, 13, 7]),
        (AlertOrder::StartedAt, [1, 7, 13, 9]),
        (AlertOrder::UpdatedAt, [1, 7, 9, 13]),
        (AlertOrder::Occurrences, [1, 9, 13, 7]),
    ] {
        live.order_by = order_by;
        assert_eq!(list(store, &live), expected, "{order_by:?}");
    }
    live.order_by = AlertOrder::Created;
    live.statuses = vec![AlertStatus::Triggered.number()];
    assert_eq!(list(store, &live), [1, 13]);
    live.severities = vec![Severity::High];
    assert_eq!(list(store, &live), [0; 0]);
    for (name, expected) in [
        ("Live", &[3][..]),
        (HOSTILE, &[11]),
        ("liv", &[]),
        ("", &[]),
    ] {
        assert_eq!(list(store, &filter(name)), expected, "{name}");
    }
    live = AlertFilter {
        search: Some("DISK 3".to_owned()),
        ..filter("live")
    };
    assert_eq!(list(store, &live), [7]);
    live.environment = Some("Live".to_owned());
    assert_eq!(list(store, &live), [0; 0]);
}

pub(super) fn l91_environments_of_open_alerts_are_listed_in_the_order_of_their_bytes(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    write(store, project);
    let names = |project, after: &str, limit| {
        let after = after.to_owned();
        let listed = store.query(move |tx| tx.list_alert_environments(project, &after, limit));
        listed.wait().unwrap()
    };
    let mut all = ["live", "Live", HOSTILE, "\u{10ffff}"];
    all.sort_unstable();
    assert_eq!(names(project, "", 100), all);
    assert_eq!(names(other, "", 100), [""; 0]);
    for limit in 0..all.len() {
        assert_eq!(names(project, "", limit), all[..limit], "{limit}");
        assert_eq!(names(project, all[limit], 100), all[limit + 1..], "{limit}");
    }
}

pub(super) fn l92_open_alerts_of_environments_are_counted_by_severity(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    write(store, project);
    let many = usize::from(OpenAlertCounts::LIMIT) + 1;
    let inserted = store.change(move |tx| {
        let many = (0..many).map(|number| {
            let mut new = alert(other, 0);
            let mut bytes = *identity(1).as_bytes();
            bytes[..8].copy_from_slice(&number.to_be_bytes());
            new.identity = alert_intake::model::AlertIdentity::from_bytes(bytes);
            new.alert.summary.environment_name = Some("live".to_owned());
            new
        });
        insert(tx, many.collect())
    });
    inserted.wait().unwrap();
    let named = |project, name: &str| (project, name.to_owned());
    let requested = [
        named(other, "live"),
        named(project, "quiet"),
        named(project, "live"),
        named(project, HOSTILE),
        named(other, "Live"),
    ];
    let counted = store.query(move |tx| tx.count_open_alerts(&requested));
    let counted = counted.wait().unwrap();
    let by_severity = |counts: &OpenAlertCounts| counts.by_severity().collect::<Vec<_>>();
    let counted: Vec<_> = counted.iter().map(by_severity).collect();
    let expected = [
        vec![(Severity::Critical, OpenAlertCounts::LIMIT)],
        vec![],
        vec![(Severity::Critical, 1), (Severity::Low, 2)],
        vec![(Severity::Info, 1)],
        vec![],
    ];
    assert_eq!(counted, expected);
    let nothing = store.query(move |tx| tx.count_open_alerts(&[]));
    assert_eq!(nothing.wait().unwrap(), []);
}
