//! The feed.

use std::ops::Deref;

use api_conventions::ids::{EventId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use events::{
    Audience, AuthorFilter, AuthoredEvent, Event, EventFilter, EventQueries, EventRepository,
    NewEvent, TargetType,
};
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
    event.project_id == filter.project_id
        && *audience <= filter.audience
        && filter.is_about(event)
        && filter.days().hold(event.created_at)
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

    fn list_author_events(
        &mut self,
        filter: &AuthorFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError> {
        let is_beyond = |id: EventId| match (filter.beyond, filter.sort) {
            (None, _) => true,
            (Some(last), SortOrder::Ascending) => id > last,
            (Some(last), SortOrder::Descending) => id < last,
        };
        let matches = |(_, event): &(Audience, Event)| {
            event.author_id == filter.author_id
                && filter.days.hold(event.created_at)
                && is_beyond(event.id)
        };
        let listed = self.0.events.events.list(matches, |_| (), filter.sort);
        let listed = listed.into_iter().take(limit);
        let authored = listed.map(|(audience, event)| AuthoredEvent {
            event: event.clone(),
            audience: *audience,
        });
        Ok(authored.collect())
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
