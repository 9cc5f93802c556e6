//! Groups: how they are found, changed, moved and listed.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use api_conventions::time::CalendarDate;
use projects::{
    Group, GroupContent, GroupFilter, GroupMembership, GroupOrder, GroupQueries, GroupsWithin,
    MemberPlace, Namespace, NamespaceFilter, NamespaceKind, NewMember, NewNamespace, NewProject,
    ProjectCreation, ProjectWriteTx, SaveGroup, SubgroupCreation, Viewer,
};
use storage::StoreError;

use super::{give, group, insert_namespace, insert_project, project};
use crate::Harness;
use crate::samples::{HOSTILE, page, timestamp};
use crate::store_traits::Projects;

fn path(text: &str) -> FullPath {
    FullPath::parse(text).unwrap()
}

/// A group below another one.
fn below(parent: &Namespace, path: &str, visibility: Visibility, owner: UserId) -> NewNamespace {
    NewNamespace {
        parent: Some(parent.clone()),
        visibility,
        ..group(path, owner)
    }
}

/// A role that somebody gets.
fn member(user_id: UserId, level: AccessLevel, expires_on: Option<CalendarDate>) -> NewMember {
    NewMember {
        user_id,
        level,
        expires_on,
        created_by: None,
        created_at: timestamp(0),
    }
}

fn found(
    tx: &mut (impl GroupQueries + ?Sized),
    path_of: &str,
) -> Result<Option<Group>, StoreError> {
    tx.find_group(&NamespaceRef::Path(path(path_of)))
}

/// Changes a group, which is there, and gives what became of it.
pub(super) fn change(
    tx: &mut dyn ProjectWriteTx,
    id: NamespaceId,
    parent: Option<&Namespace>,
    edit: impl FnOnce(&mut GroupContent),
) -> Result<Option<Group>, StoreError> {
    let others: Vec<NamespaceId> = parent.map(|parent| parent.id).into_iter().collect();
    let locked = tx.lock_group(id, &others)?.unwrap();
    let mut content = locked.content.clone();
    edit(&mut content);
    Ok(
        match tx.update_group(locked, &content, parent, timestamp(9))? {
            SaveGroup::Saved(group) => Some(*group),
            SaveGroup::PathTaken => None,
        },
    )
}

pub(super) fn p70_a_group_is_found_by_id_and_by_path_in_any_case<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [ann, ben, _] = harness.people();
    let seen = harness.store().write_projects(move |tx| {
        let top = insert_namespace(tx, &group("Top", ann))?;
        let own = NewNamespace {
            kind: NamespaceKind::User,
            ..group("ben", ben)
        };
        let own = insert_namespace(tx, &own)?;
        let content = GroupContent {
            name: HOSTILE.to_owned(),
            path: "Top".to_owned(),
            description: HOSTILE.to_owned(),
            visibility: Visibility::Internal,
            project_creation_level: ProjectCreation::Noone,
            subgroup_creation_level: SubgroupCreation::Owner,
            share_with_group_lock: true,
        };
        let made = found(tx, "top")?.unwrap();
        let changed = change(tx, top.id, None, |one| one.clone_from(&content))?.unwrap();
        let by_id = tx.find_group(&NamespaceRef::Id(top.id))?.unwrap();
        let by_path = found(tx, "tOP")?.unwrap();
        assert_eq!((&changed, &by_id), (&by_path, &by_path));
        assert_eq!((changed.content, changed.full_path), (content, path("Top")));
        assert_eq!(
            (
                made.created_at,
                made.updated_at,
                changed.created_at,
                changed.updated_at
            ),
            (timestamp(0), timestamp(0), timestamp(0), timestamp(9))
        );
        assert_eq!(
            made.content.project_creation_level,
            ProjectCreation::Developer
        );
        assert_eq!(
            made.content.subgroup_creation_level,
            SubgroupCreation::Maintainer
        );
        // A user's namespace is no group.
        assert_eq!(tx.find_namespace_by_id(own.id)?.as_ref(), Some(&own));
        assert_eq!(tx.find_namespace_of(ben)?.as_ref(), Some(&own));
        assert_eq!(tx.find_namespace_of(ann)?, None);
        Ok([
            tx.find_group(&NamespaceRef::Id(own.id))?,
            found(tx, "ben")?,
            tx.find_group(&NamespaceRef::Id(NamespaceId::new(i64::MAX)))?,
            found(tx, "nothing")?,
        ])
    });
    assert_eq!(seen.wait().unwrap(), [None, None, None, None]);
}

