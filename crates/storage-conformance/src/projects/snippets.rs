//! Snippets and their files.

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, SnippetId, UserId};
use api_conventions::page::Total;
use api_conventions::time::Timestamp;
use projects::{
    NewSnippet, Snippet, SnippetContent, SnippetDraft, SnippetFile, SnippetFilter, SnippetPlace,
    SnippetScope,
};
use storage::{StoreError, StoreExt as _};

use crate::areas::{AreaHarness, Projects};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, timestamp};

const AUTHOR: UserId = UserId::new(7);

fn content(title: &str, visibility: Visibility) -> SnippetContent {
    SnippetContent {
        title: title.to_owned(),
        description: Some(format!("about {title}")),
        visibility,
    }
}

fn files(paths: &[&str]) -> Vec<SnippetFile> {
    let file = |path: &&str| SnippetFile {
        path: (*path).to_owned(),
        content: format!("text of {path}"),
    };
    paths.iter().map(file).collect()
}

fn snippet(place: SnippetPlace, title: &str, visibility: Visibility) -> NewSnippet {
    NewSnippet {
        place,
        author_id: AUTHOR,
        draft: SnippetDraft {
            content: content(title, visibility),
            files: files(&["b.txt", "a.txt"]),
        },
        created_at: timestamp(0),
    }
}

fn of_project(project: ProjectId, title: &str) -> NewSnippet {
    snippet(SnippetPlace::Project(project), title, Visibility::Private)
}

entity! {
    /// A snippet of a project.
    StoredSnippet in Projects, of ProjectId: NewSnippet => Snippet;
    owners: |harness| harness.places();
    key: |snippet| -> SnippetId { snippet.id }, unknown: SnippetId::new(i64::MAX);
    sample: |project, number| of_project(project, &format!("snippet {number}"));
    edges: |project| vec![
        NewSnippet {
            author_id: UserId::new(i64::MAX),
            created_at: Timestamp::MAX,
            draft: SnippetDraft {
                content: content(HOSTILE, Visibility::Public),
                files: files(&[HOSTILE, "0", "z"]),
            },
            ..of_project(project, "")
        },
        NewSnippet {
            created_at: Timestamp::MIN,
            draft: SnippetDraft {
                content: SnippetContent { description: None, ..content("", Visibility::Internal) },
                files: files(&["a"]),
            },
            ..of_project(project, "")
        },
    ];
    insert: |tx, new| Ok(tx.insert_snippet(new)?.id);
    find: |tx, project, id| tx.find_snippet(SnippetPlace::Project(project), *id), by owner: true;
    expected: |new, found| new.stored(found.id);
    list Descending: |tx, project, page| {
        let scope = SnippetScope::Project { id: project, least: Visibility::Private };
        tx.list_snippets(&SnippetFilter::new(scope), page)
    };
    ranked: |project, number, rank| NewSnippet {
        created_at: timestamp(rank.into()),
        ..of_project(project, &format!("snippet {number}"))
    };
    change: |tx, project, id, number| {
        let Some(locked) = tx.lock_snippet(SnippetPlace::Project(project), *id)? else {
            return Ok(false);
        };
        let changed = content(&format!("changed {number}"), Visibility::Public);
        tx.update_snippet(locked, &changed, &files(&["new.txt"]), timestamp(number.into()))?;
        Ok(true)
    };
    changed: |snippet, number| Snippet {
        content: content(&format!("changed {number}"), Visibility::Public),
        paths: vec!["new.txt".to_owned()],
        updated_at: timestamp(number.into()),
        ..snippet.clone()
    };
    delete: |tx, project, id| {
        let Some(locked) = tx.lock_snippet(SnippetPlace::Project(project), *id)? else {
            return Ok(false);
        };
        tx.delete_snippet(locked)?;
        Ok(true)
    };
}

