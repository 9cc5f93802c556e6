//! Lists of runners: the conditions of a filter, and the end of the examined part.
//!
//! Indexes have the runners of each kind and each place. The other conditions are examined row by row among the first
//! runners of that order, and a list that these do not decide is refused.

use ::pipelines::model::{
    ContactFilter, ContactState, Runner, RunnerFilter, RunnerPlace, RunnersOf,
};
use api_conventions::ids::RunnerId;
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::runner::{RunnerRow, runner_places, runners};
use crate::transaction::order_by;
use crate::window::Window;

/// Runners that one request may examine.
const EXAMINED: i64 = 100_000;

const LIST: &str = "list runners";

fn too_many() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, LIST)
        .with_detail(format!("more than {EXAMINED} runners"))
}

/// Id that no place has. A condition without ids would make SQLite read a whole table.
const NO_PLACE: i64 = -1;

/// Returns the ids of the places of a kind; [`NO_PLACE`] if there are none.
fn ids_of(places: &[RunnerPlace], kind: i16) -> Vec<i64> {
    let numbers = places.iter().map(|place| place.numbers());
    let of_kind = numbers.filter(|(of, _)| *of == kind);
    let mut ids: Vec<i64> = of_kind.map(|(_, id)| id).collect();
    if ids.is_empty() {
        ids.push(NO_PLACE);
    }
    ids
}

#[for_each_database(dialect = crate::pipelines)]
mod database {
    impl ReadTx<'_> {
        /// Returns a page of the matching runners.
        pub(in crate::pipelines) fn page_of_runners(
            &mut self,
            filter: &RunnerFilter,
            page: OffsetPage,
        ) -> Result<Page<Runner>, StoreError> {
            let first = of_filter(filter).order(runners::id);
            let end: Option<i64> = self.value_if(LIST, first.offset(EXAMINED).limit(1))?;
            let matching = || matching(filter, end);
            let count = self.count(LIST, matching())?;
            let window = match end {
                Some(_) => Window::of_some(page, count).ok_or_else(too_many)?,
                None => Window::of(page, count),
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = order_by!(
                matching(),
                window.direction(SortOrder::Ascending),
                runners::id
            );
            let ids = self.keys(LIST, window, ids)?;
            let rows = runners::table.filter(runners::id.eq_any(ids.clone()));
            let page = window.page(self.list_in_order::<RunnerRow>(LIST, &ids, rows)?);
            // Behind the examined part there may be more matches or none.
            match end {
                Some(_) if !page.has_next => Err(too_many()),
                _ => Ok(page),
            }
        }
    }

    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Ids = runners::BoxedQuery<'static, Db, BigInt>;

    /// Returns the ids of the runners that the list is about, by indexes, not ordered yet.
    fn of_filter(filter: &RunnerFilter) -> Ids {
        let mut ids = runners::table.select(runners::id).into_boxed::<Db>();
        if let Some(kind) = filter.runner_type {
            ids = ids.filter(runners::runner_type.eq(kind.number()));
        }
        let RunnersOf::Places(places) = &filter.of else {
            return ids;
        };
        let (kind, place) = (runner_places::place_kind, runner_places::place_id);
        let [instance, group, project] = [1, 2, 3];
        let with_place = (kind
            .eq(instance)
            .and(place.eq_any(ids_of(places, instance))))
        .or(kind.eq(group).and(place.eq_any(ids_of(places, group))))
        .or(kind.eq(project).and(place.eq_any(ids_of(places, project))));
        let runner_ids = runner_places::table
            .filter(with_place)
            .select(runner_places::runner_id);
        ids.filter(runners::id.eq_any(runner_ids))
    }

    /// Returns the ids of the matching runners before `end`, not ordered yet.
    fn matching(filter: &RunnerFilter, end: Option<i64>) -> Ids {
        let mut ids = of_filter(filter);
        if let Some(end) = end {
            ids = ids.filter(runners::id.lt(end));
        }
        if let Some(paused) = filter.paused {
            ids = ids.filter(runners::paused.eq(paused));
        }
        for tag in &filter.tags {
            let found = sql::<Bool>(dialect::POSITION)
                .sql("(tags, ")
                .bind::<Text, _>(format!("\n{tag}\n"))
                .sql(") > 0");
            ids = ids.filter(found);
        }
        match &filter.contact {
            Some(contact) => with_contact(ids, contact),
            None => ids,
        }
    }

    fn with_contact(ids: Ids, contact: &ContactFilter) -> Ids {
        let at = runners::contacted_at;
        let since = contact.online_since.as_micros();
        let live: Vec<i64> = contact.live.iter().copied().map(RunnerId::get).collect();
        let is_live = runners::id.eq_any(live.clone());
        let is_not_live = runners::id.ne_all(live);
        match contact.state {
            ContactState::Online => ids.filter(at.gt(since).assume_not_null().or(is_live)),
            ContactState::Offline => ids.filter(at.le(since)).filter(is_not_live),
            ContactState::NotConnected => ids.filter(at.is_null()).filter(is_not_live),
            ContactState::Stale => {
                let until = Timestamp::as_micros(contact.stale_until);
                ids.filter(runners::created_at.le(until))
                    .filter(at.is_null().or(at.le(until)))
                    .filter(is_not_live)
            }
        }
    }
}
