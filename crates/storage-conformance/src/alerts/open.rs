//! Open alerts of a set of projects.

use alert_intake::model::{
    AlertStatus, AlertSummary, OpenAlertFilter, OpenAlertPosition, OpenStatus, Severity,
};
use api_conventions::ids::ProjectId;
use storage::StoreExt as _;

use super::{alert, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::timestamp;

/// Severity, start and status of alerts: each project has them in turn.
const ALERTS: [(Severity, i64, AlertStatus); 8] = [
    (Severity::Low, 1, AlertStatus::Triggered),
    (Severity::Low, 9, AlertStatus::Triggered),
    (Severity::Critical, 7, AlertStatus::Triggered),
    (Severity::High, 2, AlertStatus::Triggered),
    (Severity::Critical, 5, AlertStatus::Acknowledged),
    (Severity::Critical, 7, AlertStatus::Triggered),
    (Severity::Critical, 3, AlertStatus::Ignored),
    (Severity::Critical, 8, AlertStatus::Triggered),
];

/// True if an alert matches a filter, apart from its projects.
fn matches(filter: &OpenAlertFilter, alert: &AlertSummary) -> bool {
    let is_of_status = match alert.status {
        AlertStatus::Triggered => filter.status != Some(OpenStatus::Acknowledged),
        AlertStatus::Acknowledged => filter.status != Some(OpenStatus::Triggered),
        _ => false,
    };
    let position = OpenAlertPosition::of(alert);
    is_of_status
        && (filter.severities.is_empty() || filter.severities.contains(&alert.severity))
        && filter.after.is_none_or(|after| position > after)
}

pub(super) fn l70_the_open_alerts_of_a_set_of_projects_are_listed_the_most_severe_first(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let mut all = Vec::new();
    for (place, of) in [project, other].into_iter().enumerate() {
        let mut alerts = Vec::new();
        for (number, (severity, start, status)) in (0..).zip(ALERTS).skip(place).step_by(2) {
            let mut new = alert(of, number);
            let summary = &mut new.alert.summary;
            (summary.severity, summary.status) = (severity, status);
            summary.started_at = timestamp(start);
            alerts.push(new);
        }
        let new = alerts.clone();
        let inserted = store.change(move |tx| insert(tx, new.clone()));
        for (iid, new) in inserted.wait().unwrap().into_iter().zip(alerts) {
            all.push(AlertSummary {
                iid,
                ..new.alert.summary
            });
        }
    }
    all.sort_by_key(OpenAlertPosition::of);
    let unknown = ProjectId::new(i64::MAX);
    let sets = [
        vec![other, unknown, project],
        vec![project],
        vec![other],
        vec![unknown],
        vec![],
    ];
    let after = all.iter().map(OpenAlertPosition::of).map(Some);
    let after: Vec<Option<OpenAlertPosition>> = after.chain([None]).collect();
    let mut found = 0;
    for projects in &sets {
        for after in &after {
            for (status, severities, limit) in [
                (None, vec![], 1),
                (None, vec![], 3),
                (None, vec![], 100),
                (None, vec![Severity::Low, Severity::Critical], 4),
                (Some(OpenStatus::Triggered), vec![], 100),
                (Some(OpenStatus::Acknowledged), vec![], 100),
                (Some(OpenStatus::Triggered), vec![Severity::Critical], 2),
                (Some(OpenStatus::Acknowledged), vec![Severity::High], 2),
            ] {
                let filter = OpenAlertFilter {
                    projects: projects.clone(),
                    status,
                    severities,
                    after: *after,
                };
                let expected = all.iter().filter(|alert| {
                    projects.contains(&alert.project_id) && matches(&filter, alert)
                });
                let expected: Vec<_> = expected.take(limit).map(OpenAlertPosition::of).collect();
                let requested = filter.clone();
                let listed = store.query(move |tx| tx.list_open_alerts(&requested, limit));
                let listed = listed.wait().unwrap();
                let listed: Vec<_> = listed.iter().map(OpenAlertPosition::of).collect();
                assert_eq!(listed, expected, "{filter:?} {limit}");
                found += listed.len();
            }
        }
    }
    assert!(found > 100, "{found}");
}
