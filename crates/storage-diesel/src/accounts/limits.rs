//! Limits on the users that one list may examine.
//!
//! These statements contain only numbers, so no parameters are bound and the planner sees the values.

use accounts::{UserFilter, UserOrder};
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use storage::{StoreError, StoreErrorKind};

/// Users that one request may examine.
pub(super) const EXAMINED: i64 = 100_000;

/// Upper bound of the number of users, read from the end of an index, because ids are never reused.
pub(super) const UPPER_BOUND: &str = "SELECT COALESCE(MAX(id), 0) AS number FROM users";

/// End of the examined part of a list.
pub(super) enum UserListBound {
    /// No bound: an index covers the list exactly, or there are no more users than may be examined.
    None,
    /// Only these users are examined, which are few: a condition.
    Within(String),
    /// The list ends before this row of its order, the first that may not be examined.
    Before(UserLimitRow),
}

/// Key and id of a row.
/// The key is a text or a number, depending on the order.
#[derive(QueryableByName)]
pub(super) struct UserLimitRow {
    #[diesel(sql_type = Nullable<Text>)]
    pub(super) text: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) number: Option<i64>,
    #[diesel(sql_type = BigInt)]
    pub(super) id: i64,
}

#[derive(QueryableByName)]
pub(super) struct UserNumberRow {
    #[diesel(sql_type = BigInt)]
    pub(super) number: i64,
}

/// True if an index covers the list exactly.
pub(super) fn is_indexed(filter: &UserFilter) -> bool {
    let is_between_ids = filter.id_after.is_some() || filter.id_before.is_some();
    let is_between_times = filter.created_after.is_some() || filter.created_before.is_some();
    let is_plain = filter.search.is_none()
        && !filter.blocked
        && !filter.admins
        && filter.two_factor.is_none()
        && (!filter.active || filter.order_by == UserOrder::Id)
        && (!is_between_ids || filter.order_by == UserOrder::Id)
        && (!is_between_times || filter.order_by == UserOrder::CreatedAt);
    filter.username.is_some() || is_plain
}

/// Returns sets of users that contain the whole list and can be read from an index, as conditions.
/// They contain only numbers of our own.
pub(super) fn scopes(filter: &UserFilter) -> Vec<String> {
    let [after, before] = [filter.id_after, filter.id_before].map(|id| id.map(UserId::get));
    let [since, until] =
        [filter.created_after, filter.created_before].map(|time| time.map(Timestamp::as_micros));
    let flag = |is_set: bool, condition: &str| is_set.then(|| condition.to_owned());
    [
        flag(filter.admins, "is_admin"),
        flag(filter.blocked, "blocked_at IS NOT NULL"),
        flag(
            filter.two_factor == Some(true),
            "second_factor_enabled_at IS NOT NULL",
        ),
        range("id", after, before),
        range("created_at", since, until),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn range(column: &str, after: Option<i64>, before: Option<i64>) -> Option<String> {
    let after = after.map(|least| format!("{column} > {least}"));
    let before = before.map(|most| format!("{column} < {most}"));
    let both: Vec<String> = after.into_iter().chain(before).collect();
    (!both.is_empty()).then(|| both.join(" AND "))
}

/// Counts a scope, up to one more than may be examined.
pub(super) fn count_of(scope: &str) -> String {
    let most = EXAMINED + 1;
    format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM users WHERE {scope} LIMIT {most}) AS counted"
    )
}

/// Selects the first row of an order that may not be examined.
/// It selects no row if the order ends before that.
pub(super) fn limit(order: UserOrder, sort: SortOrder) -> String {
    let key = key(order);
    let [text, number] = match order {
        UserOrder::Name | UserOrder::Username => [key, "CAST(NULL AS BIGINT)"],
        UserOrder::Id | UserOrder::CreatedAt => ["CAST(NULL AS TEXT)", key],
    };
    let word = match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    format!(
        "SELECT {text} AS text, {number} AS number, id FROM users \
         ORDER BY {key} {word}, id {word} LIMIT 1 OFFSET {EXAMINED}"
    )
}

/// Returns the column of an order.
pub(super) fn key(order: UserOrder) -> &'static str {
    match order {
        UserOrder::Id => "id",
        UserOrder::Name => "name_key",
        UserOrder::Username => "username_key",
        UserOrder::CreatedAt => "created_at",
    }
}

/// Returns the error of a list that would examine too many rows.
pub(super) fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, "list users")
        .with_detail(format!("more than {EXAMINED} users"))
}
