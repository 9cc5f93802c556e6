//! The entry as an entity. Nothing finds an entry but the feed, so it is known by its author here.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use events::{
    Action, Audience, Event, EventFilter, EventQueries, EventRepository, EventTarget, NewEvent,
    TargetType,
};
use storage::StoreError;

use super::entries::entry;
use crate::Harness;
use crate::entity::{Entity, Listed, Serves};
use crate::samples::{HOSTILE, page};
use crate::store_traits::EventArea;

/// An entry of the feed.
#[derive(Debug)]
pub struct Entry;

impl Entity for Entry {
    type Area = EventArea;
    type Owner = ProjectId;
    type New = NewEvent;
    type Row = Event;
    type Key = UserId;

    const IS_FOUND_BY_OWNER: bool = true;

    fn owners<H: Harness>(harness: &H) -> [ProjectId; 2]
    where
        H::Store: Serves<EventArea>,
    {
        harness.places()
    }

    fn sample(project: ProjectId, number: u32) -> NewEvent {
        entry(project, i64::from(number))
    }

    fn edges(project: ProjectId) -> Vec<NewEvent> {
        let numbered = Action::ALL.into_iter().enumerate();
        let edges = numbered.map(|(index, action)| NewEvent {
            action,
            target: Some(EventTarget {
                kind: TargetType::ALL[index % TargetType::ALL.len()],
                id: i64::MAX,
                iid: 0,
                title: (index % 2 == 0).then(|| HOSTILE.to_owned()),
            }),
            created_at: [Timestamp::MIN, Timestamp::MAX][index % 2],
            ..entry(project, i64::MAX - i64::try_from(index).unwrap())
        });
        edges.collect()
    }

    fn insert(tx: &mut (dyn EventRepository + '_), new: &NewEvent) -> Result<UserId, StoreError> {
        tx.insert_events(std::slice::from_ref(new))?;
        Ok(new.author_id)
    }

    fn find(
        tx: &mut (dyn EventQueries + '_),
        project: ProjectId,
        author: &UserId,
    ) -> Result<Option<Event>, StoreError> {
        let listed = Self::list(tx, project, page(1, 100))?.items;
        Ok(listed.into_iter().find(|event| event.author_id == *author))
    }

    fn expected(new: &NewEvent, found: &Event) -> Event {
        Event {
            id: found.id,
            project_id: new.project_id,
            author_id: new.author_id,
            action: new.action,
            target: new.target.clone(),
            created_at: new.created_at,
        }
    }

    fn key(event: &Event) -> UserId {
        event.author_id
    }

    fn unknown() -> UserId {
        UserId::new(-1)
    }
}

impl Listed for Entry {
    const SORT: SortOrder = SortOrder::Descending;
    const IS_RANKED: bool = false;

    fn ranked(project: ProjectId, number: u32, _: u32) -> NewEvent {
        Self::sample(project, number)
    }

    fn list(
        tx: &mut (dyn EventQueries + '_),
        project: ProjectId,
        asked: OffsetPage,
    ) -> Result<Page<Event>, StoreError> {
        tx.list_project_events(&EventFilter::new(project, Audience::Developers), asked)
    }

    fn insert_many(
        tx: &mut (dyn EventRepository + '_),
        new: &[NewEvent],
    ) -> Result<(), StoreError> {
        tx.insert_events(new)
    }
}
