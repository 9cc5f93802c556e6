//! Severity and assignee, as users set them.

use alert_intake::model::{
    AlertProgress, AlertStatus, Severity, Start, StatusChange, TriageChange,
};
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use storage::StoreExt as _;

use super::{alert, identity, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::timestamp;

fn assign(project_id: ProjectId, iid: i64, user: Option<i64>, seconds: i64) -> TriageChange {
    TriageChange {
        project_id,
        iid: AlertIid::new(iid),
        severity: Severity::Low,
        assignee_id: user.map(UserId::new),
        at: timestamp(seconds),
    }
}

pub(super) fn l71_severity_and_assignee_are_set_by_hand(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        insert(tx, vec![alert(other, 1)])?;
        insert(tx, vec![alert(project, 1), alert(project, 2)])
    });
    inserted.wait().unwrap();
    let find = |project, iid| {
        let found = store.query(move |tx| tx.find_alert(project, AlertIid::new(iid)));
        found.wait().unwrap().expect("the row exists").summary
    };
    let mut expected = find(project, 1);
    let [untouched, of_other] = [find(project, 2), find(other, 1)];
    // The last change has the time of a clock that was set back.
    for (user, seconds, updated) in [(Some(i64::MAX), 5, 5), (None, 9, 9), (Some(7), 3, 9)] {
        let change = assign(project, 1, user, seconds);
        let is_changed = store.change(move |tx| tx.set_alert_triage(&change));
        assert!(is_changed.wait().unwrap());
        expected.severity = Severity::Low;
        expected.assignee_id = user.map(UserId::new);
        expected.updated_at = timestamp(updated);
        assert_eq!(find(project, 1), expected);
    }
    assert_eq!([find(project, 2), find(other, 1)], [untouched, of_other]);
    let unknown = assign(project, 3, None, 9);
    let is_changed = store.change(move |tx| tx.set_alert_triage(&unknown));
    assert!(!is_changed.wait().unwrap());
}

pub(super) fn l72_a_deleted_user_is_unassigned_up_to_a_limit(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let steps = store.change(move |tx| {
        insert(tx, vec![alert(other, 1)])?;
        insert(tx, (1..=3).map(|number| alert(project, number)).collect())?;
        for change in [
            assign(other, 1, Some(11), 1),
            assign(project, 1, Some(11), 1),
            assign(project, 2, Some(12), 1),
            assign(project, 3, Some(11), 1),
        ] {
            assert!(tx.set_alert_triage(&change)?);
        }
        let user = UserId::new(11);
        let steps = [2, 2, 2].map(|limit| tx.unassign_alerts_of(user, limit));
        let mut assignees = Vec::new();
        for (project, iid) in [(other, 1), (project, 1), (project, 2), (project, 3)] {
            let found = tx.find_alert(project, AlertIid::new(iid))?;
            assignees.push(found.expect("the row exists").summary.assignee_id);
        }
        assert_eq!(assignees, [None, None, Some(UserId::new(12)), None]);
        steps.into_iter().collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(steps.wait().unwrap(), [2, 1, 0]);
}

pub(super) fn l76_an_alert_that_a_user_resolved_is_marked_until_its_sender_reports_the_end(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| insert(tx, vec![alert(project, 1)]));
    inserted.wait().unwrap();
    let known = || {
        let known = store.change(move |tx| tx.list_latest_by_identity(&[(project, identity(1))]));
        known.wait().unwrap().remove(0)
    };
    let set = |status| {
        let change = StatusChange {
            project_id: project,
            iid: AlertIid::new(1),
            status,
            at: timestamp(1),
        };
        let changed = store.change(move |tx| tx.set_alert_status(&change));
        changed.wait().unwrap();
        known().resolved_by_hand
    };
    let advance = |resolved_at, confirms_end| {
        let id = known().id;
        let step = AlertProgress {
            id,
            occurrences: 0,
            deliveries: 1,
            flaps: 0,
            stale_at: None,
            last_start: Start::stated(timestamp(0)),
            resolved_at,
            confirms_end,
            updated_at: timestamp(2),
        };
        let advanced = store.change(move |tx| tx.advance_alerts(&[step]));
        advanced.wait().unwrap();
        known().resolved_by_hand
    };
    let ended = AlertStatus::Resolved {
        ended_at: timestamp(1),
    };
    assert!(!known().resolved_by_hand);
    assert!(set(ended));
    assert!(!set(AlertStatus::Triggered), "it is open again");
    assert!(
        !advance(Some(timestamp(5)), false),
        "the sender resolved it"
    );
    assert!(!set(AlertStatus::Ignored));
    assert!(set(ended));
    assert!(advance(None, false), "a delivery that is no end");
    assert!(!advance(None, true));
}
