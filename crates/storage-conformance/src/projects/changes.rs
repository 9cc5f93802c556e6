//! Projects that are changed, moved and searched by topic.

use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::reference::{FullPath, ProjectRef};
use projects::{
    InsertProject, Namespace, NewProject, Project, ProjectChange, ProjectContent, ProjectFilter,
    ProjectOrder, ProjectSettings, ProjectWriteTx, ProjectsWithin, SaveProject, Viewer,
};
use storage::{StoreError, StoreExt as _};

use super::groups::change as change_group;
use super::{group, insert_namespace, insert_project, project, some_settings};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{HOSTILE, page, race, timestamp};

fn path(text: &str) -> FullPath {
    FullPath::parse(text).unwrap()
}

/// Changes a project, which must exist, and returns the outcome.
pub(super) fn change(
    tx: &mut dyn ProjectWriteTx,
    id: ProjectId,
    edit: impl FnOnce(&mut ProjectChange),
) -> Result<SaveProject, StoreError> {
    let found = tx.find_project(&ProjectRef::Id(id))?.unwrap();
    let mut change = ProjectChange {
        content: found.content(),
        namespace: found.namespace.clone(),
        archived: found.archived,
    };
    edit(&mut change);
    let locked = tx.lock_project(id, &[change.namespace.id])?.unwrap();
    tx.update_project(locked, &change, timestamp(9))
}

pub(super) fn p80_a_changed_project_is_found_as_it_was_changed(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let before = insert_project(tx, &project(&top, "old", ann))?;
        let other = insert_project(tx, &project(&top, "other", ann))?;
        let content = ProjectContent {
            name: HOSTILE.to_owned(),
            path: "New".to_owned(),
            description: HOSTILE.to_owned(),
            visibility: Visibility::Internal,
            topics: vec![HOSTILE.to_owned(), "b".to_owned()],
            settings: some_settings(),
        };
        let saved = change(tx, before.id, |one| {
            one.content.clone_from(&content);
            one.archived = true;
        })?;
        let SaveProject::Saved(saved) = saved else {
            panic!("{saved:?}");
        };
        let by_path = tx
            .find_project(&ProjectRef::Path(path("TOP/NEW")))?
            .unwrap();
        assert_eq!(*saved, by_path);
        assert_eq!((by_path.content(), by_path.archived), (content, true));
        assert_eq!(
            (by_path.full_path.as_str(), by_path.updated_at),
            ("top/New", timestamp(9))
        );
        assert_eq!(
            (
                by_path.id,
                by_path.created_at,
                by_path.last_activity_at,
                by_path.creator_id
            ),
            (
                before.id,
                before.created_at,
                before.last_activity_at,
                before.creator_id
            )
        );
        assert_eq!(tx.find_project(&ProjectRef::Path(path("top/old")))?, None);
        assert_eq!(
            tx.find_project(&ProjectRef::Id(other.id))?.as_ref(),
            Some(&other)
        );
        assert!(tx.lock_project(ProjectId::new(i64::MAX), &[])?.is_none());
        // The old path is free.
        insert_project(tx, &project(&top, "old", ann)).map(drop)
    });
    done.wait().unwrap();
}

pub(super) fn p81_a_moved_project_is_in_its_new_namespace_alone(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, _] = harness.people();
    let done = harness.store().change(move |tx| {
        let from = insert_namespace(tx, &group("from", ann))?;
        let to = insert_namespace(tx, &group("to", ben))?;
        let target = insert_project(tx, &project(&from, "thing", ann))?;
        let moved = change(tx, target.id, |one| one.namespace = to.clone())?;
        let SaveProject::Saved(moved) = moved else {
            panic!("{moved:?}");
        };
        assert_eq!(
            (moved.full_path.as_str(), &moved.namespace),
            ("to/thing", &to)
        );
        let today = timestamp(0).date();
        let role = |tx: &mut dyn ProjectWriteTx, user| {
            Ok::<_, StoreError>(tx.find_membership(user, target.id, today)?.highest())
        };
        assert!(role(tx, ann)?.is_none() && role(tx, ben)?.is_some());
        let listed = |tx: &mut dyn ProjectWriteTx, group: &Namespace| {
            let within = ProjectsWithin::Group {
                id: group.id,
                with_subgroups: false,
                with_shared: false,
            };
            let filter = ProjectFilter {
                within,
                ..ProjectFilter::new(Viewer::Anonymous)
            };
            let page = tx.list_projects(&filter, today, page(1, 9))?;
            Ok::<_, StoreError>(page.items.len())
        };
        assert_eq!((listed(tx, &from)?, listed(tx, &to)?), (0, 1));
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p82_project_names_are_unique_per_namespace(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let named = |namespace: &Namespace, path: &str, name: &str| NewProject {
            name: name.to_owned(),
            ..project(namespace, path, ann)
        };
        let first = insert_project(tx, &named(&top, "first", "Name"))?;
        let second = insert_project(tx, &named(&top, "second", "name"))?;
        let third = insert_project(tx, &named(&other, "third", "Name"))?;
        let refused = tx.insert_project(&named(&top, "fourth", "Name"))?;
        assert_eq!(refused, InsertProject::NameTaken);
        let refused = change(tx, second.id, |one| one.content.name = "Name".to_owned())?;
        assert_eq!(refused, SaveProject::NameTaken);
        let refused = change(tx, third.id, |one| one.namespace = top.clone())?;
        assert_eq!(refused, SaveProject::NameTaken);
        let refused = change(tx, second.id, |one| one.content.path = "FIRST".to_owned())?;
        assert_eq!(refused, SaveProject::PathTaken);
        for project in [first, second, third] {
            let found = tx.find_project(&ProjectRef::Id(project.id))?;
            assert_eq!(found, Some(project));
        }
        Ok(())
    });
    done.wait().unwrap();
}

