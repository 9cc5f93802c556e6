//! Queries and changes of intake.

use alert_intake::model::{AlertProgress, AlertStatus, NewAlert, Start};
use alert_intake::store::AlertRepository;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind, StoreExt as _};

use super::{alert, identity, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::probe_rows::refusal;
use crate::samples::{race, timestamp};

pub(super) fn l02_absence_is_none(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let requested = store.change(move |tx| {
        assert_eq!(insert(tx, vec![alert(project, 1)])?[0], AlertIid::new(1));
        assert_eq!(tx.find_alert(project, AlertIid::new(2))?, None);
        assert_eq!(tx.find_alert(project, AlertIid::new(i64::MAX))?, None);
        assert_eq!(tx.find_alert(other, AlertIid::new(1))?, None);
        assert_eq!(tx.find_integration(project, "nothing")?, None);
        assert_eq!(tx.list_latest_by_identity(&[])?, []);
        tx.list_latest_by_identity(&[(project, identity(2)), (other, identity(1))])
    });
    assert_eq!(requested.wait().unwrap(), []);
}

pub(super) fn l03_numbers_follow_each_other_without_a_gap(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let mut ids = Vec::new();
    for (mine, others) in [(1, 3), (4, 1)] {
        let reserved = store.change(move |tx| {
            let mut reserved = tx.reserve_alert_numbers(&[(project, mine), (other, others)])?;
            reserved.sort_by_key(|numbers| numbers.project_id != project);
            Ok(reserved)
        });
        let reserved = reserved.wait().unwrap();
        let firsts = if mine == 1 { [1, 1] } else { [2, 4] };
        assert_eq!(reserved.len(), 2, "{reserved:?}");
        for (numbers, (first, count)) in reserved.iter().zip(firsts.into_iter().zip([mine, others]))
        {
            assert_eq!((numbers.first_iid.get(), numbers.count), (first, count));
            ids.extend(numbers.first_id.get()..numbers.first_id.get() + count);
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique across projects");
    assert!(ids.iter().all(|id| *id > 0), "{ids:?}");
}

pub(super) fn l04_racing_transactions_never_get_the_same_number(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let mut reserved = race(8, |thread| {
        let mut expected = [(project, 2), (other, 1)];
        if thread % 2 == 0 {
            expected.reverse();
        }
        let mut mine = Vec::new();
        for _ in 0..6 {
            // No lock on the projects: reserving numbers is atomic by itself.
            let numbers = store.change(move |tx| tx.reserve_alert_numbers(&expected));
            mine.extend(numbers.wait().unwrap());
        }
        mine
    })
    .concat();
    reserved.retain(|numbers| numbers.project_id == project);
    let mut iids: Vec<i64> = reserved
        .iter()
        .flat_map(|numbers| numbers.first_iid.get()..numbers.first_iid.get() + numbers.count)
        .collect();
    iids.sort_unstable();
    assert_eq!(iids, (1..=96).collect::<Vec<i64>>());
}

pub(super) fn l05_a_refused_write_uses_up_no_number(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let refused = store.change(move |tx| {
        insert(tx, vec![alert(project, 1), alert(project, 2)])?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let inserted = store.change(move |tx| insert(tx, vec![alert(project, 1)]));
    assert_eq!(inserted.wait().unwrap(), [AlertIid::new(1)]);
}

/// A resolved alert with its end.
fn resolved(mut new: NewAlert) -> NewAlert {
    new.alert.summary.status = AlertStatus::Resolved {
        ended_at: timestamp(5),
    };
    new
}

pub(super) fn l06_an_identity_has_at_most_one_open_alert_per_project(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        // Any number of resolved alerts, an open one, and one in another project.
        let mine = vec![
            resolved(alert(project, 1)),
            resolved(alert(project, 1)),
            alert(project, 1),
        ];
        insert(tx, mine)?;
        insert(tx, vec![alert(other, 1)])
    });
    inserted.wait().unwrap();
    let second = store.change(move |tx| {
        let numbers = tx.reserve_alert_numbers(&[(project, 1)])?[0];
        let mut new = alert(project, 1);
        new.alert.summary.id = numbers.first_id;
        new.alert.summary.iid = numbers.first_iid;
        new.alert.summary.status = AlertStatus::Ignored;
        tx.insert_alerts(&[new])
    });
    let error = second.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    let found = store.query(move |tx| tx.find_alert(project, AlertIid::new(4)));
    assert_eq!(found.wait().unwrap(), None);
}

pub(super) fn l12_the_numbers_of_an_alert_are_its_own(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let iid = insert(tx, vec![alert(project, 1)])?[0];
        tx.find_alert(project, iid)
    });
    let first = inserted.wait().unwrap().expect("the row exists").summary;
    for takes_id in [true, false] {
        let second = store.change(move |tx| {
            let numbers = tx.reserve_alert_numbers(&[(project, 1)])?[0];
            let mut new = alert(project, 2);
            let summary = &mut new.alert.summary;
            (summary.id, summary.iid) = if takes_id {
                (first.id, numbers.first_iid)
            } else {
                (numbers.first_id, first.iid)
            };
            tx.insert_alerts(&[new])
        });
        let error = second.wait().unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    }
}

pub(super) fn l07_the_latest_of_an_identity_is_the_open_one_or_the_last(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let listed = store.change(move |tx| {
        let mut last = resolved(alert(project, 2));
        last.alert.summary.last_start = Start::arrival(timestamp(3));
        let mine = vec![
            alert(project, 1),
            resolved(alert(project, 1)),
            resolved(alert(project, 2)),
            last,
            alert(project, 3),
        ];
        insert(tx, mine)?;
        insert(tx, vec![resolved(alert(other, 1))])?;
        let mut listed = tx.list_latest_by_identity(&[
            (other, identity(1)),
            (project, identity(9)),
            (project, identity(2)),
            (project, identity(1)),
        ])?;
        listed.sort_by_key(|known| (known.project_id != project, known.identity));
        Ok(listed)
    });
    let listed = listed.wait().unwrap();
    let places: Vec<_> = listed
        .iter()
        .map(|known| (known.project_id, known.identity, known.iid.get()))
        .collect();
    let expected = [
        (project, identity(1), 1),
        (project, identity(2), 4),
        (other, identity(1), 1),
    ];
    assert_eq!(places, expected);
    assert_eq!(listed[0].status, AlertStatus::Triggered);
    assert_eq!(listed[1].status.ended_at(), Some(timestamp(5)));
    assert_eq!(
        (&*listed[1].title, listed[1].last_start),
        ("Alert 2", Start::arrival(timestamp(3)))
    );
    assert_eq!(listed[0].last_start, Start::stated(timestamp(0)));
}

/// A start at this second. In every other second, the sender did not state it.
fn start(seconds: i64) -> Start {
    if seconds % 2 == 0 {
        Start::stated(timestamp(seconds))
    } else {
        Start::arrival(timestamp(seconds))
    }
}

/// A change to an alert: an occurrence, two deliveries, and optionally the end.
fn progress(id: AlertId, seconds: i64, resolved_at: Option<Timestamp>) -> AlertProgress {
    AlertProgress {
        id,
        occurrences: 1,
        deliveries: 2,
        flaps: 0,
        stale_at: None,
        last_start: start(seconds),
        resolved_at,
        confirms_end: false,
        updated_at: timestamp(seconds + 1),
    }
}

pub(super) fn l08_deliveries_add_to_the_counts_of_an_alert_and_set_its_last_start(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let iid = store
        .change(move |tx| Ok(insert(tx, vec![alert(project, 1), alert(project, 2)])?[0]))
        .wait()
        .unwrap();
    for (step, resolved_at, ended_at) in [
        (1, None, None),
        (2, Some(timestamp(20)), Some(timestamp(20))),
        // An alert that is already resolved keeps its end.
        (3, Some(timestamp(30)), Some(timestamp(20))),
    ] {
        let found = store.change(move |tx| {
            let id = tx
                .find_alert(project, iid)?
                .expect("the row exists")
                .summary
                .id;
            tx.advance_alerts(&[progress(id, step, resolved_at)])?;
            tx.find_alert(project, iid)
        });
        let found = found.wait().unwrap().expect("the row exists").summary;
        assert_eq!(
            (found.occurrences, found.deliveries),
            (1 + step, 1 + 2 * step)
        );
        assert_eq!(
            (found.last_start, found.updated_at),
            (start(step), timestamp(step + 1))
        );
        assert_eq!(
            (found.started_at, found.created_at),
            (timestamp(0), timestamp(0))
        );
        assert_eq!(found.status.ended_at(), ended_at);
    }
    let found = store.change(move |tx| {
        let id = tx
            .find_alert(project, iid)?
            .expect("the row exists")
            .summary
            .id;
        tx.advance_alerts(&[progress(id, 0, None)])?;
        tx.find_alert(project, iid)
    });
    let found = found.wait().unwrap().expect("the row exists").summary;
    assert_eq!(found.updated_at, timestamp(4), "the time never moves back");
    let other = store.query(move |tx| tx.find_alert(project, AlertIid::new(2)));
    let other = other.wait().unwrap().expect("the row exists").summary;
    assert_eq!((other.occurrences, other.updated_at), (1, timestamp(0)));
}

pub(super) fn l09_thousands_are_written_at_once(harness: &mut AreaHarness<Alerts>) {
    const COUNT: u16 = 3000;
    let [project, _] = harness.places();
    let store = harness.store();
    let numbered = |number: u16| {
        let mut new = alert(project, 0);
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        new.identity = alert_intake::model::AlertIdentity::from_bytes(bytes);
        new
    };
    let alerts: Vec<NewAlert> = (0..COUNT).map(numbered).collect();
    let identities: Vec<_> = alerts.iter().map(|new| (project, new.identity)).collect();
    let written = store.change(move |tx| {
        insert(tx, alerts.clone())?;
        let known = tx.list_latest_by_identity(&identities)?;
        assert_eq!(known.len(), usize::from(COUNT));
        let steps: Vec<_> = known
            .iter()
            .map(|known| progress(known.id, known.iid.get(), None))
            .collect();
        tx.advance_alerts(&steps)?;
        tx.list_latest_by_identity(&identities)
    });
    for known in written.wait().unwrap() {
        assert_eq!(known.last_start, start(known.iid.get()));
    }
}

/// A simplified delivery: counts an occurrence on the open alert, or opens one.
fn deliver(tx: &mut dyn AlertRepository, project: ProjectId) -> Result<(), StoreError> {
    tx.lock_alerts(&[project])?;
    let known = tx.list_latest_by_identity(&[(project, identity(7))])?;
    match known.first() {
        Some(known) => tx.advance_alerts(&[progress(known.id, 0, None)]),
        None => insert(tx, vec![alert(project, 7)]).map(drop),
    }
}

pub(super) fn l10_concurrent_deliveries_of_one_identity_create_one_alert(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    race(8, |_| {
        for _ in 0..10 {
            let delivered = store.change(move |tx| deliver(tx, project));
            delivered.wait().unwrap();
        }
    });
    let found = store.query(move |tx| {
        assert_eq!(tx.find_alert(project, AlertIid::new(2))?, None);
        tx.find_alert(project, AlertIid::new(1))
    });
    let found = found.wait().unwrap().expect("the row exists").summary;
    assert_eq!((found.occurrences, found.deliveries), (80, 1 + 2 * 79));
}
