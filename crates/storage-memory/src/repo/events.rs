//! The feed.

use std::ops::Deref;

use api_conventions::ids::{EventId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use events::{Audience, Event, EventFilter, EventQueries, EventRepository, NewEvent, TargetType};
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::Table;

/// The table of the crate: entries in the order of their ids, each with who may read it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    events: Table<EventId, (Audience, Event)>,
}

fn matches(filter: &EventFilter, (audience, event): &(Audience, Event)) -> bool {
    let target_type = event.target.as_ref().map(|target| target.kind);
    event.project_id == filter.project_id
        && *audience <= filter.audience
        && filter.action.is_none_or(|action| event.action == action)
        && filter
            .target_type
            .is_none_or(|kind| target_type == Some(kind))
        && filter
            .created_from()
            .is_none_or(|from| event.created_at >= from)
        && filter
            .created_before()
            .is_none_or(|before| event.created_at < before)
}

impl<S: Deref<Target = State>> EventQueries for MemoryTx<S> {
    fn list_project_events(
        &mut self,
        filter: &EventFilter,
        asked: OffsetPage,
    ) -> Result<Page<Event>, StoreError> {
        let events = &self.0.events.events;
        let listed = events.page(|row| matches(filter, row), |_| (), filter.sort, asked);
        Ok(listed.map(|(_, event)| event))
    }
}

impl EventRepository for MemoryWriteTx<'_> {
    fn delete_events_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError> {
        let of_project = |(_, event): &(Audience, Event)| event.project_id == project;
        Ok(self.0.events.events.remove_where(limit, of_project).len())
    }

    fn insert_events(&mut self, new: &[NewEvent]) -> Result<(), StoreError> {
        let events = &mut self.0.events.events;
        for event in new {
            events.insert(|id| {
                let row = Event {
                    id,
                    project_id: event.project_id,
                    author_id: event.author_id,
                    action: event.action,
                    target: event.target.clone(),
                    created_at: event.created_at,
                };
                (event.audience, row)
            });
        }
        Ok(())
    }

    fn move_events(
        &mut self,
        project: ProjectId,
        kind: TargetType,
        ids: &[i64],
        to: Audience,
    ) -> Result<(), StoreError> {
        for (audience, event) in self.0.events.events.rows_mut() {
            let target = event.target.as_ref();
            let is_about =
                target.is_some_and(|target| target.kind == kind && ids.contains(&target.id));
            if event.project_id == project && is_about && *audience != Audience::Developers {
                *audience = to;
            }
        }
        Ok(())
    }
}
