//! The feed.

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use events::{Audience, Event, EventFilter, EventQueries, EventRepository, NewEvent};
use storage::StoreError;

use crate::capped_count::CappedCount;
use crate::error::from_diesel;
use crate::rows::events::{EventRow, NewEventRow};
use crate::schema::events as event_table;
use crate::window::Window;

/// How far the order of ids and the order of moments may differ: clocks of several nodes, and the time that an
/// entry waits to be written.
const DISORDER_SECONDS: i64 = 3600;

/// The ids that the entries of some days lie between; `None` for an end that is open.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    first: Option<i64>,
    end: Option<i64>,
}

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

            /// The ids between which the entries of the wanted days stand. Each end that is there costs a search
            /// by halving, so they are looked for once, before the queries.
            fn bounds(
                connection: &mut $connection,
                filter: &EventFilter,
            ) -> Result<Bounds, diesel::result::Error> {
                let mut find = |moment: Option<Timestamp>, disorder| {
                    moment
                        .map(|moment| first_id_from(connection, moment.plus_seconds(disorder)))
                        .transpose()
                };
                Ok(Bounds {
                    first: find(filter.created_from(), -DISORDER_SECONDS)?,
                    end: find(filter.created_before(), DISORDER_SECONDS)?,
                })
            }

            fn conditions(filter: &EventFilter, bounds: Bounds) -> Vec<Condition> {
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
                if let Some(first) = bounds.first {
                    all.push(Box::new(event_table::id.ge(first)));
                }
                if let Some(end) = bounds.end {
                    all.push(Box::new(event_table::id.lt(end)));
                }
                if let Some(from) = filter.created_from() {
                    all.push(Box::new(event_table::created_at.ge(from.as_micros())));
                }
                if let Some(before) = filter.created_before() {
                    all.push(Box::new(event_table::created_at.lt(before.as_micros())));
                }
                all
            }

            impl EventQueries for Tx<'_> {
                fn list_project_events(
                    &mut self,
                    filter: &EventFilter,
                    page: OffsetPage,
                ) -> Result<Page<Event>, StoreError> {
                    let failed = |e| from_diesel("list events", e);
                    let bounds = bounds(self.connection()?, filter).map_err(failed)?;
                    let matching = || {
                        let ids = event_table::table.select(event_table::id);
                        let conditions = conditions(filter, bounds).into_iter();
                        conditions.fold(ids.into_boxed::<Db>(), |ids, condition| {
                            ids.filter(condition)
                        })
                    };
                    let count: i64 = CappedCount(matching().limit(Total::COUNT_LIMIT))
                        .get_result(self.connection()?)
                        .map_err(|e| from_diesel("count events", e))?;
                    let window = Window::of(page, count);
                    if window.is_empty() {
                        return Ok(window.page(Vec::new()));
                    }
                    // The page's ids come from the index alone; only the rows of the page are read whole.
                    let ids = match window.direction(filter.sort) {
                        SortOrder::Ascending => matching().order(event_table::id.asc()),
                        SortOrder::Descending => matching().order(event_table::id.desc()),
                    };
                    let ids: Vec<i64> = ids
                        .offset(window.skip)
                        .limit(window.take)
                        .load(self.connection()?)
                        .map_err(failed)?;
                    let mut rows: Vec<EventRow> = event_table::table
                        .filter(event_table::id.eq_any(ids))
                        .order(event_table::id.asc())
                        .select(EventRow::as_select())
                        .load(self.connection()?)
                        .map_err(failed)?;
                    if filter.sort == SortOrder::Descending {
                        rows.reverse();
                    }
                    let items: Result<Vec<Event>, StoreError> =
                        rows.into_iter().map(EventRow::read).collect();
                    Ok(window.page(items?))
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl EventRepository for WriteTx<'_> {
            fn insert_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError> {
                let rows: Vec<NewEventRow<'_>> = events.iter().map(NewEventRow::from).collect();
                batch::insert_events(self, &rows)
            }
        }
    };
}

super::for_each_database!(queries, repository, batch);
