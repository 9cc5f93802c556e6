//! Deletions of projects and groups.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use projects::{
    CancelDeletion, DeletionTarget, GroupFilter, LabelContent, MemberSource, Namespace,
    NewDeletion, NewImageRepository, NewNamespace, Project, ProjectFilter, ProjectReadTx,
    ProjectWriteTx, ScheduledDeletion, Viewer,
};
use records::NewRecord;
use storage::{StoreError, StoreExt as _};

use super::members::role;
use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::timestamp;

/// A group with a project and a subgroup, which also has a project.
struct Sample {
    top: Namespace,
    sub: Namespace,
    outer: Project,
    inner: Project,
}

fn sample(tx: &mut dyn ProjectWriteTx, ann: UserId) -> Result<Sample, StoreError> {
    let top = insert_namespace(tx, &group("top", ann))?;
    let sub = NewNamespace {
        parent: Some(top.clone()),
        ..group("sub", ann)
    };
    let sub = insert_namespace(tx, &sub)?;
    Ok(Sample {
        outer: insert_project(tx, &project(&top, "outer", ann))?,
        inner: insert_project(tx, &project(&sub, "inner", ann))?,
        top,
        sub,
    })
}

fn deletion_due_at(seconds: i64, by: UserId) -> NewDeletion {
    NewDeletion {
        requested_by: by,
        requested_at: timestamp(1),
        due_at: timestamp(seconds),
    }
}

fn schedule_group_deletion(
    tx: &mut dyn ProjectWriteTx,
    id: NamespaceId,
    new: &NewDeletion,
) -> Result<ScheduledDeletion, StoreError> {
    let locked = tx.lock_group(id, &[])?.unwrap();
    tx.schedule_group_deletion(locked, new)
}

fn schedule_project_deletion(
    tx: &mut dyn ProjectWriteTx,
    id: ProjectId,
    new: &NewDeletion,
) -> Result<ScheduledDeletion, StoreError> {
    let locked = tx.lock_project(id, &[])?.unwrap();
    tx.schedule_project_deletion(locked, new)
}

/// Numbers of visible projects and groups: listed ones, and ones found by any reference.
fn visible_counts(tx: &mut dyn ProjectReadTx, sample: &Sample) -> Result<[usize; 4], StoreError> {
    let (today, all) = (timestamp(0).date(), OffsetPage::new(1, 100));
    let administrator = Viewer::Administrator(sample.outer.creator_id);
    let projects = tx.list_projects(&ProjectFilter::new(administrator), today, all)?;
    let groups = tx.list_groups(&GroupFilter::new(administrator), today, all)?;
    let mut found = [0, 0];
    for project in [&sample.outer, &sample.inner] {
        for reference in [
            ProjectRef::Id(project.id),
            ProjectRef::Path(project.full_path.clone()),
        ] {
            found[0] += usize::from(tx.find_project(&reference)?.is_some());
        }
    }
    for namespace in [&sample.top, &sample.sub] {
        let path = NamespaceRef::Path(namespace.full_path.clone());
        for reference in [NamespaceRef::Id(namespace.id), path] {
            found[1] += usize::from(tx.find_group(&reference)?.is_some());
        }
        found[1] += usize::from(tx.find_namespace_by_id(namespace.id)?.is_some());
    }
    Ok([projects.items.len(), groups.items.len(), found[0], found[1]])
}

pub(super) fn p85_only_restore_queries_find_projects_and_groups_pending_deletion(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let sample = sample(tx, ann)?;
        assert_eq!(visible_counts(tx, &sample)?, [2, 2, 4, 6]);
        let of_project = schedule_project_deletion(tx, sample.outer.id, &deletion_due_at(5, ann))?;
        assert_eq!(visible_counts(tx, &sample)?, [1, 2, 2, 6]);
        let of_group = schedule_group_deletion(tx, sample.top.id, &deletion_due_at(9, ann))?;
        assert_eq!(visible_counts(tx, &sample)?, [0, 0, 0, 0]);
        let groups = tx.list_groups_of_user(ann, timestamp(0).date())?;
        assert!(groups.is_empty(), "{groups:?}");
        let projects =
            tx.list_project_ids_of_user(ann, AccessLevel::Guest, timestamp(0).date(), 9)?;
        assert_eq!(projects, []);
        assert!(tx.lock_project(sample.inner.id, &[])?.is_none());
        assert!(tx.lock_group(sample.sub.id, &[])?.is_none());
        let expected = ScheduledDeletion {
            id: of_project.id,
            target: DeletionTarget::Project(sample.outer.id),
            requested_by: ann,
            requested_at: timestamp(1),
            due_at: timestamp(5),
            started: false,
        };
        assert_eq!(of_project, expected);
        assert_eq!(tx.find_deletion(expected.target)?, Some(expected));
        assert_eq!(
            tx.find_deletion(DeletionTarget::Group(sample.top.id))?,
            Some(of_group)
        );
        assert_eq!(
            tx.find_deletion(DeletionTarget::Group(sample.sub.id))?,
            None
        );
        let pending = tx.find_project_pending_deletion(sample.inner.id)?;
        assert_eq!(pending.as_ref(), Some(&sample.inner));
        let pending = tx
            .find_group_pending_deletion(sample.sub.id)?
            .map(|one| one.namespace());
        assert_eq!(pending.as_ref(), Some(&sample.sub));
        // Roles are kept, so that an Owner can cancel the deletion.
        let role = tx.find_group_membership(ann, sample.sub.id, timestamp(0).date())?;
        assert!(role.role.is_some());
        let role = tx.find_membership(ann, sample.inner.id, timestamp(0).date())?;
        assert!(role.highest().is_some());
        // The paths and the names are free.
        let again = insert_namespace(tx, &group("top", ann))?;
        insert_project(tx, &project(&again, "outer", ann)).map(drop)
    });
    done.wait().unwrap();
}