fn insert(store: &Projects, new: NewSnippet) -> Snippet {
    let inserted = store.change(move |tx| tx.insert_snippet(&new));
    inserted.wait().unwrap()
}

fn titles(store: &Projects, filter: SnippetFilter) -> String {
    let listed = store.query(move |tx| tx.list_snippets(&filter, page(1, 100)));
    let items = listed.wait().unwrap().items.into_iter();
    let titles: Vec<String> = items.map(|snippet| snippet.content.title).collect();
    titles.join(" ")
}

pub(super) fn q10_files_keep_their_order_and_are_replaced_and_deleted_with_the_snippet(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    let [one, other] = ["one", "other"].map(|title| {
        let new = snippet(SnippetPlace::Personal, title, Visibility::Private);
        insert(store, new).id
    });
    let stored = |id| store.query(move |tx| tx.list_snippet_files(id)).wait();
    let first = files(&["b.txt", "a.txt"]);
    assert_eq!(stored(one).unwrap(), first);
    assert_eq!(stored(SnippetId::new(i64::MAX)).unwrap(), []);
    let long = SnippetFile {
        path: "b.txt".to_owned(),
        content: HOSTILE.repeat(2000),
    };
    let second = [files(&["z.txt"]), vec![long], files(&["c.txt"])].concat();
    let written = second.clone();
    let changed = store.change(move |tx| {
        let locked = tx.lock_snippet(SnippetPlace::Personal, one)?.unwrap();
        let content = locked.content.clone();
        tx.update_snippet(locked, &content, &written, timestamp(1))
    });
    assert_eq!(changed.wait().unwrap().paths, ["z.txt", "b.txt", "c.txt"]);
    assert_eq!(stored(one).unwrap(), second);
    let deleted = store.change(move |tx| {
        let locked = tx.lock_snippet(SnippetPlace::Personal, one)?.unwrap();
        tx.delete_snippet(locked)
    });
    assert_eq!(deleted.wait().unwrap().id, one);
    assert_eq!(stored(one).unwrap(), []);
    assert_eq!(stored(other).unwrap(), first);
}

pub(super) fn q11_each_scope_lists_the_snippets_that_its_viewers_see(
    harness: &mut AreaHarness<Projects>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let visibilities = [
        (Visibility::Private, "private"),
        (Visibility::Internal, "internal"),
        (Visibility::Public, "public"),
    ];
    let mut second = 0;
    for (owner, place, author) in [
        ("mine", SnippetPlace::Personal, AUTHOR),
        ("theirs", SnippetPlace::Personal, UserId::new(8)),
        ("project", SnippetPlace::Project(project), AUTHOR),
        ("other", SnippetPlace::Project(other), AUTHOR),
    ] {
        for (visibility, word) in visibilities {
            second += 1;
            let new = NewSnippet {
                author_id: author,
                created_at: timestamp(second),
                ..snippet(place, &format!("{owner}-{word}"), visibility)
            };
            insert(store, new);
        }
    }
    let of_project = |least| SnippetScope::Project { id: project, least };
    for (scope, expected) in [
        (
            SnippetScope::OfAuthor(AUTHOR),
            "mine-public mine-internal mine-private",
        ),
        (
            SnippetScope::VisibleTo(AUTHOR),
            "theirs-public theirs-internal mine-public mine-internal mine-private",
        ),
        (
            SnippetScope::VisibleTo(UserId::new(9)),
            "theirs-public theirs-internal mine-public mine-internal",
        ),
        (SnippetScope::Public, "theirs-public mine-public"),
        (
            SnippetScope::All,
            "other-public other-internal other-private project-public project-internal project-private \
             theirs-public theirs-internal theirs-private mine-public mine-internal mine-private",
        ),
        (
            of_project(Visibility::Private),
            "project-public project-internal project-private",
        ),
        (
            of_project(Visibility::Internal),
            "project-public project-internal",
        ),
        (of_project(Visibility::Public), "project-public"),
    ] {
        assert_eq!(
            titles(store, SnippetFilter::new(scope)),
            expected,
            "{scope:?}"
        );
    }
    // The bounds of the period are inclusive.
    for (after, before, expected) in [
        (Some(5), None, "theirs-public theirs-internal"),
        (None, Some(3), "mine-public mine-internal mine-private"),
        (Some(3), Some(5), "theirs-internal mine-public"),
        (Some(7), None, ""),
    ] {
        let filter = SnippetFilter {
            created_after: after.map(timestamp),
            created_before: before.map(timestamp),
            ..SnippetFilter::new(SnippetScope::VisibleTo(AUTHOR))
        };
        assert_eq!(titles(store, filter), expected, "{filter:?}");
    }
}

