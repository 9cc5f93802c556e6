//! Notes on issues and alerts.

use api_conventions::ids::{AlertId, IssueIid, NoteId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use projects::{
    Issue, NewNote, NoteActivity, NoteFilter, NoteOrder, Noteable, NoteableKind, ResourceNote,
};
use storage::StoreExt as _;

use super::stored_issue::issue;
use crate::areas::{AreaHarness, Projects};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, race, timestamp};

/// An alert with the project's id. It does not exist, because the target of a note is not checked.
fn alert(project_id: ProjectId) -> Noteable {
    Noteable {
        project_id,
        kind: NoteableKind::Alert,
        id: project_id.get(),
        iid: 3,
    }
}

fn on(issue: &Issue) -> Noteable {
    Noteable {
        project_id: issue.project_id,
        kind: NoteableKind::Issue,
        id: issue.id.get(),
        iid: issue.iid.get(),
    }
}

fn note(on: Noteable, body: &str) -> NewNote {
    NewNote {
        on,
        author_id: UserId::new(7),
        body: body.to_owned(),
        system: false,
        internal: false,
        created_at: timestamp(0),
    }
}

entity! {
    /// A note on an alert.
    StoredNote in Projects, of ProjectId: NewNote => ResourceNote;
    owners: |harness| harness.places();
    key: |note| -> NoteId { note.id }, unknown: NoteId::new(i64::MAX);
    sample: |project, number| note(alert(project), &format!("note {number}"));
    edges: |project| vec![
        NewNote {
            author_id: UserId::new(i64::MAX),
            system: true,
            created_at: Timestamp::MAX,
            ..note(alert(project), &HOSTILE.repeat(20))
        },
        NewNote { internal: true, created_at: Timestamp::MIN, ..note(alert(project), "") },
    ];
    insert: |tx, new| Ok(tx.insert_notes(std::slice::from_ref(new))?[0].id);
    find: |tx, project, id| tx.find_note(alert(project), *id), by owner: true;
    expected: |new, found| new.stored(found.id);
    list Descending: |tx, project, page| tx.list_notes(&NoteFilter::new(alert(project), true), page);
    ranked: |project, number, rank| NewNote {
        created_at: timestamp(rank.into()),
        ..note(alert(project), &format!("note {number}"))
    };
    change: |tx, project, id, number| {
        let body = format!("changed {number}");
        tx.update_note(alert(project), *id, &body, timestamp(number.into()))
    };
    changed: |note, number| ResourceNote {
        body: format!("changed {number}"),
        updated_at: timestamp(number.into()),
        ..note.clone()
    };
    delete: |tx, project, id| tx.delete_note(alert(project), *id);
}

pub(super) fn n10_a_viewer_lists_notes_by_kind_with_or_without_internal_notes(
    harness: &mut AreaHarness<Projects>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        let target = tx.insert_issue(&issue(project, "thing"))?;
        let same_id = Noteable {
            kind: NoteableKind::Alert,
            ..on(&target)
        };
        let elsewhere = tx.insert_issue(&issue(other, "elsewhere"))?;
        let mut ids = Vec::new();
        for (body, seconds, internal, system) in [
            ("a", 5, false, false),
            ("b", 1, true, false),
            ("c", 5, false, true),
            ("d", 9, true, true),
        ] {
            let new = NewNote {
                created_at: timestamp(seconds),
                internal,
                system,
                ..note(on(&target), body)
            };
            ids.push(tx.insert_notes(&[new])?[0].id);
        }
        tx.insert_notes(&[note(same_id, "x"), note(on(&elsewhere), "y")])?;
        tx.update_note(on(&target), ids[0], "a", timestamp(20))?;
        Ok((on(&target), ids))
    });
    let (target, ids) = written.wait().unwrap();
    let [up, down] = [SortOrder::Ascending, SortOrder::Descending];
    let [created, updated] = [NoteOrder::CreatedAt, NoteOrder::UpdatedAt];
    let all = NoteActivity::All;
    for (sees_internal, activity, order_by, sort, expected) in [
        (true, all, created, down, "dcab"),
        (true, all, created, up, "bacd"),
        (true, all, updated, down, "adcb"),
        (false, all, created, down, "ca"),
        (false, all, updated, up, "ca"),
        (true, NoteActivity::Comments, created, down, "ab"),
        (true, NoteActivity::Activity, created, down, "dc"),
        (false, NoteActivity::Activity, created, down, "c"),
    ] {
        let filter = NoteFilter {
            activity,
            order_by,
            sort,
            ..NoteFilter::new(target, sees_internal)
        };
        let listed = store.query(move |tx| tx.list_notes(&filter, page(1, 9)));
        let found: String = listed
            .wait()
            .unwrap()
            .items
            .iter()
            .map(|note| &*note.body)
            .collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    let comments = |sees_internal, after, limit| {
        let read = store.query(move |tx| tx.list_comment_ids(target, sees_internal, after, limit));
        read.wait().unwrap()
    };
    assert_eq!(comments(true, NoteId::new(0), 9), ids[..2]);
    assert_eq!(comments(true, NoteId::new(0), 1), ids[..1]);
    assert_eq!(comments(true, ids[0], 9), ids[1..2]);
    assert_eq!(comments(false, NoteId::new(0), 9), ids[..1]);
    let expected = [ids[2], ids[0], NoteId::new(i64::MAX)];
    let read = store.query(move |tx| tx.list_notes_by_id(&expected));
    let mut found: Vec<NoteId> = read.wait().unwrap().iter().map(|note| note.id).collect();
    found.sort_unstable();
    assert_eq!(found, [ids[0], ids[2]]);
}

