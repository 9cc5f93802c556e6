//! Edits of errors.

use api_conventions::ids::{IssueId, UserId};
use error_tracking::flow::change::{ErrorEdit, IgnoreDuration, StatusEdit};
use error_tracking::flow::collect::ErrorChangeKind::Regressed;
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};

use crate::support::{TrackerStore, at, event, of_release, seen_by, status};

#[test]
fn each_edit_of_a_status_is_a_status() {
    let tracker = TrackerStore::default();
    tracker.send(vec![event(1, 'a')]);
    assert_eq!(
        tracker.set(1, StatusEdit::Resolve),
        Status::Resolved(Resolution::Now)
    );
    let in_release = StatusEdit::ResolveInRelease("web@1".to_owned());
    assert_eq!(
        tracker.set(1, in_release),
        Status::Resolved(Resolution::InRelease("web@1".to_owned()))
    );
    assert_eq!(
        tracker.ignore(1, IgnoreDuration::default()),
        Status::Ignored(IgnoreLimits::default())
    );
    assert_eq!(tracker.set(1, StatusEdit::Unresolve), Status::Unresolved);
}

#[test]
fn the_next_release_is_the_one_after_the_latest() {
    let tracker = TrackerStore::default();
    tracker.send(vec![event(1, 'a')]);
    // Without a known release, no later one can be recognised.
    assert_eq!(
        tracker.set(1, StatusEdit::ResolveInNextRelease),
        Status::Resolved(Resolution::Now)
    );
    let seen = ["web@1.0.0", "web@1.2.0", "web@1.1.0", "web@1.0.0"];
    for (number, release) in (2..).zip(seen) {
        tracker.send(vec![of_release(release, event(number, 'b'))]);
    }
    // The latest release is the one that was first seen last.
    let resolved = Status::Resolved(Resolution::AfterRelease("web@1.1.0".to_owned()));
    assert_eq!(tracker.set(1, StatusEdit::ResolveInNextRelease), resolved);
    let same = of_release("web@1.1.0", event(10, 'a'));
    assert_eq!(tracker.send(vec![same]), []);
    let next = of_release("web@1.1.1", event(11, 'a'));
    assert_eq!(tracker.send(vec![next]), [(1, Regressed)]);
}

#[test]
fn ignore_limits_count_from_the_current_totals() {
    let tracker = TrackerStore::default();
    tracker.send(vec![seen_by(1, event(1, 'a')), seen_by(2, event(2, 'a'))]);
    let more = IgnoreDuration {
        until: Some(at(99)),
        events: Some(100),
        users: Some(0),
    };
    let until = IgnoreLimits {
        time: Some(at(99)),
        events: Some(102),
        users: Some(2),
    };
    assert_eq!(tracker.ignore(1, more), Status::Ignored(until));
}

#[test]
fn fields_missing_from_an_edit_are_unchanged() {
    let tracker = TrackerStore::default();
    tracker.send(vec![event(1, 'a')]);
    let [ann, issue] = [7, 8];
    let assigned = tracker.change(
        1,
        ErrorEdit {
            assignee_id: Some(Some(UserId::new(ann))),
            issue_id: Some(Some(IssueId::new(issue))),
            ..ErrorEdit::default()
        },
    );
    assert_eq!(assigned.state.assignee_id, Some(UserId::new(ann)));
    let resolved = tracker.change(1, status(StatusEdit::Resolve)).state;
    assert_eq!(resolved.assignee_id, Some(UserId::new(ann)));
    assert_eq!(resolved.issue_id, Some(IssueId::new(issue)));
    let nobody = ErrorEdit {
        assignee_id: Some(None),
        ..ErrorEdit::default()
    };
    let left = tracker.change(1, nobody).state;
    assert_eq!((left.assignee_id, left.issue_id), (None, resolved.issue_id));
    assert_eq!(left.status, Status::Resolved(Resolution::Now));
    let unlinked = ErrorEdit {
        issue_id: Some(None),
        ..ErrorEdit::default()
    };
    assert_eq!(tracker.change(1, unlinked).state.issue_id, None);
}

#[test]
fn an_edit_that_changes_nothing_leaves_a_regression() {
    let tracker = TrackerStore::default();
    tracker.send(vec![event(1, 'a')]);
    tracker.set(1, StatusEdit::Resolve);
    tracker.send(vec![event(2, 'a')]);
    let before = tracker.error(1);
    assert_eq!(before.regressed_at, Some(at(2)));
    for edit in [ErrorEdit::default(), status(StatusEdit::Unresolve)] {
        assert_eq!(tracker.change(1, edit), before);
        assert_eq!(tracker.error(1), before);
    }
    let assigned = ErrorEdit {
        assignee_id: Some(Some(UserId::new(7))),
        ..ErrorEdit::default()
    };
    assert_eq!(tracker.change(1, assigned).regressed_at, None);
}
