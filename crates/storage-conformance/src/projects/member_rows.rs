//! Members as rows: look-ups, lists, changes and removals.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::Total;
use projects::{
    Member, MemberFilter, MemberScope, MemberSource, NewMember, ProjectReadTx, ProjectWriteTx,
};
use storage::{StoreError, StoreExt as _};

use super::members::{day, nested, role};
use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{page, race, timestamp};

/// The members of a place, with their roles.
fn list_members(
    tx: &mut (dyn ProjectReadTx + '_),
    place: MemberSource,
    scope: MemberScope,
) -> Result<Vec<(UserId, AccessLevel, MemberSource)>, StoreError> {
    let filter = MemberFilter::default();
    let today = timestamp(0).date();
    let page = tx.list_members(place, scope, &filter, today, page(1, 100))?;
    let members = page.items.iter();
    Ok(members
        .map(|member| (member.user_id, member.level, member.source))
        .collect())
}

pub(super) fn p30_a_role_comes_back_as_it_was_given(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, cora] = harness.people();
    let found = harness.store().change(move |tx| {
        let (places, _) = nested(tx, ann)?;
        let mut found = Vec::new();
        for place in [places[0], places[2]] {
            let given = NewMember {
                expires_on: Some(day("2030-03-01")),
                created_by: Some(ann),
                ..role(ben, AccessLevel::Reporter)
            };
            give(tx, place, &given)?;
            let expected = Member {
                user_id: ben,
                source: place,
                level: AccessLevel::Reporter,
                expires_on: Some(day("2030-03-01")),
                created_by: Some(ann),
                created_at: timestamp(0),
            };
            let find = |tx: &mut (dyn ProjectWriteTx + '_), user, day| {
                tx.find_member(place, MemberScope::Direct, user, day)
            };
            assert_eq!(find(tx, ben, day("2030-02-28"))?, Some(expected));
            assert_eq!(
                find(tx, ben, day("2030-03-01"))?,
                None,
                "the membership has expired"
            );
            assert_eq!(find(tx, cora, day("2024-01-01"))?, None);
            // A changed membership keeps its start.
            let changed = NewMember {
                created_by: Some(cora),
                created_at: timestamp(60),
                ..role(ben, AccessLevel::Guest)
            };
            give(tx, place, &changed)?;
            let expected = Member {
                level: AccessLevel::Guest,
                expires_on: None,
                ..expected
            };
            assert_eq!(find(tx, ben, day("2030-03-01"))?, Some(expected));
            // An expired one does not.
            let over = NewMember {
                expires_on: Some(timestamp(60).date()),
                ..changed
            };
            give(tx, place, &over)?;
            give(tx, place, &changed)?;
            found.push(find(tx, ben, day("2030-03-01"))?.map(|member| member.created_by));
        }
        Ok(found)
    });
    assert_eq!(found.wait().unwrap(), [Some(Some(cora)); 2]);
}

pub(super) fn p31_members_are_listed_by_user_once_with_the_highest_role(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let store = harness.store();
    let places = store.change(move |tx| {
        let (places, _) = nested(tx, ann)?;
        give(tx, places[0], &role(ben, AccessLevel::Reporter))?;
        give(tx, places[1], &role(ben, AccessLevel::Developer))?;
        give(tx, places[2], &role(ben, AccessLevel::Developer))?;
        give(tx, places[2], &role(cora, AccessLevel::Guest))?;
        let over = NewMember {
            expires_on: Some(timestamp(0).date()),
            ..role(cora, AccessLevel::Owner)
        };
        give(tx, places[1], &over)?;
        Ok(places)
    });
    let [top, sub, target] = places.wait().unwrap();
    let (owner, developer) = (AccessLevel::Owner, AccessLevel::Developer);
    let seen = store.query(move |tx| {
        Ok([
            list_members(tx, target, MemberScope::Direct)?,
            list_members(tx, target, MemberScope::All)?,
            list_members(tx, top, MemberScope::All)?,
            list_members(
                tx,
                MemberSource::Project(ProjectId::new(i64::MAX)),
                MemberScope::All,
            )?,
        ])
    });
    let guest = (cora, AccessLevel::Guest, target);
    let expected = [
        vec![(ben, developer, target), guest],
        // Ann owns both groups: the nearer one counts. Ben's direct role is the nearest.
        vec![(ann, owner, sub), (ben, developer, target), guest],
        vec![(ann, owner, top), (ben, AccessLevel::Reporter, top)],
        vec![],
    ];
    assert_eq!(seen.wait().unwrap(), expected);
    let alone = store.query(move |tx| {
        let today = timestamp(0).date();
        let find = |tx: &mut (dyn ProjectReadTx + '_), scope, user| {
            let found = tx.find_member(target, scope, user, today)?;
            Ok::<_, StoreError>(found.map(|member| (member.level, member.source)))
        };
        assert_eq!(find(tx, MemberScope::Direct, ann)?, None);
        find(tx, MemberScope::All, ann)
    });
    assert_eq!(alone.wait().unwrap(), Some((owner, sub)));
}

