//! Query plans of lists: the conditions by which an index finds the rows, the conditions that filter those rows, and
//! whether the index has the order of the list.
//! Rows that an index does not limit are counted first, and a list with too many of them is refused.

use ::pipelines::model::TimeRange;
use api_conventions::page::{OffsetPage, SortOrder, Total};
use api_conventions::time::Timestamp;
use diesel::sql_types::BigInt;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use crate::bulk::ComposedQuery;
use crate::search::pattern;
use crate::window::Window;

/// Maximum number of rows that a list may examine, if no index covers the list exactly.
pub(super) const EXAMINED: i64 = 100_000;

/// A condition on a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum QueryCondition {
    /// A comparison of the column with a number.
    Number(&'static str, &'static str, i64),
    /// The column equals this text.
    Text(&'static str, String),
    /// The column contains this text, case-insensitively.
    Holds(&'static str, String),
    /// The status is one of these.
    Statuses(Vec<i16>),
    /// A condition without a value.
    Is(&'static str),
}

impl QueryCondition {
    pub(super) fn equal(column: &'static str, number: i64) -> Self {
        Self::Number(column, "=", number)
    }

    /// Returns the conditions of a range of time.
    pub(super) fn range(column: &'static str, range: TimeRange) -> impl Iterator<Item = Self> {
        let after = range.after.map(|time| (">=", time));
        let ends = [after, range.before.map(|time| ("<=", time))];
        let number = move |(comparison, time): (&'static str, Timestamp)| {
            Self::Number(column, comparison, time.as_micros())
        };
        ends.into_iter().flatten().map(number)
    }

    /// Appends the condition to a query.
    /// If no index may be chosen for it, it is written so that none can be.
    fn write(&self, query: &mut ComposedQuery<BigInt>, is_for_index: bool) {
        match self {
            Self::Number(column, comparison, number) => {
                let sum = if is_for_index { "" } else { " + 0" };
                query.sql(format!("{column}{sum} {comparison} {number}"));
            }
            Self::Text(column, text) => {
                let join = if is_for_index { "" } else { " || ''" };
                query.sql(format!("{column}{join} = ")).bind(text);
            }
            Self::Holds(column, text) => {
                query.sql(format!("lower({column}) LIKE lower("));
                query.bind(pattern(text)).sql(") ESCAPE '\\'");
            }
            Self::Statuses(statuses) => {
                let sum = if is_for_index { "" } else { " + 0" };
                let all: Vec<String> = statuses.iter().map(i16::to_string).collect();
                query.sql(format!("status{sum} IN ({})", all.join(", ")));
            }
            Self::Is(text) => {
                query.sql(*text);
            }
        }
    }
}

/// Sort key of a list before the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// No key: by id only.
    Id,
    /// A column.
    Column(&'static str),
    /// A column, with ids from the highest in either direction.
    HighestFirst(&'static str),
}

/// Query plan of a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) table: &'static str,
    /// Conditions by which an index finds the rows.
    pub(super) found_by: Vec<QueryCondition>,
    /// Conditions that filter those rows.
    pub(super) filtered_by: Vec<QueryCondition>,
    pub(super) order: Order,
    pub(super) sort: SortOrder,
    /// True if that index has the order of the list.
    pub(super) is_in_order: bool,
    /// Maximum number of rows that the index may find, if some of them are filtered out or all are sorted.
    pub(super) max_found: Option<i64>,
}

impl Plan {
    /// True if no row can match, because there is an empty list of statuses.
    pub(super) fn is_of_nothing(&self) -> bool {
        let mut all = self.found_by.iter().chain(&self.filtered_by);
        all.any(|condition| *condition == QueryCondition::Statuses(Vec::new()))
    }

    /// Appends the table, with some of the conditions.
    fn write<'c>(
        &self,
        query: &mut ComposedQuery<BigInt>,
        found_by: impl IntoIterator<Item = &'c QueryCondition>,
        with_filters: bool,
    ) {
        query.sql(format!(" FROM {} WHERE ", self.table));
        for (place, condition) in found_by.into_iter().enumerate() {
            query.sql(if place > 0 { " AND " } else { "" });
            condition.write(query, true);
        }
        for condition in self.filtered_by.iter().filter(|_| with_filters) {
            query.sql(" AND ");
            condition.write(query, false);
        }
    }

    /// Counts the matching rows up to a limit, optionally without the filter conditions, to learn how many rows would
    /// be examined.
    fn count(&self, limit: i64, with_filters: bool) -> ComposedQuery<BigInt> {
        let mut query = ComposedQuery::new("SELECT COUNT(*) FROM (SELECT 1");
        self.write(&mut query, &self.found_by, with_filters);
        query.sql(format!(" LIMIT {limit}) AS counted"));
        query
    }

    fn order_by(&self, sort: SortOrder) -> String {
        let other = |sort| match sort {
            SortOrder::Ascending => ("ASC", "DESC"),
            SortOrder::Descending => ("DESC", "ASC"),
        };
        let (direction, opposite) = other(sort);
        let id = if self.is_in_order { "id" } else { "id + 0" };
        match self.order {
            Order::Id => format!(" ORDER BY {id} {direction}"),
            Order::Column(column) => format!(" ORDER BY {column} {direction}, {id} {direction}"),
            Order::HighestFirst(column) => {
                // When read from the other end, ties begin with the lowest id.
                let is_turned = sort != self.sort;
                let of_ties = match (sort, is_turned) {
                    (SortOrder::Descending, false) | (SortOrder::Ascending, true) => direction,
                    _ => opposite,
                };
                format!(" ORDER BY {column} {direction}, {id} {of_ties}")
            }
        }
    }

    /// Selects the ids of a section of the list in this direction.
    /// An index has the order of the rows of one status, so several statuses merge the beginnings of several lists.
    fn ids(&self, sort: SortOrder, skip: i64, take: i64) -> ComposedQuery<BigInt> {
        let order = self.order_by(sort);
        let cut = format!(" LIMIT {take} OFFSET {skip}");
        let statuses = self.found_by.iter().find_map(|condition| match condition {
            QueryCondition::Statuses(statuses) if self.is_in_order && self.order == Order::Id => {
                Some(statuses)
            }
            _ => None,
        });
        let Some(statuses) = statuses else {
            let mut query = ComposedQuery::new("SELECT id");
            self.write(&mut query, &self.found_by, true);
            query.sql(order).sql(cut);
            return query;
        };
        let is_other =
            |condition: &&QueryCondition| !matches!(condition, QueryCondition::Statuses(_));
        let others: Vec<&QueryCondition> = self.found_by.iter().filter(is_other).collect();
        let limit = skip.saturating_add(take);
        let mut query = ComposedQuery::new("SELECT id FROM (");
        for (place, status) in statuses.iter().enumerate() {
            let of_status = QueryCondition::equal("status", i64::from(*status));
            query.sql(if place > 0 { " UNION ALL " } else { "" });
            query.sql("SELECT * FROM (SELECT id");
            let found_by = others.iter().copied().chain([&of_status]);
            self.write(&mut query, found_by, true);
            query.sql(format!("{order} LIMIT {limit}) AS s{place}"));
        }
        query.sql(format!(") AS merged{order}{cut}"));
        query
    }
}

fn too_much(operation: &'static str) -> StoreError {
    let error = StoreError::new(StoreErrorKind::TooMuchWork, operation);
    error.with_detail("too many rows match")
}

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Refuses a list that would examine too many rows.
        fn bound_plan(&mut self, operation: &'static str, plan: &Plan) -> Result<(), StoreError> {
            let Some(max_found) = plan.max_found else {
                return Ok(());
            };
            let found: i64 = self.value(operation, plan.count(max_found + 1, false))?;
            if found > max_found {
                return Err(too_much(operation));
            }
            Ok(())
        }

        /// Returns the ids of a page, in the order of the list, and its window.
        pub(in crate::pipelines) fn ids_of_page(
            &mut self,
            operation: &'static str,
            plan: &Plan,
            page: OffsetPage,
        ) -> Result<(Window, Vec<i64>), StoreError> {
            if plan.is_of_nothing() {
                return Ok((Window::of(page, 0), Vec::new()));
            }
            self.bound_plan(operation, plan)?;
            let count: i64 = self.value(operation, plan.count(Total::COUNT_LIMIT, true))?;
            let window = Window::of(page, count);
            if window.is_empty() {
                return Ok((window, Vec::new()));
            }
            let sort = window.direction(plan.sort);
            let ids = self.values(operation, plan.ids(sort, window.skip, window.take))?;
            Ok((window, window.in_order(ids)))
        }

        /// Returns the ids of the first rows of a list.
        pub(in crate::pipelines) fn first_ids(
            &mut self,
            operation: &'static str,
            plan: &Plan,
            take: i64,
        ) -> Result<Vec<i64>, StoreError> {
            if plan.is_of_nothing() {
                return Ok(Vec::new());
            }
            self.bound_plan(operation, plan)?;
            self.values(operation, plan.ids(plan.sort, 0, take))
        }
    }
}
