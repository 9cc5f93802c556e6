//! The feed.

use api_conventions::ids::{EventId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use events::{
    Audience, AuthorFilter, AuthoredEvent, Event, EventFilter, EventQueries, EventRepository,
    NewEvent, TargetType,
};
use redb::WriteTransaction;
use storage::StoreError;

use crate::tables::{Numbered, Rows, Tables, behind, of};
use crate::transaction::{RedbTx, break_if};

const EVENTS: Rows<Numbered, AuthoredEvent> = Rows::new("events");
/// Project and id of each entry, by its author.
const BY_AUTHOR: Rows<Numbered, (ProjectId, EventId)> = Rows::new("events_by_author");
/// Name of the counter.
const IDS: &str = "events";
/// Project id of counters whose numbers are unique across projects.
const EVERY_PROJECT: i64 = 0;

pub(crate) fn create_tables(tx: &WriteTransaction) -> Result<(), StoreError> {
    EVENTS.create(tx)?;
    BY_AUTHOR.create(tx)
}

fn key_of(event: &Event) -> Numbered {
    (event.project_id.get(), event.id.get())
}

impl<T: Tables> EventQueries for RedbTx<'_, T> {
    fn list_project_events(
        &mut self,
        filter: &EventFilter,
        page: OffsetPage,
    ) -> Result<Page<Event>, StoreError> {
        let is_meant = |row: &AuthoredEvent| {
            row.audience <= filter.audience
                && filter.is_about(&row.event)
                && filter.days().hold(row.event.created_at)
        };
        let project = of(filter.project_id.get());
        let page = self.page(&EVENTS, project, (filter.sort, page), is_meant)?;
        Ok(page.map(|row| row.event))
    }

    fn list_author_events(
        &mut self,
        filter: &AuthorFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError> {
        let beyond = filter.beyond.map(EventId::get);
        let keys = behind(filter.author_id.get(), beyond, filter.sort);
        let mut found = Vec::new();
        self.scan(&BY_AUTHOR, keys, filter.sort, |(project, id)| {
            let row = self.get(&EVENTS, (project.get(), id.get()))?;
            let row = row.filter(|row| filter.days.hold(row.event.created_at));
            found.extend(row.filter(|_| found.len() < limit));
            Ok(break_if(found.len() == limit))
        })?;
        Ok(found)
    }
}

impl EventRepository for RedbTx<'_, WriteTransaction> {
    fn insert_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
        for new in events {
            let event = Event {
                id: EventId::new(self.reserve(IDS, EVERY_PROJECT, 1)?),
                project_id: new.project_id,
                author_id: new.author_id,
                action: new.action,
                target: new.target.clone(),
                created_at: new.created_at,
            };
            let of_author = (event.author_id.get(), event.id.get());
            self.put(&BY_AUTHOR, of_author, &(event.project_id, event.id))?;
            let audience = new.audience;
            let row = AuthoredEvent { event, audience };
            self.put(&EVENTS, key_of(&row.event), &row)?;
        }
        Ok(())
    }

    fn delete_events_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError> {
        let rows = self.first(&EVENTS, of(project.get()), SortOrder::Ascending, limit)?;
        for AuthoredEvent { event, .. } in &rows {
            self.remove(&BY_AUTHOR, (event.author_id.get(), event.id.get()))?;
            self.remove(&EVENTS, key_of(event))?;
        }
        Ok(rows.len())
    }

    fn move_events(
        &mut self,
        project: ProjectId,
        kind: TargetType,
        ids: &[i64],
        audience: Audience,
    ) -> Result<(), StoreError> {
        let mut moved = Vec::new();
        self.scan(&EVENTS, of(project.get()), SortOrder::Ascending, |row| {
            let target = row.event.target.as_ref();
            let is_meant = target.is_some_and(|one| one.kind == kind && ids.contains(&one.id));
            if is_meant && row.audience != Audience::Developers {
                moved.push(AuthoredEvent { audience, ..row });
            }
            Ok(break_if(false))
        })?;
        let put = |row: &AuthoredEvent| self.put(&EVENTS, key_of(&row.event), row);
        moved.iter().try_for_each(put)
    }
}