pub(super) fn p32_each_filter_of_members_holds_on_every_page(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, cora] = harness.people();
    let store = harness.store();
    let place = store.change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let place = MemberSource::Namespace(top.id);
        give(tx, place, &role(ben, AccessLevel::Guest))?;
        give(tx, place, &role(cora, AccessLevel::Guest))?;
        Ok(place)
    });
    let place = place.wait().unwrap();
    let today = timestamp(0).date();
    for (users, except, expected) in [
        (None, vec![], vec![ann, ben, cora]),
        (
            Some(vec![cora, ann, UserId::new(i64::MAX)]),
            vec![],
            vec![ann, cora],
        ),
        (Some(vec![]), vec![], vec![]),
        (None, vec![ann], vec![ben, cora]),
        (Some(vec![ann, ben]), vec![ann], vec![ben]),
    ] {
        let filter = MemberFilter { users, except };
        for scope in [MemberScope::Direct, MemberScope::All] {
            let filter = filter.clone();
            let seen = store.query(move |tx| {
                let mut seen = Vec::new();
                let count = tx.list_member_ids(place, scope, &filter, today, 10)?;
                for number in 1..=4 {
                    let listed = tx.list_members(place, scope, &filter, today, page(number, 1))?;
                    assert_eq!(listed.total, Total::Exact(count.len().try_into().unwrap()));
                    seen.extend(listed.items.iter().map(|member| member.user_id));
                }
                assert_eq!(count, seen);
                let first = tx.list_member_ids(place, scope, &filter, today, 1)?;
                assert_eq!(first, seen.iter().copied().take(1).collect::<Vec<_>>());
                Ok(seen)
            });
            assert_eq!(seen.wait().unwrap(), expected);
        }
    }
}

pub(super) fn p33_a_role_is_removed_once_and_on_request_with_the_roles_below(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let removed = harness.store().change(move |tx| {
        let (places, _) = nested(tx, ann)?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let beside = insert_project(tx, &project(&other, "beside", ann))?;
        let beside = MemberSource::Project(beside.id);
        for place in places.into_iter().chain([beside]) {
            give(tx, place, &role(ben, AccessLevel::Guest))?;
            give(tx, place, &role(cora, AccessLevel::Guest))?;
        }
        let top = tx.lock_members(places[0])?.expect("the row exists");
        let target = tx.lock_members(places[2])?.expect("the row exists");
        let below = tx.remove_members_below(&top, ben)?;
        let own = tx.remove_member(&top, ben)?.map(|member| member.source);
        assert_eq!(tx.remove_member(&top, ben)?, None, "a second time");
        assert_eq!(tx.remove_members_below(&target, cora)?, []);
        let today = timestamp(0).date();
        let mut remaining = Vec::new();
        for place in places.into_iter().chain([beside]) {
            for user in [ben, cora] {
                let found = tx.find_member(place, MemberScope::Direct, user, today)?;
                remaining.extend(found.map(|_| (place, user)));
            }
        }
        let below: Vec<_> = below.iter().map(|member| member.source).collect();
        Ok((below, own, remaining, places, beside))
    });
    let (below, own, remaining, [top, sub, target], beside) = removed.wait().unwrap();
    assert_eq!((below, own), (vec![sub, target], Some(top)));
    let expected = [
        (top, cora),
        (sub, cora),
        (target, cora),
        (beside, ben),
        (beside, cora),
    ];
    assert_eq!(remaining, expected);
}

