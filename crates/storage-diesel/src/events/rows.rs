//! Rows of the feed.

use ::events::{Action, EventTarget, FeedEvent, NewEvent, TargetType};
use api_conventions::ids::{EventId, ProjectId, UserId};
use storage::StoreError;

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
        created_at: BigInt,
    }
    written { audience: SmallInt }
}

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
        Ok(FeedEvent {
            id: EventId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            author_id: UserId::new(self.author_id),
            action: row.require(Action::from_number(self.action), "unknown action")?,
            target,
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
            created_at: event.created_at.as_micros(),
            audience: event.audience.number(),
        }
    }
}

#[cfg(test)]
crate::schema::described!(events);
