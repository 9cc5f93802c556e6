//! Deletion of projects and groups: scheduled at once, carried out later by a job, and cancellable until it starts.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::reference::{NamespaceRef, ProjectRef};
use api_conventions::time::Timestamp;
use pipelines::model::RunnerPlace;
use projects::flow::error::NamespaceError;
use projects::flow::groups::find_visible_group;
use projects::rules::visibility::too_wide_for;
use projects::{
    CancelDeletion, DeletionTarget, Group, Locked, MemberSource, NewDeletion, Project,
    ScheduledDeletion,
};
use storage::StoreError;

use super::groups::Actor;
use super::place_tokens::{revoke_tokens_of, token_place};
use super::registry_access::schedule_image_deletion;
use crate::database::{ReadTransaction, WriteTransaction};

/// Minimum delay of a deletion in seconds, whatever is requested.
/// By then every process knows that the alert endpoints are deleted, so nothing is stored that would be left behind.
pub const LEAST_DELAY_SECONDS: i64 = 30;

/// Reason why nothing is restored into a group whose visibility was narrowed.
const TOO_VISIBLE: &str = "its visibility is higher than that of its parent group; raise the visibility of the group first";

/// Time at which a deletion is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletionSchedule {
    /// Delay in seconds, unless `at_once` is set.
    pub delay_seconds: i64,
    /// True to carry it out as soon as possible.
    pub at_once: bool,
}

impl DeletionSchedule {
    fn new_deletion(self, actor: Actor) -> NewDeletion {
        let delay = if self.at_once { 0 } else { self.delay_seconds };
        NewDeletion {
            requested_by: actor.id,
            requested_at: actor.now,
            due_at: actor.now.plus_seconds(delay.max(LEAST_DELAY_SECONDS)),
        }
    }
}

/// Schedules the deletion of a project, and revokes its access tokens. `check` may refuse it for the project as found under its lock.
///
/// # Errors
/// See [`NamespaceError`], and the errors of `check`.
pub fn delete_project<E: From<NamespaceError>>(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    schedule: DeletionSchedule,
    actor: Actor,
    check: impl FnOnce(&Project) -> Result<(), E>,
) -> Result<ScheduledDeletion, E> {
    let locked: Locked<Project> = tx
        .lock_project(project, &[])
        .map_err(NamespaceError::from)?
        .ok_or(NamespaceError::Unknown("Project"))?;
    check(&locked)?;
    let path = locked.full_path.clone();
    let new = schedule.new_deletion(actor);
    let deletion = tx
        .schedule_project_deletion(locked, &new)
        .map_err(NamespaceError::from)?;
    let entity = AuditEntity::Project(project);
    let name = AuditEventName::ProjectDeletionScheduled;
    note(tx, entity, name, path.as_str(), actor).map_err(NamespaceError::from)?;
    let place = MemberSource::Project(project);
    revoke_tokens_of(tx, place, Some(actor.id), actor.now).map_err(NamespaceError::from)?;
    Ok(deletion)
}

/// Schedules the deletion of a group with everything in it, and revokes its access tokens.
/// The bots of what is below it lose their roles with the group: nobody can see it from now on.
///
/// # Errors
/// See [`NamespaceError`].
pub fn delete_group(
    tx: &mut dyn WriteTransaction,
    group: NamespaceId,
    schedule: DeletionSchedule,
    actor: Actor,
) -> Result<ScheduledDeletion, NamespaceError> {
    let locked = tx.lock_group(group, &[])?;
    let locked = locked.ok_or(NamespaceError::Unknown("Group"))?;
    let path = locked.full_path.clone();
    let deletion = tx.schedule_group_deletion(locked, &schedule.new_deletion(actor))?;
    let entity = AuditEntity::Group(group);
    let name = AuditEventName::GroupDeletionScheduled;
    note(tx, entity, name, path.as_str(), actor)?;
    revoke_tokens_of(
        tx,
        MemberSource::Namespace(group),
        Some(actor.id),
        actor.now,
    )?;
    Ok(deletion)
}

