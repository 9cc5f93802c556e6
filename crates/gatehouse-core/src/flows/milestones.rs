//! Milestones together with their entries in the feed, which everyone reads who may see the project.

use api_conventions::ids::{MilestoneId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::flow::milestones::{self, MilestoneError};
use projects::{Milestone, MilestoneEdit, MilestoneState, NewMilestone};
use storage::StoreError;

use crate::database::WriteTransaction;

/// Makes a milestone for `actor`.
///
/// # Errors
/// See [`MilestoneError`].
pub fn create_milestone(
    tx: &mut dyn WriteTransaction,
    new: &NewMilestone,
    actor: UserId,
) -> Result<Milestone, MilestoneError> {
    let made = milestones::create_milestone(tx, new)?;
    record(tx, &made, Action::Created, (actor, new.created_at))?;
    Ok(made)
}

/// Edits a milestone for `actor` at `now`. The feed tells when it is closed and when it is open again.
///
/// # Errors
/// See [`MilestoneError`].
pub fn update_milestone(
    tx: &mut dyn WriteTransaction,
    milestone: (ProjectId, MilestoneId),
    edits: &[MilestoneEdit],
    (actor, now): (UserId, Timestamp),
) -> Result<Milestone, MilestoneError> {
    let (before, after) = milestones::update_milestone(tx, milestone, edits, now)?;
    if before.content.state != after.content.state {
        let action = match after.content.state {
            MilestoneState::Active => Action::Reopened,
            MilestoneState::Closed => Action::Closed,
        };
        record(tx, &after, action, (actor, now))?;
    }
    Ok(after)
}

/// Deletes a milestone for `actor` at `now`.
///
/// # Errors
/// See [`MilestoneError`].
pub fn delete_milestone(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: MilestoneId,
    by: (UserId, Timestamp),
) -> Result<(), MilestoneError> {
    let deleted = milestones::delete_milestone(tx, project, id)?;
    Ok(record(tx, &deleted, Action::Destroyed, by)?)
}

fn record(
    tx: &mut dyn WriteTransaction,
    milestone: &Milestone,
    action: Action,
    (author_id, created_at): (UserId, Timestamp),
) -> Result<(), StoreError> {
    tx.insert_events(&[NewEvent {
        project_id: milestone.project_id,
        author_id,
        action,
        target: Some(EventTarget {
            kind: TargetType::Milestone,
            id: milestone.id.get(),
            iid: milestone.iid.get(),
            title: Some(milestone.content.title.clone()),
        }),
        audience: Audience::Everyone,
        created_at,
    }])
}
