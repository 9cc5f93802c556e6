//! Lists of access tokens: the conditions of a filter, and the end of the examined part.
//!
//! An index has the tokens of each user in the order of their ids, another one those that were not revoked, and a third
//! one those of each project and group. Other conditions are examined row by row among the first tokens of that order, and a list that these do not decide is
//! refused.

use accounts::{AccessToken, TokenFilter, TokenKind, TokenValidity};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::limits::EXAMINED;
use super::rows::tokens::{TokenRow, access_tokens, place_id, token_kind};
use crate::search::pattern;
use crate::transaction::order_by;
use crate::window::Window;

const LIST: &str = "list tokens";

fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, LIST)
        .with_detail(format!("more than {EXAMINED} tokens"))
}

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Returns a page of the matching tokens.
        pub(in crate::accounts) fn page_of_tokens(
            &mut self,
            filter: &TokenFilter,
            page: OffsetPage,
        ) -> Result<Page<AccessToken>, StoreError> {
            let end = self.end_of_examined(filter)?;
            let matching = || matching(filter, end);
            let count = self.count(LIST, matching())?;
            let window = match end {
                Some(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                None => Window::of(page, count),
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = order_by!(
                matching(),
                window.direction(SortOrder::Ascending),
                access_tokens::id
            );
            let ids = self.keys(LIST, window, ids)?;
            let rows = access_tokens::table.filter(access_tokens::id.eq_any(ids.clone()));
            let page = window.page(self.list_in_order::<TokenRow>(LIST, &ids, rows)?);
            // Behind the examined part there may be more matches or none.
            match end {
                Some(_) if !page.has_next => Err(too_much()),
                _ => Ok(page),
            }
        }

        /// Id of the first token that the list may not examine; `None` if it may examine all of its tokens.
        fn end_of_examined(&mut self, filter: &TokenFilter) -> Result<Option<i64>, StoreError> {
            if filter.is_by_user_alone() {
                return Ok(None);
            }
            let mut ids = access_tokens::table
                .select(access_tokens::id)
                .into_boxed::<Db>();
            if let Some(user) = filter.user_id {
                ids = ids.filter(access_tokens::user_id.eq(user.get()));
            }
            if let Some(kind) = filter.kind.filter(|kind| place_id(*kind).is_some()) {
                ids = of_kind(ids, kind);
            }
            if is_of_unrevoked(filter) {
                ids = ids.filter(access_tokens::revoked_at.is_null());
            }
            let end = ids.order(access_tokens::id).offset(EXAMINED).limit(1);
            self.value_if(LIST, end)
        }
    }

    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Ids = access_tokens::BoxedQuery<'static, Db, BigInt>;

    /// True if the filter leaves out all revoked tokens.
    fn is_of_unrevoked(filter: &TokenFilter) -> bool {
        matches!(filter.validity, Some(TokenValidity::Valid(_))) || filter.is_revoked == Some(false)
    }

    /// Adds the condition of a kind. An index has the tokens of each project and group.
    fn of_kind(ids: Ids, kind: TokenKind) -> Ids {
        let ids = ids.filter(access_tokens::kind.eq(token_kind(kind)));
        match place_id(kind) {
            Some(place) => ids.filter(access_tokens::place_id.eq(place)),
            None => ids,
        }
    }

    /// Returns the ids of the matching tokens before `end`, not ordered yet.
    fn matching(filter: &TokenFilter, end: Option<i64>) -> Ids {
        let mut ids = access_tokens::table
            .select(access_tokens::id)
            .into_boxed::<Db>();
        if let Some(end) = end {
            ids = ids.filter(access_tokens::id.lt(end));
        }
        if let Some(user) = filter.user_id {
            ids = ids.filter(access_tokens::user_id.eq(user.get()));
        }
        if let Some(kind) = filter.kind {
            ids = of_kind(ids, kind);
        }
        match filter.validity {
            None => {}
            Some(TokenValidity::Valid(day)) => {
                ids = ids
                    .filter(access_tokens::revoked_at.is_null())
                    .filter(access_tokens::expires_on.gt(day.as_days()));
            }
            Some(TokenValidity::Invalid(day)) => {
                let is_revoked = access_tokens::revoked_at.is_not_null();
                ids = ids.filter(is_revoked.or(access_tokens::expires_on.le(day.as_days())));
            }
        }
        match filter.is_revoked {
            None => {}
            Some(true) => ids = ids.filter(access_tokens::revoked_at.is_not_null()),
            Some(false) => ids = ids.filter(access_tokens::revoked_at.is_null()),
        }
        if let Some(text) = &filter.search {
            ids = ids.filter(
                sql::<Bool>("lower(access_tokens.name) LIKE lower(")
                    .bind::<Text, _>(pattern(text))
                    .sql(") ESCAPE '\\'"),
            );
        }
        if let Some(time) = filter.created_after {
            ids = ids.filter(access_tokens::created_at.gt(time.as_micros()));
        }
        if let Some(time) = filter.created_before {
            ids = ids.filter(access_tokens::created_at.lt(time.as_micros()));
        }
        if let Some(time) = filter.last_used_after {
            ids = ids.filter(access_tokens::last_used_at.gt(time.as_micros()));
        }
        if let Some(time) = filter.last_used_before {
            ids = ids.filter(access_tokens::last_used_at.lt(time.as_micros()));
        }
        ids
    }
}