/// Writes projects with topics, archived ones and one in a subgroup of the group whose id is returned.
fn write_projects_with_topics(store: &Projects, ann: UserId) -> NamespaceId {
    let created = store.change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let deep = projects::NewNamespace {
            parent: Some(top.clone()),
            ..group("deep", ann)
        };
        let deep = insert_namespace(tx, &deep)?;
        let about = |path: &str, topics: &[&str]| NewProject {
            topics: topics.iter().map(|one| (*one).to_owned()).collect(),
            ..project(&top, path, ann)
        };
        insert_project(tx, &about("both", &["Rust", "ops"]))?;
        let one = NewProject {
            settings: some_settings(),
            ..about("one", &["rust"])
        };
        let one = insert_project(tx, &one)?;
        let none = insert_project(tx, &about("none", &[]))?;
        let inner = NewProject {
            settings: some_settings(),
            ..project(&deep, "inner", ann)
        };
        insert_project(tx, &inner)?;
        change(tx, none.id, |one| one.archived = true)?;
        change(tx, one.id, |one| {
            one.content.topics = vec!["ÖPS".to_owned()];
            one.content.settings = ProjectSettings::default();
        })?;
        Ok(top.id)
    });
    created.wait().unwrap()
}

pub(super) fn p83_topics_and_archived_projects_are_found_by_filters(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let top = write_projects_with_topics(store, ann);
    let by_id = ProjectFilter {
        order_by: ProjectOrder::Id,
        sort: api_conventions::page::SortOrder::Ascending,
        ..ProjectFilter::new(Viewer::Anonymous)
    };
    let topics = |topics: &[&str]| ProjectFilter {
        topics: topics.iter().map(|one| (*one).to_owned()).collect(),
        ..by_id.clone()
    };
    let within = |with_subgroups| ProjectFilter {
        within: ProjectsWithin::Group {
            id: top,
            with_subgroups,
            with_shared: true,
        },
        ..by_id.clone()
    };
    let cases: [(ProjectFilter, &[&str]); 13] = [
        (
            ProjectFilter {
                with_merge_requests: true,
                ..by_id.clone()
            },
            &["inner"],
        ),
        (topics(&["rust"]), &["both"]),
        (topics(&["RUST", "ops"]), &["both"]),
        (topics(&["öps"]), &["one"]),
        (topics(&["rus"]), &[]),
        (
            ProjectFilter {
                archived: Some(true),
                ..by_id.clone()
            },
            &["none"],
        ),
        (
            ProjectFilter {
                archived: Some(false),
                ..by_id.clone()
            },
            &["both", "one", "inner"],
        ),
        (within(false), &["both", "one", "none"]),
        (within(true), &["both", "one", "none", "inner"]),
        (
            ProjectFilter {
                search: Some("DEEP/".to_owned()),
                ..by_id.clone()
            },
            &[],
        ),
        (
            ProjectFilter {
                search: Some("DEEP/".to_owned()),
                search_namespaces: true,
                ..by_id.clone()
            },
            &["inner"],
        ),
        (
            ProjectFilter {
                updated_after: Some(timestamp(8)),
                ..by_id.clone()
            },
            &["one", "none"],
        ),
        (
            ProjectFilter {
                updated_before: Some(timestamp(9)),
                ..by_id.clone()
            },
            &["both", "inner"],
        ),
    ];
    for (filter, expected) in cases {
        let requested = filter.clone();
        let today = timestamp(0).date();
        let listed = store.query(move |tx| tx.list_projects(&requested, today, page(1, 9)));
        let listed = listed.wait().unwrap().items.into_iter();
        let paths: Vec<String> = listed.map(|project: Project| project.path).collect();
        assert_eq!(paths, expected, "{filter:?}");
    }
}

pub(super) fn p84_concurrent_moves_of_two_groups_into_each_other_create_no_cycle(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let created = store.change(move |tx| {
        let one = insert_namespace(tx, &group("one", ann))?;
        Ok([one.id, insert_namespace(tx, &group("two", ann))?.id])
    });
    let groups = created.wait().unwrap();
    let moved = race(2, |number| {
        let [from, to] = if number == 0 {
            groups
        } else {
            [groups[1], groups[0]]
        };
        let moved = store.change(move |tx| {
            // Once it has the locks, the second transaction sees the change of the first one.
            tx.lock_group(from, &[to])?;
            let lineage = tx.list_lineage(to)?;
            let above: Vec<NamespaceId> = lineage.iter().map(|one| one.id).collect();
            if above.contains(&from) {
                return Ok(false);
            }
            let parent = tx.find_namespace_by_id(to)?;
            Ok(change_group(tx, from, parent.as_ref(), |_| {})?.is_some())
        });
        moved.wait().unwrap()
    });
    assert_eq!(moved.iter().filter(|moved| **moved).count(), 1);
    let lengths = store.query(move |tx| {
        let [one, two] = groups;
        Ok([tx.list_lineage(one)?.len(), tx.list_lineage(two)?.len()])
    });
    let mut lengths = lengths.wait().unwrap();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 2]);
}
