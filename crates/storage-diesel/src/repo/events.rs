//! The feed.

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use events::{Audience, Event, EventFilter, EventQueries, EventRepository, NewEvent};
use storage::StoreError;

use crate::capped_count::{CappedCount, count_of};
use crate::error::from_diesel;
use crate::rows::events::{EventRow, NewEventRow};
use crate::schema::events as event_table;

/// How far the order of ids and the order of moments may differ: clocks of several nodes, and the time that an
/// entry waits to be written.
const DISORDER_SECONDS: i64 = 3600;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;
            type Db = <$connection as diesel::Connection>::Backend;
            type Condition = Box<dyn BoxableExpression<event_table::table, Db, SqlType = Bool>>;

            /// The first id whose entry is from `moment` or later, found by halving the range of ids. So moments
            /// need no index of their own.
            fn first_id_from(
                connection: &mut $connection,
                moment: Timestamp,
            ) -> Result<i64, diesel::result::Error> {
                let ends = event_table::table
                    .select((
                        diesel::dsl::min(event_table::id),
                        diesel::dsl::max(event_table::id),
                    ))
                    .first::<(Option<i64>, Option<i64>)>(connection)?;
                let (Some(mut low), Some(high)) = ends else {
                    return Ok(0);
                };
                let mut high = high.saturating_add(1);
                while low < high {
                    let middle = low + (high - low) / 2;
                    let next = event_table::table
                        .filter(event_table::id.ge(middle))
                        .order(event_table::id.asc())
                        .select((event_table::id, event_table::created_at))
                        .first::<(i64, i64)>(connection)
                        .optional()?;
                    match next {
                        Some((id, created_at)) if created_at < moment.as_micros() => low = id + 1,
                        _ => high = middle,
                    }
                }
                Ok(low)
            }

            fn conditions(
                connection: &mut $connection,
                filter: &EventFilter,
            ) -> Result<Vec<Condition>, diesel::result::Error> {
                let mut all: Vec<Condition> = vec![Box::new(
                    event_table::project_id.eq(filter.project_id.get()),
                )];
                if filter.audience == Audience::Everyone {
                    // As text, not as a parameter: only so can the partial index be chosen.
                    all.push(Box::new(sql::<Bool>("events.audience = 0")));
                }
                if let Some(action) = filter.action {
                    all.push(Box::new(event_table::action.eq(action.number())));
                }
                if let Some(kind) = filter.target_type {
                    let same = event_table::target_type.assume_not_null().eq(kind.number());
                    all.push(Box::new(event_table::target_type.is_not_null().and(same)));
                }
                if let Some(from) = filter.created_from() {
                    let first = first_id_from(connection, from.plus_seconds(-DISORDER_SECONDS))?;
                    all.push(Box::new(
                        event_table::id
                            .ge(first)
                            .and(event_table::created_at.ge(from.as_micros())),
                    ));
                }
                if let Some(before) = filter.created_before() {
                    let end = first_id_from(connection, before.plus_seconds(DISORDER_SECONDS))?;
                    all.push(Box::new(
                        event_table::id
                            .lt(end)
                            .and(event_table::created_at.lt(before.as_micros())),
                    ));
                }
                Ok(all)
            }

            impl EventQueries for Tx<'_, $connection> {
                fn list_project_events(
                    &mut self,
                    filter: &EventFilter,
                    page: OffsetPage,
                ) -> Result<Page<Event>, StoreError> {
                    let failed = |e| from_diesel("list events", e);
                    // The page's ids come from the index alone; only the rows of the page are read whole.
                    let mut ids = event_table::table
                        .select(event_table::id)
                        .into_boxed::<Db>();
                    for condition in conditions(self.connection, filter).map_err(failed)? {
                        ids = ids.filter(condition);
                    }
                    let ids = match filter.sort {
                        SortOrder::Ascending => ids.order(event_table::id.asc()),
                        SortOrder::Descending => ids.order(event_table::id.desc()),
                    };
                    let ids: Vec<i64> = ids
                        .offset(page.offset())
                        .limit(page.fetch_limit())
                        .load(self.connection)
                        .map_err(failed)?;
                    let mut counted = event_table::table
                        .select(event_table::id)
                        .into_boxed::<Db>();
                    for condition in conditions(self.connection, filter).map_err(failed)? {
                        counted = counted.filter(condition);
                    }
                    let count: i64 = CappedCount(counted.limit(Total::COUNT_LIMIT))
                        .get_result(self.connection)
                        .map_err(|e| from_diesel("count events", e))?;
                    let mut rows: Vec<EventRow> = event_table::table
                        .filter(event_table::id.eq_any(ids))
                        .order(event_table::id.asc())
                        .select(EventRow::as_select())
                        .load(self.connection)
                        .map_err(failed)?;
                    if filter.sort == SortOrder::Descending {
                        rows.reverse();
                    }
                    let items: Result<Vec<Event>, StoreError> =
                        rows.into_iter().map(EventRow::read).collect();
                    Ok(Page::from_fetched(items?, page, count_of(count)))
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl EventRepository for crate::repo::WriteTx<'_, $connection> {
            fn insert_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
                let rows: Vec<NewEventRow<'_>> = events.iter().map(NewEventRow::from).collect();
                batch::insert_events(self.connection, &rows)
                    .map_err(|e| from_diesel("insert events", e))
            }
        }
    };
}

super::for_each_database!(queries, repository, batch);
