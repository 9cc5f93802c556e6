//! Enforcement of the limits that a list of projects may examine.

use ::projects::{ProjectFilter, ProjectOrder};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use api_conventions::time::CalendarDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::projects::limits::{
    Bound, CandidateSet, EXAMINED, FEW, LimitRow, NumberRow, SAMPLE, WALKED,
};
use crate::projects::lower_bound::{self, lower_bound};
use crate::projects::tables::{project_topics, projects};
use crate::projects::{LIST, limits};
use crate::transaction::order_by;
use crate::window::Window;

#[for_each_database(dialect = crate::projects, with(crate::projects::conditions))]
pub(crate) mod database {
    impl ReadTx<'_> {
        fn count_of_projects(&mut self, text: &str) -> Result<i64, StoreError> {
            let row: NumberRow = self.value(LIST, diesel::sql_query(text))?;
            Ok(row.number)
        }

        /// Returns the bound of a list in this order.
        pub(in crate::projects) fn bound(
            &mut self,
            filter: &ProjectFilter,
            order: ProjectOrder,
            sort: SortOrder,
        ) -> Result<Bound, StoreError> {
            if limits::is_indexed(filter, order) {
                return Ok(Bound::None);
            }
            let all = self.count_of_projects(limits::UPPER_BOUND)?;
            if all <= FEW {
                return Ok(Bound::None);
            }
            match self.smallest_scope(filter)? {
                Some(scope) if all > EXAMINED || scope.is_sparse_in(all) => {
                    Ok(Bound::Within(scope))
                }
                _ if all <= EXAMINED => Ok(Bound::None),
                _ => self.before(limits::limit(filter, order, sort, EXAMINED)),
            }
        }

        /// True if the list certainly contains more projects than are counted, as far as this is known without reading
        /// it.
        pub(in crate::projects) fn holds_many(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
        ) -> Result<bool, StoreError> {
            const COUNTED: i64 = Total::COUNT_LIMIT - 1;
            let lower_bound = lower_bound(filter, today);
            if lower_bound.sets.is_empty()
                || self.count_of_projects(limits::UPPER_BOUND)? <= COUNTED
            {
                return Ok(false);
            }
            let mut left_out = 0;
            for rows in lower_bound.left_out {
                left_out += self.count_of_projects(&lower_bound::count(rows, 0))?;
            }
            if left_out > COUNTED {
                return Ok(false);
            }
            for rows in lower_bound.sets {
                let count = self.count_of_projects(&lower_bound::count(&rows, left_out))?;
                if count > COUNTED + left_out {
                    return Ok(true);
                }
            }
            Ok(false)
        }

        /// Returns the ids of a window of a long list, if the first rows of its order contain enough of them.
        pub(in crate::projects) fn near_ids(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
            window: Window,
        ) -> Result<Option<Vec<i64>>, StoreError> {
            let (order, sort) = (filter.order_by, filter.sort);
            for examined in [SAMPLE, WALKED] {
                if window.skip >= examined {
                    continue;
                }
                let near = self.before(limits::limit(filter, order, sort, examined))?;
                let ids = within(matching(filter, today), &near, order, sort);
                let ids = ordered(ids, &near, order, window.direction(sort));
                let ids = self.keys(LIST, window, ids)?;
                if window.is_filled_by(&ids) {
                    return Ok(Some(ids));
                }
            }
            Ok(None)
        }

        /// Returns the bound of a dense list, which contains about every other one of the first projects of its order.
        /// Such a list soon reaches the limit of counting, so no smaller set is searched. Returns `None` for any other
        /// list, and if there are so few projects that all may be examined.
        fn dense_bound(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
            order: ProjectOrder,
            sort: SortOrder,
        ) -> Result<Option<Bound>, StoreError> {
            if limits::is_indexed(filter, order)
                || self.count_of_projects(limits::UPPER_BOUND)? <= EXAMINED
            {
                return Ok(None);
            }
            let sample = self.before(limits::limit(filter, order, sort, SAMPLE))?;
            let matching = within(matching(filter, today), &sample, order, sort);
            if self.count(LIST, matching)? < SAMPLE / 2 {
                return Ok(None);
            }
            let bound = self.before(limits::limit(filter, order, sort, EXAMINED))?;
            Ok(Some(bound))
        }

