//! Decisions of users about errors.

use api_conventions::ids::{ErrorIid, IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use error_tracking::model::{ErrorState, TrackedError};
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};
use error_tracking::store::ErrorWriteTx;
use storage::{StoreError, StoreExt as _};

use super::{error, insert, new_error, progress};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, race, timestamp};

/// Changes the state of an error.
pub(super) fn decide(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
    iid: i64,
    change: impl FnOnce(&mut ErrorState),
) -> Result<TrackedError, StoreError> {
    let locked = tx.lock_error(project, ErrorIid::new(iid))?;
    let locked = locked.expect("the error exists");
    let mut state = locked.state.clone();
    change(&mut state);
    tx.update_error(locked, &state)
}

pub(super) fn t85_each_state_comes_back(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        insert(tx, vec![new_error(project, 1)])?;
        assert!(tx.lock_error(project, ErrorIid::new(2))?.is_none());
        assert!(tx.lock_error(other, ErrorIid::new(1))?.is_none());
        Ok(())
    });
    inserted.wait().unwrap();
    let most = u64::try_from(i64::MAX).unwrap();
    let ignored = |time, events, users| {
        Status::Ignored(IgnoreLimits {
            time,
            events,
            users,
        })
    };
    for status in [
        Status::Resolved(Resolution::Now),
        Status::Resolved(Resolution::InRelease(HOSTILE.to_owned())),
        Status::Resolved(Resolution::InRelease(String::new())),
        Status::Resolved(Resolution::AfterRelease(HOSTILE.to_owned())),
        ignored(None, None, None),
        ignored(Some(Timestamp::MAX), Some(most), Some(most)),
        ignored(Some(Timestamp::MIN), None, None),
        ignored(None, Some(0), None),
        ignored(None, None, Some(1)),
        Status::Unresolved,
    ] {
        for id in [Some(i64::MAX), None] {
            let before = error(store, project, 1);
            let expected = TrackedError {
                state: ErrorState {
                    status: status.clone(),
                    assignee_id: id.map(UserId::new),
                    issue_id: id.map(IssueId::new),
                },
                ..before
            };
            let state = expected.state.clone();
            let given = store.change(move |tx| {
                let given = decide(tx, project, 1, |now| now.clone_from(&state))?;
                let key = (project, super::key(1));
                let known = tx.list_known_errors(&[key])?;
                assert_eq!(known[0].status, given.state.status);
                Ok(given)
            });
            assert_eq!(given.wait().unwrap(), expected);
            assert_eq!(error(store, project, 1), expected);
        }
    }
}

pub(super) fn t86_a_user_decision_ends_the_regression_of_an_error(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let changed = store.change(move |tx| {
        let known = insert(tx, vec![new_error(project, 1), new_error(project, 2)])?;
        let steps = known.iter().map(|known| {
            let mut step = progress(known);
            step.reopens = true;
            step.regressed_at = Some(timestamp(5));
            step
        });
        tx.advance_errors(&steps.collect::<Vec<_>>())?;
        decide(tx, project, 1, |state| {
            state.assignee_id = Some(UserId::new(7));
        })
    });
    assert_eq!(changed.wait().unwrap().regressed_at, None);
    assert_eq!(error(store, project, 1).regressed_at, None);
    assert_eq!(error(store, project, 2).regressed_at, Some(timestamp(5)));
}

pub(super) fn t87_concurrent_changes_of_one_error_are_all_applied(
    harness: &mut AreaHarness<Errors>,
) {
    const RACERS: u64 = 8;
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| insert(tx, vec![new_error(project, 1)]));
    inserted.wait().unwrap();
    race(usize::try_from(RACERS).unwrap(), |_| {
        let written = store.change(move |tx| {
            decide(tx, project, 1, |state| {
                let events = match &state.status {
                    Status::Ignored(until) => until.events.unwrap_or_default(),
                    Status::Unresolved | Status::Resolved(_) => 0,
                };
                state.status = Status::Ignored(IgnoreLimits {
                    events: Some(events + 1),
                    ..IgnoreLimits::default()
                });
            })
        });
        written.wait().unwrap();
    });
    let expected = Status::Ignored(IgnoreLimits {
        events: Some(RACERS),
        ..IgnoreLimits::default()
    });
    assert_eq!(error(store, project, 1).state.status, expected);
}

pub(super) fn t88_an_error_is_found_by_its_issue(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let unlinked = store.change(move |tx| {
        let known = insert(tx, vec![new_error(project, 1), new_error(project, 2)])?;
        let [issue, another, unknown] = [5, 6, 7].map(IssueId::new);
        for (iid, issue) in [(1, issue), (2, another)] {
            decide(tx, project, iid, |state| {
                state.status = Status::Resolved(Resolution::Now);
                state.assignee_id = Some(UserId::new(8));
                state.issue_id = Some(issue);
            })?;
        }
        let found = tx
            .lock_error_of_issue(project, issue)?
            .expect("the row exists");
        assert_eq!(found.id, known[0].error_id);
        let before = found.into_inner();
        assert!(tx.lock_error_of_issue(other, issue)?.is_none());
        assert!(tx.lock_error_of_issue(project, unknown)?.is_none());
        assert_eq!(tx.unlink_issue(unknown)?, None);
        assert_eq!(tx.unlink_issue(issue)?, Some(before.id));
        assert_eq!(tx.unlink_issue(issue)?, None);
        assert!(tx.lock_error_of_issue(project, issue)?.is_none());
        let expected = TrackedError {
            state: ErrorState {
                issue_id: None,
                ..before.state
            },
            ..before
        };
        assert_eq!(tx.find_error(project, ErrorIid::new(1))?, Some(expected));
        let beside = tx.find_error(project, ErrorIid::new(2))?;
        assert_eq!(
            beside.expect("the row exists").state.issue_id,
            Some(another)
        );
        Ok(())
    });
    unlinked.wait().unwrap();
}

pub(super) fn u05_errors_of_an_assignee_are_unassigned_in_steps(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        insert(
            tx,
            (1..=4).map(|number| new_error(project, number)).collect(),
        )?;
        for iid in 1..=4 {
            let assignee = UserId::new(if iid < 4 { 11 } else { 12 });
            decide(tx, project, iid, |state| state.assignee_id = Some(assignee))?;
        }
        Ok(())
    });
    written.wait().unwrap();
    for expected in [2, 1, 0] {
        let changed = store.change(move |tx| tx.unassign_errors_of(UserId::new(11), 2));
        assert_eq!(changed.wait().unwrap(), expected);
    }
    let assignees = [1, 2, 3, 4].map(|iid| error(store, project, iid).state.assignee_id);
    assert_eq!(assignees, [None, None, None, Some(UserId::new(12))]);
}
