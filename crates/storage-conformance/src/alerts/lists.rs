//! Lists of alerts.

use alert_intake::model::{
    AlertFilter, AlertIdentity, AlertOrder, AlertStatus, NewAlert, Severity,
};
use alert_intake::search::PART;
use api_conventions::ids::ProjectId;
use api_conventions::page::{SortOrder, Total};
use storage::StoreExt as _;

use super::{alert, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{page, timestamp};

/// Lists the matching alerts by their numbers in the project.
pub(super) fn list(store: &Alerts, filter: &AlertFilter) -> Vec<i64> {
    let filter = filter.clone();
    let listed = store.query(move |tx| tx.list_alerts(&filter, page(1, 100)));
    let listed = listed.wait().unwrap();
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(
        (listed.total, listed.has_next),
        (Total::Exact(count), false)
    );
    listed.items.iter().map(|alert| alert.iid.get()).collect()
}

pub(super) fn l31_each_filter_holds(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let statuses = [
        AlertStatus::Triggered,
        AlertStatus::Acknowledged,
        AlertStatus::Resolved {
            ended_at: timestamp(1),
        },
        AlertStatus::Ignored,
    ];
    let inserted = store.change(move |tx| {
        let mut alerts = Vec::new();
        for (number, severity) in (0..).zip(Severity::ALL) {
            let mut new = alert(project, number);
            new.alert.summary.severity = severity;
            new.alert.summary.status = statuses[usize::from(number) % statuses.len()];
            alerts.push(new);
        }
        insert(tx, alerts)
    });
    inserted.wait().unwrap();
    let filter = |statuses: &[AlertStatus], severities: &[Severity]| AlertFilter {
        statuses: statuses.iter().map(|status| status.number()).collect(),
        severities: severities.to_vec(),
        sort: SortOrder::Ascending,
        ..AlertFilter::new(project)
    };
    assert_eq!(list(store, &filter(&statuses[..1], &[])), [1, 5]);
    assert_eq!(list(store, &filter(&statuses[1..3], &[])), [2, 3, 6]);
    assert_eq!(list(store, &filter(&statuses[3..], &[])), [4]);
    assert_eq!(list(store, &filter(&[], &[Severity::Critical])), [6]);
    let some = [Severity::Unknown, Severity::High];
    assert_eq!(list(store, &filter(&[], &some)), [1, 5]);
    assert_eq!(list(store, &filter(&statuses[1..2], &some)), [0; 0]);
    assert_eq!(
        list(store, &filter(&statuses, &Severity::ALL)),
        [1, 2, 3, 4, 5, 6]
    );
}

pub(super) fn l32_search_is_for_text_in_any_case_and_has_no_wildcards(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let mut alerts = [1, 2, 3, 4].map(|number| alert(project, number)).to_vec();
        alerts[0].alert.summary.title = "Straße 100%".to_owned();
        alerts[1].alert.summary.description = "what ÄRGER brings".to_owned();
        alerts[2].alert.summary.service = "thr_ee".to_owned();
        alerts[3].alert.summary.monitoring_tool = "Back\\slash".to_owned();
        alerts[3].alert.payload = "\"hidden\"".to_owned();
        insert(tx, alerts)
    });
    inserted.wait().unwrap();
    for (search, expected) in [
        ("straße", &[1][..]),
        ("ärger", &[2]),
        ("%", &[1]),
        ("_", &[3]),
        ("THR_E", &[3]),
        ("\\", &[4]),
        ("ALERT", &[2, 3, 4]),
        ("hidden", &[]),
        ("'", &[]),
    ] {
        let filter = AlertFilter {
            search: Some(search.to_owned()),
            sort: SortOrder::Ascending,
            ..AlertFilter::new(project)
        };
        assert_eq!(list(store, &filter), expected, "{search}");
    }
}

pub(super) fn l33_every_order_breaks_ties_by_number(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let mut alerts = [1, 2, 3, 4].map(|number| alert(project, number)).to_vec();
        let severities = [
            Severity::High,
            Severity::Low,
            Severity::High,
            Severity::Critical,
        ];
        for (new, (started, updated, severity, occurrences)) in alerts.iter_mut().zip(
            [(5, 1), (5, 9), (1, 9), (7, 1)]
                .into_iter()
                .zip(severities)
                .zip([2, 1, 2, 3])
                .map(|(((started, updated), severity), count)| (started, updated, severity, count)),
        ) {
            let summary = &mut new.alert.summary;
            summary.started_at = timestamp(started);
            summary.updated_at = timestamp(updated);
            summary.severity = severity;
            summary.occurrences = occurrences;
        }
        insert(tx, alerts)
    });
    inserted.wait().unwrap();
    for (order_by, expected) in [
        (AlertOrder::Created, [1, 2, 3, 4]),
        (AlertOrder::StartedAt, [3, 1, 2, 4]),
        (AlertOrder::UpdatedAt, [1, 4, 2, 3]),
        (AlertOrder::Severity, [2, 1, 3, 4]),
        (AlertOrder::Occurrences, [2, 1, 3, 4]),
    ] {
        let mut filter = AlertFilter {
            order_by,
            sort: SortOrder::Ascending,
            ..AlertFilter::new(project)
        };
        assert_eq!(list(store, &filter), expected, "{order_by:?}");
        filter.sort = SortOrder::Descending;
        let mut backwards = list(store, &filter);
        backwards.reverse();
        assert_eq!(backwards, expected, "{order_by:?} descending");
    }
}

