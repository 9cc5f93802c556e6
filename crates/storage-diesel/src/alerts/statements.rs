//! Statements of lists of alerts, as text.
//! The statements contain only numbers, so both databases take the same text, and the planner sees the values. The one
//! parameter is the environment of a filter, which [`query`] binds.

use std::fmt::Write as _;

use alert_intake::model::{AlertFilter, AlertOrder};
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{Position, SortOrder};
use diesel::sql_types::Untyped;

use crate::bulk::ComposedQuery;

/// Alerts that one search may examine in the order of their numbers.
/// A page that is not full then reports how far the search got.
pub(super) const EXAMINED: i64 = 100_000;

/// Alerts that one search may examine in another order, for which no blocks tell which alerts can be skipped.
pub(super) const WALKED: i64 = 25_000;

/// Mark of the environment of a filter in a text.
const ENVIRONMENT: char = '\u{1}';

/// Returns the query of a text, with the environment of the filter bound wherever the text compares it.
pub(super) fn query(text: &str, filter: &AlertFilter) -> ComposedQuery<Untyped> {
    let mut parts = text.split(ENVIRONMENT);
    let mut query = ComposedQuery::new(parts.next().unwrap_or_default());
    // No stored text has a NUL, which not every database takes as a parameter.
    let environment = filter.environment.as_deref().unwrap_or_default();
    let environment = environment.replace('\0', "\u{fffd}");
    for part in parts {
        query.bind(&environment);
        query.sql(part);
    }
    query
}

/// Returns the condition on the environment, as ` AND …`; empty if the filter has none.
fn in_environment(filter: &AlertFilter) -> String {
    let is_named = filter.environment.is_some();
    let condition = || format!(" AND environment_name = {ENVIRONMENT}");
    is_named.then(condition).unwrap_or_default()
}

/// True if the filter matches every alert of its project, apart from the position at which the list begins.
pub(super) fn takes_all(filter: &AlertFilter) -> bool {
    filter.statuses.is_empty() && filter.severities.is_empty() && !has_attribute(filter)
}

/// Returns the condition on the assignee, as ` AND …`; empty if the filter has none.
fn of_assignee(filter: &AlertFilter) -> String {
    let condition = |user: UserId| format!(" AND assignee_id = {user}");
    filter.assignee_id.map(condition).unwrap_or_default()
}

/// True if the list is that of an assignee or of an environment.
fn has_attribute(filter: &AlertFilter) -> bool {
    filter.assignee_id.is_some() || filter.environment.is_some()
}

/// Counts the alerts of some statuses and severities, up to `limit`.
/// The search is ignored.
pub(super) fn count(filter: &AlertFilter, limit: i64) -> String {
    format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM alerts WHERE {} LIMIT {limit}) AS counted",
        conditions(filter)
    )
}

/// Selects the pairs of status and severity that match the filter and that some alert has.
/// The index has a separate list for each of them.
pub(super) fn kinds(filter: &AlertFilter) -> String {
    let mut wanted = String::new();
    for status in statuses(filter) {
        for severity in severities(filter) {
            let comma = if wanted.is_empty() { "" } else { ", " };
            push(&mut wanted, format_args!("{comma}({status}, {severity})"));
        }
    }
    format!(
        "SELECT column1 AS status, column2 AS severity FROM (VALUES {wanted}) AS wanted \
         WHERE EXISTS (SELECT 1 FROM alerts WHERE project_id = {} AND status = column1{}{} AND severity = column2)",
        filter.project_id,
        of_assignee(filter),
        in_environment(filter)
    )
}

/// Selects the numbers of all alerts of the project, in the order in which they were stored.
pub(super) fn stored(filter: &AlertFilter, direction: SortOrder, skip: i64, take: i64) -> String {
    let word = word(direction);
    format!(
        "SELECT iid FROM alerts WHERE project_id = {}{} ORDER BY iid {word} LIMIT {take} OFFSET {skip}",
        filter.project_id,
        behind(filter, None)
    )
}

/// Returns the kinds in sections that follow each other in a list: open alerts and others in the order of urgency, and one
/// section in any other order. No section is empty.
pub(super) fn sections(
    order: AlertOrder,
    direction: SortOrder,
    kinds: Vec<(i16, i16)>,
) -> Vec<Vec<(i16, i16)>> {
    if order != AlertOrder::Urgency {
        return vec![kinds];
    }
    let (open, over): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|(status, _)| *status < 2);
    let mut sections = vec![open, over];
    if direction == SortOrder::Ascending {
        sections.reverse();
    }
    sections.retain(|kinds| !kinds.is_empty());
    sections
}

