//! Roles: direct and inherited ones.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::CalendarDate;
use projects::{
    MemberSource, Membership, NamespaceKind, NewMember, NewNamespace, ProjectRepository, UserGroup,
};
use storage::{StoreError, StoreExt as _};

use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::timestamp;

pub(super) fn day(text: &str) -> CalendarDate {
    CalendarDate::parse(text).unwrap()
}

pub(super) fn role(user_id: UserId, level: AccessLevel) -> NewMember {
    NewMember {
        user_id,
        level,
        expires_on: None,
        created_by: None,
        created_at: timestamp(0),
    }
}

/// A project in a subgroup, and the places from the outermost group to the project itself.
pub(super) fn nested(
    tx: &mut dyn ProjectRepository,
    owner: UserId,
) -> Result<([MemberSource; 3], ProjectId), StoreError> {
    let top = insert_namespace(tx, &group("top", owner))?;
    let sub = NewNamespace {
        parent: Some(top.clone()),
        ..group("sub", owner)
    };
    let sub = insert_namespace(tx, &sub)?;
    let project = insert_project(tx, &project(&sub, "thing", owner))?;
    let places = [
        MemberSource::Namespace(top.id),
        MemberSource::Namespace(sub.id),
        MemberSource::Project(project.id),
    ];
    Ok((places, project.id))
}

pub(super) fn p10_a_namespace_owner_is_an_owner_of_everything_inside_it(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let levels = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let sub = NewNamespace {
            parent: Some(top),
            ..group("sub", ben)
        };
        let sub = insert_namespace(tx, &sub)?;
        let target = insert_project(tx, &project(&sub, "thing", cora))?.id;
        let today = timestamp(0).date();
        Ok((
            tx.find_membership(ann, target, today)?.highest(),
            tx.find_membership(ben, target, today)?.highest(),
            tx.find_membership(cora, target, today)?.highest(),
        ))
    });
    let owner = Some(AccessLevel::Owner);
    // The creator of a project does not get a role in it.
    assert_eq!(levels.wait().unwrap(), (owner, owner, None));
}

pub(super) fn p11_the_highest_role_of_all_places_counts(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, cora] = harness.people();
    let (places, target) = harness
        .store()
        .change(move |tx| nested(tx, ann))
        .wait()
        .unwrap();
    let today = timestamp(0).date();
    for (place, level, highest) in [
        (places[2], AccessLevel::Guest, AccessLevel::Guest),
        (places[0], AccessLevel::Developer, AccessLevel::Developer),
        (places[1], AccessLevel::Reporter, AccessLevel::Developer),
        (places[2], AccessLevel::Maintainer, AccessLevel::Maintainer),
    ] {
        let found = harness.store().change(move |tx| {
            give(tx, place, &role(ben, level))?;
            assert_eq!(tx.find_membership(cora, target, today)?.highest(), None);
            Ok(tx.find_membership(ben, target, today)?.highest())
        });
        assert_eq!(found.wait().unwrap(), Some(highest));
    }
}

pub(super) fn p12_a_role_counts_until_its_day_of_expiry_begins(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, _] = harness.people();
    let levels = harness.store().change(move |tx| {
        let (places, target) = nested(tx, ann)?;
        let until = NewMember {
            expires_on: Some(day("2024-03-01")),
            ..role(ben, AccessLevel::Maintainer)
        };
        give(tx, places[0], &until)?;
        give(tx, places[2], &role(ben, AccessLevel::Guest))?;
        let before = tx
            .find_membership(ben, target, day("2024-02-29"))?
            .highest();
        let on = tx
            .find_membership(ben, target, day("2024-03-01"))?
            .highest();
        Ok((before, on))
    });
    let expected = (Some(AccessLevel::Maintainer), Some(AccessLevel::Guest));
    assert_eq!(levels.wait().unwrap(), expected);
}

pub(super) fn p13_a_role_is_changed_in_its_place_only(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, _] = harness.people();
    let today = timestamp(0).date();
    let levels = harness.store().change(move |tx| {
        let (places, target) = nested(tx, ann)?;
        for level in [AccessLevel::Owner, AccessLevel::Guest] {
            give(tx, places[2], &role(ben, level))?;
        }
        let lowered = tx.find_membership(ben, target, today)?.highest();
        give(tx, places[1], &role(ben, AccessLevel::Reporter))?;
        let inherited = tx.find_membership(ben, target, today)?.highest();
        Ok((lowered, inherited))
    });
    let expected = (Some(AccessLevel::Guest), Some(AccessLevel::Reporter));
    assert_eq!(levels.wait().unwrap(), expected);
}

