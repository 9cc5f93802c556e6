//! Rows deleted with an error or a project, and rows that survive a restart of the store.

use std::collections::BTreeSet;

use api_conventions::ids::{ErrorId, ErrorIid, ProjectId};
use api_conventions::time::Timestamp;
use error_tracking::flow::change::merge;
use error_tracking::model::{ArrivingEvent, ErrorFilter, EventDelivery, Settings};
use error_tracking::protocol::sessions::SessionCount;
use error_tracking::store::{CounterFilter, ErrorWriteTx, SessionFilter};
use storage::{StoreError, StoreExt as _};

use super::settings::put;
use super::{
    attachment, client_key, collect_deliveries, collect_in, comment, delivery, error, event_id,
    event_of, find, find_known, key, send_events, stored_numbers,
};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{page, timestamp};

/// A request with an event that has every optional part, with a comment and an attachment.
fn full_delivery(project: ProjectId, number: u32, of_key: u32) -> EventDelivery {
    let event = ArrivingEvent {
        environment: Some("live".to_owned()),
        tags: vec![("os".to_owned(), "Linux".to_owned())],
        ..event_of(number, of_key, number, "web@1")
    };
    EventDelivery {
        attachments: vec![attachment(number, "a.txt", b"a")],
        comments: vec![comment(number, "it broke")],
        sessions: vec![SessionCount {
            release: "web@1".to_owned(),
            environment: None,
            started_at: timestamp(0),
            started: 1,
            errored: 0,
            crashed: 0,
            abnormal: 0,
        }],
        ..delivery(project, vec![event])
    }
}

/// Remaining rows of an error and of its events with these numbers, in words.
fn remaining_rows(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
    error: ErrorId,
    events: &[u32],
) -> Result<Vec<&'static str>, StoreError> {
    let mut remaining = Vec::new();
    let mut note = |remains: bool, what| remaining.extend(remains.then_some(what));
    note(tx.find_error_by_id(error)?.is_some(), "the error");
    note(!tx.list_error_keys(error)?.is_empty(), "its keys");
    let listed = tx.list_error_events(error, page(1, 9))?.items;
    note(!listed.is_empty(), "its events");
    note(!tx.list_error_tags(error, 9)?.is_empty(), "its tags");
    let hours = tx.list_error_hours(&[error], Timestamp::MIN)?;
    note(!hours.is_empty(), "its hours");
    let comments = tx.list_error_comments(error, page(1, 9))?.items;
    note(!comments.is_empty(), "its comments");
    for number in events {
        let id = event_id(*number);
        note(
            !tx.list_stored_events(&[(project, id)])?.is_empty(),
            "its event ids",
        );
        note(!tx.list_attachments(project, id)?.is_empty(), "its files");
    }
    Ok(remaining)
}

pub(super) fn t94_an_error_that_is_deleted_leaves_nothing(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let numbered = (1..).zip([1, 2, 1, 2, 3]);
    let mut deliveries: Vec<EventDelivery> = numbered
        .map(|(number, of_key)| full_delivery(project, number, of_key))
        .collect();
    deliveries.push(full_delivery(other, 1, 1));
    collect_deliveries(store, &deliveries);
    let [one, three] = [1, 3].map(|iid| error(store, project, iid).id);
    let elsewhere = error(store, other, 1).id;
    let thinned = find_known(store, project, 1).key_id;
    let remaining = store.change(move |tx| {
        merge(tx, project, ErrorIid::new(2), ErrorIid::new(1))?;
        // Thinned-out events are deleted, too. Their attachments are deleted already.
        tx.prune_samples(thinned, 1..2, 1)?;
        assert_eq!(remaining_rows(tx, project, one, &[1, 2, 3, 4])?.len(), 13);
        let locked = tx.lock_error(project, ErrorIid::new(1))?;
        tx.delete_error(locked.expect("the row exists"))?;
        assert_eq!(remaining_rows(tx, project, three, &[5])?.len(), 8);
        assert_eq!(remaining_rows(tx, other, elsewhere, &[1])?.len(), 8);
        assert_eq!(
            tx.list_known_errors(&[(project, key(1)), (project, key(2))])?,
            []
        );
        remaining_rows(tx, project, one, &[1, 2, 3, 4])
    });
    assert_eq!(remaining.wait().unwrap(), [""; 0]);
    assert_eq!(find(store, project, 1), None);
    // An event that arrives again creates a new error, with a new number, new users, and no old comments.
    let outcome = send_events(store, project, vec![event_of(1, 1, 1, "web@1")]);
    assert_eq!(outcome.stored, 1);
    let again = error(store, project, 4);
    assert_eq!((again.events, again.users), (1, 1));
    let read = store.query(move |tx| {
        assert_eq!(tx.list_error_comments(again.id, page(1, 9))?.items, []);
        // The project's own counts stay.
        let release = tx.list_releases(project, 9)?;
        assert_eq!(release, [("web@1".to_owned(), timestamp(1))]);
        Ok(())
    });
    read.wait().unwrap();
}

