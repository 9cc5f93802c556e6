//! Recent errors of a set of projects.

use api_conventions::ids::{ErrorIid, ProjectId};
use error_tracking::rules::status::{Resolution, Status};
use error_tracking::store::{NewError, TagProgress};
use storage::StoreExt as _;

use super::changes::decide;
use super::{insert, new_error, progress};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, timestamp};

/// First event and regression of each error.
const ERRORS: [(i64, Option<i64>); 6] = [
    (10, None),
    (2, Some(30)),
    (20, Some(25)),
    (25, None),
    (1, None),
    (2, Some(4)),
];

fn write(store: &Errors, project: ProjectId) {
    let written = store.change(move |tx| {
        let errors = (1..).zip(ERRORS).map(|(number, (first_seen, _))| NewError {
            first_seen: timestamp(first_seen),
            ..new_error(project, number)
        });
        let known = insert(tx, errors.collect())?;
        let regressed = known.iter().zip(ERRORS).filter_map(|(known, (_, at))| {
            let mut step = progress(known);
            step.reopens = true;
            step.regressed_at = Some(timestamp(at?));
            Some(step)
        });
        tx.advance_errors(&regressed.collect::<Vec<_>>())
    });
    written.wait().unwrap();
}

pub(super) fn t110_the_recent_errors_of_a_set_of_projects_are_listed_the_latest_first(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    write(store, project);
    write(store, other);
    let list = |projects: &[ProjectId], since, limit| {
        let projects = projects.to_vec();
        let listed =
            store.query(move |tx| tx.list_recent_errors(&projects, timestamp(since), limit));
        let listed = listed.wait().unwrap().into_iter();
        let places = listed.map(|error| (error.project_id, error.iid.get()));
        places.collect::<Vec<_>>()
    };
    let mut first_two = [project, other];
    first_two.sort_unstable();
    let both = |numbers: &[i64]| {
        let all = numbers
            .iter()
            .flat_map(|iid| first_two.map(|of| (of, *iid)));
        all.collect::<Vec<_>>()
    };
    let unknown = ProjectId::new(i64::MAX);
    let all = [other, unknown, project];
    // The fourth appeared when the third regressed.
    for (since, expected) in [
        (0, &[2, 4, 3, 1, 6, 5][..]),
        (4, &[2, 4, 3, 1, 6]),
        (5, &[2, 4, 3, 1]),
        (25, &[2, 4, 3]),
        (31, &[]),
    ] {
        for limit in [1, 2, 3, 5, 100] {
            let mut first = both(expected);
            first.truncate(limit);
            assert_eq!(list(&all, since, limit), first, "{since} {limit}");
        }
        let of_one: Vec<_> = expected.iter().map(|iid| (project, *iid)).collect();
        assert_eq!(list(&[project], since, 100), of_one, "{since}");
    }
    // A decision ends a regression, and a resolved error is not listed.
    let resolved = store.change(move |tx| {
        decide(tx, project, 2, |state| {
            state.status = Status::Resolved(Resolution::Now);
        })?;
        decide(tx, project, 4, |state| {
            state.status = Status::Resolved(Resolution::Now);
        })?;
        Ok(ErrorIid::new(1))
    });
    resolved.wait().unwrap();
    let left = [(project, 3), (project, 1)];
    assert_eq!(list(&[project], 5, 100), left);
    assert_eq!(list(&[], 0, 100), []);
}

pub(super) fn t111_new_errors_are_counted_by_the_environments_of_their_events(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    write(store, project);
    let written = store.change(move |tx| {
        let errors = [1, 2, 3, 4].map(|number| NewError {
            first_seen: timestamp(100 + i64::from(number)),
            ..new_error(project, number + 20)
        });
        let known = insert(tx, errors.to_vec())?;
        let tag = |place: usize, name: &str, value: &str| TagProgress {
            project_id: project,
            key_id: known[place].key_id,
            name: name.to_owned(),
            value: value.to_owned(),
            events: 3,
            last_seen: timestamp(200),
        };
        tx.add_error_tags(&[
            tag(0, "environment", "live"),
            tag(0, "environment", "Live"),
            tag(1, "environment", "live"),
            tag(1, "release", "live"),
            tag(2, "environment", HOSTILE),
        ])
    });
    written.wait().unwrap();
    let counts = |project, since, limit| {
        let counted = store
            .query(move |tx| tx.count_new_errors_by_environment(project, timestamp(since), limit));
        counted.wait().unwrap()
    };
    let named = |counts: &[(&str, i64)]| {
        let mut named: Vec<(String, i64)> = counts
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect();
        named.sort_unstable();
        named
    };
    let all = named(&[("live", 2), ("Live", 1), (HOSTILE, 1)]);
    assert_eq!(counts(project, 0, 100), all);
    assert_eq!(counts(project, 101, 100), all);
    assert_eq!(
        counts(project, 102, 100),
        named(&[("live", 1), (HOSTILE, 1)])
    );
    assert_eq!(counts(project, 0, 2), named(&[(HOSTILE, 1)]));
    assert_eq!(counts(other, 0, 100), []);
}
