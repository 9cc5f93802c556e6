//! Query texts for lists of errors.

use api_conventions::ids::ErrorId;
use api_conventions::page::{Position, SortOrder};
use api_conventions::time::Timestamp;
use diesel::sql_types::BigInt;
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName};

use crate::bulk::ComposedQuery;
use crate::search::pattern;

/// True if a list has a condition that no index answers, so that it may examine many errors for a few results.
pub(super) fn has_conditions(filter: &ErrorFilter) -> bool {
    filter.level.is_some()
        || !filter.tags.is_empty()
        || filter.search.is_some()
        || filter.assignee_id.is_some()
        || filter.seen_from.is_some()
        || filter.seen_before.is_some()
}

/// Returns the column of an order.
/// Its values are not unique, so the number breaks ties; the order of ids has no such column.
fn column(order: ErrorOrder) -> Option<&'static str> {
    match order {
        ErrorOrder::LastSeen => Some("last_seen"),
        ErrorOrder::FirstSeen => Some("first_seen"),
        ErrorOrder::Frequency => Some("events"),
        ErrorOrder::Users => Some("users"),
        ErrorOrder::Id => None,
    }
}

/// Returns the columns by which a list of this order is sorted, of the table `of`.
fn selected(of: &str, order: ErrorOrder) -> String {
    match column(order) {
        Some(column) => format!("{of}id, {of}iid, {of}{column}"),
        None => format!("{of}id"),
    }
}

/// Returns the clause that sorts by an order.
fn sorted(of: &str, order: ErrorOrder, sort: SortOrder) -> String {
    let direction = direction(sort);
    match column(order) {
        Some(column) => format!(" ORDER BY {of}{column} {direction}, {of}iid {direction}"),
        None => format!(" ORDER BY {of}id {direction}"),
    }
}

fn direction(sort: SortOrder) -> &'static str {
    match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    }
}

/// Adds the errors of the project as the source, with the conditions of a filter and this status.
fn among_all(
    query: &mut ComposedQuery<BigInt>,
    filter: &ErrorFilter,
    until: Option<Position>,
    status: Option<StatusName>,
) {
    query.sql(format!(
        " FROM errors AS e WHERE e.project_id = {}",
        filter.project_id
    ));
    conditions(query, filter, status);
    if let Some(until) = until {
        let sign = match filter.sort {
            SortOrder::Ascending => "<=",
            SortOrder::Descending => ">=",
        };
        at(query, filter.order_by, sign, until);
    }
    tagged(query, &filter.tags);
}

/// Adds the errors with the first tag of the filter as the source, with all other conditions.
/// An error may occur once for each of its keys.
fn among_tagged(query: &mut ComposedQuery<BigInt>, filter: &ErrorFilter) {
    query.sql(format!(
        " FROM error_tags AS f CROSS JOIN error_keys AS fk CROSS JOIN errors AS e WHERE f.project_id = {0} \
         AND fk.id = f.key_id AND e.id = fk.error_id AND e.project_id = {0}",
        filter.project_id
    ));
    if let Some(((name, value), others)) = filter.tags.split_first() {
        query.sql(" AND f.name = ").bind(name);
        query.sql(" AND f.value = ").bind(value);
        tagged(query, others);
    }
    conditions(query, filter, filter.status);
}

