//! Rows of the feed.

#![expect(
    clippy::ref_option_ref,
    reason = "the derive of insertable rows borrows each field"
)]

use api_conventions::ids::{EventId, ProjectId, UserId};
use diesel::prelude::*;
use events::{Action, Event, EventTarget, NewEvent, TargetType};
use storage::StoreError;

use super::RowReader;
use crate::schema::events as event_table;

#[derive(Queryable, Selectable)]
#[diesel(table_name = event_table)]
pub(crate) struct EventRow {
    id: i64,
    project_id: i64,
    author_id: i64,
    action: i16,
    target_type: Option<i16>,
    target_id: Option<i64>,
    target_iid: Option<i64>,
    target_title: Option<String>,
    created_at: i64,
}

impl EventRow {
    pub(crate) fn read(self) -> Result<Event, StoreError> {
        let row = RowReader::new("events", self.id);
        let target = match (self.target_type, self.target_id, self.target_iid) {
            (None, None, None) => None,
            (Some(kind), Some(id), Some(iid)) => Some(EventTarget {
                kind: row.need(TargetType::from_number(kind), "an unknown kind of target")?,
                id,
                iid,
                title: self.target_title,
            }),
            _ => return Err(row.wrong("half a target")),
        };
        Ok(Event {
            id: EventId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            author_id: UserId::new(self.author_id),
            action: row.need(Action::from_number(self.action), "an unknown action")?,
            target,
            created_at: row.moment(self.created_at)?,
        })
    }
}

#[derive(Insertable)]
#[diesel(table_name = event_table, treat_none_as_default_value = false)]
pub(crate) struct NewEventRow<'e> {
    pub(crate) project_id: i64,
    pub(crate) author_id: i64,
    pub(crate) action: i16,
    pub(crate) target_type: Option<i16>,
    pub(crate) target_id: Option<i64>,
    pub(crate) target_iid: Option<i64>,
    pub(crate) target_title: Option<&'e str>,
    pub(crate) audience: i16,
    pub(crate) created_at: i64,
}

impl<'e> From<&'e NewEvent> for NewEventRow<'e> {
    fn from(event: &'e NewEvent) -> Self {
        let target = event.target.as_ref();
        Self {
            project_id: event.project_id.get(),
            author_id: event.author_id.get(),
            action: event.action.number(),
            target_type: target.map(|target| target.kind.number()),
            target_id: target.map(|target| target.id),
            target_iid: target.map(|target| target.iid),
            target_title: target.and_then(|target| target.title.as_deref()),
            audience: event.audience.number(),
            created_at: event.created_at.as_micros(),
        }
    }
}