pub(super) fn q12_pages_of_visible_snippets_hold_every_row_once(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    let mut expected = Vec::new();
    for number in 0..12 {
        // Two of three are visible to everyone, the others to the author; several have the same time.
        let visibility = if number % 3 == 0 {
            Visibility::Private
        } else {
            Visibility::Public
        };
        let new = NewSnippet {
            created_at: timestamp(number / 4),
            ..snippet(SnippetPlace::Personal, &format!("s{number}"), visibility)
        };
        expected.push(insert(store, new).id);
    }
    expected.reverse();
    let filter = SnippetFilter::new(SnippetScope::VisibleTo(AUTHOR));
    for per_page in [1, 5, 7, 12, 20] {
        let mut found = Vec::new();
        for number in 1.. {
            let listed = store.query(move |tx| tx.list_snippets(&filter, page(number, per_page)));
            let listed = listed.wait().unwrap();
            assert_eq!(listed.total, Total::Exact(12));
            found.extend(listed.items.iter().map(|snippet| snippet.id));
            if !listed.has_next {
                break;
            }
        }
        assert_eq!(found, expected, "{per_page} per page");
    }
}

pub(super) fn q13_the_snippets_of_an_author_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Projects>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let insert_one = |place, title: &str, author| {
        let new = snippet(place, title, Visibility::Public);
        let author_id = UserId::new(author);
        insert(store, NewSnippet { author_id, ..new }).id
    };
    let personal = SnippetPlace::Personal;
    let mine = ["a", "b", "c"].map(|title| insert_one(personal, title, 7));
    insert_one(personal, "theirs", 8);
    insert_one(SnippetPlace::Project(project), "project", 7);
    let delete = |limit| {
        let deleted = store.change(move |tx| tx.delete_snippets_of_author(AUTHOR, limit));
        deleted.wait().unwrap()
    };
    assert_eq!([delete(0), delete(3), delete(3), delete(3)], [0, 3, 1, 0]);
    let all = SnippetFilter::new(SnippetScope::All);
    assert_eq!(titles(store, all), "theirs");
    let files = store.query(move |tx| {
        let mut files = Vec::new();
        for id in mine {
            files.extend(tx.list_snippet_files(id)?);
        }
        Ok::<_, StoreError>(files)
    });
    assert_eq!(files.wait().unwrap(), []);
}

pub(super) fn q14_a_personal_snippet_is_not_found_in_a_project(
    harness: &mut AreaHarness<Projects>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [personal, of_project] = [SnippetPlace::Personal, SnippetPlace::Project(project)];
    for (place, other) in [(personal, of_project), (of_project, personal)] {
        let stored = insert(store, snippet(place, "a", Visibility::Public));
        let id = stored.id;
        let found = store.query(move |tx| {
            Ok::<_, StoreError>((tx.find_snippet(place, id)?, tx.find_snippet(other, id)?))
        });
        assert_eq!(found.wait().unwrap(), (Some(stored), None));
        let locked =
            store.change(move |tx| Ok::<_, StoreError>(tx.lock_snippet(other, id)?.is_some()));
        assert!(!locked.wait().unwrap(), "{place:?}");
    }
}