/// Cancels the deletion of a project. The caller must check that the actor is one of its Owners.
///
/// # Errors
/// [`NamespaceError::Unknown`] if there is nothing to cancel, or if the project waits for the deletion of a parent group;
/// [`NamespaceError::Impossible`] if its visibility is wider than that of its group; see [`NamespaceError`] for the others.
pub fn restore_project(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    actor: Actor,
) -> Result<Project, NamespaceError> {
    let unknown = || NamespaceError::Unknown("Project");
    let found = tx
        .find_project_pending_deletion(project)?
        .ok_or_else(unknown)?;
    let deletion = tx.find_deletion(DeletionTarget::Project(project))?;
    let deletion = deletion.ok_or_else(unknown)?;
    cancel(tx, &deletion)?;
    let entity = AuditEntity::Project(project);
    let name = AuditEventName::ProjectDeletionCancelled;
    note(tx, entity, name, found.full_path.as_str(), actor)?;
    let reference = ProjectRef::Id(project);
    let back = tx.find_project(&reference)?.ok_or_else(unknown)?;
    check_visibility(tx, back.visibility, Some(back.namespace.id))?;
    Ok(back)
}

/// Cancels the deletion of a group, as [`restore_project`] does.
///
/// # Errors
/// As [`restore_project`].
pub fn restore_group(
    tx: &mut dyn WriteTransaction,
    group: NamespaceId,
    actor: Actor,
) -> Result<Group, NamespaceError> {
    let unknown = || NamespaceError::Unknown("Group");
    let found = tx.find_group_pending_deletion(group)?.ok_or_else(unknown)?;
    let deletion = tx.find_deletion(DeletionTarget::Group(group))?;
    let deletion = deletion.ok_or_else(unknown)?;
    cancel(tx, &deletion)?;
    let entity = AuditEntity::Group(group);
    let name = AuditEventName::GroupDeletionCancelled;
    note(tx, entity, name, found.full_path.as_str(), actor)?;
    let back = find_visible_group(tx, &NamespaceRef::Id(group), actor.viewer, actor.now)?;
    let (back, _) = back.ok_or_else(unknown)?;
    check_visibility(tx, back.content.visibility, back.parent_id)?;
    Ok(back)
}

/// Refuses to restore into a group whose visibility was narrowed in the meantime.
/// Cancelling holds the lock of the tree, so that group cannot change before the commit.
fn check_visibility(
    tx: &mut dyn WriteTransaction,
    visibility: Visibility,
    above: Option<NamespaceId>,
) -> Result<(), NamespaceError> {
    let Some(above) = above else { return Ok(()) };
    let above = tx.find_namespace_by_id(above)?;
    let wrong = above.and_then(|above| too_wide_for(visibility, &above));
    wrong.map_or(Ok(()), |_| Err(NamespaceError::Impossible(TOO_VISIBLE)))
}

fn cancel(
    tx: &mut dyn WriteTransaction,
    deletion: &ScheduledDeletion,
) -> Result<(), NamespaceError> {
    match tx.cancel_deletion(deletion.id)? {
        CancelDeletion::Cancelled => Ok(()),
        CancelDeletion::PathTaken => Err(NamespaceError::PathTaken),
        CancelDeletion::TooLate => Err(NamespaceError::TooLate),
    }
}

/// Progress of a deletion after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionProgress {
    /// There is more to delete.
    Incomplete,
    /// Everything is deleted.
    Done,
}

