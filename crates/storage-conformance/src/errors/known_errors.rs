//! Errors, users and releases that the collector looks up before it writes.

use std::collections::BTreeSet;

use api_conventions::ids::ErrorIid;
use error_tracking::flow::change::merge;
use error_tracking::grouping::{Explanation, Input, InputKind, Method};
use error_tracking::rules::status::Status;
use error_tracking::store::{KnownError, NewError, NewErrorKey};
use storage::StoreExt as _;

use super::{insert, key, mark, new_error};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, timestamp};

pub(super) fn t46_an_error_is_known_by_its_key(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let known = harness.store().change(move |tx| {
        assert_eq!(tx.list_known_errors(&[(project, key(1))])?, []);
        let mine = insert(tx, vec![new_error(project, 1), new_error(project, 2)])?;
        let others = insert(tx, vec![new_error(other, 1)])?;
        assert_eq!(tx.list_known_errors(&[])?, []);
        let identities = [
            (other, key(1)),
            (project, key(9)),
            (project, key(2)),
            (other, key(2)),
            (project, key(1)),
        ];
        let mut known = tx.list_known_errors(&identities)?;
        known.sort_by_key(|one| (one.project_id != project, one.iid));
        assert_eq!(known, [mine.clone(), others].concat());
        Ok(mine)
    });
    let known = known.wait().unwrap();
    for (number, one) in (1..).zip(&known) {
        let expected = KnownError {
            project_id: project,
            key: key(number),
            key_id: one.key_id,
            error_id: one.error_id,
            iid: ErrorIid::new(number.into()),
            keys: 1,
            status: Status::Unresolved,
            events: 0,
            users: 0,
            key_events: 0,
            key_kept: 0,
        };
        assert_eq!(*one, expected);
    }
    assert_ne!(known[0].key_id, known[1].key_id);
    assert_ne!(known[0].error_id, known[1].error_id);
}

pub(super) fn t47_the_explanation_of_a_key_comes_back(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let parts = [
        InputKind::Fingerprint,
        InputKind::Type,
        InputKind::Value,
        InputKind::Frame,
        InputKind::Message,
        InputKind::Rule,
        InputKind::Source,
    ];
    let inputs = parts
        .into_iter()
        .zip([HOSTILE, "", "[\"", "{{default}}"].into_iter().cycle());
    let inputs = inputs.map(|(part, text)| Input {
        part,
        text: text.to_owned(),
    });
    let inputs: Vec<Input> = inputs.collect();
    let methods = [
        Method::Fingerprint,
        Method::ProgramFrames,
        Method::AllFrames,
        Method::TypeAndValue,
        Method::Message,
        Method::Policy,
        Method::Nothing,
    ];
    let explanations: Vec<Explanation> = (0_u16..)
        .zip(methods)
        .map(|(version, method)| Explanation {
            version,
            method,
            inputs: inputs[usize::from(version)..].to_vec(),
        })
        .collect();
    let listed = harness.store().change(move |tx| {
        let errors = (1..)
            .zip(&explanations)
            .map(|(number, explanation)| NewError {
                first_seen: timestamp(number.into()),
                key: NewErrorKey {
                    key: key(number),
                    explanation: explanation.clone(),
                },
                ..new_error(project, number)
            });
        let inserted = insert(tx, errors.collect())?;
        for ((number, known), explanation) in (1..).zip(&inserted).zip(&explanations) {
            let keys = tx.list_error_keys(known.error_id)?;
            assert_eq!(keys.len(), 1);
            assert_eq!(
                (keys[0].id, keys[0].error_id),
                (known.key_id, known.error_id)
            );
            assert_eq!(
                (keys[0].key, &keys[0].explanation),
                (key(number), explanation)
            );
            assert_eq!(keys[0].first_seen, timestamp(number.into()));
        }
        Ok(())
    });
    listed.wait().unwrap();
}

pub(super) fn t48_a_user_counts_as_new_to_an_error_once_across_its_group_keys(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let written = harness.store().change(move |tx| {
        let errors = [1, 2, 3].map(|number| new_error(project, number));
        let known = insert(tx, errors.to_vec())?;
        let [one, two, three] = [&known[0], &known[1], &known[2]].map(|known| known.key_id);
        let mut new = |seen: &[_]| -> Result<BTreeSet<_>, _> {
            Ok(tx.insert_error_users(seen)?.into_iter().collect())
        };
        let first = [(one, mark(1)), (one, mark(2)), (three, mark(1))];
        assert_eq!(new(&first)?, first.into());
        // Another user, and known users.
        let second = [(one, mark(1)), (three, mark(2)), (two, mark(3))];
        assert_eq!(new(&second)?, [(three, mark(2)), (two, mark(3))].into());
        assert_eq!(new(&second)?, BTreeSet::new());
        merge(tx, project, ErrorIid::new(2), ErrorIid::new(1))?;
        // A user of one key of the error is known for its other keys, too.
        let mut new = |seen: &[_]| -> Result<BTreeSet<_>, _> {
            Ok(tx.insert_error_users(seen)?.into_iter().collect())
        };
        let third = [(one, mark(3)), (two, mark(1)), (two, mark(4))];
        assert_eq!(new(&third)?, [(two, mark(4))].into());
        // A user who is new by two keys at once is returned for at least one of them.
        let both: BTreeSet<_> = new(&[(one, mark(5)), (two, mark(5))])?;
        assert!(!both.is_empty() && both.iter().all(|(_, user)| *user == mark(5)));
        assert_eq!(new(&[(one, mark(5)), (two, mark(5))])?, BTreeSet::new());
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn t49_a_release_keeps_when_it_was_first_seen(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let listed = harness.store().change(move |tx| {
        let seen = |release: &str, at| (project, release.to_owned(), timestamp(at));
        assert_eq!(tx.find_release(project, "web@1")?, None);
        let first = tx.insert_releases(&[seen("web@2", 5), seen("web@1", 3)])?;
        assert_eq!(first, [timestamp(5), timestamp(3)]);
        let elsewhere = (other, "web@1".to_owned(), timestamp(9));
        let again = [
            seen(HOSTILE, 7),
            seen("web@1", 8),
            elsewhere,
            seen("WEB@1", 1),
        ];
        let first = tx.insert_releases(&again)?;
        assert_eq!(first, [7, 3, 9, 1].map(timestamp));
        assert_eq!(tx.find_release(project, "web@1")?, Some(timestamp(3)));
        assert_eq!(tx.find_release(project, HOSTILE)?, Some(timestamp(7)));
        assert_eq!(tx.find_release(project, "web@%")?, None);
        assert_eq!(tx.find_release(other, "web@2")?, None);
        let latest = tx.list_releases(project, 2)?;
        let expected = [
            (HOSTILE.to_owned(), timestamp(7)),
            ("web@2".to_owned(), timestamp(5)),
        ];
        assert_eq!(latest, expected);
        tx.list_releases(project, 9)
    });
    let listed = listed.wait().unwrap();
    let releases: Vec<&str> = listed.iter().map(|(release, _)| &**release).collect();
    assert_eq!(releases, [HOSTILE, "web@2", "web@1", "WEB@1"]);
}
