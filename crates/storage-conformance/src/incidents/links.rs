//! Links between alerts and incidents.

use alert_intake::model::{AlertStatus, IncidentLink, StatusChange};
use api_conventions::ids::{AlertId, AlertIid, IssueId};
use storage::{StoreError, StoreErrorKind, StoreExt as _};

use super::{INCIDENT, OTHER, insert_alerts, link};
use crate::areas::{AreaHarness, Incidents};
use crate::samples::{page, timestamp};

pub(super) fn l81_an_alert_has_one_incident_and_an_incident_many_alerts(
    harness: &mut AreaHarness<Incidents>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let ids = insert_alerts(tx, project, 1, 3)?;
        let links = [
            link(project, ids[0], INCIDENT),
            link(project, ids[1], INCIDENT),
        ];
        tx.insert_incident_links(&links)?;
        tx.insert_incident_links(&[])?;
        Ok(ids)
    });
    let ids = inserted.wait().unwrap();
    let [first, second, third] = ids[..] else {
        panic!("three alerts were inserted");
    };
    let links = |alerts: Vec<AlertId>| {
        let listed = store.query(move |tx| tx.list_incident_links(&alerts));
        let mut listed = listed.wait().unwrap();
        listed.sort_unstable();
        listed
    };
    let expected = [
        link(project, first, INCIDENT),
        link(project, second, INCIDENT),
    ];
    assert_eq!(links(vec![second, third, first]), expected);
    assert_eq!(links(Vec::new()), []);

    let again = store.change(move |tx| {
        tx.insert_incident_links(&[link(project, third, OTHER), link(project, first, OTHER)])
    });
    let refused = again.wait().unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Conflict);
    assert_eq!(links(vec![first, second, third]), expected);
}

pub(super) fn l82_the_alerts_of_an_incident_are_listed_in_the_order_of_storage(
    harness: &mut AreaHarness<Incidents>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let ids = insert_alerts(tx, project, 1, 5)?;
        let mut links: Vec<IncidentLink> =
            ids.iter().map(|id| link(project, *id, INCIDENT)).collect();
        links[3].issue_id = OTHER;
        links.reverse();
        tx.insert_incident_links(&links)?;
        Ok(ids)
    });
    let mut ids = inserted.wait().unwrap();
    ids.remove(3);
    for (number, expected) in [(1, &ids[..2]), (2, &ids[2..]), (3, &[])] {
        let listed = store.query(move |tx| tx.list_alerts_of_incident(INCIDENT, page(number, 2)));
        let listed = listed.wait().unwrap();
        let found: Vec<AlertId> = listed.items.iter().map(|alert| alert.id).collect();
        assert_eq!(found, expected, "page {number}");
        assert_eq!(listed.total, api_conventions::page::Total::Exact(4));
        assert_eq!(listed.has_next, number == 1);
    }
    for (after, limit, expected) in [
        (AlertId::new(0), 2, &ids[..2]),
        (ids[1], 9, &ids[2..]),
        (ids[3], 9, &[]),
    ] {
        let listed =
            store.query(move |tx| tx.list_alerts_of_incident_after(INCIDENT, after, limit));
        let listed = listed.wait().unwrap();
        let found: Vec<AlertId> = listed.iter().map(|alert| alert.id).collect();
        assert_eq!(found, expected, "after {after}");
    }
}

pub(super) fn l83_incidents_with_an_open_alert_are_found_among_others(
    harness: &mut AreaHarness<Incidents>,
) {
    let [project, _] = harness.places();
    let ended_at = timestamp(5);
    let statuses = [
        (AlertStatus::Resolved { ended_at }, false),
        (AlertStatus::Acknowledged, true),
        (AlertStatus::Ignored, false),
        (AlertStatus::Triggered, true),
    ];
    let found = harness.store().change(move |tx| {
        let ids = insert_alerts(tx, project, 1, 2)?;
        tx.insert_incident_links(&[
            link(project, ids[0], INCIDENT),
            link(project, ids[1], OTHER),
        ])?;
        let mut found = Vec::new();
        for (status, _) in statuses {
            for iid in [1, 2] {
                let status = if iid == 1 {
                    status
                } else {
                    AlertStatus::Ignored
                };
                tx.set_alert_status(&StatusChange {
                    project_id: project,
                    iid: AlertIid::new(iid),
                    status,
                    at: timestamp(5),
                })?;
            }
            let among = [OTHER, INCIDENT, IssueId::new(33)];
            found.push(tx.list_incidents_with_open_alerts(&among)?);
        }
        assert_eq!(tx.list_incidents_with_open_alerts(&[])?, []);
        Ok(found)
    });
    let found = found.wait().unwrap();
    for ((status, is_open), found) in statuses.iter().zip(found) {
        let expected = if *is_open { vec![INCIDENT] } else { Vec::new() };
        assert_eq!(found, expected, "{status:?}");
    }
}

pub(super) fn l84_thousands_of_alerts_are_linked_at_once(harness: &mut AreaHarness<Incidents>) {
    const MANY: i64 = 5_000;
    let [project, _] = harness.places();
    let linked = harness.store().change(move |tx| {
        // No alerts are needed: a link holds ids only.
        let alerts: Vec<AlertId> = (1..=MANY).map(AlertId::new).collect();
        let links: Vec<_> = alerts
            .iter()
            .map(|id| link(project, *id, INCIDENT))
            .collect();
        tx.insert_incident_links(&links)?;
        let listed = tx.list_incident_links(&alerts)?.len();
        Ok::<_, StoreError>((listed, tx.delete_links_of_incident(INCIDENT)?))
    });
    assert_eq!(linked.wait().unwrap(), (5_000, 5_000));
}
