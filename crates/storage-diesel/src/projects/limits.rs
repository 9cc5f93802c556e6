//! Limits of one list of projects.
//! Permissions and filters are not part of the indexes that provide the orders, so a list with few hits among very many
//! projects would scan all of them.
//!
//! These statements contain only numbers, so no parameters are bound and the planner sees the values.

use std::fmt;

use ::projects::{ProjectFilter, ProjectOrder, ProjectsWithin, Viewer};
use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{StoreError, StoreErrorKind};

/// Projects that one request may examine.
/// A list that would need more is refused with an error that says so.
pub(super) const EXAMINED: i64 = 100_000;

/// Maximum number of projects that count as few: reading and sorting them is faster than counting anything.
pub(super) const FEW: i64 = 1000;

/// Rows of an order in which a page of a long list is searched first.
pub(super) const WALKED: i64 = 20_000;

/// Number of first rows of an order that decide whether a list contains half of all projects.
pub(super) const SAMPLE: i64 = 1000;

/// Minimum share of a dense list, one in so many projects: reading all is no more expensive than reading the set that
/// contains it.
const DENSE: i64 = 8;

/// Set of projects that contains a whole list.
#[derive(Debug)]
pub(super) struct CandidateSet {
    /// Statement that selects their ids.
    pub(super) ids: String,
    /// Number of these ids, of which some may occur more than once.
    pub(super) count: i64,
}

impl CandidateSet {
    /// True if the scope is so small among all projects that reading it is cheaper than scanning all.
    pub(super) fn is_sparse_in(&self, all: i64) -> bool {
        self.count < all / DENSE
    }

    /// Returns the scope of these projects; `None` if they are not few.
    pub(super) fn of_few(ids: &[i64]) -> Option<Self> {
        let count = i64::try_from(ids.len()).ok()?;
        let listed: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let ids = if listed.is_empty() {
            "SELECT id FROM projects WHERE id < 0".to_owned()
        } else {
            format!(
                "SELECT id FROM projects WHERE id IN ({})",
                listed.join(", ")
            )
        };
        (count <= FEW).then_some(Self { ids, count })
    }
}

impl fmt::Display for CandidateSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.ids)
    }
}

/// End of the examined part of a list.
#[derive(Debug)]
pub(super) enum Bound {
    /// No bound: an index covers the list exactly, or there are no more projects than may be examined.
    None,
    /// Only these projects are examined.
    Within(CandidateSet),
    /// The list ends before this row of its order, the first that may not be examined.
    Before(LimitRow),
}

/// Key and id of a row.
/// The key is a text or a number, depending on the order.
#[derive(Debug, Clone, diesel::QueryableByName)]
pub(super) struct LimitRow {
    #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::Text>)]
    pub(super) text: Option<String>,
    #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::BigInt>)]
    pub(super) number: Option<i64>,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub(super) id: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct NumberRow {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub(super) number: i64,
}

/// True if the index of the order covers the list exactly.
pub(super) fn is_indexed(filter: &ProjectFilter, order: ProjectOrder) -> bool {
    let is_between_ids = filter.id_after.is_some() || filter.id_before.is_some();
    let is_between_moments = filter.active_after.is_some() || filter.active_before.is_some();
    let is_between_changes = filter.updated_after.is_some() || filter.updated_before.is_some();
    matches!(filter.viewer, Viewer::Administrator(_))
        && filter.search.is_none()
        && filter.visibility.is_none()
        && filter.archived.is_none()
        && filter.topics.is_empty()
        && !filter.with_merge_requests
        && filter.within == ProjectsWithin::Everywhere
        && (!is_between_changes || order == ProjectOrder::UpdatedAt)
        && filter.owner.is_none()
        && filter.min_access_level.is_none()
        && (!is_between_ids || order == ProjectOrder::Id)
        && (!is_between_moments || order == ProjectOrder::LastActivityAt)
}

/// Upper bound of the number of projects, read from the end of an index, because ids are never reused.
pub(super) const UPPER_BOUND: &str = "SELECT COALESCE(MAX(id), 0) AS number FROM projects";

/// Returns sets of projects that contain the whole list and can be read from an index, as statements that select their
/// ids.
/// Sets that are likely to be small come first.
pub(super) fn scopes(filter: &ProjectFilter) -> Vec<String> {
    let user = filter.viewer.user_id().map_or(-1, UserId::get);
    let of_member = format!(
        "SELECT p.id FROM namespace_members AS m JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id \
         JOIN projects AS p ON p.namespace_id = l.namespace_id WHERE m.user_id = {user} \
         UNION ALL SELECT project_id FROM project_members WHERE user_id = {user} \
         UNION ALL SELECT s.project_id FROM namespace_members AS m JOIN namespace_lineage AS l \
         ON l.ancestor_id = m.namespace_id JOIN project_shares AS s ON s.group_id = l.namespace_id WHERE m.user_id = {user}"
    );
    let of_visibility =
        |list: String| format!("SELECT id FROM projects WHERE visibility IN ({list})");
    let mut scopes = Vec::new();
    scopes.extend(of_group(filter.within, None));
    if filter.archived == Some(true) {
        scopes.push("SELECT id FROM projects WHERE archived".to_owned());
    }
    if filter.with_merge_requests {
        scopes.push("SELECT id FROM projects WHERE merge_requests_enabled".to_owned());
    }
    if let Some(owner) = filter.owner {
        scopes.push(format!(
            "SELECT p.id FROM namespaces AS n JOIN projects AS p ON p.namespace_id = n.id \
             WHERE n.owner_id = {owner} AND n.kind = 0"
        ));
    }
    if filter.min_access_level.is_some() {
        scopes.push(of_member.clone());
    }
    if filter.id_after.is_some() || filter.id_before.is_some() {
        let ids = range(
            "id",
            filter.id_after.map(ProjectId::get),
            filter.id_before.map(ProjectId::get),
        );
        scopes.push(format!("SELECT id FROM projects WHERE {ids}"));
    }
    scopes.extend(of_moments(filter));
    if let Some(visibility) = filter.visibility {
        scopes.push(of_visibility(visibility.number().to_string()));
    }
    match filter.viewer {
        Viewer::Anonymous => scopes.push(of_visibility(Visibility::Public.number().to_string())),
        Viewer::User(_) => {
            let [internal, public] =
                [Visibility::Internal, Visibility::Public].map(Visibility::number);
            let visible = of_visibility(format!("{internal}, {public}"));
            scopes.push(format!("{visible} UNION ALL {of_member}"));
        }
        Viewer::Administrator(_) => {}
    }
    scopes
}

/// Selects the projects that were updated, and those that were active, between two moments.
fn of_moments(filter: &ProjectFilter) -> impl Iterator<Item = String> {
    let moments = [
        ("updated_at", filter.updated_after, filter.updated_before),
        (
            "last_activity_at",
            filter.active_after,
            filter.active_before,
        ),
    ];
    moments.into_iter().filter_map(|(column, after, before)| {
        after.or(before)?;
        let [after, before] = [after, before].map(|moment| moment.map(Timestamp::as_micros));
        Some(format!(
            "SELECT id FROM projects WHERE {}",
            range(column, after, before)
        ))
    })
}

/// Selects the projects of a group, if the list is of a group.
/// Shares count if they have not expired on the day `today`, or all of them if it is `None`.
pub(super) fn of_group(within: ProjectsWithin, today: Option<CalendarDate>) -> Option<String> {
    let ProjectsWithin::Group {
        id,
        with_subgroups,
        with_shared,
    } = within
    else {
        return None;
    };
    let inside = if with_subgroups {
        format!(
            "SELECT p.id FROM namespace_lineage AS l JOIN projects AS p ON p.namespace_id = l.namespace_id \
             WHERE l.ancestor_id = {id}"
        )
    } else {
        format!("SELECT id FROM projects WHERE namespace_id = {id}")
    };
    let holds = today.map_or_else(String::new, |today| {
        let day = today.as_days();
        format!(" AND (expires_on IS NULL OR expires_on > {day})")
    });
    let shared = format!("SELECT project_id FROM project_shares WHERE group_id = {id}{holds}");
    Some(if with_shared {
        format!("{inside} UNION {shared}")
    } else {
        inside
    })
}

/// Counts a scope, up to one more than may be examined.
pub(super) fn count(scope: &str) -> String {
    format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM ({scope}) AS scope LIMIT {}) AS counted",
        EXAMINED + 1
    )
}

