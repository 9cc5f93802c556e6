//! Rows of users who are deleted.

use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;
use api_conventions::page::Total;
use projects::{
    DeletionTarget, MemberSource, NamespaceKind, NewDeletion, NewIssue, NewMember, NewNamespace,
    NewNote, Noteable, NoteableKind, UserRole, UserRoleFilter,
};
use storage::StoreExt as _;

use super::members::{day, role};
use super::stored_issue::issue;
use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{page, timestamp};

fn new_deletion(by: UserId) -> NewDeletion {
    NewDeletion {
        requested_by: by,
        requested_at: timestamp(1),
        due_at: timestamp(9),
    }
}

fn personal(path: &str, owner: UserId) -> NewNamespace {
    NewNamespace {
        kind: NamespaceKind::User,
        ..group(path, owner)
    }
}

pub(super) fn u09_rows_of_a_user_get_another_user_or_are_deleted_in_steps(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let store = harness.store();
    let (project_id, issue_iid) = store
        .change(move |tx| {
            insert_namespace(tx, &personal("ann", ann))?;
            let team = insert_namespace(tx, &group("team", ann))?;
            let place = MemberSource::Namespace(team.id);
            let by_ann = NewMember {
                created_by: Some(ann),
                ..role(cora, AccessLevel::Owner)
            };
            give(tx, place, &by_ann)?;
            let thing = insert_project(tx, &project(&team, "thing", ann))?;
            give(
                tx,
                MemberSource::Project(thing.id),
                &role(ann, AccessLevel::Developer),
            )?;
            let mut new = NewIssue {
                author_id: ann,
                ..issue(thing.id, "Broken")
            };
            new.body.assignees = [ann, ben].into();
            let written = tx.insert_issue(&new)?;
            let on = Noteable {
                project_id: thing.id,
                kind: NoteableKind::Issue,
                id: written.id.get(),
                iid: written.iid.get(),
            };
            let note = |author_id| NewNote {
                on,
                author_id,
                body: "Look".to_owned(),
                system: false,
                internal: false,
                created_at: timestamp(0),
            };
            tx.insert_notes(&[note(ann), note(ben)])?;
            assert_eq!(tx.list_issues_of_author(ann, 9)?, [(thing.id, written.iid)]);
            assert_eq!(tx.list_notes_of_author(ann, 9)?.len(), 1);
            assert_eq!(tx.list_notes_of_author(ann, 0)?.len(), 0);
            Ok((thing.id, written.iid))
        })
        .wait()
        .unwrap();
    let mut steps = 0;
    loop {
        let step = store.change(move |tx| tx.release_rows_of_user(ann, ben, 2));
        let step = step.wait().unwrap();
        assert!(step <= 2, "{step}");
        if step == 0 {
            break;
        }
        steps += 1;
    }
    assert!(steps > 2, "{steps}");
    let today = timestamp(0).date();
    let seen = store.query(move |tx| {
        let issue = tx.find_issue(project_id, issue_iid)?.unwrap();
        assert_eq!(issue.author_id, ben);
        assert_eq!(issue.body.assignees, [ben].into());
        assert_eq!(tx.list_issues_of_author(ann, 9)?, []);
        assert_eq!(tx.list_notes_of_author(ann, 9)?.len(), 0);
        assert_eq!(tx.list_notes_of_author(ben, 9)?.len(), 2);
        assert_eq!(tx.list_memberships(ann, &[project_id], today)?.len(), 0);
        let project = tx.find_project(&api_conventions::reference::ProjectRef::Id(project_id))?;
        assert_eq!(project.unwrap().creator_id, ben);
        // The personal namespace waits for its own deletion.
        tx.has_namespace_of_user(ann)
    });
    assert!(seen.wait().unwrap());
}