/// Adds the condition that errors have these tags.
fn tagged(query: &mut ComposedQuery<BigInt>, tags: &[(String, String)]) {
    for (name, value) in tags {
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
}

/// Adds a comparison of errors with a position of an order.
fn at(query: &mut ComposedQuery<BigInt>, order: ErrorOrder, sign: &str, position: Position) {
    let value = position.value();
    query.sql(match column(order) {
        Some(column) => {
            let number = position.number();
            format!(" AND (e.{column}, e.iid) {sign} ({value}, {number})")
        }
        None => format!(" AND e.id {sign} {value}"),
    });
}

/// Adds the conditions of a filter on `errors AS e`, with this status.
fn conditions(query: &mut ComposedQuery<BigInt>, filter: &ErrorFilter, status: Option<StatusName>) {
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
    if let Some(after) = filter.after {
        let sign = match filter.sort {
            SortOrder::Ascending => ">",
            SortOrder::Descending => "<",
        };
        at(query, filter.order_by, sign, after);
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

/// Counts the matching errors, up to a limit.
pub(super) fn count(filter: &ErrorFilter, limit: i64) -> ComposedQuery<BigInt> {
    let mut query = ComposedQuery::new("SELECT COUNT(*) FROM (");
    if filter.tags.is_empty() {
        query.sql("SELECT 1");
        among_all(&mut query, filter, None, filter.status);
    } else {
        query.sql("SELECT DISTINCT e.id");
        among_tagged(&mut query, filter);
    }
    query.sql(format!(" LIMIT {limit}) AS found"));
    query
}

/// Returns the states that a list includes.
/// The index has a separate list for each of them.
fn statuses(filter: &ErrorFilter) -> Vec<StatusName> {
    let all = || StatusName::ALL.to_vec();
    filter.status.map_or_else(all, |status| vec![status])
}

/// Counts the matching errors of a list up to a position, in the index of its order.
pub(super) fn count_in_order(
    filter: &ErrorFilter,
    until: Option<Position>,
    limit: i64,
) -> ComposedQuery<BigInt> {
    let mut query = ComposedQuery::new("SELECT COUNT(*) FROM (");
    for (place, status) in statuses(filter).into_iter().enumerate() {
        query.sql(if place > 0 { " UNION ALL " } else { "" });
        query.sql("SELECT 1 AS one");
        among_all(&mut query, filter, until, Some(status));
    }
    query.sql(format!(" LIMIT {limit}) AS found"));
    query
}

/// Counts the rows of the first tag of a filter, up to a limit.
pub(super) fn count_of_tag(filter: &ErrorFilter, limit: i64) -> ComposedQuery<BigInt> {
    let mut query = ComposedQuery::new(format!(
        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM error_tags AS f WHERE f.project_id = {}",
        filter.project_id
    ));
    if let Some((name, value)) = filter.tags.first() {
        query.sql(" AND f.name = ").bind(name);
        query.sql(" AND f.value = ").bind(value);
    }
    query.sql(format!(" LIMIT {limit}) AS found"));
    query
}

/// Maximum number of errors with a tag that are sorted.
/// If there are more, they are found soon in the order of the list.
pub(super) const FEW: i64 = 1000;

/// Selects the ids of a section of the list in this direction.
/// If few errors have its tag, these are sorted.
pub(super) fn ids_of(
    filter: &ErrorFilter,
    is_few: bool,
    sort: SortOrder,
    skip: i64,
    take: i64,
) -> ComposedQuery<BigInt> {
    if filter.tags.is_empty() || !is_few {
        return ids(filter, None, sort, skip, take);
    }
    let mut query = ComposedQuery::new(format!(
        "SELECT id FROM (SELECT DISTINCT {}",
        selected("e.", filter.order_by)
    ));
    among_tagged(&mut query, filter);
    query.sql(format!(
        ") AS found{} LIMIT {take} OFFSET {skip}",
        sorted("", filter.order_by, sort)
    ));
    query
}

/// Selects the ids of a section of the list in this direction, up to `until`.
/// An index has the order of the errors of one state, so a list of all states merges the beginnings of three lists.
pub(super) fn ids(
    filter: &ErrorFilter,
    until: Option<Position>,
    sort: SortOrder,
    skip: i64,
    take: i64,
) -> ComposedQuery<BigInt> {
    let order = |of: &str| sorted(of, filter.order_by, sort);
    if filter.status.is_some() {
        let mut query = ComposedQuery::new("SELECT e.id");
        among_all(&mut query, filter, until, filter.status);
        query.sql(format!("{} LIMIT {take} OFFSET {skip}", order("e.")));
        return query;
    }
    let mut query = ComposedQuery::new("SELECT id FROM (");
    for (place, status) in StatusName::ALL.iter().enumerate() {
        query.sql(if place > 0 { " UNION ALL " } else { "" });
        query.sql(format!(
            "SELECT * FROM (SELECT {}",
            selected("e.", filter.order_by)
        ));
        among_all(&mut query, filter, until, Some(*status));
        let most = skip.saturating_add(take);
        query.sql(format!("{} LIMIT {most}) AS s{place}", order("e.")));
    }
    query.sql(format!(
        ") AS found{} LIMIT {take} OFFSET {skip}",
        order("")
    ));
    query
}

/// Selects the ids of a section of the list in the order of ids.
pub(super) fn walk(
    filter: &ErrorFilter,
    beyond: Option<ErrorId>,
    sort: SortOrder,
    take: i64,
) -> ComposedQuery<BigInt> {
    let by_id = ErrorFilter {
        order_by: ErrorOrder::Id,
        sort,
        after: beyond.map(|beyond| Position::new(beyond.get(), 0)),
        ..filter.clone()
    };
    ids(&by_id, None, sort, 0, take)
}