pub(super) fn p34_the_check_for_another_owner_counts_only_owners_without_expiry(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let seen = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?.id;
        let place = MemberSource::Namespace(top);
        let mut seen = vec![tx.has_other_owner(top, ann)?, tx.has_other_owner(top, ben)?];
        give(tx, place, &role(cora, AccessLevel::Maintainer))?;
        let until = NewMember {
            expires_on: Some(day("9999-12-31")),
            ..role(ben, AccessLevel::Owner)
        };
        give(tx, place, &until)?;
        seen.push(tx.has_other_owner(top, ann)?);
        give(tx, place, &role(ben, AccessLevel::Owner))?;
        seen.push(tx.has_other_owner(top, ann)?);
        seen.push(tx.has_other_owner(NamespaceId::new(i64::MAX), ann)?);
        Ok(seen)
    });
    assert_eq!(seen.wait().unwrap(), [false, true, false, true, false]);
}

pub(super) fn p35_only_existing_groups_and_projects_can_be_locked(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let locked = harness.store().change(move |tx| {
        let (places, _) = nested(tx, ann)?;
        for place in places {
            let locked = tx.lock_members(place)?;
            assert_eq!(locked.map(storage::Locked::into_inner), Some(place));
        }
        let unknown = [
            MemberSource::Namespace(NamespaceId::new(i64::MAX)),
            MemberSource::Project(ProjectId::new(i64::MAX)),
        ];
        let mut found = Vec::new();
        for place in unknown {
            found.push(tx.lock_members(place)?.is_some());
        }
        Ok(found)
    });
    assert_eq!(locked.wait().unwrap(), [false, false]);
}

/// Two owners remove each other at the same time, each only if another owner stays.
pub(super) fn p36_of_owners_who_remove_each_other_one_stays(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, _] = harness.people();
    let store = harness.store();
    for round in 0..8 {
        let created = store.change(move |tx| {
            let top = insert_namespace(tx, &group(&format!("group{round}"), ann))?;
            give(
                tx,
                MemberSource::Namespace(top.id),
                &role(ben, AccessLevel::Owner),
            )?;
            Ok(top.id)
        });
        let top = created.wait().unwrap();
        let removed = race(2, |number| {
            let goes = [ann, ben][number];
            let work = store.change(move |tx| {
                let locked = tx.lock_members(MemberSource::Namespace(top))?;
                let locked = locked.expect("the row exists");
                if !tx.has_other_owner(top, goes)? {
                    return Ok(false);
                }
                Ok(tx.remove_member(&locked, goes)?.is_some())
            });
            work.wait().unwrap()
        });
        assert_eq!(
            removed.iter().filter(|done| **done).count(),
            1,
            "{removed:?}"
        );
    }
}

pub(super) fn p37_expired_roles_are_deleted_up_to_a_limit(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, cora] = harness.people();
    let taken = harness.store().change(move |tx| {
        let (places, _) = nested(tx, ann)?;
        for (place, user, until) in [
            (places[0], ben, Some("2024-03-01")),
            (places[1], cora, Some("2024-03-02")),
            (places[2], ben, Some("2024-02-01")),
            (places[2], cora, None),
        ] {
            let new = NewMember {
                expires_on: until.map(day),
                created_at: day("2024-01-01").start(),
                ..role(user, AccessLevel::Guest)
            };
            give(tx, place, &new)?;
        }
        let mut taken = Vec::new();
        for _ in 0..3 {
            let found = tx.take_expired_members(day("2024-03-01"), 1)?;
            taken.push(found.len());
        }
        let remaining = tx.take_expired_members(day("2024-03-02"), 10)?;
        let remaining: Vec<_> = remaining
            .iter()
            .map(|member| (member.source, member.user_id))
            .collect();
        assert_eq!(remaining, [(places[1], cora)]);
        let stays = tx.find_member(places[2], MemberScope::Direct, cora, day("2024-03-02"))?;
        assert!(stays.is_some());
        Ok(taken)
    });
    assert_eq!(taken.wait().unwrap(), [1, 1, 0]);
}