/// Creates `count` different alerts. Different marks give different alerts.
pub(super) fn many(project: ProjectId, count: u16, mark: u16) -> Vec<NewAlert> {
    let numbered = (0..count).map(|number| {
        let mut new = alert(project, 0);
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        bytes[2..4].copy_from_slice(&mark.to_be_bytes());
        new.identity = AlertIdentity::from_bytes(bytes);
        new
    });
    numbered.collect()
}

pub(super) fn l36_a_search_finds_the_same_alerts_before_and_after_indexing(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let part = u16::try_from(PART).unwrap();
    let inserted = store.change(move |tx| {
        let mut alerts = many(project, part + 40, 0);
        alerts[2].alert.summary.title = "ÄRGER at the checkout".to_owned();
        alerts[1999].alert.summary.service = "Ärger".to_owned();
        alerts[usize::from(part) - 1].alert.summary.description = "much ärger".to_owned();
        alerts[usize::from(part) + 3].alert.summary.monitoring_tool = "ärgerlich".to_owned();
        insert(tx, alerts)?;
        insert(tx, many(other, part, 0))
    });
    inserted.wait().unwrap();
    let check = |hits: &[i64]| {
        for (search, sort, order_by) in [
            ("ÄRGER", SortOrder::Ascending, AlertOrder::Created),
            ("ärge", SortOrder::Descending, AlertOrder::Created),
            ("RG", SortOrder::Ascending, AlertOrder::UpdatedAt),
            ("ä", SortOrder::Descending, AlertOrder::Severity),
        ] {
            let filter = AlertFilter {
                search: Some(search.to_owned()),
                order_by,
                sort,
                ..AlertFilter::new(project)
            };
            let mut found = list(store, &filter);
            if sort == SortOrder::Descending {
                found.reverse();
            }
            assert_eq!(found, hits, "{search}");
        }
        let nothing = AlertFilter {
            search: Some("zzqqxx".to_owned()),
            ..AlertFilter::new(project)
        };
        assert_eq!(list(store, &nothing), [0; 0]);
    };
    check(&[3, 2000, PART, PART + 4]);
    while let Some(prepared) = store.query(|tx| tx.find_search_part()).wait().unwrap() {
        let again = prepared.clone();
        let kept = store.change(move |tx| tx.insert_search_part(&prepared));
        assert!(kept.wait().unwrap(), "no other caller indexed it");
        let kept = store.change(move |tx| tx.insert_search_part(&again));
        assert!(!kept.wait().unwrap(), "it is indexed once");
        check(&[3, 2000, PART, PART + 4]);
    }
    let later = store.change(move |tx| {
        let mut alerts = many(project, 1, 1);
        alerts[0].alert.summary.title = "Ärger once more".to_owned();
        insert(tx, alerts)
    });
    later.wait().unwrap();
    check(&[3, 2000, PART, PART + 4, PART + 41]);
}

pub(super) fn l37_a_list_goes_on_behind_a_position(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let mut alerts = [1, 2, 3, 4, 5]
            .map(|number| alert(project, number))
            .to_vec();
        for (place, new) in (0..).zip(&mut alerts) {
            let summary = &mut new.alert.summary;
            summary.severity = Severity::ALL[place % 3];
            summary.occurrences = [3, 1, 3, 2, 3][place];
            summary.started_at = timestamp([7, 7, 5, 9, 7][place]);
            summary.updated_at = timestamp([9, 9, 9, 11, 10][place]);
        }
        insert(tx, alerts)
    });
    inserted.wait().unwrap();
    for order in AlertOrder::NAMES {
        let order_by = AlertOrder::parse(order).unwrap();
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            for search in [None, Some("alert".to_owned())] {
                let whole = AlertFilter {
                    order_by,
                    sort,
                    search,
                    ..AlertFilter::new(project)
                };
                let filter = whole.clone();
                let listed = store.query(move |tx| tx.list_alerts(&filter, page(1, 100)));
                let listed = listed.wait().unwrap().items;
                assert_eq!(listed.len(), 5, "{whole:?}");
                for (place, alert) in listed.iter().enumerate() {
                    let rest = AlertFilter {
                        after: Some(order_by.position(alert)),
                        ..whole.clone()
                    };
                    let behind = listed[place + 1..].iter().map(|alert| alert.iid.get());
                    let behind: Vec<i64> = behind.collect();
                    assert_eq!(list(store, &rest), behind, "{rest:?}");
                }
            }
        }
    }
}