pub(super) fn p14_own_and_inherited_roles_are_distinguished(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, _] = harness.people();
    let today = timestamp(0).date();
    let found = harness.store().change(move |tx| {
        let (places, target) = nested(tx, ann)?;
        let only_inherited = tx.find_membership(ann, target, today)?;
        give(tx, places[2], &role(ben, AccessLevel::Developer))?;
        let only_own = tx.find_membership(ben, target, today)?;
        give(tx, places[0], &role(ben, AccessLevel::Guest))?;
        give(tx, places[1], &role(ben, AccessLevel::Reporter))?;
        Ok((
            only_inherited,
            only_own,
            tx.find_membership(ben, target, today)?,
        ))
    });
    let membership = |own, inherited| Membership {
        own,
        inherited,
        shared: None,
    };
    let expected = (
        membership(None, Some(AccessLevel::Owner)),
        membership(Some(AccessLevel::Developer), None),
        membership(Some(AccessLevel::Developer), Some(AccessLevel::Reporter)),
    );
    assert_eq!(found.wait().unwrap(), expected);
}

/// The groups of a user on a day, as their paths with the roles. A star marks direct memberships.
fn groups_of(
    tx: &mut dyn ProjectRepository,
    user: UserId,
    today: CalendarDate,
) -> Result<Vec<String>, StoreError> {
    let shown = |group: &UserGroup| {
        let mark = if group.is_direct { "*" } else { "" };
        format!(
            "{}{mark} {}",
            group.full_path.as_str(),
            group.level.number()
        )
    };
    let groups = tx.list_groups_of_user(user, today)?;
    Ok(groups.iter().map(shown).collect())
}

pub(super) fn p15_the_groups_of_a_user_are_those_with_a_role_and_all_below_them(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let (before, on) = (day("2024-02-29"), day("2024-03-01"));
    let seen = harness.store().change(move |tx| {
        let mut created = |path: &str, parent: Option<_>, kind| {
            let new = NewNamespace {
                kind,
                parent,
                ..group(path, ann)
            };
            insert_namespace(tx, &new)
        };
        let home = created("ben", None, NamespaceKind::User)?;
        // Paths are compared by bytes, so capitals sort before small letters and a slash before both.
        let top = created("mid", None, NamespaceKind::Group)?;
        let below = created("sub", Some(top.clone()), NamespaceKind::Group)?;
        let deep = created("deep", Some(below.clone()), NamespaceKind::Group)?;
        created("other", Some(top.clone()), NamespaceKind::Group)?;
        let upper = created("Mid-2", None, NamespaceKind::Group)?;
        created("elsewhere", None, NamespaceKind::Group)?;
        let target = insert_project(tx, &project(&upper, "thing", ann))?;
        let until = |expires_on| NewMember {
            expires_on,
            ..role(ben, AccessLevel::Guest)
        };
        give(tx, MemberSource::Namespace(home.id), &until(None))?;
        give(tx, MemberSource::Project(target.id), &until(None))?;
        give(tx, MemberSource::Namespace(below.id), &until(None))?;
        let by_project = groups_of(tx, ben, on)?;
        let as_maintainer = NewMember {
            expires_on: Some(on),
            ..role(ben, AccessLevel::Maintainer)
        };
        give(tx, MemberSource::Namespace(deep.id), &as_maintainer)?;
        give(tx, MemberSource::Namespace(upper.id), &until(Some(on)))?;
        Ok([
            by_project,
            groups_of(tx, ben, before)?,
            groups_of(tx, ben, on)?,
            groups_of(tx, ann, on)?,
            groups_of(tx, cora, on)?,
        ])
    });
    let expected: [&[&str]; 5] = [
        &["mid/sub* 10", "mid/sub/deep 10"],
        &["Mid-2* 10", "mid/sub* 10", "mid/sub/deep* 40"],
        &["mid/sub* 10", "mid/sub/deep 10"],
        &[
            "Mid-2* 50",
            "elsewhere* 50",
            "mid* 50",
            "mid/other* 50",
            "mid/sub* 50",
            "mid/sub/deep* 50",
        ],
        &[],
    ];
    assert_eq!(seen.wait().unwrap(), expected);
}