pub(super) fn p71_a_changed_group_takes_everything_below_it_along<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [ann, ..] = harness.people();
    let done = harness.store().write_projects(move |tx| {
        let top = insert_namespace(tx, &group("old", ann))?;
        let sub = insert_namespace(tx, &below(&top, "Sub", Visibility::Public, ann))?;
        let thing = insert_project(tx, &project(&sub, "Thing", ann))?;
        // These begin with the same letters, and are elsewhere.
        let near = insert_namespace(tx, &group("older", ann))?;
        let apart = insert_project(tx, &project(&near, "thing", ann))?;
        let renamed = change(tx, top.id, None, |one| one.path = "New".to_owned())?.unwrap();
        assert_eq!(renamed.full_path, path("New"));
        assert_eq!(found(tx, "new/sub")?.unwrap().id, sub.id);
        let moved = tx
            .find_project(&ProjectRef::Path(path("NEW/SUB/THING")))?
            .unwrap();
        assert_eq!(
            (moved.id, moved.full_path),
            (thing.id, path("New/Sub/Thing"))
        );
        assert_eq!(moved.namespace.full_path, path("New/Sub"));
        for gone in ["old", "old/sub"] {
            assert_eq!(found(tx, gone)?, None, "{gone}");
        }
        assert_eq!(
            tx.find_project(&ProjectRef::Path(path("old/sub/thing")))?,
            None
        );
        let reference = ProjectRef::Path(path("older/thing"));
        assert_eq!(
            tx.find_project(&reference)?.map(|one| one.id),
            Some(apart.id)
        );
        // In another case it is the same path.
        change(tx, top.id, None, |one| one.path = "NEW".to_owned())?.unwrap();
        let same = tx
            .find_project(&ProjectRef::Path(path("new/sub/thing")))?
            .unwrap();
        assert_eq!(same.full_path, path("NEW/Sub/Thing"));
        // The old path is free.
        insert_namespace(tx, &group("old", ann)).map(drop)
    });
    done.wait().unwrap();
}

pub(super) fn p72_a_moved_group_brings_the_roles_of_its_new_place<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [ann, ben, cora] = harness.people();
    let done = harness.store().write_projects(move |tx| {
        let today = timestamp(0).date();
        let from = insert_namespace(tx, &group("from", ann))?;
        let to = insert_namespace(tx, &group("to", ben))?;
        let sub = insert_namespace(tx, &below(&from, "sub", Visibility::Public, cora))?;
        let deep = insert_namespace(tx, &below(&sub, "deep", Visibility::Public, cora))?;
        let thing = insert_project(tx, &project(&deep, "thing", cora))?;
        let role = |tx: &mut dyn ProjectWriteTx, user| {
            let in_project = tx.find_membership(user, thing.id, today)?.highest();
            let in_group = tx.find_group_membership(user, deep.id, today)?.role;
            assert_eq!(in_project, in_group);
            Ok::<_, StoreError>(in_group.is_some())
        };
        let before = [role(tx, ann)?, role(tx, ben)?, role(tx, cora)?];
        let moved = change(tx, sub.id, Some(&to), |_| {})?.unwrap();
        assert_eq!(
            (moved.full_path, moved.parent_id),
            (path("to/sub"), Some(to.id))
        );
        let lineage = tx.list_lineage(deep.id)?;
        let names: Vec<&str> = lineage.iter().map(|one| one.full_path.as_str()).collect();
        assert_eq!(names, ["to", "to/sub", "to/sub/deep"]);
        let after = [role(tx, ann)?, role(tx, ben)?, role(tx, cora)?];
        let out = change(tx, sub.id, None, |_| {})?.unwrap();
        assert_eq!((out.full_path, out.parent_id), (path("sub"), None));
        Ok([
            before,
            after,
            [role(tx, ann)?, role(tx, ben)?, role(tx, cora)?],
        ])
    });
    let wanted = [
        [true, false, true],
        [false, true, true],
        [false, false, true],
    ];
    assert_eq!(done.wait().unwrap(), wanted);
}

pub(super) fn p73_a_path_that_is_taken_changes_no_group<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [ann, ..] = harness.people();
    let done = harness.store().write_projects(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let sub = insert_namespace(tx, &below(&top, "sub", Visibility::Public, ann))?;
        insert_project(tx, &project(&other, "SUB", ann))?;
        let before = found(tx, "top/sub")?;
        let refused = [
            change(tx, sub.id, Some(&other), |_| {})?,
            change(tx, top.id, None, |one| one.path = "OTHER".to_owned())?,
        ];
        assert_eq!(refused, [None, None]);
        assert_eq!(found(tx, "top/sub")?, before);
        assert!(tx.lock_group(NamespaceId::new(i64::MAX), &[])?.is_none());
        Ok(())
    });
    done.wait().unwrap();
}