/// Carries out one step of a deletion, which deletes at most `limit` rows.
/// Repeat until it returns [`DeletionProgress::Done`]. Nothing is lost if the process stops in between, and two may run
/// side by side.
///
/// # Errors
/// Failures of the store.
pub fn run_deletion_step(
    tx: &mut dyn WriteTransaction,
    deletion: &ScheduledDeletion,
    limit: usize,
    now: Timestamp,
) -> Result<DeletionProgress, StoreError> {
    if !tx.start_deletion(deletion.id, now)? {
        return Ok(DeletionProgress::Done);
    }
    if let Some(project) = tx.find_project_to_delete(deletion.id)? {
        let path = tx.find_project_pending_deletion(project)?;
        delete_tokens_of(tx, MemberSource::Project(project), now)?;
        let mut left = limit;
        left -= tx.delete_alerts_of(project, left)?;
        if left > 0 {
            left -= tx.delete_silences_of(project, left)?;
        }
        if left > 0 {
            left -= tx.delete_errors_of(project, left)?;
        }
        if left > 0 {
            left -= tx.delete_reports_of(project, left)?;
        }
        if left > 0 {
            left -= tx.delete_events_of(project, left)?;
        }
        if left > 0 {
            left -= schedule_image_deletion(tx, project, left, deletion.requested_at)?;
        }
        if left > 0 {
            left -= tx.delete_notifications_of(project, left)?;
        }
        if left > 0 {
            left -= tx.delete_schedules_of(project, left)?;
        }
        if left > 0 {
            tx.delete_rows_of_project(project, left)?;
        }
        let is_gone = tx.find_project_pending_deletion(project)?.is_none();
        if let Some(project) = path.filter(|_| is_gone) {
            let (entity, path) = (AuditEntity::Project(project.id), project.full_path);
            let name = AuditEventName::ProjectDeleted;
            note_at(tx, entity, name, path.as_str(), None, now)?;
        }
        return Ok(DeletionProgress::Incomplete);
    }
    let DeletionTarget::Group(group) = deletion.target else {
        return Ok(DeletionProgress::Done);
    };
    let found = tx.find_group_pending_deletion(group)?;
    for deleted in tx.delete_groups_of(deletion.id, limit)? {
        delete_tokens_of(tx, MemberSource::Namespace(deleted), now)?;
    }
    if tx.find_group_pending_deletion(group)?.is_some() {
        return Ok(DeletionProgress::Incomplete);
    }
    if let Some(found) = found {
        let (entity, path) = (AuditEntity::Group(group), found.full_path);
        let name = AuditEventName::GroupDeleted;
        note_at(tx, entity, name, path.as_str(), None, now)?;
    }
    Ok(DeletionProgress::Done)
}

/// Ends the tokens of a place that is deleted, the invitations to it, and its runners that belong to no other place.
fn delete_tokens_of(
    tx: &mut dyn WriteTransaction,
    source: MemberSource,
    now: Timestamp,
) -> Result<(), StoreError> {
    revoke_tokens_of(tx, source, None, now)?;
    let runner_place = match source {
        MemberSource::Project(id) => RunnerPlace::Project(id),
        MemberSource::Namespace(id) => RunnerPlace::Group(id),
    };
    tx.delete_runners_of(runner_place)?;
    tx.delete_invitations_to(token_place(source))?;
    tx.delete_deploy_tokens_of(token_place(source)).map(drop)
}

/// Lists the deletions that are due.
///
/// # Errors
/// Failures of the store.
pub fn due(
    tx: &mut dyn ReadTransaction,
    now: Timestamp,
) -> Result<Vec<ScheduledDeletion>, StoreError> {
    tx.list_due_deletions(now, 10)
}

fn note(
    tx: &mut dyn WriteTransaction,
    entity: AuditEntity,
    event_name: AuditEventName,
    path: &str,
    actor: Actor,
) -> Result<(), StoreError> {
    note_at(tx, entity, event_name, path, Some(actor.id), actor.now)
}

fn note_at(
    tx: &mut dyn WriteTransaction,
    entity: AuditEntity,
    event_name: AuditEventName,
    path: &str,
    author_id: Option<UserId>,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id,
        entity,
        event_name,
        target: None,
        details: AuditDetails::new(&[("path", path)]),
        created_at,
        impersonator_id: None,
    }])
}

#[cfg(test)]
mod tests;
