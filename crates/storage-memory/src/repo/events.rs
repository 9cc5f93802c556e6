//! The feed.

use std::ops::Deref;

use api_conventions::ids::EventId;
use api_conventions::page::{OffsetPage, Page};
use events::{Audience, Event, EventFilter, EventQueries, EventRepository, NewEvent};
use storage::StoreError;

use super::page::page;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

/// The table of the crate: entries in the order of their ids, each with who may read it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    events: Vec<(Audience, Event)>,
}

fn matches(filter: &EventFilter, audience: Audience, event: &Event) -> bool {
    let target_type = event.target.as_ref().map(|target| target.kind);
    event.project_id == filter.project_id
        && audience <= filter.audience
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
        let events = self.0.events.events.iter();
        let matching = events
            .filter(|(audience, event)| matches(filter, *audience, event))
            .map(|(_, event)| event);
        Ok(page(matching.collect(), filter.sort, asked))
    }
}

impl EventRepository for MemoryWriteTx<'_> {
    fn insert_events(&mut self, new: &[NewEvent]) -> Result<(), StoreError> {
        let events = &mut self.0.events.events;
        for event in new {
            let id = events.last().map_or(1, |(_, last)| last.id.get() + 1);
            let row = Event {
                id: EventId::new(id),
                project_id: event.project_id,
                author_id: event.author_id,
                action: event.action,
                target: event.target.clone(),
                created_at: event.created_at,
            };
            events.push((event.audience, row));
        }
        Ok(())
    }
}
