//! Rows of the feed.

use ::events::{Action, EventTarget, FeedEvent, NewEvent, TargetType};
use api_conventions::ids::{EventId, ProjectId, UserId};
use storage::StoreError;

use super::push::{push_json, read_push};
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    events: EventRow, NewEventRow;
    fixed {
        project_id: BigInt,
        author_id: BigInt,
        action: SmallInt,
        target_type: Nullable<SmallInt>,
        target_id: Nullable<BigInt>,
        target_iid: Nullable<BigInt>,
        target_title: Nullable<Text>,
        push_data: Nullable<Text>,
        created_at: BigInt,
    }
    written { audience: SmallInt }
}

/// Columns of an [`EventRow`], for a statement that is a text.
pub(super) const COLUMNS: &str = "events.id, events.project_id, events.author_id, events.action, events.target_type, \
    events.target_id, events.target_iid, events.target_title, events.push_data, events.created_at";

impl DomainRow for EventRow {
    type Value = FeedEvent;

    fn read(self) -> Result<FeedEvent, StoreError> {
        let row = self.reader();
        let target = match (self.target_type, self.target_id, self.target_iid) {
            (None, None, None) => None,
            (Some(kind), Some(id), Some(iid)) => Some(EventTarget {
                kind: row.require(TargetType::from_number(kind), "unknown kind of target")?,
                id,
                iid,
                title: self.target_title,
            }),
            _ => return Err(row.inconsistent("incomplete target")),
        };
        let action = row.require(Action::from_number(self.action), "unknown action")?;
        let push = self.push_data.as_deref().map(read_push);
        let push = push
            .map(|push| row.require(push, "unreadable push"))
            .transpose()?;
        if push.is_some() && (action != Action::Pushed || target.is_some()) {
            return Err(row.inconsistent("push with another action or with a target"));
        }
        Ok(FeedEvent {
            id: EventId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            author_id: UserId::new(self.author_id),
            action,
            target,
            push,
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

impl<'v> From<&'v NewEvent> for NewEventRow<'v> {
    fn from(event: &'v NewEvent) -> Self {
        let target = event.target.as_ref();
        Self {
            project_id: event.project_id.get(),
            author_id: event.author_id.get(),
            action: event.action.number(),
            target_type: target.map(|target| target.kind.number()),
            target_id: target.map(|target| target.id),
            target_iid: target.map(|target| target.iid),
            target_title: target.and_then(|target| target.title.as_deref().map(Into::into)),
            push_data: event.push.as_ref().map(|push| push_json(push).into()),
            created_at: event.created_at.as_micros(),
            audience: event.audience.number(),
        }
    }
}

#[cfg(test)]
crate::schema::described!(events);