/// Selects the numbers of the alerts of these kinds, by merging their lists.
/// `kinds` has at least one, and `sorted_list` gives the text of a list to be merged on the database.
pub(super) fn merged(
    filter: &AlertFilter,
    kinds: &[(i16, i16)],
    sorted_list: fn(&str, &str, i64) -> String,
    direction: SortOrder,
    skip: i64,
    take: i64,
) -> String {
    let order = order(filter.order_by, direction);
    let lists: Vec<String> = kinds
        .iter()
        .map(|(status, severity)| {
            let list = format!(
                "SELECT iid, {} FROM alerts WHERE project_id = {} AND status = {status}{}{} AND severity = {severity}{}",
                column(filter.order_by),
                filter.project_id,
                of_assignee(filter),
                in_environment(filter),
                behind(filter, Some((*status, *severity)))
            );
            // A single list is ordered and limited as a whole, which SQL does not allow twice.
            if kinds.len() == 1 {
                list
            } else {
                sorted_list(&list, &order, skip.saturating_add(take))
            }
        })
        .collect();
    let lists = lists.join(" UNION ALL ");
    format!("{lists} ORDER BY {order} LIMIT {take} OFFSET {skip}")
}

/// Selects the texts of the alerts of some statuses and severities, for a search among a few.
pub(super) fn texts(filter: &AlertFilter) -> String {
    format!(
        "SELECT {} FROM alerts WHERE {}",
        text_columns(filter.order_by),
        conditions(filter)
    )
}

/// Selects the texts of the alerts with these numbers, from the first to the last of each range.
/// `ranges` has at least one.
pub(super) fn texts_between(
    filter: &AlertFilter,
    ranges: &[(i64, i64)],
    in_ranges: fn(&str, &str, &[(i64, i64)]) -> String,
) -> String {
    let mut conditions = format!("project_id = {}", filter.project_id);
    // The sign keeps the planner from any index but that of numbers.
    if !filter.statuses.is_empty() {
        let statuses = list(&statuses(filter));
        push(
            &mut conditions,
            format_args!(" AND +status IN ({statuses})"),
        );
    }
    if !filter.severities.is_empty() {
        let severities = list(&severities(filter));
        push(
            &mut conditions,
            format_args!(" AND +severity IN ({severities})"),
        );
    }
    if let Some(user) = filter.assignee_id {
        push(&mut conditions, format_args!(" AND +assignee_id = {user}"));
    }
    if filter.environment.is_some() {
        let other = format_args!(" AND environment_name || '' = {ENVIRONMENT}");
        push(&mut conditions, other);
    }
    in_ranges(&text_columns(filter.order_by), &conditions, ranges)
}

/// Lists ranges as rows of two values.
pub(super) fn pairs(ranges: &[(i64, i64)]) -> String {
    let pairs = ranges
        .iter()
        .map(|(first, last)| format!("({first}, {last})"));
    pairs.collect::<Vec<_>>().join(", ")
}

/// Selects the texts of the alerts with these numbers, of which there is at least one.
pub(super) fn texts_at(
    filter: &AlertFilter,
    iids: &[i64],
    numbered: fn(ProjectId, &[i64]) -> String,
) -> String {
    format!(
        "SELECT {} FROM alerts WHERE {}",
        text_columns(filter.order_by),
        numbered(filter.project_id, iids)
    )
}

/// Selects the search state of the project: the numbers of its first and last alert, and how many parts are prepared.
pub(super) fn reach(filter: &AlertFilter) -> String {
    format!(
        "SELECT COALESCE((SELECT iid FROM alerts WHERE project_id = {0} ORDER BY iid LIMIT 1), 1) AS first_iid, \
         COALESCE((SELECT iid FROM alerts WHERE project_id = {0} ORDER BY iid DESC LIMIT 1), 0) AS last_iid, \
         COALESCE((SELECT parts FROM alert_search_progress WHERE project_id = {0}), 0) AS parts",
        filter.project_id
    )
}

/// Selects the slices of some slots in some parts.
pub(super) fn slices(filter: &AlertFilter, parts: &[i64], slots: &[u16]) -> String {
    format!(
        "SELECT part, slot, blocks FROM alert_search WHERE project_id = {} AND part IN ({}) AND slot IN ({})",
        filter.project_id,
        list(parts),
        list(slots)
    )
}

/// Returns the columns of a [`TextRow`](super::hits::TextRow).
fn text_columns(order: AlertOrder) -> String {
    let place = match order {
        AlertOrder::Created => "iid",
        AlertOrder::StartedAt => "started_at",
        AlertOrder::UpdatedAt => "updated_at",
        // The numbers of severities fall as they get worse.
        AlertOrder::Severity => "-severity",
        AlertOrder::Occurrences => "occurrences",
        AlertOrder::Urgency => "-(CASE WHEN status > 1 THEN 6 ELSE 0 END + severity)",
    };
    format!("iid, CAST({place} AS BIGINT) AS place, title, description, service, monitoring_tool")
}

/// Returns the column that precedes the number in the index of an order.
fn column(order: AlertOrder) -> &'static str {
    match order {
        // Each list that is merged has one severity, and is in the order of numbers.
        AlertOrder::Created | AlertOrder::Severity | AlertOrder::Urgency => "severity",
        AlertOrder::StartedAt => "started_at",
        AlertOrder::UpdatedAt => "updated_at",
        AlertOrder::Occurrences => "occurrences",
    }
}

