//! Projects that are shared with groups.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use projects::{
    MemberFilter, MemberScope, MemberSource, Membership, NewDeletion, NewMember, NewNamespace,
    NewProject, NewShare, ProjectFilter, ProjectReadTx, ProjectShare, ProjectWriteTx,
    ProjectsWithin, Viewer,
};
use storage::{StoreError, StoreExt as _};

use super::members::{day, role};
use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{page, timestamp, unexpected_conflict};

fn share(group_id: NamespaceId, level: AccessLevel) -> NewShare {
    NewShare {
        group_id,
        level,
        expires_on: None,
        created_by: None,
        created_at: timestamp(0),
    }
}

fn insert(
    tx: &mut (dyn ProjectWriteTx + '_),
    project: ProjectId,
    new: &NewShare,
) -> Result<Option<ProjectShare>, StoreError> {
    match tx.lock_members(MemberSource::Project(project))? {
        Some(locked) => tx.insert_share(&locked, new),
        None => Err(unexpected_conflict(
            "share a project",
            &format!("{project}"),
        )),
    }
}

fn remove(
    tx: &mut (dyn ProjectWriteTx + '_),
    project: ProjectId,
    group: NamespaceId,
) -> Result<Option<ProjectShare>, StoreError> {
    match tx.lock_members(MemberSource::Project(project))? {
        Some(locked) => tx.remove_share(&locked, group),
        None => Err(unexpected_conflict(
            "unshare a project",
            &format!("{project}"),
        )),
    }
}

/// Ann's private project, and her other group with a subgroup in which Ben and Cora have roles: Ben in the group as a
/// Maintainer, Cora in the subgroup as a Reporter.
fn places(
    tx: &mut (dyn ProjectWriteTx + '_),
    [ann, ben, cora]: [UserId; 3],
) -> Result<(ProjectId, [NamespaceId; 2]), StoreError> {
    let home = insert_namespace(tx, &group("home", ann))?;
    let new = NewProject {
        visibility: Visibility::Private,
        ..project(&home, "thing", ann)
    };
    let target = insert_project(tx, &new)?.id;
    let upper = insert_namespace(tx, &group("upper", ann))?;
    let lower = NewNamespace {
        parent: Some(upper.clone()),
        ..group("lower", ann)
    };
    let lower = insert_namespace(tx, &lower)?;
    give(
        tx,
        MemberSource::Namespace(upper.id),
        &role(ben, AccessLevel::Maintainer),
    )?;
    give(
        tx,
        MemberSource::Namespace(lower.id),
        &role(cora, AccessLevel::Reporter),
    )?;
    Ok((target, [upper.id, lower.id]))
}

fn shared_role(
    tx: &mut (dyn ProjectReadTx + '_),
    project: ProjectId,
    user: UserId,
) -> Result<Option<AccessLevel>, StoreError> {
    Ok(tx
        .find_membership(user, project, timestamp(0).date())?
        .shared)
}

pub(super) fn p40_a_share_reads_back_as_created_and_exists_once_per_group(
    harness: &mut AreaHarness<Projects>,
) {
    let people = harness.people();
    let done = harness.store().change(move |tx| {
        let (target, [upper, lower]) = places(tx, people)?;
        let new = NewShare {
            expires_on: Some(day("2030-03-01")),
            created_by: Some(people[0]),
            created_at: timestamp(1),
            ..share(upper, AccessLevel::Developer)
        };
        let created = insert(tx, target, &new)?.expect("the share is new");
        let expected = ProjectShare {
            id: created.id,
            project_id: target,
            group_id: upper,
            level: AccessLevel::Developer,
            expires_on: new.expires_on,
            created_by: new.created_by,
            created_at: new.created_at,
        };
        assert_eq!(created, expected);
        assert_eq!(
            insert(tx, target, &share(upper, AccessLevel::Owner))?,
            None,
            "a second time"
        );
        let other =
            insert(tx, target, &share(lower, AccessLevel::Guest))?.expect("the share is new");
        let today = day("2030-02-28");
        assert_eq!(tx.list_shares(target, today)?, [created, other]);
        assert_eq!(tx.list_shares(target, day("2030-03-01"))?, [other]);
        assert_eq!(tx.list_shares(ProjectId::new(i64::MAX), today)?, []);
        // An expired share can be replaced.
        let again = NewShare {
            created_at: day("2030-03-01").start(),
            ..share(upper, AccessLevel::Guest)
        };
        let again = insert(tx, target, &again)?.expect("the earlier share has expired");
        assert_eq!(remove(tx, target, upper)?, Some(again));
        assert_eq!(remove(tx, target, upper)?, None, "a second time");
        let no_project = tx.lock_members(MemberSource::Namespace(upper))?;
        let no_project = no_project.expect("the row exists");
        assert_eq!(
            tx.insert_share(&no_project, &share(lower, AccessLevel::Guest))?,
            None
        );
        assert_eq!(tx.remove_share(&no_project, lower)?, None);
        assert_eq!(tx.list_shares(target, today)?, [other]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p41_a_share_gives_the_lower_of_both_roles(harness: &mut AreaHarness<Projects>) {
    let people = harness.people();
    let [ann, ben, cora] = people;
    let seen = harness.store().change(move |tx| {
        let (target, [upper, lower]) = places(tx, people)?;
        let mut seen = vec![(
            shared_role(tx, target, ben)?,
            shared_role(tx, target, cora)?,
        )];
        insert(tx, target, &share(lower, AccessLevel::Developer))?;
        // Ben's role in the group above counts in the subgroup.
        seen.push((
            shared_role(tx, target, ben)?,
            shared_role(tx, target, cora)?,
        ));
        insert(tx, target, &share(upper, AccessLevel::Guest))?;
        seen.push((
            shared_role(tx, target, ben)?,
            shared_role(tx, target, cora)?,
        ));
        remove(tx, target, lower)?;
        seen.push((
            shared_role(tx, target, ben)?,
            shared_role(tx, target, cora)?,
        ));
        give(
            tx,
            MemberSource::Project(target),
            &role(ben, AccessLevel::Reporter),
        )?;
        let today = timestamp(0).date();
        let expected = Membership {
            own: Some(AccessLevel::Reporter),
            inherited: None,
            shared: Some(AccessLevel::Guest),
        };
        let unknown = ProjectId::new(i64::MAX);
        let roles = tx.list_memberships(ben, &[unknown, target, target], today)?;
        assert_eq!(roles, [(target, expected)]);
        assert_eq!(tx.list_memberships(cora, &[target], today)?, []);
        assert_eq!(tx.list_memberships(ann, &[], today)?, []);
        Ok(seen)
    });
    let (guest, reporter) = (Some(AccessLevel::Guest), Some(AccessLevel::Reporter));
    let developer = Some(AccessLevel::Developer);
    let expected = [
        (None, None),
        (developer, reporter),
        (developer, reporter),
        (guest, None),
    ];
    assert_eq!(seen.wait().unwrap(), expected);
}

pub(super) fn p42_a_share_is_in_lists_of_projects_and_members(harness: &mut AreaHarness<Projects>) {
    let people = harness.people();
    let [ann, ben, cora] = people;
    let seen = harness.store().change(move |tx| {
        let (target, [upper, lower]) = places(tx, people)?;
        let today = timestamp(0).date();
        let listed = |tx: &mut (dyn ProjectWriteTx + '_), user, least| {
            let filter = ProjectFilter {
                min_access_level: least,
                ..ProjectFilter::new(Viewer::User(user))
            };
            Ok::<_, StoreError>(tx.list_projects(&filter, today, page(1, 10))?.items.len())
        };
        let mut counts = vec![listed(tx, ben, None)?];
        insert(tx, target, &share(lower, AccessLevel::Developer))?;
        for (user, least) in [
            (ben, None),
            (ben, Some(AccessLevel::Developer)),
            (ben, Some(AccessLevel::Maintainer)),
            (cora, Some(AccessLevel::Reporter)),
            (cora, Some(AccessLevel::Developer)),
        ] {
            counts.push(listed(tx, user, least)?);
        }
        let place = MemberSource::Project(target);
        let all = tx.list_members(
            place,
            MemberScope::All,
            &MemberFilter::default(),
            today,
            page(1, 10),
        )?;
        let all: Vec<_> = all
            .items
            .iter()
            .map(|member| (member.user_id, member.level, member.source))
            .collect();
        let direct = tx.list_members(
            place,
            MemberScope::Direct,
            &MemberFilter::default(),
            today,
            page(1, 10),
        )?;
        assert_eq!(direct.items, []);
        let groups = tx.list_groups_of_user(cora, today)?;
        assert_eq!(
            groups.len(),
            1,
            "a share gives no role in the project's group"
        );
        let owner = all.first().map(|(user, level, _)| (*user, *level));
        assert_eq!(owner, Some((ann, AccessLevel::Owner)));
        let expected = [
            (ben, AccessLevel::Developer, MemberSource::Namespace(upper)),
            (cora, AccessLevel::Reporter, MemberSource::Namespace(lower)),
        ];
        assert_eq!(all[1..], expected);
        Ok(counts)
    });
    assert_eq!(seen.wait().unwrap(), [0, 1, 1, 0, 1, 0]);
}

pub(super) fn p43_a_share_counts_until_its_day_of_expiry_begins(
    harness: &mut AreaHarness<Projects>,
) {
    let people = harness.people();
    let [ann, ben, cora] = people;
    let seen = harness.store().change(move |tx| {
        let (target, [_, lower]) = places(tx, people)?;
        let until = NewShare {
            expires_on: Some(day("2024-03-01")),
            created_at: day("2024-01-01").start(),
            ..share(lower, AccessLevel::Developer)
        };
        insert(tx, target, &until)?;
        let role_until = NewMember {
            expires_on: Some(day("2024-02-01")),
            created_at: day("2024-01-01").start(),
            ..role(cora, AccessLevel::Reporter)
        };
        give(tx, MemberSource::Namespace(lower), &role_until)?;
        let mut seen = Vec::new();
        for today in ["2024-01-31", "2024-02-29", "2024-03-01"].map(day) {
            let both = [ben, cora].map(|user| tx.find_membership(user, target, today));
            for found in both {
                seen.push(found?.shared.is_some());
            }
            let place = MemberSource::Project(target);
            let all =
                tx.list_member_ids(place, MemberScope::All, &MemberFilter::default(), today, 9)?;
            seen.push(all.contains(&ben));
            let of_group = ProjectFilter {
                within: ProjectsWithin::Group {
                    id: lower,
                    with_subgroups: true,
                    with_shared: true,
                },
                ..ProjectFilter::new(Viewer::Administrator(ann))
            };
            let listed = tx.list_projects(&of_group, today, page(1, 10))?;
            seen.push(listed.items.iter().any(|project| project.id == target));
        }
        assert_eq!(tx.take_expired_shares(day("2024-02-29"), 5)?, []);
        assert_eq!(tx.take_expired_shares(day("2024-03-01"), 0)?, []);
        assert_eq!(tx.take_expired_shares(day("2024-03-01"), 5)?.len(), 1);
        assert_eq!(tx.take_expired_shares(day("2024-03-01"), 5)?, []);
        Ok(seen)
    });
    let expected = [
        [true, true, true, true],
        [true, false, true, true],
        [false, false, false, false],
    ];
    assert_eq!(seen.wait().unwrap(), expected.as_flattened());
}

pub(super) fn p18_the_projects_of_a_user_are_those_with_a_role(
    harness: &mut AreaHarness<Projects>,
) {
    let people = harness.people();
    let [ann, ben, cora] = people;
    let seen = harness.store().change(move |tx| {
        let (target, [upper, lower]) = places(tx, people)?;
        let below = tx.find_namespace_by_id(lower)?.unwrap();
        let inner = insert_project(tx, &project(&below, "inner", ann))?.id;
        let outer = tx.find_namespace_by_id(upper)?.unwrap();
        let public = NewProject {
            visibility: Visibility::Public,
            ..project(&outer, "outer", ann)
        };
        let outer = insert_project(tx, &public)?.id;
        let until = NewShare {
            expires_on: Some(day("2024-03-01")),
            created_at: day("2024-01-01").start(),
            ..share(lower, AccessLevel::Developer)
        };
        insert(tx, target, &until)?;
        let guest = role(cora, AccessLevel::Guest);
        give(tx, MemberSource::Project(inner), &guest)?;
        let for_a_while = NewMember {
            expires_on: Some(day("2024-02-01")),
            created_at: day("2024-01-01").start(),
            ..role(cora, AccessLevel::Guest)
        };
        give(tx, MemberSource::Project(outer), &for_a_while)?;
        let mut seen = Vec::new();
        let (guest, developer) = (AccessLevel::Guest, AccessLevel::Developer);
        for (user, least, today, limit) in [
            (ann, guest, "2024-01-31", 9),
            (ann, guest, "2024-01-31", 2),
            (ben, developer, "2024-01-31", 9),
            (ben, AccessLevel::Maintainer, "2024-01-31", 9),
            (cora, guest, "2024-01-31", 9),
            (cora, AccessLevel::Reporter, "2024-01-31", 9),
            (cora, developer, "2024-01-31", 9),
            (cora, guest, "2024-02-01", 9),
            (cora, guest, "2024-03-01", 9),
            (cora, guest, "2024-03-01", 0),
        ] {
            seen.push(tx.list_project_ids_of_user(user, least, day(today), limit)?);
        }
        Ok(([target, inner, outer], seen))
    });
    let ([target, inner, outer], seen) = seen.wait().unwrap();
    let expected = [
        vec![outer, inner, target],
        vec![outer, inner],
        vec![outer, inner, target],
        // The share gives no more than Developer.
        vec![outer, inner],
        vec![outer, inner, target],
        vec![inner, target],
        vec![],
        vec![inner, target],
        vec![inner],
        vec![],
    ];
    assert_eq!(seen, expected);
}

pub(super) fn p94_the_projects_of_a_group_are_those_of_all_its_descendants(
    harness: &mut AreaHarness<Projects>,
) {
    let people = harness.people();
    let [ann, ..] = people;
    let seen = harness.store().change(move |tx| {
        // The share of the project with the lower group makes it no project of the group.
        let (target, [upper, lower]) = places(tx, people)?;
        insert(tx, target, &share(lower, AccessLevel::Developer))?;
        let below = tx.find_namespace_by_id(lower)?.unwrap();
        let inner = insert_project(tx, &project(&below, "inner", ann))?.id;
        let above = tx.find_namespace_by_id(upper)?.unwrap();
        let outer = insert_project(tx, &project(&above, "outer", ann))?.id;
        let gone = insert_project(tx, &project(&above, "gone", ann))?.id;
        let deletion = NewDeletion {
            requested_by: ann,
            requested_at: timestamp(0),
            due_at: timestamp(1),
        };
        let locked = tx.lock_project(gone, &[])?.unwrap();
        tx.schedule_project_deletion(locked, &deletion)?;
        let list =
            |tx: &mut dyn ProjectWriteTx, group, limit| tx.list_project_ids_of_group(group, limit);
        let unknown = NamespaceId::new(i64::MAX);
        Ok((
            [
                list(tx, upper, 9)?,
                list(tx, upper, 1)?,
                list(tx, lower, 9)?,
                list(tx, unknown, 9)?,
            ],
            [vec![outer, inner], vec![outer], vec![inner], vec![]],
        ))
    });
    let (seen, expected) = seen.wait().unwrap();
    assert_eq!(seen, expected);
}