        /// Returns the bound of a list, and the number of its rows counted up to there.
        pub(in crate::projects) fn counted_bound(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
        ) -> Result<(Bound, i64), StoreError> {
            let (order, sort) = (filter.order_by, filter.sort);
            let matching = |bound: &Bound| within(matching(filter, today), bound, order, sort);
            if let Some(bound) = self.dense_bound(filter, today, order, sort)? {
                let count = self.count(LIST, matching(&bound))?;
                if count >= Total::COUNT_LIMIT {
                    return Ok((bound, count));
                }
            }
            let bound = self.bound(filter, order, sort)?;
            let count = self.count(LIST, matching(&bound))?;
            Ok((bound, count))
        }

        /// Returns the smallest set of projects that contains the whole list, if it is small enough to be examined.
        fn smallest_scope(
            &mut self,
            filter: &ProjectFilter,
        ) -> Result<Option<CandidateSet>, StoreError> {
            let mut smallest: Option<CandidateSet> = None;
            for topic in &filter.topics {
                if let Some(few) = self.few_with_topic(topic)? {
                    return Ok(Some(few));
                }
            }
            for ids in limits::scopes(filter) {
                let count = self.count_of_projects(&limits::count(&ids))?;
                let scope = CandidateSet { ids, count };
                if count <= FEW {
                    return Ok(Some(scope));
                }
                let least = smallest.as_ref().map_or(EXAMINED + 1, |scope| scope.count);
                if count < least {
                    smallest = Some(scope);
                }
            }
            Ok(smallest)
        }

        /// Returns the projects with a topic, if they are few.
        fn few_with_topic(&mut self, topic: &str) -> Result<Option<CandidateSet>, StoreError> {
            let ids = project_topics::table
                .filter(project_topics::topic_key.eq(topic.to_lowercase()))
                .select(project_topics::project_id)
                .limit(FEW + 1);
            let ids: Vec<i64> = self.values(LIST, ids)?;
            Ok(CandidateSet::of_few(&ids))
        }

        /// Returns the bound before the row that a statement selects; no bound if the order ends before that.
        fn before(&mut self, limit: String) -> Result<Bound, StoreError> {
            let row = self.value_if(LIST, diesel::sql_query(limit))?;
            Ok(row.map_or(Bound::None, Bound::Before))
        }

        /// Returns the bound for one page of a list within many projects, through the index of its order, where the
        /// page is likely to be full soon.
        /// Returns `None` if the list is read in another way.
        fn walk(
            &mut self,
            bound: &Bound,
            filter: &ProjectFilter,
            order: ProjectOrder,
            sort: SortOrder,
        ) -> Result<Option<Bound>, StoreError> {
            match bound {
                Bound::Within(scope) if scope.count > FEW => {
                    let limit = limits::limit(filter, order, sort, WALKED);
                    Ok(Some(self.before(limit)?))
                }
                _ => Ok(None),
            }
        }

        /// Returns the ids in a window of a list.
        pub(in crate::projects) fn ids_in(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
            bound: &Bound,
            window: Window,
        ) -> Result<Vec<i64>, StoreError> {
            let (order, sort) = (filter.order_by, filter.sort);
            let read = |bound: &Bound| {
                let ids = within(matching(filter, today), bound, order, sort);
                ordered(ids, bound, order, window.direction(sort))
            };
            if window.is_of_many()
                && let Some(walk) = self.walk(bound, filter, order, sort)?
            {
                let ids = self.keys(LIST, window, read(&walk))?;
                if window.is_filled_by(&ids) {
                    return Ok(ids);
                }
            }
            self.keys(LIST, window, read(bound))
        }

