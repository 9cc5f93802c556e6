//! Groups: look-ups, changes, moves and lists.

use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use projects::{
    Group, GroupContent, GroupQueries, Namespace, NamespaceKind, NewNamespace, ProjectCreation,
    ProjectWriteTx, SaveGroup, SubgroupCreation,
};
use storage::{StoreError, StoreExt as _};

use super::{group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{HOSTILE, timestamp};

/// Maximum nesting depth of groups.
const MAX_DEPTH: usize = 20;

fn path(text: &str) -> FullPath {
    FullPath::parse(text).unwrap()
}

/// A group below another one.
pub(super) fn below(
    parent: &Namespace,
    path: &str,
    visibility: Visibility,
    owner: UserId,
) -> NewNamespace {
    NewNamespace {
        parent: Some(parent.clone()),
        visibility,
        ..group(path, owner)
    }
}

pub(super) fn find_group(
    tx: &mut (impl GroupQueries + ?Sized),
    path_of: &str,
) -> Result<Option<Group>, StoreError> {
    tx.find_group(&NamespaceRef::Path(path(path_of)))
}

/// Changes a group, which must exist, and returns the outcome.
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
            SaveGroup::PathTaken | SaveGroup::TooDeep => None,
        },
    )
}

pub(super) fn p70_a_group_is_found_by_id_and_by_path_in_any_case(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, _] = harness.people();
    let seen = harness.store().change(move |tx| {
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
            settings: projects::GroupSettings::from_json(r#"{"default_branch_protection": 4}"#)
                .unwrap(),
        };
        let created = find_group(tx, "top")?.unwrap();
        let changed = change(tx, top.id, None, |one| one.clone_from(&content))?.unwrap();
        let by_id = tx.find_group(&NamespaceRef::Id(top.id))?.unwrap();
        let by_path = find_group(tx, "tOP")?.unwrap();
        assert_eq!((&changed, &by_id), (&by_path, &by_path));
        assert_eq!((changed.content, changed.full_path), (content, path("Top")));
        assert_eq!(
            (
                created.created_at,
                created.updated_at,
                changed.created_at,
                changed.updated_at
            ),
            (timestamp(0), timestamp(0), timestamp(0), timestamp(9))
        );
        assert_eq!(
            created.content.project_creation_level,
            ProjectCreation::Developer
        );
        assert_eq!(
            created.content.subgroup_creation_level,
            SubgroupCreation::Maintainer
        );
        // A user's namespace is not a group.
        assert_eq!(tx.find_namespace_by_id(own.id)?.as_ref(), Some(&own));
        assert_eq!(tx.find_namespace_of(ben)?.as_ref(), Some(&own));
        assert_eq!(tx.find_namespace_of(ann)?, None);
        Ok([
            tx.find_group(&NamespaceRef::Id(own.id))?,
            find_group(tx, "ben")?,
            tx.find_group(&NamespaceRef::Id(NamespaceId::new(i64::MAX)))?,
            find_group(tx, "nothing")?,
        ])
    });
    assert_eq!(seen.wait().unwrap(), [None, None, None, None]);
}

pub(super) fn p71_a_changed_group_takes_everything_below_it_along(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("old", ann))?;
        let sub = insert_namespace(tx, &below(&top, "Sub", Visibility::Public, ann))?;
        let target = insert_project(tx, &project(&sub, "Thing", ann))?;
        // These paths begin with the same letters, but lie outside the group.
        let near = insert_namespace(tx, &group("older", ann))?;
        let apart = insert_project(tx, &project(&near, "thing", ann))?;
        let renamed = change(tx, top.id, None, |one| one.path = "New".to_owned())?.unwrap();
        assert_eq!(renamed.full_path, path("New"));
        assert_eq!(find_group(tx, "new/sub")?.unwrap().id, sub.id);
        let moved = tx
            .find_project(&ProjectRef::Path(path("NEW/SUB/THING")))?
            .unwrap();
        assert_eq!(
            (moved.id, moved.full_path),
            (target.id, path("New/Sub/Thing"))
        );
        assert_eq!(moved.namespace.full_path, path("New/Sub"));
        for gone in ["old", "old/sub"] {
            assert_eq!(find_group(tx, gone)?, None, "{gone}");
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
        // A path that differs only in case is the same path.
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

pub(super) fn p72_a_moved_group_brings_the_roles_of_its_new_place(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let done = harness.store().change(move |tx| {
        let today = timestamp(0).date();
        let from = insert_namespace(tx, &group("from", ann))?;
        let to = insert_namespace(tx, &group("to", ben))?;
        let sub = insert_namespace(tx, &below(&from, "sub", Visibility::Public, cora))?;
        let deep = insert_namespace(tx, &below(&sub, "deep", Visibility::Public, cora))?;
        let target = insert_project(tx, &project(&deep, "thing", cora))?;
        let role = |tx: &mut dyn ProjectWriteTx, user| {
            let in_project = tx.find_membership(user, target.id, today)?.highest();
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
    let expected = [
        [true, false, true],
        [false, true, true],
        [false, false, true],
    ];
    assert_eq!(done.wait().unwrap(), expected);
}

pub(super) fn p73_a_move_or_rename_to_an_existing_path_leaves_the_group_unchanged(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let sub = insert_namespace(tx, &below(&top, "sub", Visibility::Public, ann))?;
        insert_project(tx, &project(&other, "SUB", ann))?;
        let before = find_group(tx, "top/sub")?;
        let refused = [
            change(tx, sub.id, Some(&other), |_| {})?,
            change(tx, top.id, None, |one| one.path = "OTHER".to_owned())?,
        ];
        assert_eq!(refused, [None, None]);
        assert_eq!(find_group(tx, "top/sub")?, before);
        assert!(tx.lock_group(NamespaceId::new(i64::MAX), &[])?.is_none());
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p79_a_move_or_rename_beyond_the_depth_or_path_limit_is_refused(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let inner = insert_namespace(tx, &below(&top, "inner", Visibility::Public, ann))?;
        let mut chain = vec![insert_namespace(tx, &group("chain", ann))?];
        while chain.len() < MAX_DEPTH - 1 {
            let last = chain[chain.len() - 1].clone();
            chain.push(insert_namespace(
                tx,
                &below(&last, "c", Visibility::Public, ann),
            )?);
        }
        let [outer, last] = [chain.len() - 2, chain.len() - 1].map(|one| chain[one].clone());
        assert_eq!(change(tx, top.id, Some(&last), |_| {})?, None);
        assert_eq!(
            find_group(tx, "top/inner")?.map(|one| one.id),
            Some(inner.id)
        );
        let moved = change(tx, top.id, Some(&outer), |_| {})?.unwrap();
        assert_eq!(tx.list_lineage(inner.id)?.len(), MAX_DEPTH);
        let out = change(tx, moved.id, None, |_| {})?.unwrap();
        assert_eq!(out.full_path, path("top"));
        // A project in it may have the longest path, even while it is pending deletion.
        let long = "x".repeat(255);
        let mut deepest = insert_namespace(tx, &group("y", ann))?;
        let longest = deepest.id;
        for _ in 1..MAX_DEPTH {
            deepest = insert_namespace(tx, &below(&deepest, &long, Visibility::Public, ann))?;
        }
        let inside = insert_project(tx, &project(&deepest, &long[..200], ann))?;
        assert_eq!(
            change(tx, longest, None, |one| one.path.clone_from(&long))?,
            None
        );
        let reference = ProjectRef::Path(inside.full_path.clone());
        assert_eq!(tx.find_project(&reference)?, Some(inside));
        Ok(())
    });
    done.wait().unwrap();
}
