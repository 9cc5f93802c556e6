//! Conditions of lists of errors.

use api_conventions::ids::{ErrorIid, ProjectId, UserId};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use error_tracking::flow::change::merge;
use error_tracking::model::{ErrorFilter, ErrorOrder, ErrorState, Level, StatusName, TrackedError};
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};
use error_tracking::store::{ErrorWriteTx, NewError, TagProgress};
use storage::{StoreError, StoreExt as _};

use super::{insert, new_error, progress};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, page, timestamp};

/// Numbers of errors in the given order.
pub(super) fn iids(errors: &[TrackedError]) -> Vec<i64> {
    errors.iter().map(|error| error.iid.get()).collect()
}

/// Lists the matching errors by their numbers. A walk must return the same errors in the order of the numbers.
pub(super) fn list(store: &Errors, filter: &ErrorFilter) -> Vec<i64> {
    let filter = filter.clone();
    let listed = store.query(move |tx| {
        let listed = tx.list_errors(&filter, page(1, 100))?;
        let walked =
            tx.list_errors_after(&filter, None, KeysetPage::new(100, SortOrder::Ascending))?;
        let count = u64::try_from(listed.items.len()).unwrap();
        assert_eq!(
            (listed.total, listed.has_next),
            (Total::Exact(count), false)
        );
        let mut in_order = iids(&listed.items);
        in_order.sort_unstable();
        assert_eq!((iids(&walked.items), walked.has_next), (in_order, false));
        Ok(iids(&listed.items))
    });
    listed.wait().unwrap()
}

/// A filter of all errors, which are listed in the order of their numbers by default.
pub(super) fn all(project: ProjectId) -> ErrorFilter {
    ErrorFilter {
        order_by: ErrorOrder::Users,
        sort: SortOrder::Ascending,
        ..ErrorFilter::new(project)
    }
}

/// Sets the state as a user does.
pub(super) fn decide(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
    iid: i64,
    status: Status,
    assignee: Option<i64>,
) -> Result<(), StoreError> {
    let locked = tx.lock_error(project, ErrorIid::new(iid))?;
    let state = ErrorState {
        status,
        assignee_id: assignee.map(UserId::new),
        issue_id: None,
    };
    tx.update_error(locked.expect("the row exists"), &state)?;
    Ok(())
}

/// Writes six errors of a project, first seen at the seconds of their numbers and last seen ten seconds later.
pub(super) fn write_six(tx: &mut dyn ErrorWriteTx, project: ProjectId) -> Result<(), StoreError> {
    let levels = [
        Level::Debug,
        Level::Info,
        Level::Warning,
        Level::Error,
        Level::Fatal,
    ];
    let new = |number: u32| NewError {
        first_seen: timestamp(number.into()),
        ..new_error(project, number)
    };
    let known = insert(tx, (1..=6).map(new).collect())?;
    let steps: Vec<_> = (1..)
        .zip(&known)
        .zip(levels.into_iter().cycle())
        .map(|((number, known), level)| {
            let mut step = progress(known);
            step.facts.level = level;
            step.last_seen = timestamp(number + 10);
            step
        })
        .collect();
    tx.advance_errors(&steps)?;
    let tag = |place: usize, name: &str, value: &str| TagProgress {
        project_id: project,
        key_id: known[place - 1].key_id,
        name: name.to_owned(),
        value: value.to_owned(),
        events: 1,
        last_seen: timestamp(0),
    };
    tx.add_error_tags(&[
        tag(1, "environment", "live"),
        tag(2, "environment", "live"),
        tag(2, "os", "Linux"),
        tag(3, "environment", "LIVE"),
        tag(4, "live", "environment"),
        tag(5, HOSTILE, HOSTILE),
        tag(6, "os", "Linux"),
    ])?;
    decide(tx, project, 2, Status::Resolved(Resolution::Now), Some(7))?;
    decide(
        tx,
        project,
        3,
        Status::Ignored(IgnoreLimits::default()),
        Some(7),
    )?;
    let in_release = Resolution::InRelease("web@1".to_owned());
    decide(tx, project, 4, Status::Resolved(in_release), Some(8))
}

