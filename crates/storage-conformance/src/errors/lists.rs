//! Lists of errors: search, order, counts and walks.

use api_conventions::ids::{ErrorId, ErrorIid};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName};
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};
use error_tracking::store::NewError;
use storage::StoreExt as _;

use super::filters::{all, decide, iids, list, write_six};
use super::{insert, new_error, progress};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{page, timestamp};

pub(super) fn t81_search_is_for_text_in_any_case_and_has_no_wildcards(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let mut errors = [1, 2, 3, 4].map(|number| new_error(project, number));
        errors[0].facts.title = "Straße 100%".to_owned();
        errors[1].facts.culprit = "what ÄRGER brings".to_owned();
        errors[2].facts.title = "thr_ee".to_owned();
        errors[3].facts.culprit = "Back\\slash".to_owned();
        errors[3].facts.location = Some("hidden".to_owned());
        errors[3].facts.platform = "hidden".to_owned();
        errors[3].release = Some("hidden".to_owned());
        insert(tx, errors.to_vec())
    });
    inserted.wait().unwrap();
    for (search, expected) in [
        ("straße", &[1][..]),
        ("ärger", &[2]),
        ("%", &[1]),
        ("_", &[3]),
        ("THR_E", &[3]),
        ("\\", &[4]),
        ("ERROR", &[2, 4]),
        ("CHECKOUT", &[1, 3]),
        ("hidden", &[]),
        ("'", &[]),
        ("zzqqxx", &[]),
    ] {
        let filter = ErrorFilter {
            search: Some(search.to_owned()),
            ..all(project)
        };
        assert_eq!(list(store, &filter), expected, "{search}");
    }
}

pub(super) fn t82_every_order_of_errors_breaks_ties_by_number(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        // First seen, last seen, events and users of each error.
        let numbers = [(5, 21, 3, 1), (5, 29, 1, 7), (1, 29, 3, 1), (7, 21, 2, 9)];
        let errors = (1..)
            .zip(numbers)
            .map(|(number, (first_seen, ..))| NewError {
                first_seen: timestamp(first_seen),
                ..new_error(project, number)
            });
        let known = insert(tx, errors.collect())?;
        let steps = known
            .iter()
            .zip(numbers)
            .map(|(known, (_, last_seen, events, users))| {
                let mut step = progress(known);
                step.last_seen = timestamp(last_seen);
                (step.events, step.users) = (events, users);
                step
            });
        tx.advance_errors(&steps.collect::<Vec<_>>())
    });
    inserted.wait().unwrap();
    for (order_by, expected) in [
        (ErrorOrder::LastSeen, [1, 4, 2, 3]),
        (ErrorOrder::FirstSeen, [3, 1, 2, 4]),
        (ErrorOrder::Frequency, [2, 4, 1, 3]),
        (ErrorOrder::Users, [1, 3, 2, 4]),
        (ErrorOrder::Id, [1, 2, 3, 4]),
    ] {
        let mut filter = ErrorFilter {
            order_by,
            sort: SortOrder::Ascending,
            ..ErrorFilter::new(project)
        };
        assert_eq!(list(store, &filter), expected, "{order_by:?}");
        filter.sort = SortOrder::Descending;
        let mut backwards = list(store, &filter);
        backwards.reverse();
        assert_eq!(backwards, expected, "{order_by:?} descending");
        // A condition with an index of its own leaves the order unchanged.
        filter.status = Some(StatusName::Unresolved);
        filter.search = Some("error".to_owned());
        backwards = list(store, &filter);
        backwards.reverse();
        assert_eq!(backwards, expected, "{order_by:?} of the matching errors");
    }
}

pub(super) fn t100_a_list_of_errors_goes_on_behind_a_position(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| write_six(tx, project).map(drop));
    written.wait().unwrap();
    for order_by in ErrorOrder::ALL.iter().copied() {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            let whole = ErrorFilter {
                order_by,
                sort,
                ..ErrorFilter::new(project)
            };
            let filter = whole.clone();
            let listed = store.query(move |tx| tx.list_errors(&filter, page(1, 100)));
            let listed = listed.wait().unwrap().items;
            assert_eq!(listed.len(), 6, "{whole:?}");
            for (place, error) in listed.iter().enumerate() {
                let rest = ErrorFilter {
                    after: Some(order_by.position(error)),
                    ..whole.clone()
                };
                // A walk by key starts at the caller's position, so only the list is checked.
                let requested = rest.clone();
                let found = store.query(move |tx| tx.list_errors(&requested, page(1, 100)));
                let found = iids(&found.wait().unwrap().items);
                assert_eq!(found, iids(&listed[place + 1..]), "{rest:?}");
            }
        }
    }
}

pub(super) fn t83_errors_are_counted_by_their_state(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let counted = store.change(move |tx| {
        assert_eq!(tx.count_errors(project)?, [0; 3]);
        write_six(tx, project)?;
        assert_eq!(tx.count_errors(other)?, [0; 3]);
        let counts = tx.count_errors(project)?;
        decide(
            tx,
            project,
            1,
            Status::Ignored(IgnoreLimits::default()),
            None,
        )?;
        Ok([counts, tx.count_errors(project)?])
    });
    assert_eq!(counted.wait().unwrap(), [[3, 2, 1], [2, 2, 2]]);
    let count = Total::COUNT_LIMIT + 5;
    let inserted = store.change(move |tx| {
        let many = (0..u32::try_from(count).unwrap()).map(|number| new_error(other, number));
        insert(tx, many.collect())?;
        decide(tx, other, 9, Status::Resolved(Resolution::Now), None)?;
        tx.count_errors(other)
    });
    assert_eq!(inserted.wait().unwrap(), [Total::COUNT_LIMIT, 1, 0]);
}

pub(super) fn t84_a_walk_of_errors_begins_beyond_an_id(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        write_six(tx, other)?;
        write_six(tx, project)
    });
    written.wait().unwrap();
    let resolved = ErrorFilter {
        status: Some(StatusName::Resolved),
        ..ErrorFilter::new(project)
    };
    let [up, down] = [SortOrder::Ascending, SortOrder::Descending];
    for (filter, beyond, size, sort, expected, has_next) in [
        (all(project), None, 4, up, &[1, 2, 3, 4][..], true),
        (all(project), Some(4), 4, up, &[5, 6], false),
        (all(project), Some(6), 4, up, &[], false),
        (all(project), None, 4, down, &[6, 5, 4, 3], true),
        (all(project), Some(3), 2, down, &[2, 1], false),
        (all(project), Some(1), 4, down, &[], false),
        (all(project), Some(99), 1, down, &[6], true),
        (resolved.clone(), None, 1, up, &[2], true),
        (resolved.clone(), Some(2), 1, up, &[4], false),
        (resolved, Some(5), 9, down, &[4, 2], false),
    ] {
        let walked = store.query(move |tx| {
            // An unknown id sorts after all others.
            let id = |iid| {
                let found = tx.find_error(project, ErrorIid::new(iid))?;
                Ok::<_, storage::StoreError>(found.map_or(ErrorId::new(i64::MAX), |error| error.id))
            };
            let beyond = beyond.map(id).transpose()?;
            tx.list_errors_after(&filter, beyond, KeysetPage::new(size, sort))
        });
        let walked = walked.wait().unwrap();
        assert_eq!(
            (iids(&walked.items), walked.has_next),
            (expected.to_vec(), has_next)
        );
    }
}