fn count(store: &Projects, project: ProjectId, iid: IssueIid) -> Option<i64> {
    let found = store.query(move |tx| tx.find_issue(project, iid));
    let found = found.wait().unwrap();
    found.map(|issue| issue.user_notes_count)
}

pub(super) fn n11_notes_of_people_are_counted_on_their_issue(harness: &mut AreaHarness<Projects>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let created = store.change(move |tx| {
        let target = tx.insert_issue(&issue(project, "thing"))?;
        tx.insert_issue(&issue(project, "other"))?;
        Ok(target)
    });
    let target = created.wait().unwrap();
    let (place, iid) = (on(&target), target.iid);
    let raced = race(8, |racer| {
        let system = racer % 4 == 0;
        let written = store.change(move |tx| {
            let new = NewNote {
                system,
                ..note(place, "raced")
            };
            Ok(tx.insert_notes(&[new])?[0].clone())
        });
        written.wait().unwrap()
    });
    assert_eq!(count(store, project, iid), Some(6));
    let delete = |system: bool| {
        let id = raced.iter().find(|note| note.system == system).unwrap().id;
        let deleted = store.change(move |tx| tx.delete_note(place, id));
        deleted.wait().unwrap()
    };
    assert!(delete(true));
    assert_eq!(count(store, project, iid), Some(6));
    assert!(delete(false));
    assert_eq!(count(store, project, iid), Some(5));
    assert!(!delete(false));
    assert_eq!(count(store, project, iid), Some(5));
    assert_eq!(count(store, project, IssueIid::new(2)), Some(0));
}

pub(super) fn n12_an_issue_that_is_deleted_takes_its_notes_with_it(
    harness: &mut AreaHarness<Projects>,
) {
    let [project, _] = harness.places();
    let remaining = harness.store().change(move |tx| {
        let going = tx.insert_issue(&issue(project, "going"))?;
        let staying = tx.insert_issue(&issue(project, "staying"))?;
        let alert = Noteable {
            kind: NoteableKind::Alert,
            ..on(&going)
        };
        let notes = [on(&going), on(&staying), alert].map(|place| note(place, "note"));
        let notes = tx.insert_notes(&notes)?;
        let Some(locked) = tx.lock_issue(project, going.iid)? else {
            return Ok((Vec::new(), notes));
        };
        tx.delete_issue(locked)?;
        let ids: Vec<NoteId> = notes.iter().map(|note| note.id).collect();
        let mut remaining = tx.list_notes_by_id(&ids)?;
        remaining.sort_by_key(|note| note.id);
        Ok((remaining, notes))
    });
    let (remaining, notes) = remaining.wait().unwrap();
    assert_eq!(remaining, notes[1..]);
}

pub(super) fn n13_notes_on_alerts_are_deleted_up_to_a_limit(harness: &mut AreaHarness<Projects>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let on = move |id| Noteable {
        id,
        ..alert(project)
    };
    let issue = Noteable {
        kind: NoteableKind::Issue,
        ..on(1)
    };
    let written = store.change(move |tx| {
        let mut new: Vec<NewNote> = [1, 2, 3, 1].map(|id| note(on(id), "text")).to_vec();
        new.push(note(issue, "kept"));
        tx.insert_notes(&new).map(drop)
    });
    written.wait().unwrap();
    let delete = |limit| {
        let alerts = [AlertId::new(1), AlertId::new(2)];
        let deleted = store.change(move |tx| tx.delete_notes_on_alerts(&alerts, limit));
        deleted.wait().unwrap()
    };
    assert_eq!((delete(2), delete(2), delete(2)), (2, 1, 0));
    for (place, count) in [(on(1), 0), (on(2), 0), (on(3), 1), (issue, 1)] {
        let filter = NoteFilter::new(place, true);
        let listed = store.query(move |tx| tx.list_notes(&filter, page(1, 9)));
        assert_eq!(listed.wait().unwrap().items.len(), count, "{place:?}");
    }
}