pub(super) fn u10_the_deletion_of_a_personal_namespace_cannot_be_cancelled(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, _] = harness.people();
    let store = harness.store();
    let done = store.change(move |tx| {
        let own = insert_namespace(tx, &personal("ann", ann))?;
        let thing = insert_project(tx, &project(&own, "thing", ann))?;
        insert_namespace(tx, &group("team", ben))?;
        assert!(
            tx.schedule_namespace_deletion(ben, &new_deletion(ben))?
                .is_none()
        );
        let deletion = tx
            .schedule_namespace_deletion(ann, &new_deletion(ben))?
            .unwrap();
        assert!(
            tx.schedule_namespace_deletion(ann, &new_deletion(ben))?
                .is_none()
        );
        assert_eq!(deletion.target, DeletionTarget::Group(own.id));
        assert!(tx.find_project_pending_deletion(thing.id)?.is_some());
        let cancelled = tx.cancel_deletion(deletion.id)?;
        assert_eq!(cancelled, projects::CancelDeletion::TooLate);
        // The path is free.
        insert_namespace(tx, &personal("ann", ben))?;
        assert!(!tx.start_deletion(deletion.id, timestamp(8))?);
        assert!(tx.start_deletion(deletion.id, timestamp(9))?);
        while tx.delete_rows_of_project(thing.id, 10)? > 0 {}
        assert_eq!(tx.delete_groups_of(deletion.id, 10)?, [own.id]);
        tx.has_namespace_of_user(ann)
    });
    assert!(!done.wait().unwrap());
}

pub(super) fn u11_groups_of_one_owner_are_found(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, cora] = harness.people();
    let found = harness.store().change(move |tx| {
        insert_namespace(tx, &personal("ann", ann))?;
        let alone = insert_namespace(tx, &group("alone", ann))?;
        let inner = NewNamespace {
            parent: Some(alone.clone()),
            ..group("inner", ann)
        };
        insert_namespace(tx, &inner)?;
        let shared = insert_namespace(tx, &group("shared", ann))?;
        let until = insert_namespace(tx, &group("until", ann))?;
        give(
            tx,
            MemberSource::Namespace(shared.id),
            &role(ben, AccessLevel::Owner),
        )?;
        give(
            tx,
            MemberSource::Namespace(until.id),
            &role(cora, AccessLevel::Maintainer),
        )?;
        let expiring = NewMember {
            expires_on: Some(day("9999-12-31")),
            ..role(ben, AccessLevel::Owner)
        };
        give(tx, MemberSource::Namespace(until.id), &expiring)?;
        assert_eq!(tx.list_groups_owned_alone(ann, 1)?, [alone.id]);
        assert_eq!(tx.list_groups_owned_alone(ben, 9)?, []);
        Ok((tx.list_groups_owned_alone(ann, 9)?, [alone.id, until.id]))
    });
    let (found, expected) = found.wait().unwrap();
    assert_eq!(found, expected);
}

pub(super) fn u12_direct_roles_of_a_user_are_listed_with_their_places(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, _] = harness.people();
    let listed = harness.store().change(move |tx| {
        insert_namespace(tx, &personal("ben", ben))?;
        let team = insert_namespace(tx, &group("team", ann))?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let thing = insert_project(tx, &project(&team, "thing", ann))?;
        give(
            tx,
            MemberSource::Namespace(team.id),
            &role(ben, AccessLevel::Reporter),
        )?;
        let expired = NewMember {
            expires_on: Some(day("2000-01-01")),
            ..role(ben, AccessLevel::Owner)
        };
        give(tx, MemberSource::Namespace(other.id), &expired)?;
        give(
            tx,
            MemberSource::Project(thing.id),
            &role(ben, AccessLevel::Developer),
        )?;
        let filter = UserRoleFilter {
            user: ben,
            projects: true,
            groups: true,
            today: day("2000-01-01"),
        };
        let in_project = UserRole {
            source: MemberSource::Project(thing.id),
            source_name: thing.name.clone(),
            level: AccessLevel::Developer,
        };
        let in_group = UserRole {
            source: MemberSource::Namespace(team.id),
            source_name: team.name.clone(),
            level: AccessLevel::Reporter,
        };
        let all = tx.list_roles_of_user(filter, page(1, 9))?;
        assert_eq!(all.items, [in_project.clone(), in_group.clone()]);
        let second = tx.list_roles_of_user(filter, page(2, 1))?;
        assert_eq!(
            (second.items, second.total),
            (vec![in_group.clone()], Total::Exact(2))
        );
        let part = |projects, groups| UserRoleFilter {
            projects,
            groups,
            ..filter
        };
        let parts = [part(true, false), part(false, true), part(false, false)];
        let mut found = Vec::new();
        for part in parts {
            found.push(tx.list_roles_of_user(part, page(1, 9))?.items);
        }
        assert_eq!(found, [vec![in_project], vec![in_group], Vec::new()]);
        let others = UserRoleFilter {
            user: UserId::new(i64::MAX),
            ..filter
        };
        tx.list_roles_of_user(others, page(1, 9))
    });
    assert_eq!(listed.wait().unwrap().items, []);
}