/// A private, an internal and a public group, a private one with a private project, and a private one below the public one.
fn populate<S: Projects>(store: &S, [ann, ben, cora]: [UserId; 3]) {
    let populated = store.write_projects(move |tx| {
        let made = |path: &str, visibility| NewNamespace {
            visibility,
            ..group(path, ann)
        };
        let private = insert_namespace(tx, &made("private", Visibility::Private))?;
        insert_namespace(tx, &made("internal", Visibility::Internal))?;
        let public = insert_namespace(tx, &made("public", Visibility::Public))?;
        let holder = insert_namespace(tx, &made("holder", Visibility::Private))?;
        let inner = below(&public, "inner", Visibility::Private, ann);
        let inner = insert_namespace(tx, &inner)?;
        let hidden = NewProject {
            visibility: Visibility::Private,
            ..project(&holder, "hidden", ann)
        };
        let hidden = insert_project(tx, &hidden)?;
        let guest = member(cora, AccessLevel::Guest, None);
        give(tx, MemberPlace::Project(hidden.id), &guest)?;
        let developer = member(ben, AccessLevel::Developer, None);
        give(tx, MemberPlace::Namespace(inner.id), &developer)?;
        let expired = member(cora, AccessLevel::Owner, Some(timestamp(0).date()));
        give(tx, MemberPlace::Namespace(private.id), &expired)?;
        let own = NewNamespace {
            kind: NamespaceKind::User,
            ..group("cora", cora)
        };
        insert_namespace(tx, &own).map(drop)
    });
    populated.wait().unwrap();
}

/// The groups that match, as the last segments of their paths in the order of the list.
fn list<S: Projects>(store: &S, filter: &GroupFilter) -> Vec<String> {
    let filter = filter.clone();
    let today = timestamp(0).date();
    let listed = store.read_projects(move |tx| tx.list_groups(&filter, today, page(1, 100)));
    let listed = listed.wait().unwrap();
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(
        (listed.total, listed.has_next),
        (Total::Exact(count), false)
    );
    let groups = listed.items.into_iter();
    groups.map(|one| one.content.path).collect()
}

pub(super) fn p74_a_reader_lists_the_groups_that_it_may_see<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let people = harness.people();
    let [_, ben, cora] = people;
    let store = harness.store();
    populate(store, people);
    let all: &[&str] = &["holder", "inner", "internal", "private", "public"];
    for (viewer, visible) in [
        (Viewer::Anonymous, &["public"][..]),
        (Viewer::User(ben), &["inner", "internal", "public"]),
        // A role in a project is enough to know of its group, and one that expired is not.
        (Viewer::User(cora), &["holder", "internal", "public"]),
        (Viewer::Administrator(cora), all),
    ] {
        assert_eq!(
            list(store, &GroupFilter::new(viewer)),
            visible,
            "{viewer:?}"
        );
    }
    let today = timestamp(0).date();
    let memberships = store.read_projects(move |tx| {
        let group = |tx: &mut dyn projects::ProjectReadTx, path_of| {
            Ok::<_, StoreError>(found(tx, path_of)?.unwrap().id)
        };
        let (public, holder) = (group(tx, "public")?, group(tx, "holder")?);
        Ok([
            tx.find_group_membership(ben, public, today)?,
            tx.find_group_membership(cora, holder, today)?,
            tx.find_group_membership(ben, holder, today)?,
        ])
    });
    let below = |is_below| GroupMembership {
        role: None,
        is_below,
    };
    let wanted = [below(true), below(true), below(false)];
    assert_eq!(memberships.wait().unwrap(), wanted);
}

pub(super) fn p75_each_filter_of_groups_holds<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let people = harness.people();
    let [ann, ben, _] = people;
    let store = harness.store();
    populate(store, people);
    let ids = store.read_projects(|tx| {
        let public = found(tx, "public")?.unwrap().id;
        Ok((public, found(tx, "holder")?.unwrap().id))
    });
    let (public, holder) = ids.wait().unwrap();
    let all = GroupFilter::new(Viewer::Administrator(ben));
    let cases: [(GroupFilter, &[&str]); 11] = [
        (
            GroupFilter {
                within: GroupsWithin::TopLevel,
                ..all.clone()
            },
            &["holder", "internal", "private", "public"],
        ),
        (
            GroupFilter {
                within: GroupsWithin::ChildrenOf(public),
                ..all.clone()
            },
            &["inner"],
        ),
        (
            GroupFilter {
                within: GroupsWithin::Below(public),
                ..all.clone()
            },
            &["inner"],
        ),
        (
            GroupFilter {
                search: Some("PRIV".to_owned()),
                ..all.clone()
            },
            &["private"],
        ),
        (
            GroupFilter {
                search: Some("%".to_owned()),
                ..all.clone()
            },
            &[],
        ),
        (
            GroupFilter {
                visibility: Some(Visibility::Private),
                ..all.clone()
            },
            &["holder", "inner", "private"],
        ),
        (
            GroupFilter {
                min_access_level: Some(AccessLevel::Developer),
                ..all.clone()
            },
            &["inner"],
        ),
        (
            GroupFilter {
                min_access_level: Some(AccessLevel::Maintainer),
                ..all.clone()
            },
            &[],
        ),
        (
            GroupFilter {
                is_member: true,
                ..all.clone()
            },
            &["inner", "public"],
        ),
        (
            GroupFilter {
                skip: vec![public, holder],
                sort: SortOrder::Descending,
                ..all.clone()
            },
            &["private", "internal", "inner"],
        ),
        (
            GroupFilter {
                order_by: GroupOrder::Id,
                ..GroupFilter::new(Viewer::User(ann))
            },
            &["private", "internal", "public", "holder", "inner"],
        ),
    ];
    for (filter, wanted) in cases {
        assert_eq!(list(store, &filter), wanted, "{filter:?}");
    }
}

