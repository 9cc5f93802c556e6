//! Activity feed.

mod contributions;
mod ids;
#[cfg(feature = "postgres")]
mod postgres;
mod projects;
mod push;
mod range;
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;

use ::events::rules::contributions::count_contributions;
use ::events::{
    Action, Audience, AuthorFilter, AuthoredEvent, ContributionCount, ContributionFilter, Days,
    EventFilter, EventIdRange, EventIdState, EventQueries, EventRepository, FeedEvent, NewEvent,
    ProjectSetFilter, TargetType,
};
use std::collections::BTreeMap;

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, Position, Total};
use api_conventions::time::Timestamp;
use diesel::dsl::{max, min, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::rows::RowReader;
use crate::transaction::{Backend, order_by, row_limit};
use range::IdRange;
use rows::{EventRow, NewEventRow, events};

/// Maximum difference between the order of ids and the order of timestamps, in seconds: clocks of several nodes, and
/// the time that an entry waits to be written.
const DISORDER_SECONDS: i64 = 3600;

/// Descriptions of the tables of the feed.
#[cfg(test)]
pub(crate) fn described() -> Vec<crate::schema::DeclaredTable> {
    let mut all = rows::described();
    all.extend(contributions::described());
    all
}

const LIST: &str = "list events";

/// Owner of a feed's entries.
/// No index begins with the id of an entry, so every query of a list names a project or a user.
#[derive(Debug, Clone, Copy)]
enum Feed {
    OfProject(ProjectId),
    OfPerson(UserId),
}

fn with_audience(event: FeedEvent, audience: Option<i16>) -> Result<AuthoredEvent, StoreError> {
    let row = RowReader::new("events", event.id.get());
    let audience = audience.and_then(Audience::from_number);
    let audience = row.require(audience, "unknown audience")?;
    Ok(AuthoredEvent { event, audience })
}

/// Page of a list that examined the entries up to `last` and no others.
fn as_part(mut page: Page<FeedEvent>, last: i64) -> Page<FeedEvent> {
    if page.has_next {
        page.total = Total::Uncounted;
    } else {
        page.total = Total::Unfinished(Position::new(last, last));
        page.has_next = true;
    }
    page
}

#[for_each_database(dialect = crate::events)]
mod database {
    impl ReadTx<'_> {
        /// Returns the first id whose entry in a feed is from `timestamp` or later, by binary search in the range of
        /// ids.
        /// Timestamps therefore need no index of their own.
        fn first_id_from(&mut self, feed: Feed, timestamp: Timestamp) -> Result<i64, StoreError> {
            // SQLite finds one end of an index at once, but reads the whole index for both.
            let low = of_feed(feed).select(min(events::id)).limit(1);
            let low: Option<i64> = self.value(LIST, low)?;
            let high = of_feed(feed).select(max(events::id)).limit(1);
            let high: Option<i64> = self.value(LIST, high)?;
            let (Some(mut low), Some(high)) = (low, high) else {
                return Ok(0);
            };
            let mut high = high.saturating_add(1);
            while low < high {
                let middle = low + (high - low) / 2;
                let next = of_feed(feed)
                    .filter(events::id.ge(middle))
                    .order(events::id.asc())
                    .select((events::id, events::created_at))
                    .limit(1);
                let next: Option<(i64, i64)> = self.value_if(LIST, next)?;
                match next {
                    Some((id, created_at)) if created_at < timestamp.as_micros() => low = id + 1,
                    _ => high = middle,
                }
            }
            Ok(low)
        }

        /// Returns the range of ids that contains the entries of the requested days.
        /// Each given end costs a binary search, so it runs once, before the queries.
        fn id_range(&mut self, feed: Feed, days: Days) -> Result<IdRange, StoreError> {
            let mut find = |timestamp: Option<Timestamp>, disorder| {
                timestamp
                    .map(|timestamp| self.first_id_from(feed, timestamp.plus_seconds(disorder)))
                    .transpose()
            };
            Ok(IdRange {
                first: find(days.created_from(), -DISORDER_SECONDS)?,
                end: find(days.created_before(), DISORDER_SECONDS)?,
            })
        }
    }

    impl ReadTx<'_> {
        /// Returns the last entry that a list examines; `None` if it examines all entries of the range.
        fn last_examined(
            &mut self,
            filter: &EventFilter,
            id_range: IdRange,
        ) -> Result<Option<i64>, StoreError> {
            if !filter.is_selective() {
                return Ok(None);
            }
            let all = examined(filter, id_range);
            let last = order_by!(all, filter.sort, events::id);
            self.value_if(LIST, last.offset(EventFilter::MAX_EXAMINED - 1).limit(1))
        }
    }

    impl ::events::EventQueriesWrapper for WriteTx<'_> {}

    impl EventQueries for ReadTx<'_> {
        fn list_project_events(
            &mut self,
            filter: &EventFilter,
            page: OffsetPage,
        ) -> Result<Page<FeedEvent>, StoreError> {
            let feed = Feed::OfProject(filter.project_id);
            let days = self.id_range(feed, filter.days())?;
            let id_range = days.beyond(filter.after_id, filter.sort);
            let last = self.last_examined(filter, id_range)?;
            let id_range = id_range.up_to(last, filter.sort);
            let page = self.page::<EventRow, _, _, _>(
                LIST,
                page,
                filter.sort,
                || matching(filter, id_range),
                |ids, sort| order_by!(ids, sort, events::id),
                // No index begins with the id, so an entry is looked up with its project.
                |ids| {
                    let of_project = events::project_id.eq(filter.project_id.get());
                    events::table
                        .filter(of_project)
                        .filter(events::id.eq_any(ids))
                },
            )?;
            Ok(match last {
                Some(last) => as_part(page, last),
                None => page,
            })
        }

        fn list_author_events(
            &mut self,
            filter: &AuthorFilter,
            limit: usize,
        ) -> Result<Vec<AuthoredEvent>, StoreError> {
            const LIST: &str = "list events of author";
            let feed = Feed::OfPerson(filter.author_id);
            let days = self.id_range(feed, filter.days)?;
            let ids = of_author(filter, days.beyond(filter.after_id, filter.sort));
            let ids = order_by!(ids, filter.sort, events::id).limit(row_limit(limit));
            let ids: Vec<(i64, i16)> = self.values(LIST, ids)?;
            let audiences: BTreeMap<i64, i16> = ids.iter().copied().collect();
            let ids: Vec<i64> = ids.into_iter().map(|(id, _)| id).collect();
            let of_author = events::author_id.eq(filter.author_id.get());
            let rows = events::table.filter(of_author);
            let rows = rows.filter(events::id.eq_any(ids.clone()));
            let found = self.list_in_order::<EventRow>(LIST, &ids, rows)?;
            let authored = found.into_iter().map(|event| {
                let audience = audiences.get(&event.id.get()).copied();
                with_audience(event, audience)
            });
            authored.collect()
        }

        fn find_oldest_event(
            &mut self,
            after: Option<ProjectId>,
        ) -> Result<Option<FeedEvent>, StoreError> {
            let after = after.map_or(i64::MIN, ProjectId::get);
            let next = events::table
                .filter(events::project_id.gt(after))
                .order((events::project_id, events::id))
                .limit(1);
            self.find::<EventRow>("find oldest event", next)
        }

        fn find_event_ids(
            &mut self,
            project_ids: &[ProjectId],
            days: Days,
        ) -> Result<EventIdRange, StoreError> {
            self.ids_of_days(project_ids, days)
        }

        fn list_events_of_projects(
            &mut self,
            filter: &ProjectSetFilter,
            limit: usize,
        ) -> Result<Vec<AuthoredEvent>, StoreError> {
            self.events_of_projects(filter, limit)
        }

        fn list_contributions(
            &mut self,
            filter: &ContributionFilter,
            limit: usize,
        ) -> Result<Vec<ContributionCount>, StoreError> {
            self.contributions_of(filter, limit)
        }

        fn event_id_state(&mut self) -> Result<EventIdState, StoreError> {
            self.id_state()
        }
    }

    /// Selects the entries of a feed.
    fn of_feed(feed: Feed) -> All<'static> {
        match feed {
            Feed::OfProject(project) => events::table
                .filter(events::project_id.eq(project.get()))
                .into_boxed(),
            Feed::OfPerson(author) => events::table
                .filter(events::author_id.eq(author.get()))
                .into_boxed(),
        }
    }

    type All<'t> = events::BoxedQuery<'t, Backend<WriteTx<'t>>>;

    type Ids<'t> = events::BoxedQuery<'t, Backend<WriteTx<'t>>, diesel::sql_types::BigInt>;

    /// Selects the entries that a list examines: those for the audience of its viewer.
    fn examined(filter: &EventFilter, id_range: IdRange) -> Ids<'static> {
        let mut all = events::table
            .select(events::id)
            .filter(events::project_id.eq(filter.project_id.get()))
            .into_boxed();
        // As text, not as a parameter: only then can the planner choose the partial indexes.
        all = match filter.rights.audience {
            Audience::Everyone => all.filter(sql::<Bool>("events.audience = 0")),
            Audience::Reporters => all.filter(sql::<Bool>("events.audience <= 20")),
            Audience::Developers => all,
        };
        if let Some(first) = id_range.first {
            all = all.filter(events::id.ge(first));
        }
        if let Some(end) = id_range.end {
            all = all.filter(events::id.lt(end));
        }
        all
    }

    fn matching(filter: &EventFilter, id_range: IdRange) -> Ids<'static> {
        let mut all = examined(filter, id_range);
        if !filter.rights.reads_pushes {
            all = all.filter(events::action.ne(Action::Pushed.number()));
        }
        if !filter.rights.reads_snippets {
            let other = events::target_type.assume_not_null();
            let other = other.ne(TargetType::Snippet.number());
            all = all.filter(events::target_type.is_null().or(other));
        }
        if let Some(action) = filter.action {
            all = all.filter(events::action.eq(action.number()));
        }
        if let Some(kind) = filter.target_type {
            let same = events::target_type.assume_not_null().eq(kind.number());
            all = all.filter(events::target_type.is_not_null().and(same));
        }
        if let Some(from) = filter.days().created_from() {
            all = all.filter(events::created_at.ge(from.as_micros()));
        }
        if let Some(before) = filter.days().created_before() {
            all = all.filter(events::created_at.lt(before.as_micros()));
        }
        all
    }

    type Authored<'t> = events::BoxedQuery<
        't,
        Backend<WriteTx<'t>>,
        (diesel::sql_types::BigInt, diesel::sql_types::SmallInt),
    >;

    fn of_author(filter: &AuthorFilter, id_range: IdRange) -> Authored<'static> {
        let mut all = events::table
            .select((events::id, events::audience))
            .filter(events::author_id.eq(filter.author_id.get()))
            .into_boxed();
        if let Some(first) = id_range.first {
            all = all.filter(events::id.ge(first));
        }
        if let Some(end) = id_range.end {
            all = all.filter(events::id.lt(end));
        }
        if let Some(from) = filter.days.created_from() {
            all = all.filter(events::created_at.ge(from.as_micros()));
        }
        if let Some(before) = filter.days.created_before() {
            all = all.filter(events::created_at.lt(before.as_micros()));
        }
        all
    }

    impl EventRepository for WriteTx<'_> {
        fn insert_events(&mut self, new: &[NewEvent]) -> Result<(), StoreError> {
            dialect::insert_events(self, new.iter().map(NewEventRow::from).collect())?;
            dialect::add_contributions(self, &count_contributions(new))
        }

        fn delete_events_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let of_project = events::project_id.eq(project.get());
            let ids = events::table
                .filter(of_project)
                .order(events::id)
                .limit(row_limit(limit))
                .select(events::id);
            let ids: Vec<i64> = self.values("list entries to delete", ids)?;
            let its = events::table.filter(of_project);
            let its = its.filter(events::id.eq_any(ids));
            let deleted = self.execute("delete entries", diesel::delete(its))?;
            let left = limit.saturating_sub(deleted);
            Ok(deleted + self.delete_contributions_of_project(project, left)?)
        }

        fn delete_events_before(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let of_project = events::project_id.eq(project.get());
            let oldest = events::table
                .filter(of_project)
                .order(events::id)
                .limit(row_limit(limit))
                .select((events::id, events::created_at));
            self.delete_contributions_before(project, before, limit)?;
            let oldest: Vec<(i64, i64)> = self.values("list the oldest entries", oldest)?;
            let is_old = |created_at: i64| created_at < before.as_micros();
            let old = oldest.into_iter().filter(|(_, at)| is_old(*at));
            let ids: Vec<i64> = old.map(|(id, _)| id).collect();
            if ids.is_empty() {
                return Ok(0);
            }
            let its = events::table.filter(of_project);
            let its = its.filter(events::id.eq_any(ids));
            self.execute("delete old entries", diesel::delete(its))
        }

        fn release_events_of(
            &mut self,
            author: UserId,
            successor: Option<UserId>,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const RELEASE: &str = "release entries of author";
            let its = events::table.filter(events::author_id.eq(author.get()));
            let some = its.order(events::id).limit(row_limit(limit));
            let ids: Vec<i64> = self.values(RELEASE, some.select(events::id))?;
            let its = its.filter(events::id.eq_any(ids));
            let released = match successor {
                Some(id) => {
                    let update = diesel::update(its).set(events::author_id.eq(id.get()));
                    self.execute(RELEASE, update)?
                }
                None => self.execute(RELEASE, diesel::delete(its))?,
            };
            let left = limit.saturating_sub(released);
            Ok(released + self.delete_contributions_of_user(author, left)?)
        }

        fn change_audience(
            &mut self,
            project: ProjectId,
            kind: TargetType,
            ids: &[i64],
            audience: Audience,
        ) -> Result<(), StoreError> {
            self.move_contributions(project, kind, ids, audience)?;
            let about = events::table
                .filter(events::project_id.eq(project.get()))
                .filter(events::target_type.eq(kind.number()))
                .filter(events::target_id.eq_any(ids.to_vec()))
                .filter(sql::<Bool>("audience <= 20"));
            let moved = diesel::update(about).set(events::audience.eq(audience.number()));
            self.execute("move events", moved).map(drop)
        }
    }
}