        /// Returns the ids of a section of a list by id.
        /// They are searched among the first rows of the order, then further on, and finally in the smallest set that
        /// contains the list.
        pub(in crate::projects) fn ids_after(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
            page: KeysetPage,
        ) -> Result<(Vec<i64>, Bound), StoreError> {
            let (order, sort) = (ProjectOrder::Id, page.sort());
            let wanted = page.fetch_limit();
            let read = |bound: &Bound| {
                let ids = within(matching(filter, today), bound, order, sort);
                ordered(ids, bound, order, sort).limit(wanted)
            };
            let is_full = |ids: &Vec<i64>| i64::try_from(ids.len()) == Ok(wanted);
            if !limits::is_indexed(filter, order) {
                let first = self.before(limits::limit(filter, order, sort, SAMPLE))?;
                let ids: Vec<i64> = self.values(LIST, read(&first))?;
                if is_full(&ids) || matches!(first, Bound::None) {
                    return Ok((ids, first));
                }
            }
            let bound = self.bound(filter, order, sort)?;
            if let Some(walk) = self.walk(&bound, filter, order, sort)? {
                let ids: Vec<i64> = self.values(LIST, read(&walk))?;
                if is_full(&ids) {
                    return Ok((ids, bound));
                }
            }
            Ok((self.values(LIST, read(&bound))?, bound))
        }
    }

    /// Restricts the projects to the bound.
    fn within(ids: Ids, bound: &Bound, order: ProjectOrder, sort: SortOrder) -> Ids {
        match bound {
            Bound::None => ids,
            Bound::Within(scope) => ids.filter(sql::<Bool>(&format!("projects.id IN ({scope})"))),
            Bound::Before(row) => ids.filter(before(row, order, sort)),
        }
    }

    /// Returns the condition that a project comes before a row of an order.
    /// Compares the key alone first, so that the database can seek to it in the index.
    fn before(row: &LimitRow, order: ProjectOrder, sort: SortOrder) -> Condition {
        let key = limits::key(order);
        let sign = match sort {
            SortOrder::Ascending => "<",
            SortOrder::Descending => ">",
        };
        let id = row.id;
        if let Some(text) = &row.text {
            return Box::new(
                sql::<Bool>(&format!("(projects.{key} {sign}= "))
                    .bind::<Text, _>(text.clone())
                    .sql(&format!(" AND (projects.{key} {sign} "))
                    .bind::<Text, _>(text.clone())
                    .sql(&format!(" OR projects.id {sign} {id}))")),
            );
        }
        let number = row.number.unwrap_or(id);
        Box::new(sql::<Bool>(&format!(
            "(projects.{key} {sign}= {number} AND (projects.{key} {sign} {number} OR projects.id {sign} {id}))"
        )))
    }

    /// Orders the projects.
    /// A few projects are sorted; all others are read from the index of the order.
    fn ordered(ids: Ids, bound: &Bound, order: ProjectOrder, sort: SortOrder) -> Ids {
        if let Bound::Within(_) = bound {
            let key = sql::<BigInt>(&limits::unindexed_key(order));
            return order_by!(ids, sort, key, projects::id);
        }
        match order {
            ProjectOrder::Id => order_by!(ids, sort, projects::id),
            ProjectOrder::Name => order_by!(ids, sort, projects::name_key, projects::id),
            ProjectOrder::Path => order_by!(ids, sort, projects::path_key, projects::id),
            ProjectOrder::CreatedAt => order_by!(ids, sort, projects::created_at, projects::id),
            ProjectOrder::UpdatedAt => order_by!(ids, sort, projects::updated_at, projects::id),
            ProjectOrder::LastActivityAt => {
                order_by!(ids, sort, projects::last_activity_at, projects::id)
            }
        }
    }
}
