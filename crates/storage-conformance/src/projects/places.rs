//! Namespaces and projects themselves.

use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::Timestamp;
use projects::{
    FullNames, InsertNamespace, InsertProject, Membership, Namespace, NamespaceKind, NewNamespace,
};
use storage::StoreExt as _;

use super::{group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{HOSTILE, race, timestamp};

fn path(text: &str) -> FullPath {
    FullPath::parse(text).unwrap()
}

pub(super) fn p01_a_namespace_comes_back_as_it_was_written(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, _] = harness.people();
    let store = harness.store();
    let written = store.change(move |tx| {
        let top = insert_namespace(tx, &group("Top", ann))?;
        let sub = insert_namespace(
            tx,
            &NewNamespace {
                name: HOSTILE.to_owned(),
                parent: Some(top.clone()),
                visibility: Visibility::Private,
                created_at: Timestamp::MAX,
                ..group("sub.group", ann)
            },
        )?;
        let own = insert_namespace(
            tx,
            &NewNamespace {
                kind: NamespaceKind::User,
                visibility: Visibility::Internal,
                created_at: Timestamp::MIN,
                ..group("ben", ben)
            },
        )?;
        Ok([top, sub, own])
    });
    let [top, sub, own] = written.wait().unwrap();
    assert_eq!(
        (top.kind, top.name.as_str()),
        (NamespaceKind::Group, "The group Top")
    );
    assert_eq!((top.path.as_str(), top.full_path.as_str()), ("Top", "Top"));
    assert_eq!((top.parent_id, top.visibility), (None, Visibility::Public));
    assert_eq!(
        (sub.name.as_str(), sub.full_path.as_str()),
        (HOSTILE, "Top/sub.group")
    );
    assert_eq!(
        (sub.parent_id, sub.visibility),
        (Some(top.id), Visibility::Private)
    );
    assert_eq!(
        (own.kind, own.visibility),
        (NamespaceKind::User, Visibility::Internal)
    );
    for (spelling, namespace) in [("tOP", top), ("Top/sub.group", sub), ("BEN", own)] {
        let found = store.query(move |tx| tx.find_namespace(&path(spelling)));
        assert_eq!(found.wait().unwrap(), Some(namespace));
    }
}

pub(super) fn p03_absence_is_none(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let requested = store.change(move |tx| {
        let group = insert_namespace(tx, &group("group", ann))?;
        let there = insert_project(tx, &project(&group, "there", ann))?;
        assert_eq!(
            tx.find_namespace(&path("group/there"))?,
            None,
            "a project is not a namespace"
        );
        assert_eq!(tx.find_project(&ProjectRef::Path(path("group")))?, None);
        assert_eq!(tx.find_project(&ProjectRef::Path(path("there")))?, None);
        let unknown = ProjectId::new(there.id.get() + 1);
        assert_eq!(tx.find_project(&ProjectRef::Id(unknown))?, None);
        let today = timestamp(0).date();
        assert_eq!(
            tx.find_membership(ann, unknown, today)?,
            Membership::default()
        );
        tx.find_namespace(&path("other"))
    });
    assert_eq!(requested.wait().unwrap(), None);
}

pub(super) fn p04_paths_are_unique_regardless_of_case_across_namespaces_and_projects(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let outcome = store.change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        insert_project(tx, &project(&top, "Thing", ann))?;
        assert_eq!(
            tx.insert_namespace(&group("TOP", ann))?,
            InsertNamespace::PathTaken
        );
        let again = tx.insert_project(&project(&top, "thing", ann))?;
        assert_eq!(again, InsertProject::PathTaken);
        let sub = NewNamespace {
            parent: Some(top.clone()),
            ..group("THING", ann)
        };
        assert_eq!(tx.insert_namespace(&sub)?, InsertNamespace::PathTaken);
        let sub = NewNamespace {
            parent: Some(top.clone()),
            ..group("sub", ann)
        };
        let sub = insert_namespace(tx, &sub)?;
        let again = tx.insert_project(&project(&top, "Sub", ann))?;
        assert_eq!(again, InsertProject::PathTaken);
        // The same last segment in another group is another path.
        insert_project(tx, &project(&sub, "thing", ann))?;
        Ok(())
    });
    outcome.wait().unwrap();
}