pub(super) fn p86_a_cancelled_deletion_leaves_all_as_it_was(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let sample = sample(tx, ann)?;
        let before = (
            tx.find_project(&ProjectRef::Id(sample.inner.id))?,
            tx.find_group(&NamespaceRef::Id(sample.sub.id))?,
        );
        let own = schedule_project_deletion(tx, sample.outer.id, &deletion_due_at(5, ann))?;
        let deletion = schedule_group_deletion(tx, sample.top.id, &deletion_due_at(5, ann))?;
        // The project cannot be restored alone: its group is pending deletion.
        assert_eq!(tx.cancel_deletion(own.id)?, CancelDeletion::TooLate);
        assert_eq!(tx.cancel_deletion(deletion.id)?, CancelDeletion::Cancelled);
        // A project with a deletion of its own remains pending.
        assert_eq!(visible_counts(tx, &sample)?, [1, 2, 2, 6]);
        let after = (
            tx.find_project(&ProjectRef::Id(sample.inner.id))?,
            tx.find_group(&NamespaceRef::Id(sample.sub.id))?,
        );
        assert_eq!(before, after);
        assert_eq!(tx.cancel_deletion(own.id)?, CancelDeletion::Cancelled);
        assert_eq!(visible_counts(tx, &sample)?, [2, 2, 4, 6]);
        assert_eq!(tx.find_deletion(own.target)?, None);
        assert_eq!(tx.cancel_deletion(own.id)?, CancelDeletion::TooLate);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p87_a_deletion_is_cancelled_until_it_begins_and_if_its_paths_are_free(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let sample = sample(tx, ann)?;
        let deletion = schedule_project_deletion(tx, sample.outer.id, &deletion_due_at(5, ann))?;
        // The group is renamed in the meantime, and another project takes the path.
        super::groups::change(tx, sample.top.id, None, |one| one.path = "New".to_owned())?;
        let namespace = tx.find_namespace_by_id(sample.top.id)?.unwrap();
        let other = insert_project(tx, &project(&namespace, "OUTER", ann))?;
        assert_eq!(tx.cancel_deletion(deletion.id)?, CancelDeletion::PathTaken);
        let third = schedule_project_deletion(tx, other.id, &deletion_due_at(5, ann))?;
        assert_eq!(tx.cancel_deletion(deletion.id)?, CancelDeletion::Cancelled);
        let back = tx.find_project(&ProjectRef::Path(FullPath::parse("new/outer").unwrap()))?;
        assert_eq!(back.map(|one| one.id), Some(sample.outer.id));
        assert!(!tx.start_deletion(third.id, timestamp(4))?);
        assert!(tx.start_deletion(third.id, timestamp(5))?);
        assert!(tx.start_deletion(third.id, timestamp(6))?);
        assert!(!tx.start_deletion(DeletionId::new(i64::MAX), timestamp(6))?);
        assert_eq!(tx.cancel_deletion(third.id)?, CancelDeletion::TooLate);
        assert!(tx.find_deletion(third.target)?.unwrap().started);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p88_a_deletion_goes_in_steps_and_leaves_nothing(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let sample = sample(tx, ann)?;
        for number in 0..5 {
            let content = LabelContent {
                title: format!("label {number}"),
                color: "#aabbcc".to_owned(),
                ..LabelContent::default()
            };
            tx.insert_record(&NewRecord::new(sample.inner.id, content, timestamp(0)))?;
        }
        tx.put_image_repository(&NewImageRepository {
            project_id: sample.inner.id,
            name: "inner".to_owned(),
            created_at: timestamp(0),
        })?;
        let kept = insert_namespace(tx, &group("kept", ann))?;
        let kept = insert_project(tx, &project(&kept, "kept", ann))?;
        let content = LabelContent {
            title: "kept".to_owned(),
            color: "#aabbcc".to_owned(),
            ..LabelContent::default()
        };
        tx.insert_record(&NewRecord::new(kept.id, content, timestamp(0)))?;
        schedule_project_deletion(tx, sample.outer.id, &deletion_due_at(5, ann))?;
        let deletion = schedule_group_deletion(tx, sample.top.id, &deletion_due_at(5, ann))?;
        // A project without a pending deletion loses no rows.
        assert_eq!(tx.delete_rows_of_project(kept.id, 9)?, 0);
        let mut steps = Vec::new();
        while let Some(project) = tx.find_project_to_delete(deletion.id)? {
            steps.push(tx.delete_rows_of_project(project, 2)?);
        }
        // Five labels, an image repository and two projects, at most two at a time.
        assert_eq!(steps.iter().sum::<usize>(), 8);
        assert_eq!(tx.find_image_repository_by_name("inner")?, None);
        assert!(steps.iter().all(|step| (1..=2).contains(step)), "{steps:?}");
        assert_eq!(tx.find_project_pending_deletion(sample.inner.id)?, None);
        assert_eq!(tx.delete_groups_of(deletion.id, 1)?, [sample.sub.id]);
        // The innermost group is deleted first.
        assert_eq!(tx.find_group_pending_deletion(sample.sub.id)?, None);
        assert!(tx.find_group_pending_deletion(sample.top.id)?.is_some());
        assert_eq!(tx.delete_groups_of(deletion.id, 1)?, [sample.top.id]);
        assert_eq!(tx.delete_groups_of(deletion.id, 1)?, []);
        assert_eq!(tx.find_deletion(deletion.target)?, None);
        assert_eq!(
            tx.find_deletion(DeletionTarget::Project(sample.outer.id))?,
            None
        );
        let today = timestamp(0).date();
        assert_eq!(
            tx.find_group_membership(ann, sample.top.id, today)?.role,
            None
        );
        assert!(tx.find_project(&ProjectRef::Id(kept.id))?.is_some());
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p89_deletions_are_due_in_the_order_of_their_times(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let mut doom = |path: &str, seconds| {
            let created = insert_project(tx, &project(&top, path, ann))?;
            Ok::<_, StoreError>(
                schedule_project_deletion(tx, created.id, &deletion_due_at(seconds, ann))?.id,
            )
        };
        let [late, early, same] = [doom("a", 7)?, doom("b", 5)?, doom("c", 7)?];
        let mut listed = |seconds, limit| {
            let due = tx.list_due_deletions(timestamp(seconds), limit)?;
            Ok::<_, StoreError>(due.into_iter().map(|one| one.id).collect::<Vec<_>>())
        };
        assert_eq!(listed(4, 9)?, []);
        assert_eq!(listed(5, 9)?, [early]);
        assert_eq!(listed(7, 9)?, [early, late, same]);
        assert_eq!(listed(9, 2)?, [early, late]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p90_roles_under_pending_deletion_reveal_no_parent_group_but_are_removable(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ben, cora] = harness.people();
    let done = harness.store().change(move |tx| {
        let sample = sample(tx, ann)?;
        let today = timestamp(0).date();
        let inner = MemberSource::Project(sample.inner.id);
        give(tx, inner, &role(ben, AccessLevel::Developer))?;
        let sub = MemberSource::Namespace(sample.sub.id);
        give(tx, sub, &role(cora, AccessLevel::Developer))?;
        let known = |tx: &mut dyn ProjectWriteTx| {
            let filter = |user| GroupFilter {
                is_member: true,
                ..GroupFilter::new(Viewer::User(user))
            };
            let mut known = Vec::new();
            for user in [ben, cora] {
                let found = tx.find_group_membership(user, sample.top.id, today)?;
                let listed = tx.list_groups(&filter(user), today, OffsetPage::new(1, 100))?;
                known.push((found.is_below, listed.items.len()));
            }
            Ok::<_, StoreError>(known)
        };
        assert_eq!(known(tx)?, [(true, 2), (true, 2)]);
        let deletion = schedule_group_deletion(tx, sample.sub.id, &deletion_due_at(5, ann))?;
        assert_eq!(known(tx)?, [(false, 0), (false, 0)]);
        for place in [sub, inner] {
            assert!(tx.lock_members(place)?.is_none(), "{place:?}");
        }
        // A user who is removed from a group does not return when its contents are restored.
        let top = tx.lock_members(MemberSource::Namespace(sample.top.id))?;
        let removed = tx.remove_members_below(&top.unwrap(), ben)?;
        let removed: Vec<MemberSource> = removed.iter().map(|member| member.source).collect();
        assert_eq!(removed, [inner]);
        let back = tx.cancel_deletion(deletion.id)?;
        assert_eq!(back, CancelDeletion::Cancelled);
        assert_eq!(known(tx)?, [(false, 0), (true, 2)]);
        Ok(())
    });
    done.wait().unwrap();
}
