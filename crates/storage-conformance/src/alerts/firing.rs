//! Firing alerts of a set of projects.

use alert_intake::model::{AlertStatus, Severity};
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

pub(super) fn l70_the_firing_alerts_of_a_set_of_projects_are_listed_the_most_severe_first(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let mut expected = Vec::new();
    for (place, of) in [project, other].into_iter().enumerate() {
        let mut alerts = Vec::new();
        for (number, (severity, start, status)) in (0..).zip(ALERTS).skip(place).step_by(2) {
            let mut new = alert(of, number);
            let summary = &mut new.alert.summary;
            (summary.severity, summary.status) = (severity, status);
            summary.started_at = timestamp(start);
            alerts.push(new);
        }
        let inserted = store.change(move |tx| insert(tx, alerts.clone()));
        let iids = inserted.wait().unwrap();
        for (iid, (severity, start, status)) in iids
            .into_iter()
            .zip(ALERTS.into_iter().skip(place).step_by(2))
        {
            if status == AlertStatus::Triggered {
                expected.push((severity.number(), start, iid, of));
            }
        }
    }
    expected.sort_unstable();
    let list = |projects: &[ProjectId], limit| {
        let projects = projects.to_vec();
        let listed = store.query(move |tx| tx.list_firing_alerts(&projects, limit));
        let listed = listed.wait().unwrap().into_iter();
        let places = listed.map(|alert| (alert.iid, alert.project_id));
        places.collect::<Vec<_>>()
    };
    let places = |of: &[ProjectId]| {
        let listed = expected.iter().filter(|one| of.contains(&one.3));
        listed.map(|one| (one.2, one.3)).collect::<Vec<_>>()
    };
    let unknown = ProjectId::new(i64::MAX);
    let all = [other, unknown, project];
    for limit in [1, 2, 3, 100] {
        for of in [&all[..], &[project], &[other], &[unknown], &[]] {
            let mut first = places(of);
            first.truncate(limit);
            assert_eq!(list(of, limit), first, "{of:?} {limit}");
        }
    }
    assert_eq!(places(&all).len(), 6);
}
