//! Lists of errors that are too long for one request: a part of the list, and its end.

use api_conventions::ids::ErrorId;
use api_conventions::page::{OffsetPage, Page, Total};
use error_tracking::model::{ErrorFilter, TrackedError};
use error_tracking::store::ErrorQueries as _;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::EXAMINED;
use super::lists;
use crate::window::Window;

/// Errors of one part.
/// It is a range in the index of the order, so its end is found without checking the conditions.
const PART: i64 = 25_000;

/// Strategy for reading a list of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListStrategy {
    /// In the index of its order, as a whole.
    InOrder,
    /// From the index of its tag, which few errors have among many, with a sort afterwards.
    ByTag,
    /// In the index of its order, one part per request, because no index answers its conditions and there are more
    /// errors than one request may examine.
    InParts,
}

const LIST: &str = "list errors";

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Chooses the strategy for a list.
        pub(in crate::errors) fn list_strategy(
            &mut self,
            filter: &ErrorFilter,
        ) -> Result<ListStrategy, StoreError> {
            if !lists::has_conditions(filter) {
                return Ok(ListStrategy::InOrder);
            }
            let all = ErrorFilter::new(filter.project_id);
            let count: i64 = self.value(LIST, lists::count(&all, EXAMINED + 1))?;
            if count <= EXAMINED {
                return Ok(ListStrategy::InOrder);
            }
            if filter.tags.is_empty() {
                return Ok(ListStrategy::InParts);
            }
            let tagged: i64 = self.value(LIST, lists::count_of_tag(filter, EXAMINED + 1))?;
            if tagged > EXAMINED {
                return Ok(ListStrategy::InParts);
            }
            let count: i64 = self.value(LIST, lists::count(filter, Total::COUNT_LIMIT))?;
            if count < Total::COUNT_LIMIT {
                Ok(ListStrategy::ByTag)
            } else {
                Ok(ListStrategy::InParts)
            }
        }

        /// Returns a page of the part of a list that begins behind the position of the filter.
        pub(in crate::errors) fn errors_in_part(
            &mut self,
            filter: &ErrorFilter,
            page: OffsetPage,
        ) -> Result<Page<TrackedError>, StoreError> {
            let all = ErrorFilter {
                status: filter.status,
                order_by: filter.order_by,
                sort: filter.sort,
                after: filter.after,
                ..ErrorFilter::new(filter.project_id)
            };
            let last = lists::ids(&all, None, filter.sort, PART - 1, 1);
            let last: Option<i64> = self.value_if(LIST, last)?;
            let last = match last {
                Some(id) => self.find_error_by_id(ErrorId::new(id))?,
                None => None,
            };
            let until = last.map(|error| filter.order_by.position(&error));
            let count = lists::count_in_order(filter, until, Total::COUNT_LIMIT);
            let window = Window::of(page, self.value(LIST, count)?);
            let ids = if window.is_empty() {
                Vec::new()
            } else {
                let direction = window.direction(filter.sort);
                let ids = lists::ids(filter, until, direction, window.skip, window.take);
                window.in_order(self.values(LIST, ids)?)
            };
            let mut found = window.page(self.errors_in_order(&ids)?);
            if let Some(until) = until {
                found.total = if found.has_next {
                    Total::Uncounted
                } else {
                    Total::Unfinished(until)
                };
                found.has_next = true;
            }
            Ok(found)
        }
    }
}
