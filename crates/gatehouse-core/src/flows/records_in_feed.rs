//! Changes to records of projects, with their entries in the feed, which every viewer of the project may read.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::{MilestoneContent, MilestoneState, ProjectMilestone};
use records::{NewRecord, RecordContent, RecordError, RecordRepository, StoredRecord};
use storage::StoreError;

use crate::database::WriteTransaction;

/// A kind of record whose changes appear in the feed of its project.
pub trait InFeed: RecordContent<Owner = ProjectId> {
    /// Target of the feed entries about a record.
    fn target(record: &StoredRecord<Self>) -> EventTarget;

    /// Action of a change, if it appears in the feed.
    fn action(before: &Self, after: &Self) -> Option<Action>;
}

/// Creates a record for `actor`.
///
/// # Errors
/// See [`RecordError`].
pub fn create<C: InFeed, T>(
    tx: &mut T,
    new: NewRecord<C>,
    actor: UserId,
) -> Result<StoredRecord<C>, RecordError>
where
    T: WriteTransaction + RecordRepository<C> + ?Sized,
{
    let created_at = new.created_at;
    let made = StoredRecord::create(tx, new)?;
    record(tx, &made, Action::Created, actor, created_at)?;
    Ok(made)
}

/// Updates a record for `actor` at a time.
///
/// # Errors
/// See [`RecordError`].
pub fn update<C: InFeed, T>(
    tx: &mut T,
    project: ProjectId,
    id: C::Id,
    edit: &C::Edit,
    actor: UserId,
    now: Timestamp,
) -> Result<StoredRecord<C>, RecordError>
where
    T: WriteTransaction + RecordRepository<C> + ?Sized,
{
    let (before, after): (StoredRecord<C>, _) = StoredRecord::update(tx, project, id, edit, now)?;
    if let Some(action) = C::action(&before.content, &after.content) {
        record(tx, &after, action, actor, now)?;
    }
    Ok(after)
}

/// Deletes a record for `actor` at a time, unless it was changed after `since`, if given.
///
/// # Errors
/// See [`RecordError`].
pub fn delete<C: InFeed, T>(
    tx: &mut T,
    project: ProjectId,
    id: C::Id,
    since: Option<Timestamp>,
    actor: UserId,
    now: Timestamp,
) -> Result<(), RecordError>
where
    T: WriteTransaction + RecordRepository<C> + ?Sized,
{
    let deleted: StoredRecord<C> = StoredRecord::delete(tx, project, id, since)?;
    Ok(record(tx, &deleted, Action::Destroyed, actor, now)?)
}

fn record<C: InFeed, T: WriteTransaction + ?Sized>(
    tx: &mut T,
    record: &StoredRecord<C>,
    action: Action,
    author_id: UserId,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    tx.insert_events(&[NewEvent {
        project_id: record.owner,
        author_id,
        action,
        target: Some(C::target(record)),
        audience: Audience::Everyone,
        push: None,
        created_at,
    }])
}

impl InFeed for MilestoneContent {
    fn target(milestone: &ProjectMilestone) -> EventTarget {
        EventTarget {
            kind: TargetType::Milestone,
            id: milestone.id.get(),
            iid: milestone.iid.get(),
            title: Some(milestone.content.title.clone()),
        }
    }

    /// Closing and reopening a milestone appear in the feed.
    fn action(before: &Self, after: &Self) -> Option<Action> {
        let is_moved = before.state != after.state;
        is_moved.then_some(match after.state {
            MilestoneState::Active => Action::Reopened,
            MilestoneState::Closed => Action::Closed,
        })
    }
}