/// Tags of a filter.
fn tags(tags: &[(&str, &str)]) -> Vec<(String, String)> {
    let tags = tags.iter();
    tags.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// A condition, and the numbers of the errors that match it.
type ErrorCondition = (fn(&mut ErrorFilter), &'static [i64]);

/// Each condition alone, and some together.
const CONDITIONS: [ErrorCondition; 15] = [
    (|_| {}, &[1, 2, 3, 4, 5, 6]),
    (|all| all.status = Some(StatusName::Unresolved), &[1, 5, 6]),
    (|all| all.status = Some(StatusName::Resolved), &[2, 4]),
    (|all| all.status = Some(StatusName::Ignored), &[3]),
    (|all| all.level = Some(Level::Debug), &[1, 6]),
    (|all| all.level = Some(Level::Fatal), &[5]),
    (|all| all.tags = tags(&[("environment", "live")]), &[1, 2]),
    (
        |all| all.tags = tags(&[("os", "Linux"), ("environment", "live")]),
        &[2],
    ),
    (|all| all.tags = tags(&[("os", "live")]), &[]),
    (|all| all.tags = tags(&[(HOSTILE, HOSTILE)]), &[5]),
    (|all| all.assignee_id = Some(UserId::new(7)), &[2, 3]),
    (|all| all.seen_from = Some(timestamp(14)), &[4, 5, 6]),
    (|all| all.seen_before = Some(timestamp(3)), &[1, 2]),
    (
        |all| {
            all.seen_from = Some(timestamp(12));
            all.seen_before = Some(timestamp(5));
            all.status = Some(StatusName::Resolved);
            all.assignee_id = Some(UserId::new(8));
        },
        &[4],
    ),
    (
        |all| {
            all.search = Some("error".to_owned());
            all.level = Some(Level::Info);
            all.tags = tags(&[("os", "Linux")]);
        },
        &[2],
    ),
];

pub(super) fn t80_each_filter_of_errors_holds(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        write_six(tx, other)?;
        write_six(tx, project)
    });
    written.wait().unwrap();
    for (condition, expected) in CONDITIONS {
        let mut filter = all(project);
        condition(&mut filter);
        assert_eq!(list(store, &filter), expected, "{filter:?}");
    }
    // A merged error has the tags of all its keys.
    let merged = store.change(move |tx| {
        merge(tx, project, ErrorIid::new(6), ErrorIid::new(1))?;
        Ok(())
    });
    merged.wait().unwrap();
    let filter = ErrorFilter {
        tags: tags(&[("os", "Linux"), ("environment", "live")]),
        ..all(project)
    };
    assert_eq!(list(store, &filter), [1, 2]);
    // A tag that two of its keys have is listed once.
    let live = ErrorFilter {
        tags: tags(&[("environment", "live")]),
        ..all(project)
    };
    let merged = store.change(move |tx| {
        merge(tx, project, ErrorIid::new(2), ErrorIid::new(1))?;
        let found = tx.list_errors(&live, page(1, 9))?;
        Ok((found.items.len(), found.total))
    });
    assert_eq!(merged.wait().unwrap(), (1, Total::Exact(1)));
}

pub(super) fn t97_many_errors_with_a_tag_are_in_order(harness: &mut AreaHarness<Errors>) {
    const MANY: u32 = 1100;
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        let new = (1..=MANY).map(|number| NewError {
            first_seen: timestamp((number * 7 % MANY).into()),
            ..new_error(project, number)
        });
        let known = insert(tx, new.collect())?;
        let tags: Vec<TagProgress> = known
            .iter()
            .map(|known| TagProgress {
                project_id: project,
                key_id: known.key_id,
                name: "os".to_owned(),
                value: "Linux".to_owned(),
                events: 1,
                last_seen: timestamp(0),
            })
            .collect();
        tx.add_error_tags(&tags)
    });
    written.wait().unwrap();
    let filter = |order_by, sort| ErrorFilter {
        tags: tags(&[("os", "Linux")]),
        order_by,
        sort,
        ..all(project)
    };
    let newest = filter(ErrorOrder::FirstSeen, SortOrder::Descending);
    let oldest = filter(ErrorOrder::FirstSeen, SortOrder::Ascending);
    let read = store.query(move |tx| {
        let mut seconds = Vec::new();
        for (filter, number) in [(&newest, 1), (&newest, 110), (&oldest, 1)] {
            let found = tx.list_errors(filter, page(number, 10))?;
            assert_eq!(found.total, Total::Exact(MANY.into()));
            let first = found.items.first().map(|error| error.first_seen);
            seconds.push(first);
        }
        Ok(seconds)
    });
    let expected = [1099, 9, 0].map(|second| Some(timestamp(second)));
    assert_eq!(read.wait().unwrap(), expected);
}