/// Returns the condition that alerts are behind the position at which the list begins, as ` AND …`; empty if it begins
/// with the first alert.
/// `kind` has the status and the severity of all examined alerts, if they have the same ones.
fn behind(filter: &AlertFilter, kind: Option<(i16, i16)>) -> String {
    let Some(after) = filter.after else {
        return String::new();
    };
    let (value, number) = (after.value(), after.number());
    let (sign, worse) = match filter.sort {
        SortOrder::Ascending => (">", "<"),
        SortOrder::Descending => ("<", ">"),
    };
    match (filter.order_by, kind) {
        (AlertOrder::Created, _) => format!(" AND iid {sign} {number}"),
        // The numbers of severities fall as they get worse.
        (AlertOrder::Severity, None) => format!(
            " AND (severity {worse} {0} OR (severity = {0} AND iid {sign} {number}))",
            -value
        ),
        (AlertOrder::Severity, Some((_, severity))) => {
            let of_edge = format!(" AND iid {sign} {number}");
            behind_edge(-i64::from(severity), after, filter.sort, of_edge)
        }
        // Ranks fall as alerts get more urgent, and of one rank the first alert is the most urgent one.
        (AlertOrder::Urgency, None) => format!(
            " AND ({RANK} {worse} {0} OR ({RANK} = {0} AND iid {worse} {1}))",
            -value, -number
        ),
        (AlertOrder::Urgency, Some((status, severity))) => {
            let rank = i64::from(6 * i16::from(status > 1) + severity);
            let of_edge = format!(" AND iid {worse} {}", -number);
            behind_edge(-rank, after, filter.sort, of_edge)
        }
        (order, _) => format!(" AND ({}, iid) {sign} ({value}, {number})", column(order)),
    }
}

/// Rank of an alert in the order of urgency, 0 for the most urgent.
const RANK: &str = "(CASE WHEN status > 1 THEN 6 ELSE 0 END + severity)";

/// Returns the condition on alerts that all have the sort value `value`: `of_edge` if it is that of the edge.
fn behind_edge(value: i64, edge: Position, sort: SortOrder, of_edge: String) -> String {
    let place = Position::new(value, edge.number());
    if place == edge {
        of_edge
    } else if place.is_behind(edge, sort) {
        String::new()
    } else {
        " AND FALSE".to_owned()
    }
}

fn conditions(filter: &AlertFilter) -> String {
    let behind = behind(filter, None);
    let is_by_number = filter.after.is_none() || filter.order_by == AlertOrder::Created;
    if takes_all(filter) && is_by_number {
        return format!("project_id = {}{behind}", filter.project_id);
    }
    // Statuses are always named, because only then does the index lead to the severities.
    let mut text = format!(
        "project_id = {} AND status IN ({})",
        filter.project_id,
        list(&statuses(filter))
    );
    text.push_str(&of_assignee(filter));
    text.push_str(&in_environment(filter));
    if !filter.severities.is_empty() || !is_by_number || has_attribute(filter) {
        push(
            &mut text,
            format_args!(" AND severity IN ({})", list(&severities(filter))),
        );
    }
    text.push_str(&behind);
    text
}

fn order(order: AlertOrder, direction: SortOrder) -> String {
    let (word, reversed) = match direction {
        SortOrder::Ascending => ("ASC", "DESC"),
        SortOrder::Descending => ("DESC", "ASC"),
    };
    match order {
        AlertOrder::Created => format!("iid {word}"),
        AlertOrder::StartedAt => format!("started_at {word}, iid {word}"),
        AlertOrder::UpdatedAt => format!("updated_at {word}, iid {word}"),
        // The numbers of severities fall as they get worse.
        AlertOrder::Severity => format!("severity {reversed}, iid {word}"),
        AlertOrder::Occurrences => format!("occurrences {word}, iid {word}"),
        // The sections of open alerts and of others follow each other.
        AlertOrder::Urgency => format!("severity {reversed}, iid {reversed}"),
    }
}

fn word(direction: SortOrder) -> &'static str {
    match direction {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    }
}

fn statuses(filter: &AlertFilter) -> Vec<i16> {
    distinct(&filter.statuses, 0..=3)
}

fn severities(filter: &AlertFilter) -> Vec<i16> {
    let named: Vec<i16> = filter
        .severities
        .iter()
        .map(|severity| severity.number())
        .collect();
    distinct(&named, 0..=5)
}

/// Returns the distinct named values, or all values if none are named.
fn distinct(named: &[i16], all: std::ops::RangeInclusive<i16>) -> Vec<i16> {
    let mut values = named.to_vec();
    if values.is_empty() {
        values.extend(all);
    }
    values.sort_unstable();
    values.dedup();
    values
}

fn list<T: std::fmt::Display>(values: &[T]) -> String {
    let texts: Vec<String> = values.iter().map(T::to_string).collect();
    texts.join(", ")
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(more);
}