/// Selects the row of an order after the first `examined`.
/// It selects no row if the order ends before that.
pub(super) fn limit(
    filter: &ProjectFilter,
    order: ProjectOrder,
    sort: SortOrder,
    examined: i64,
) -> String {
    let key = key(order);
    let [text, number] = if is_text(order) {
        [key, "CAST(NULL AS BIGINT)"]
    } else {
        ["CAST(NULL AS TEXT)", key]
    };
    // Rows that the index of the order leaves out are not examined.
    let conditions = match order {
        ProjectOrder::Id => range(
            key,
            filter.id_after.map(ProjectId::get),
            filter.id_before.map(ProjectId::get),
        ),
        ProjectOrder::UpdatedAt => range(
            key,
            filter.updated_after.map(Timestamp::as_micros),
            filter.updated_before.map(Timestamp::as_micros),
        ),
        ProjectOrder::LastActivityAt => range(
            key,
            filter.active_after.map(Timestamp::as_micros),
            filter.active_before.map(Timestamp::as_micros),
        ),
        _ => range(key, None, None),
    };
    let word = match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    format!(
        "SELECT {text} AS text, {number} AS number, id FROM projects WHERE {conditions} \
         ORDER BY {key} {word}, id {word} LIMIT 1 OFFSET {examined}"
    )
}

/// Returns the key of an order, a column of projects.
pub(super) fn key(order: ProjectOrder) -> &'static str {
    match order {
        ProjectOrder::Id => "id",
        ProjectOrder::Name => "name_key",
        ProjectOrder::Path => "path_key",
        ProjectOrder::CreatedAt => "created_at",
        ProjectOrder::UpdatedAt => "updated_at",
        ProjectOrder::LastActivityAt => "last_activity_at",
    }
}

/// Returns the key of an order in a form that no index has, so that the planner reads the given rows and sorts them.
pub(super) fn unindexed_key(order: ProjectOrder) -> String {
    let same = if is_text(order) { "|| ''" } else { "+ 0" };
    format!("projects.{} {same}", key(order))
}

fn is_text(order: ProjectOrder) -> bool {
    matches!(order, ProjectOrder::Name | ProjectOrder::Path)
}

fn range(column: &str, after: Option<i64>, before: Option<i64>) -> String {
    let after = after.map(|least| format!("{column} > {least}"));
    let before = before.map(|most| format!("{column} < {most}"));
    let both: Vec<String> = after.into_iter().chain(before).collect();
    if both.is_empty() {
        return "TRUE".to_owned();
    }
    both.join(" AND ")
}

/// Returns the error of a list that would examine too many rows.
pub(super) fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, "list projects")
        .with_detail(format!("more than {EXAMINED} projects"))
}