pub(super) fn p05_exactly_one_concurrent_insertion_of_a_project_path_succeeds(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let inserted = store.change(move |tx| insert_namespace(tx, &group("top", ann)));
    let top = inserted.wait().unwrap();
    let outcomes = race(8, |_| {
        let new = project(&top, "racer", ann);
        store
            .change(move |tx| tx.insert_project(&new))
            .wait()
            .unwrap()
    });
    let winners: Vec<_> = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, InsertProject::Inserted(_)))
        .collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
}

pub(super) fn p06_activity_is_recorded_once_an_hour_and_only_forward_in_time(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        insert_project(tx, &project(&top, "untouched", ann))?;
        Ok(insert_project(tx, &project(&top, "busy", ann))?.id)
    });
    let busy = inserted.wait().unwrap();
    let cases: [(&[i64], i64); 7] = [
        (&[3599], 0),
        (&[3600], 3600),
        (&[3601], 3600),
        (&[0], 3600),
        (&[9000], 9000),
        // Several timestamps in one call are applied one after the other.
        (&[9000, 12_600, 12_700, 12_600], 12_600),
        (&[16_199, 16_300, 16_201, 20_000, 19_900, 23_600], 23_600),
    ];
    for (reported, noted) in cases {
        let found = store.change(move |tx| {
            let unknown = ProjectId::new(i64::MAX);
            let reported = reported.iter().map(|seconds| timestamp(*seconds));
            let reported: Vec<_> = reported
                .flat_map(|at| [(unknown, at), (busy, at)])
                .collect();
            tx.touch_projects(&reported)?;
            let untouched = ProjectRef::Path(path("top/untouched"));
            let untouched = tx.find_project(&untouched)?.expect("the row exists");
            assert_eq!(untouched.last_activity_at, timestamp(0));
            tx.find_project(&ProjectRef::Id(busy))
        });
        let found = found.wait().unwrap().expect("the row exists");
        assert_eq!(
            found.last_activity_at,
            timestamp(noted),
            "after {reported:?}"
        );
        assert_eq!(
            found.updated_at,
            timestamp(0),
            "activity does not change the project itself"
        );
    }
}

pub(super) fn p07_a_full_name_begins_with_the_outermost(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let below = move |parent: &Namespace, path: &str, name: &str| NewNamespace {
        name: name.to_owned(),
        parent: Some(parent.clone()),
        ..group(path, ann)
    };
    let requested = store.change(move |tx| {
        let top = insert_namespace(tx, &group("z", ann))?;
        let sub = insert_namespace(tx, &below(&top, "y", HOSTILE))?;
        let least = insert_namespace(tx, &below(&sub, "x", "A"))?;
        let other = insert_namespace(tx, &below(&top, "long-path", "Other"))?;
        let ids = [least.id, top.id, other.id];
        let all = [&ids[..], &[NamespaceId::new(i64::MAX)]].concat();
        let (names, none) = (tx.list_full_names(&all)?, tx.list_full_names(&[])?);
        Ok((ids, names, none))
    });
    let ([least, top, other], names, none) = requested.wait().unwrap();
    let top_name = "The group z".to_owned();
    let expected = [
        (top, vec![top_name.clone()]),
        (
            least,
            vec![top_name.clone(), HOSTILE.to_owned(), "A".to_owned()],
        ),
        (other, vec![top_name, "Other".to_owned()]),
    ];
    assert_eq!(names, expected.into_iter().collect());
    assert_eq!(none, FullNames::default());
}
