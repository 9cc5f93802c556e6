//! The texts of lists of errors.

use api_conventions::ids::ErrorId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use diesel::sql_types::BigInt;
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName};

use crate::bulk::Parts;
use crate::search::pattern;

/// Whether a list has a condition that no index answers, so that it may look at many errors for a few.
pub(super) fn has_conditions(filter: &ErrorFilter) -> bool {
    filter.level.is_some()
        || !filter.tags.is_empty()
        || filter.search.is_some()
        || filter.assignee_id.is_some()
        || filter.seen_from.is_some()
        || filter.seen_before.is_some()
}

fn column(order: ErrorOrder) -> &'static str {
    match order {
        ErrorOrder::LastSeen => "last_seen",
        ErrorOrder::FirstSeen => "first_seen",
        ErrorOrder::Frequency => "events",
        ErrorOrder::Users => "users",
    }
}

fn direction(sort: SortOrder) -> &'static str {
    match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    }
}

/// Adds the conditions of a filter on `errors AS e`, with this status.
fn conditions(query: &mut Parts<BigInt>, filter: &ErrorFilter, status: Option<StatusName>) {
    let project = filter.project_id;
    query.sql(format!(" WHERE e.project_id = {project}"));
    if let Some(status) = status {
        query.sql(format!(" AND e.status = {}", status.number()));
    }
    if let Some(level) = filter.level {
        query.sql(format!(" AND e.level = {}", level.number()));
    }
    if let Some(user) = filter.assignee_id {
        query.sql(format!(" AND e.assignee_id = {user}"));
    }
    if let Some(from) = filter.seen_from.map(Timestamp::as_micros) {
        query.sql(format!(" AND e.last_seen >= {from}"));
    }
    if let Some(before) = filter.seen_before.map(Timestamp::as_micros) {
        query.sql(format!(" AND e.first_seen < {before}"));
    }
    for (name, value) in &filter.tags {
        query
            .sql(
                " AND EXISTS (SELECT 1 FROM error_keys AS k CROSS JOIN error_tags AS t \
                 WHERE k.error_id = e.id AND t.key_id = k.id AND t.name = ",
            )
            .bind(name)
            .sql(" AND t.value = ")
            .bind(value)
            .sql(")");
    }
    if let Some(text) = &filter.search {
        query
            .sql(" AND (lower(e.title) LIKE lower(")
            .bind(pattern(text))
            .sql(") ESCAPE '\\' OR lower(e.culprit) LIKE lower(")
            .bind(pattern(text))
            .sql(") ESCAPE '\\')");
    }
}

/// How many errors match, counted to a limit.
pub(super) fn count(filter: &ErrorFilter, limit: i64) -> Parts<BigInt> {
    let mut query = Parts::new("SELECT COUNT(*) FROM (SELECT 1 FROM errors AS e");
    conditions(&mut query, filter, filter.status);
    query.sql(format!(" LIMIT {limit}) AS found"));
    query
}

/// The ids of a stretch of the list in this direction. An index has the order of the errors of one state, so that where all are
/// listed, the beginnings of three lists are put together.
pub(super) fn ids(filter: &ErrorFilter, sort: SortOrder, skip: i64, take: i64) -> Parts<BigInt> {
    let column = column(filter.order_by);
    let order = |of: &str| {
        let direction = direction(sort);
        format!(" ORDER BY {of}{column} {direction}, {of}iid {direction}")
    };
    if filter.status.is_some() {
        let mut query = Parts::new("SELECT e.id FROM errors AS e");
        conditions(&mut query, filter, filter.status);
        query.sql(format!("{} LIMIT {take} OFFSET {skip}", order("e.")));
        return query;
    }
    let mut query = Parts::new("SELECT id FROM (");
    for (place, status) in StatusName::ALL.iter().enumerate() {
        query.sql(if place > 0 { " UNION ALL " } else { "" });
        query.sql(format!(
            "SELECT * FROM (SELECT e.id, e.iid, e.{column} FROM errors AS e"
        ));
        conditions(&mut query, filter, Some(*status));
        let most = skip.saturating_add(take);
        query.sql(format!("{} LIMIT {most}) AS s{place}", order("e.")));
    }
    query.sql(format!(
        ") AS found{} LIMIT {take} OFFSET {skip}",
        order("")
    ));
    query
}

/// The ids of a stretch of the list by id.
pub(super) fn walk(
    filter: &ErrorFilter,
    beyond: Option<ErrorId>,
    sort: SortOrder,
    take: i64,
) -> Parts<BigInt> {
    let mut query = Parts::new("SELECT e.id FROM errors AS e");
    conditions(&mut query, filter, filter.status);
    if let Some(beyond) = beyond {
        let comparison = match sort {
            SortOrder::Ascending => ">",
            SortOrder::Descending => "<",
        };
        query.sql(format!(" AND e.id {comparison} {beyond}"));
    }
    query.sql(format!(" ORDER BY e.id {} LIMIT {take}", direction(sort)));
    query
}
