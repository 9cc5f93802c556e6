//! Lists by urgency, assignee and environment, counts, and keyset pages.

use alert_intake::model::{AlertFilter, AlertOrder, AlertStatus, Severity, TriageChange};
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use storage::StoreExt as _;

use super::{alert, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{page, timestamp};

const STATUSES: [AlertStatus; 4] = [
    AlertStatus::Triggered,
    AlertStatus::Acknowledged,
    AlertStatus::Resolved {
        ended_at: api_conventions::time::Timestamp::MAX,
    },
    AlertStatus::Ignored,
];

/// Inserts alerts with these statuses, by their place in [`STATUSES`], and severities.
fn store_kinds(store: &Alerts, project: ProjectId, kinds: &'static [(usize, Severity)]) {
    let inserted = store.change(move |tx| {
        let mut alerts = Vec::new();
        for (number, (status, severity)) in (0..).zip(kinds) {
            let mut new = alert(project, number);
            new.alert.summary.status = STATUSES[*status];
            new.alert.summary.severity = *severity;
            let environments = [None, Some("prod'uction"), Some("staging")];
            let environment = environments[usize::from(number) % 3];
            new.alert.summary.environment_name = environment.map(str::to_owned);
            alerts.push(new);
        }
        insert(tx, alerts)
    });
    inserted.wait().unwrap();
}

/// Lists the numbers of the matching alerts, and checks their count.
fn list(store: &Alerts, filter: &AlertFilter) -> Vec<i64> {
    let filter = filter.clone();
    let listed = store.query(move |tx| {
        let listed = tx.list_alerts(&filter, page(1, 100))?;
        assert_eq!(tx.count_alerts(&filter)?, listed.total);
        Ok(listed)
    });
    let listed = listed.wait().unwrap();
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(listed.total, Total::Exact(count));
    listed.items.iter().map(|alert| alert.iid.get()).collect()
}

const KINDS: &[(usize, Severity)] = &[
    (2, Severity::Critical),
    (1, Severity::Low),
    (0, Severity::High),
    (3, Severity::Critical),
    (1, Severity::High),
    (0, Severity::Critical),
    (0, Severity::High),
];

pub(super) fn l73_the_most_urgent_alert_is_the_open_and_severe_one_that_was_stored_first(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    store_kinds(store, project, KINDS);
    let urgent = AlertFilter {
        order_by: AlertOrder::Urgency,
        ..AlertFilter::new(project)
    };
    assert_eq!(list(store, &urgent), [6, 3, 5, 7, 2, 1, 4]);
    let backwards = AlertFilter {
        sort: SortOrder::Ascending,
        ..urgent.clone()
    };
    assert_eq!(list(store, &backwards), [4, 1, 2, 7, 5, 3, 6]);
    let open = AlertFilter {
        statuses: vec![0, 1],
        severities: vec![Severity::High, Severity::Low],
        ..urgent.clone()
    };
    assert_eq!(list(store, &open), [3, 5, 7, 2]);
    let pages = store.query(move |tx| {
        let pages = (1..=4).map(|number| tx.list_alerts(&urgent, page(number, 2)));
        pages.collect::<Result<Vec<_>, _>>()
    });
    let pages = pages.wait().unwrap();
    let iids = pages.iter().flat_map(|page| &page.items);
    let iids: Vec<i64> = iids.map(|alert| alert.iid.get()).collect();
    assert_eq!(iids, [6, 3, 5, 7, 2, 1, 4]);
}

pub(super) fn l74_alerts_are_listed_by_assignee_and_by_environment(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    store_kinds(store, project, KINDS);
    store_kinds(store, other, KINDS);
    let assigned = store.change(move |tx| {
        for (project_id, iid, user) in [
            (project, 1, 7),
            (project, 3, 7),
            (project, 5, 8),
            (project, 7, 7),
            (other, 2, 7),
        ] {
            let found = tx.find_alert(project_id, AlertIid::new(iid))?;
            assert!(tx.set_alert_triage(&TriageChange {
                project_id,
                iid: AlertIid::new(iid),
                severity: found.expect("the row exists").summary.severity,
                assignee_id: Some(UserId::new(user)),
                at: timestamp(1),
            })?);
        }
        Ok(())
    });
    assigned.wait().unwrap();
    for (order_by, by_assignee, by_environment) in [
        (AlertOrder::Created, [7, 3, 1], [5, 2]),
        (AlertOrder::Severity, [1, 7, 3], [5, 2]),
        (AlertOrder::Urgency, [3, 7, 1], [5, 2]),
    ] {
        let by = |user: Option<i64>, environment: Option<&str>| AlertFilter {
            assignee_id: user.map(UserId::new),
            environment: environment.map(str::to_owned),
            order_by,
            ..AlertFilter::new(project)
        };
        assert_eq!(list(store, &by(Some(7), None)), by_assignee, "{order_by:?}");
        let named = by(None, Some("prod'uction"));
        assert_eq!(list(store, &named), by_environment, "{order_by:?}");
        assert_eq!(list(store, &by(None, Some("prod"))), [0; 0]);
        assert_eq!(list(store, &by(None, Some("\0"))), [0; 0]);
        let search = AlertFilter {
            search: Some("alert 2".to_owned()),
            ..by(Some(7), None)
        };
        let found = store.query(move |tx| tx.list_alerts(&search, page(1, 9)));
        let found = found.wait().unwrap().items;
        let found: Vec<i64> = found.iter().map(|alert| alert.iid.get()).collect();
        assert_eq!(found, [3]);
        let open = AlertFilter {
            statuses: vec![0, 1],
            ..by(Some(7), None)
        };
        let expected: Vec<i64> = by_assignee.into_iter().filter(|iid| *iid != 1).collect();
        assert_eq!(list(store, &open), expected);
    }
}

pub(super) fn l75_a_keyset_page_goes_on_behind_a_number_in_both_directions(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    store_kinds(store, other, KINDS);
    store_kinds(store, project, KINDS);
    let high = AlertFilter {
        severities: vec![Severity::High, Severity::Critical],
        ..AlertFilter::new(project)
    };
    for (filter, sort, beyond, expected, has_next) in [
        (
            AlertFilter::new(project),
            SortOrder::Descending,
            None,
            &[7, 6, 5][..],
            true,
        ),
        (
            AlertFilter::new(project),
            SortOrder::Descending,
            Some(4),
            &[3, 2, 1],
            false,
        ),
        (
            AlertFilter::new(project),
            SortOrder::Ascending,
            Some(3),
            &[4, 5, 6],
            true,
        ),
        (
            AlertFilter::new(project),
            SortOrder::Ascending,
            Some(7),
            &[],
            false,
        ),
        (
            high.clone(),
            SortOrder::Descending,
            Some(6),
            &[5, 4, 3],
            true,
        ),
        (high, SortOrder::Ascending, Some(1), &[3, 4, 5], true),
    ] {
        let beyond = beyond.map(AlertIid::new);
        let slice =
            store.query(move |tx| tx.list_alerts_after(&filter, beyond, KeysetPage::new(3, sort)));
        let slice = slice.wait().unwrap();
        let iids: Vec<i64> = slice.items.iter().map(|alert| alert.iid.get()).collect();
        assert_eq!(
            (&iids[..], slice.has_next),
            (expected, has_next),
            "{sort:?} {beyond:?}"
        );
    }
}
