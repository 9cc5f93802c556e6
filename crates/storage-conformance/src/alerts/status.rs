//! Status changes by users.

use alert_intake::model::{AlertProgress, AlertStatus, Start, StatusChange};
use alert_intake::store::SetStatus;
use api_conventions::ids::{AlertIid, ProjectId};
use storage::StoreExt as _;

use super::{alert, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::timestamp;

fn change(project_id: ProjectId, iid: i64, status: AlertStatus, seconds: i64) -> StatusChange {
    StatusChange {
        project_id,
        iid: AlertIid::new(iid),
        status,
        at: timestamp(seconds),
    }
}

fn ended(seconds: i64) -> AlertStatus {
    AlertStatus::Resolved {
        ended_at: timestamp(seconds),
    }
}

pub(super) fn l20_a_status_is_set_by_hand(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| insert(tx, vec![alert(project, 1), alert(project, 2)]));
    inserted.wait().unwrap();
    let statuses = [
        AlertStatus::Acknowledged,
        ended(2),
        AlertStatus::Triggered,
        AlertStatus::Ignored,
        ended(5),
    ];
    for (seconds, status) in (1..).zip(statuses) {
        let found = store.change(move |tx| {
            let outcome = tx.set_alert_status(&change(project, 1, status, seconds))?;
            assert_eq!(outcome, SetStatus::Changed);
            tx.find_alert(project, AlertIid::new(1))
        });
        let found = found.wait().unwrap().expect("the row exists").summary;
        assert_eq!(
            (found.status, found.updated_at),
            (status, timestamp(seconds))
        );
        assert_eq!((found.occurrences, found.deliveries), (1, 1));
    }
    let other = store.query(move |tx| tx.find_alert(project, AlertIid::new(2)));
    let other = other.wait().unwrap().expect("the row exists").summary;
    assert_eq!(other.status, AlertStatus::Triggered);
}

pub(super) fn l21_an_alert_that_is_unknown_is_not_found(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let outcome = harness.store().change(move |tx| {
        insert(tx, vec![alert(project, 1)])?;
        let elsewhere = tx.set_alert_status(&change(other, 1, ended(1), 1))?;
        let unknown = tx.set_alert_status(&change(project, 2, ended(1), 1))?;
        Ok((elsewhere, unknown))
    });
    assert_eq!(
        outcome.wait().unwrap(),
        (SetStatus::NotFound, SetStatus::NotFound)
    );
}

pub(super) fn l22_an_alert_is_not_opened_beside_an_open_one_of_its_identity(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let outcome = harness.store().change(move |tx| {
        let mut over = alert(project, 1);
        over.alert.summary.status = ended(1);
        insert(tx, vec![over, alert(project, 1)])?;
        for status in [
            AlertStatus::Triggered,
            AlertStatus::Acknowledged,
            AlertStatus::Ignored,
        ] {
            let outcome = tx.set_alert_status(&change(project, 1, status, 2))?;
            assert_eq!(outcome, SetStatus::IdentityOpen(AlertIid::new(2)));
        }
        let untouched = tx
            .find_alert(project, AlertIid::new(1))?
            .expect("the row exists");
        assert_eq!(untouched.summary.status, ended(1));
        assert_eq!(untouched.summary.updated_at, timestamp(0));
        // Once the other alert is resolved, this one can be reopened.
        tx.set_alert_status(&change(project, 2, ended(3), 3))?;
        tx.set_alert_status(&change(project, 1, AlertStatus::Triggered, 4))
    });
    assert_eq!(outcome.wait().unwrap(), SetStatus::Changed);
}

pub(super) fn l23_an_alert_resolved_by_hand_keeps_its_end(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let found = harness.store().change(move |tx| {
        insert(tx, vec![alert(project, 1)])?;
        tx.set_alert_status(&change(project, 1, ended(3), 3))?;
        let id = tx
            .find_alert(project, AlertIid::new(1))?
            .expect("the row exists")
            .summary
            .id;
        tx.advance_alerts(&[AlertProgress {
            id,
            occurrences: 0,
            deliveries: 1,
            flaps: 0,
            stale_at: None,
            last_start: Start::stated(timestamp(0)),
            resolved_at: Some(timestamp(9)),
            confirms_end: false,
            updated_at: timestamp(9),
        }])?;
        tx.find_alert(project, AlertIid::new(1))
    });
    let found = found.wait().unwrap().expect("the row exists").summary;
    assert_eq!(found.status, ended(3));
}

pub(super) fn l24_a_manual_status_change_applies_after_the_clock_is_set_back(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let found = harness.store().change(move |tx| {
        insert(tx, vec![alert(project, 1)])?;
        tx.set_alert_status(&change(project, 1, AlertStatus::Acknowledged, 9))?;
        let outcome = tx.set_alert_status(&change(project, 1, AlertStatus::Ignored, 3))?;
        assert_eq!(outcome, SetStatus::Changed);
        let ignored = tx.find_alert(project, AlertIid::new(1))?;
        // The clock was set back, so the end is before the start.
        tx.set_alert_status(&change(project, 1, ended(-5), -5))?;
        let resolved = tx.find_alert(project, AlertIid::new(1))?;
        let opened = tx.set_alert_status(&change(project, 1, AlertStatus::Triggered, -9))?;
        assert_eq!(opened, SetStatus::Changed);
        Ok([ignored, resolved, tx.find_alert(project, AlertIid::new(1))?])
    });
    let found = found.wait().unwrap();
    let found = found.map(|alert| alert.expect("the row exists").summary);
    let expected = [AlertStatus::Ignored, ended(-5), AlertStatus::Triggered];
    assert_eq!(found.each_ref().map(|alert| alert.status), expected);
    assert_eq!(found.map(|alert| alert.updated_at), [timestamp(9); 3]);
}

pub(super) fn l25_deliveries_apply_after_the_clock_is_set_back(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let found = harness.store().change(move |tx| {
        insert(tx, vec![alert(project, 1)])?;
        let mut found = Vec::new();
        // The clock goes forward to 9, and back before the start of the alert.
        for (seconds, resolved_at) in [(9, None), (3, None), (-7, Some(timestamp(-7)))] {
            let alert = tx.find_alert(project, AlertIid::new(1))?;
            tx.advance_alerts(&[AlertProgress {
                id: alert.expect("the row exists").summary.id,
                occurrences: 1,
                deliveries: 1,
                flaps: 0,
                stale_at: None,
                last_start: Start::stated(timestamp(seconds)),
                resolved_at,
                confirms_end: false,
                updated_at: timestamp(seconds),
            }])?;
            let alert = tx.find_alert(project, AlertIid::new(1))?;
            found.push(alert.expect("the row exists").summary);
        }
        Ok(found)
    });
    let found = found.wait().unwrap();
    let counts: Vec<_> = found
        .iter()
        .map(|one| (one.occurrences, one.deliveries))
        .collect();
    assert_eq!(counts, [(2, 2), (3, 3), (4, 4)]);
    let starts: Vec<_> = found.iter().map(|one| one.last_start).collect();
    assert_eq!(
        starts,
        [9, 3, -7].map(|seconds| Start::stated(timestamp(seconds)))
    );
    let statuses: Vec<_> = found.iter().map(|one| one.status).collect();
    let open = AlertStatus::Triggered;
    assert_eq!(statuses, [open, open, ended(-7)]);
    assert!(
        found.iter().all(|one| one.updated_at == timestamp(9)),
        "{found:?}"
    );
}
