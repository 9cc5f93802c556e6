//! The feed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use events::rules::contributions::group_of;
use events::{
    Audience, AuthorFilter, AuthoredEvent, ContributionCount, ContributionFilter, Days,
    EventFilter, EventIdRange, EventIdState, EventQueries, EventRepository, FeedEvent, NewEvent,
    ProjectSetFilter, TargetType,
};
use redb::WriteTransaction;
use storage::StoreError;

use crate::tables::{COUNTERS, NumberKey, RowTable, Tables, keys_after, keys_of};
use crate::transaction::{RedbTx, break_if};

const EVENTS: RowTable<NumberKey, AuthoredEvent> = RowTable::new("events");
/// Project and id of each entry, by its author.
const BY_AUTHOR: RowTable<NumberKey, (ProjectId, EventId)> = RowTable::new("events_by_author");
/// Name of the counter.
const IDS: &str = "events";
/// Project id of counters whose numbers are unique across projects.
const EVERY_PROJECT: i64 = 0;

pub(crate) fn create_tables(tx: &WriteTransaction) -> Result<(), StoreError> {
    EVENTS.create(tx)?;
    BY_AUTHOR.create(tx)
}

fn key_of(event: &FeedEvent) -> NumberKey {
    (event.project_id.get(), event.id.get())
}

/// The event as it was when it was inserted.
fn as_new(row: AuthoredEvent) -> NewEvent {
    let AuthoredEvent { event, audience } = row;
    NewEvent {
        project_id: event.project_id,
        author_id: event.author_id,
        action: event.action,
        target: event.target,
        push: event.push,
        audience,
        created_at: event.created_at,
    }
}

impl<T: Tables> EventQueries for RedbTx<'_, T> {
    fn list_project_events(
        &mut self,
        filter: &EventFilter,
        page: OffsetPage,
    ) -> Result<Page<FeedEvent>, StoreError> {
        let is_match = |row: &AuthoredEvent| {
            filter.rights.allow(&row.event, row.audience)
                && filter.is_about(&row.event)
                && filter.days().contains(row.event.created_at)
        };
        let after_id = filter.after_id.map(EventId::get);
        let project = keys_after(filter.project_id.get(), after_id, filter.sort);
        let page = self.page(&EVENTS, project, filter.sort, page, is_match)?;
        Ok(page.map(|row| row.event))
    }

    fn list_author_events(
        &mut self,
        filter: &AuthorFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError> {
        let after_id = filter.after_id.map(EventId::get);
        let keys = keys_after(filter.author_id.get(), after_id, filter.sort);
        let mut found = Vec::new();
        self.scan(&BY_AUTHOR, keys, filter.sort, |(project, id)| {
            let row = self.get(&EVENTS, (project.get(), id.get()))?;
            let row = row.filter(|row| filter.days.contains(row.event.created_at));
            found.extend(row.filter(|_| found.len() < limit));
            Ok(break_if(found.len() == limit))
        })?;
        Ok(found)
    }

    fn find_oldest_event(
        &mut self,
        after: Option<ProjectId>,
    ) -> Result<Option<FeedEvent>, StoreError> {
        let after = after.map_or(Bound::Unbounded, |after| {
            Bound::Excluded((after.get(), i64::MAX))
        });
        let keys = (after, Bound::Unbounded);
        let oldest = self.first(&EVENTS, keys, SortOrder::Ascending, 1)?;
        Ok(oldest.into_iter().next().map(|row| row.event))
    }

    fn find_event_ids(&mut self, _: &[ProjectId], _: Days) -> Result<EventIdRange, StoreError> {
        // Each list of these examples is short enough to compare the days of all events.
        Ok(EventIdRange::default())
    }

    fn list_events_of_projects(
        &mut self,
        filter: &ProjectSetFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError> {
        let after_id = filter.after_id.map(EventId::get);
        let is_in_range = |id: EventId| {
            filter.ids.first.is_none_or(|first| id >= first)
                && filter.ids.end.is_none_or(|end| id < end)
        };
        let mut found: Vec<AuthoredEvent> = Vec::new();
        for project in &filter.project_ids {
            let keys = keys_after(project.get(), after_id, filter.sort);
            let mut count = 0;
            self.scan(&EVENTS, keys, filter.sort, |row| {
                if is_in_range(row.event.id) && filter.days.contains(row.event.created_at) {
                    found.push(row);
                    count += 1;
                }
                Ok(break_if(count >= limit))
            })?;
        }
        found.sort_unstable_by_key(|row| row.event.id);
        if filter.sort == SortOrder::Descending {
            found.reverse();
        }
        found.truncate(limit);
        Ok(found)
    }

    fn event_id_state(&mut self) -> Result<EventIdState, StoreError> {
        // Transactions write one after the other, so none commits an earlier id later.
        let last = self.get(&COUNTERS, (IDS, EVERY_PROJECT))?;
        Ok(EventIdState {
            last_assigned: EventId::new(last.unwrap_or(0)),
            writers: BTreeSet::new(),
        })
    }

    fn list_contributions(
        &mut self,
        filter: &ContributionFilter,
        limit: usize,
    ) -> Result<Vec<ContributionCount>, StoreError> {
        // Counted on reading, because the feeds of these examples are short.
        let mut counts = BTreeMap::new();
        let keys = keys_of(filter.user_id.get());
        self.scan(&BY_AUTHOR, keys, SortOrder::Ascending, |(project, id)| {
            let row = self.get(&EVENTS, (project.get(), id.get()))?;
            let group = row.and_then(|row| group_of(&as_new(row)));
            if let Some(group) =
                group.filter(|group| (filter.from..=filter.to).contains(&group.day))
            {
                *counts.entry((Reverse(group.day), group)).or_default() += 1;
            }
            Ok(break_if(false))
        })?;
        let counts = counts.into_iter().take(limit);
        let counted = |((_, group), count)| ContributionCount { group, count };
        Ok(counts.map(counted).collect())
    }
}

impl RedbTx<'_, WriteTransaction> {
    fn delete(&self, event: &FeedEvent) -> Result<(), StoreError> {
        self.remove(&BY_AUTHOR, (event.author_id.get(), event.id.get()))?;
        self.remove(&EVENTS, key_of(event))
    }
}

