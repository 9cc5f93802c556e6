//! Lists of users: the conditions of a filter, and the end of the examined part.
//!
//! The indexes cover the orders, the active users, and sets that are likely to be small. A list that none of them
//! covers is searched among the first users of the order, and refused if these do not fill the page.

use accounts::{User, UserFilter, UserKind, UserOrder};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::limits::{
    EXAMINED, UPPER_BOUND, UserListBound, UserNumberRow, count_of, is_indexed, key, limit, scopes,
    too_much,
};
use super::rows::users::{UserRow, user_kind};
use super::tables::users;
use crate::search::pattern;
use crate::transaction::order_by;
use crate::window::Window;

const LIST: &str = "list users";

/// Returns the pattern that matches exactly `text`.
fn whole(text: &str) -> String {
    let part = pattern(text);
    let within = part
        .strip_prefix('%')
        .and_then(|part| part.strip_suffix('%'));
    within.unwrap_or(&part).to_owned()
}

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        fn number_of_users(&mut self, text: &str) -> Result<i64, StoreError> {
            let row: UserNumberRow = self.value(LIST, diesel::sql_query(text))?;
            Ok(row.number)
        }

        fn bound_of_users(&mut self, filter: &UserFilter) -> Result<UserListBound, StoreError> {
            if is_indexed(filter) || self.number_of_users(UPPER_BOUND)? <= EXAMINED {
                return Ok(UserListBound::None);
            }
            for scope in scopes(filter) {
                if self.number_of_users(&count_of(&scope))? <= EXAMINED {
                    return Ok(UserListBound::Within(scope));
                }
            }
            let limit = diesel::sql_query(limit(filter.order_by, filter.sort));
            let row = self.value_if(LIST, limit)?;
            Ok(row.map_or(UserListBound::None, UserListBound::Before))
        }

        /// Returns a page of the matching users.
        pub(in crate::accounts) fn page_of_users(
            &mut self,
            filter: &UserFilter,
            page: OffsetPage,
        ) -> Result<Page<User>, StoreError> {
            let bound = self.bound_of_users(filter)?;
            let matching = || within(matching(filter), &bound, filter);
            let count = self.count(LIST, matching())?;
            let window = match &bound {
                UserListBound::Before(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                _ => Window::of(page, count),
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = ordered(
                matching(),
                &bound,
                filter.order_by,
                window.direction(filter.sort),
            );
            let ids = self.keys(LIST, window, ids)?;
            let rows = users::table.filter(users::id.eq_any(ids.clone()));
            let page = window.page(self.list_in_order::<UserRow>(LIST, &ids, rows)?);
            // Behind the bound there may be more matches or none.
            match bound {
                UserListBound::Before(_) if !page.has_next => Err(too_much()),
                _ => Ok(page),
            }
        }
    }

    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Ids = users::BoxedQuery<'static, Db, BigInt>;

    /// Returns the ids of the matching users, not ordered yet.
    fn matching(filter: &UserFilter) -> Ids {
        let mut ids = users::table.select(users::id).into_boxed::<Db>();
        if let Some(name) = &filter.username {
            ids = ids.filter(users::username_key.eq(name.to_lowercase()));
        }
        if let Some(text) = &filter.search {
            ids = ids.filter(
                sql::<Bool>("(lower(users.name) LIKE lower(")
                    .bind::<Text, _>(pattern(text))
                    .sql(") ESCAPE '\\' OR users.username_key LIKE lower(")
                    .bind::<Text, _>(pattern(text))
                    .sql(") ESCAPE '\\' OR lower(users.email) LIKE lower(")
                    .bind::<Text, _>(if filter.search_in_emails {
                        pattern(text)
                    } else {
                        whole(text)
                    })
                    .sql(") ESCAPE '\\')"),
            );
        }
        if filter.active {
            ids = ids.filter(users::blocked_at.is_null());
        }
        if filter.blocked {
            ids = ids.filter(users::blocked_at.is_not_null().and(users::blocked_as.eq(0)));
        }
        if !filter.active && !filter.humans {
            // Users whose deletion is under way, who are blocked and not human: few, from an index of their own.
            let deleted = "users.id NOT IN (SELECT d.id FROM users AS d WHERE d.kind > 4)";
            ids = ids.filter(sql::<Bool>(deleted));
        }
        if filter.humans {
            ids = ids.filter(users::kind.eq(user_kind(UserKind::Human)));
        }
        if filter.admins {
            ids = ids.filter(sql::<Bool>("users.is_admin"));
        }
        match filter.two_factor {
            Some(true) => ids = ids.filter(users::second_factor_enabled_at.is_not_null()),
            Some(false) => ids = ids.filter(users::second_factor_enabled_at.is_null()),
            None => {}
        }
        if let Some(id) = filter.id_after {
            ids = ids.filter(users::id.gt(id.get()));
        }
        if let Some(id) = filter.id_before {
            ids = ids.filter(users::id.lt(id.get()));
        }
        if let Some(time) = filter.created_after {
            ids = ids.filter(users::created_at.gt(time.as_micros()));
        }
        if let Some(time) = filter.created_before {
            ids = ids.filter(users::created_at.lt(time.as_micros()));
        }
        ids
    }

    /// Restricts the users to the bound.
    fn within(ids: Ids, bound: &UserListBound, filter: &UserFilter) -> Ids {
        let row = match bound {
            UserListBound::None => return ids,
            UserListBound::Within(scope) => {
                let few = format!("users.id IN (SELECT id FROM users WHERE {scope})");
                return ids.filter(sql::<Bool>(&few));
            }
            UserListBound::Before(row) => row,
        };
        let (key, id) = (key(filter.order_by), row.id);
        let sign = match filter.sort {
            SortOrder::Ascending => "<",
            SortOrder::Descending => ">",
        };
        // Compares the key alone first, so that the database can seek to it in the index.
        if let Some(text) = &row.text {
            return ids.filter(
                sql::<Bool>(&format!("(users.{key} {sign}= "))
                    .bind::<Text, _>(text.clone())
                    .sql(&format!(" AND (users.{key} {sign} "))
                    .bind::<Text, _>(text.clone())
                    .sql(&format!(" OR users.id {sign} {id}))")),
            );
        }
        let number = row.number.unwrap_or(id);
        ids.filter(sql::<Bool>(&format!(
                "(users.{key} {sign}= {number} AND (users.{key} {sign} {number} OR users.id {sign} {id}))"
            )))
    }

    /// Orders the users.
    /// A few users are sorted; all others are read from the index of the order.
    fn ordered(ids: Ids, bound: &UserListBound, order: UserOrder, sort: SortOrder) -> Ids {
        if let UserListBound::Within(_) = bound {
            let same = match order {
                UserOrder::Name | UserOrder::Username => "|| ''",
                UserOrder::Id | UserOrder::CreatedAt => "+ 0",
            };
            let key = sql::<BigInt>(&format!("users.{} {same}", key(order)));
            return order_by!(ids, sort, key, users::id);
        }
        match order {
            UserOrder::Id => order_by!(ids, sort, users::id),
            UserOrder::Name => order_by!(ids, sort, users::name_key, users::id),
            UserOrder::Username => order_by!(ids, sort, users::username_key, users::id),
            UserOrder::CreatedAt => order_by!(ids, sort, users::created_at, users::id),
        }
    }
}