pub(super) fn p76_a_walk_by_name_holds_every_group_once<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [ann, ..] = harness.people();
    let store = harness.store();
    let made = store.write_projects(move |tx| {
        for (path, name) in [
            ("a", "same"),
            ("b", "Same"),
            ("c", "zeta"),
            ("d", "Alpha"),
            ("e", "same"),
        ] {
            let new = NewNamespace {
                name: name.to_owned(),
                ..group(path, ann)
            };
            insert_namespace(tx, &new)?;
        }
        Ok(())
    });
    made.wait().unwrap();
    for per_page in [1, 2, 5, 100] {
        let (mut walked, mut last) = (Vec::new(), None::<(String, NamespaceId)>);
        loop {
            let after = last.clone();
            let stretch = store.read_projects(move |tx| {
                let after = after.as_ref().map(|(name, id)| (name.as_str(), *id));
                let asked = KeysetPage::new(per_page, SortOrder::Ascending);
                let filter = GroupFilter::new(Viewer::Anonymous);
                tx.list_groups_by_name(&filter, after, timestamp(0).date(), asked)
            });
            let stretch = stretch.wait().unwrap();
            let names = stretch.items.iter();
            walked.extend(names.map(|one| one.content.path.clone()));
            last = stretch
                .items
                .last()
                .map(|one| (one.content.name.clone(), one.id));
            // A walk that goes round is no reason to go on.
            if !stretch.has_next || walked.len() > 5 {
                break;
            }
        }
        assert_eq!(walked, ["d", "a", "b", "e", "c"], "{per_page}");
    }
}

pub(super) fn p77_the_namespaces_of_a_user_are_its_own_and_those_with_a_role<H: Harness>(
    harness: &mut H,
) where
    H::Store: Projects,
{
    let people = harness.people();
    let [ann, ben, cora] = people;
    let store = harness.store();
    populate(store, people);
    let list = |filter: NamespaceFilter| {
        let listed = store.read_projects(move |tx| {
            tx.list_namespaces(&filter, timestamp(0).date(), page(1, 100))
        });
        let listed = listed.wait().unwrap().items.into_iter();
        listed.map(|one| one.path).collect::<Vec<_>>()
    };
    let of = |user| NamespaceFilter {
        user: Some(user),
        min_access_level: None,
        search: None,
    };
    assert_eq!(
        list(of(ann)),
        ["private", "internal", "public", "holder", "inner"]
    );
    assert_eq!(list(of(ben)), ["inner"]);
    assert_eq!(list(of(cora)), ["cora"]);
    let owned = NamespaceFilter {
        min_access_level: Some(AccessLevel::Owner),
        ..of(ben)
    };
    assert!(list(owned).is_empty());
    let everybodys = NamespaceFilter {
        user: None,
        search: Some("COR".to_owned()),
        ..of(ann)
    };
    assert_eq!(list(everybodys), ["cora"]);
}

pub(super) fn p78_the_widest_visibility_below_a_group_is_known<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [ann, ..] = harness.people();
    let widest = harness.store().write_projects(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let mut seen = vec![tx.find_widest_below(top.id)?];
        let sub = insert_namespace(tx, &below(&top, "sub", Visibility::Private, ann))?;
        seen.push(tx.find_widest_below(top.id)?);
        let inside = NewProject {
            visibility: Visibility::Internal,
            ..project(&sub, "inside", ann)
        };
        insert_project(tx, &inside)?;
        seen.push(tx.find_widest_below(top.id)?);
        insert_namespace(tx, &below(&sub, "deep", Visibility::Public, ann))?;
        seen.push(tx.find_widest_below(top.id)?);
        Ok(seen)
    });
    let [private, internal, public] = [
        Visibility::Private,
        Visibility::Internal,
        Visibility::Public,
    ]
    .map(Some);
    assert_eq!(widest.wait().unwrap(), [None, private, internal, public]);
}