impl EventRepository for RedbTx<'_, WriteTransaction> {
    fn insert_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
        for new in events {
            let event = FeedEvent {
                id: EventId::new(self.reserve(IDS, EVERY_PROJECT, 1)?),
                project_id: new.project_id,
                author_id: new.author_id,
                action: new.action,
                target: new.target.clone(),
                push: new.push.clone(),
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
        let rows = self.first(&EVENTS, keys_of(project.get()), SortOrder::Ascending, limit)?;
        for AuthoredEvent { event, .. } in &rows {
            self.delete(event)?;
        }
        Ok(rows.len())
    }

    fn delete_events_before(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let rows = self.first(&EVENTS, keys_of(project.get()), SortOrder::Ascending, limit)?;
        let is_old = |row: &&AuthoredEvent| row.event.created_at < before;
        let old: Vec<&AuthoredEvent> = rows.iter().filter(is_old).collect();
        for row in &old {
            self.delete(&row.event)?;
        }
        Ok(old.len())
    }

    fn release_events_of(
        &mut self,
        author: UserId,
        successor: Option<UserId>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let rows = self.first(
            &BY_AUTHOR,
            keys_of(author.get()),
            SortOrder::Ascending,
            limit,
        )?;
        for (project, id) in &rows {
            self.remove(&BY_AUTHOR, (author.get(), id.get()))?;
            let key = (project.get(), id.get());
            let Some(mut row) = self.get(&EVENTS, key)? else {
                continue;
            };
            let Some(successor) = successor else {
                self.remove(&EVENTS, key)?;
                continue;
            };
            row.event.author_id = successor;
            self.put(&BY_AUTHOR, (successor.get(), id.get()), &(*project, *id))?;
            self.put(&EVENTS, key, &row)?;
        }
        Ok(rows.len())
    }

    fn change_audience(
        &mut self,
        project: ProjectId,
        kind: TargetType,
        ids: &[i64],
        audience: Audience,
    ) -> Result<(), StoreError> {
        let mut moved = Vec::new();
        self.scan(
            &EVENTS,
            keys_of(project.get()),
            SortOrder::Ascending,
            |row| {
                let target = row.event.target.as_ref();
                let is_match = target.is_some_and(|one| one.kind == kind && ids.contains(&one.id));
                if is_match && row.audience != Audience::Developers {
                    moved.push(AuthoredEvent { audience, ..row });
                }
                Ok(break_if(false))
            },
        )?;
        let put = |row: &AuthoredEvent| self.put(&EVENTS, key_of(&row.event), row);
        moved.iter().try_for_each(put)
    }
}
