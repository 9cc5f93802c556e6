//! What one list of users may examine.
//!
//! All that stands in these statements is numbers, so nothing has to be bound and the planner sees the values.

use accounts::{UserFilter, UserOrder};
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use storage::{StoreError, StoreErrorKind};

/// Users that one request may examine.
pub(super) const EXAMINED: i64 = 100_000;

/// No fewer than there are users, found at once: ids are not given twice.
pub(super) const AT_MOST: &str = "SELECT COALESCE(MAX(id), 0) AS number FROM users";

/// Where a list stops looking.
pub(super) enum Bound {
    /// Nowhere: an index gives exactly the list, or there are no more users than may be examined.
    None,
    /// It looks among these users only, which are few: a condition.
    Within(String),
    /// Before this row of the list's order, the first that may not be examined.
    Before(LimitRow),
}

/// The key and the id of a row. The key is a text or a number, as the order has it.
#[derive(QueryableByName)]
pub(super) struct LimitRow {
    #[diesel(sql_type = Nullable<Text>)]
    pub(super) text: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) number: Option<i64>,
    #[diesel(sql_type = BigInt)]
    pub(super) id: i64,
}

#[derive(QueryableByName)]
pub(super) struct NumberRow {
    #[diesel(sql_type = BigInt)]
    pub(super) number: i64,
}

/// Whether an index gives exactly the list.
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

/// Sets of users that hold the whole list and that an index gives, as conditions. They have numbers of ours alone.
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

/// Counts a scope, one further than may be examined.
pub(super) fn count_of(scope: &str) -> String {
    let most = EXAMINED + 1;
    format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM users WHERE {scope} LIMIT {most}) AS counted"
    )
}

/// The first row of an order that may not be examined; none when the order ends before.
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

/// The column of an order.
pub(super) fn key(order: UserOrder) -> &'static str {
    match order {
        UserOrder::Id => "id",
        UserOrder::Name => "name_key",
        UserOrder::Username => "username_key",
        UserOrder::CreatedAt => "created_at",
    }
}

/// The refusal of a list that would examine too many rows.
pub(super) fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, "list users")
        .with_detail(format!("more than {EXAMINED} users would be examined"))
}
