//! Lists of deploy tokens: the conditions of a filter, and the end of the examined part.
//!
//! An index has the tokens of each project and group in the order of their ids. Expiry is examined row by row among the
//! first tokens of that order, and a list that these do not decide is refused.

use accounts::{DeployToken, DeployTokenFilter, TokenPlace};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::limits::EXAMINED;
use super::rows::deploy_tokens::{DeployTokenRow, deploy_tokens};
use crate::transaction::order_by;
use crate::window::Window;

const LIST: &str = "list deploy tokens";

fn too_many() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, LIST)
        .with_detail(format!("more than {EXAMINED} tokens"))
}

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Returns a page of the matching tokens.
        pub(in crate::accounts) fn page_of_deploy_tokens(
            &mut self,
            filter: &DeployTokenFilter,
            page: OffsetPage,
        ) -> Result<Page<DeployToken>, StoreError> {
            let first = of_place(filter.place).order(deploy_tokens::id);
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
                deploy_tokens::id
            );
            let ids = self.keys(LIST, window, ids)?;
            let rows = deploy_tokens::table.filter(deploy_tokens::id.eq_any(ids.clone()));
            let page = window.page(self.list_in_order::<DeployTokenRow>(LIST, &ids, rows)?);
            // Behind the examined part there may be more matches or none.
            match end {
                Some(_) if !page.has_next => Err(too_many()),
                _ => Ok(page),
            }
        }
    }

    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Ids = deploy_tokens::BoxedQuery<'static, Db, BigInt>;

    /// Returns the ids of the tokens of a place, or of all tokens, not ordered yet.
    fn of_place(place: Option<TokenPlace>) -> Ids {
        let ids = deploy_tokens::table
            .select(deploy_tokens::id)
            .into_boxed::<Db>();
        let Some((kind, id)) = place.map(TokenPlace::numbers) else {
            return ids;
        };
        ids.filter(deploy_tokens::place_id.eq(id))
            .filter(deploy_tokens::place_kind.eq(kind))
    }

    /// Returns the ids of the matching tokens before `end`, not ordered yet.
    fn matching(filter: &DeployTokenFilter, end: Option<i64>) -> Ids {
        let mut ids = of_place(filter.place);
        if let Some(end) = end {
            ids = ids.filter(deploy_tokens::id.lt(end));
        }
        if let Some(now) = filter.unexpired_at {
            let expiry = deploy_tokens::expires_at;
            ids = ids.filter(expiry.is_null().or(expiry.gt(now.as_micros())));
        }
        ids
    }
}