/// Remaining rows of a project that had an event with this number and two client keys, in words.
fn remaining_project_rows(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
) -> Result<BTreeSet<&'static str>, StoreError> {
    let mut remaining = BTreeSet::new();
    let mut note = |remains: bool, what| remaining.extend(remains.then_some(what));
    note(tx.find_error_settings(project)?.is_some(), "settings");
    let keys = tx.list_client_keys(project, page(1, 9))?.items;
    note(!keys.is_empty(), "client keys");
    let errors = tx
        .list_errors(&ErrorFilter::new(project), page(1, 9))?
        .items;
    note(!errors.is_empty(), "errors");
    let keys: Vec<_> = (1..=3).map(|number| (project, key(number))).collect();
    note(!tx.list_known_errors(&keys)?.is_empty(), "keys");
    for number in 1..=9 {
        let id = event_id(number);
        note(
            !tx.list_stored_events(&[(project, id)])?.is_empty(),
            "events",
        );
        note(!tx.list_attachments(project, id)?.is_empty(), "files");
    }
    let [from, to] = [-5, 5].map(|days| timestamp(days * 86_400).date());
    let counters = CounterFilter {
        project_id: project,
        from,
        to,
    };
    note(!tx.list_counters(&counters)?.is_empty(), "the accounting");
    let sessions = SessionFilter {
        project_id: project,
        release: None,
        from,
        to,
    };
    note(!tx.list_session_sums(&sessions, 9)?.is_empty(), "sessions");
    note(!tx.list_releases(project, 9)?.is_empty(), "releases");
    Ok(remaining)
}

pub(super) fn t95_a_project_that_goes_takes_its_errors_step_by_step(
    harness: &mut AreaHarness<Errors>,
) {
    const STEP: usize = 7;
    let [project, other] = harness.places();
    let store = harness.store();
    let filled = store.change(move |tx| {
        for place in [project, other] {
            put(tx, &Settings::new(place))?;
            for number in [1, 2] {
                tx.insert_client_key(&client_key(place, number))?;
            }
            let deliveries = (1..=9).map(|number| full_delivery(place, number, 1 + number % 3));
            collect_in(tx, &deliveries.collect::<Vec<_>>())?;
        }
        let full = remaining_project_rows(tx, project)?;
        assert_eq!(full.len(), 9, "{full:?}");
        Ok(full)
    });
    let full = filled.wait().unwrap();
    let mut steps = 0;
    loop {
        let (count, remaining) = store
            .change(move |tx| {
                let count = tx.delete_errors_of(project, STEP)?;
                Ok((count, remaining_project_rows(tx, project)?))
            })
            .wait()
            .unwrap();
        assert!(count <= STEP, "{count} rows in a step of {STEP}");
        if !remaining.contains("settings") {
            assert!(
                remaining.is_empty(),
                "the settings are deleted last: {remaining:?}"
            );
        }
        steps += 1;
        assert!(steps < 100, "the deletion does not end: {remaining:?}");
        if count == 0 {
            assert!(remaining.is_empty(), "{remaining:?} is left");
            break;
        }
    }
    // At least nine events, attachments, comments and users: the deletion takes several steps.
    assert!(steps > 5, "{steps} steps");
    let untouched = store.change(move |tx| remaining_project_rows(tx, other));
    assert_eq!(untouched.wait().unwrap(), full);
    assert_eq!(stored_numbers(store, other, 1..=9).len(), 9);
    let counts = error(store, other, 1);
    assert_eq!((counts.events, counts.users), (3, 3));
}

pub(super) fn t96_rows_outlive_the_store(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let written = harness.store().change(move |tx| {
        put(tx, &Settings::new(project))?;
        collect_in(
            tx,
            &[
                full_delivery(project, 1, 1),
                full_delivery(project, 2, 1),
                full_delivery(project, 3, 2),
            ],
        )?;
        let key = tx.list_known_errors(&[(project, key(1))])?[0].key_id;
        tx.prune_samples(key, 1..2, 1)
    });
    assert_eq!(written.wait().unwrap(), 1);
    let before = error(harness.store(), project, 1);
    let remaining = |harness: &AreaHarness<Errors>| {
        let read = harness
            .store()
            .change(move |tx| remaining_project_rows(tx, project));
        read.wait().unwrap()
    };
    let rows = remaining(harness);
    harness.reopen();
    let store = harness.store();
    assert_eq!(error(store, project, 1), before);
    assert_eq!(remaining(harness), rows);
    let known = find_known(store, project, 1);
    assert_eq!((known.key_events, known.key_kept), (2, 1));
    // The store continues as before the restart: duplicates, users and numbers are known.
    let events = vec![
        event_of(2, 1, 2, "web@1"),
        event_of(4, 1, 1, "web@1"),
        event_of(5, 9, 1, "web@1"),
    ];
    let outcome = send_events(store, project, events);
    assert_eq!((outcome.stored, outcome.duplicates), (2, 1));
    let after = error(store, project, 1);
    assert_eq!((after.events, after.users), (3, 2));
    assert_eq!(find_known(store, project, 9).iid, ErrorIid::new(3));
}
