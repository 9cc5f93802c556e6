//! Sets of groups, as statements that select their ids, and the limits of one list of groups.
//!
//! These statements contain only numbers, so no parameters are bound and the planner sees the values.

use ::projects::{GroupFilter, GroupOrder, GroupsWithin, Viewer};
use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::CalendarDate;

use crate::projects::limits::EXAMINED;

/// Returns the condition that a role or a share has not expired on a day.
fn holds(table: &str, today: CalendarDate) -> String {
    let day = today.as_days();
    format!("({table}.expires_on IS NULL OR {table}.expires_on > {day})")
}

/// Selects the namespaces in which a user has at least the role `least`, including inherited roles.
pub(super) fn held_by(user: UserId, least: i16, today: CalendarDate) -> String {
    let holds = holds("m", today);
    format!(
        "SELECT l.namespace_id FROM namespace_members AS m JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id \
         WHERE m.user_id = {user} AND m.access_level >= {least} AND {holds}"
    )
}

/// Selects the namespaces in which a user has a role, and the parents of its projects, all with their ancestors.
/// A namespace or project that is pending deletion does not make its ancestors visible.
pub(super) fn above_held_by(user: UserId, today: CalendarDate) -> String {
    let [of_namespaces, of_projects, of_shares] = ["m", "p", "s"].map(|table| holds(table, today));
    format!(
        "SELECT l.ancestor_id FROM namespace_members AS m JOIN namespace_lineage AS l ON l.namespace_id = m.namespace_id \
         JOIN namespaces AS n ON n.id = m.namespace_id \
         WHERE m.user_id = {user} AND n.deletion_id IS NULL AND {of_namespaces} \
         UNION SELECT l.ancestor_id FROM project_members AS p JOIN projects AS o ON o.id = p.project_id \
         JOIN namespace_lineage AS l ON l.namespace_id = o.namespace_id \
         WHERE p.user_id = {user} AND o.deletion_id IS NULL AND {of_projects} \
         UNION SELECT a.ancestor_id FROM namespace_members AS m \
         JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id \
         JOIN project_shares AS s ON s.group_id = l.namespace_id JOIN projects AS o ON o.id = s.project_id \
         JOIN namespace_lineage AS a ON a.namespace_id = o.namespace_id \
         WHERE m.user_id = {user} AND o.deletion_id IS NULL AND {of_namespaces} AND {of_shares}"
    )
}

/// Selects all namespaces that a user sees because of a role.
fn seen_by_role(user: UserId, today: CalendarDate) -> String {
    let held = held_by(user, 0, today);
    format!("{held} UNION {}", above_held_by(user, today))
}

/// Returns the conditions of a list except its search, each a text over the table `namespaces`.
pub(super) fn conditions(filter: &GroupFilter, today: CalendarDate) -> Vec<String> {
    let mut all = vec!["namespaces.kind = 1 AND namespaces.deletion_id IS NULL".to_owned()];
    let user = filter.viewer.user_id().unwrap_or(UserId::new(-1));
    match filter.viewer {
        Viewer::Administrator(_) => {}
        Viewer::Anonymous => {
            all.push(format!(
                "namespaces.visibility = {}",
                Visibility::Public.number()
            ));
        }
        Viewer::User(user) => all.push(format!(
            "(namespaces.visibility >= {} OR namespaces.id IN ({}))",
            Visibility::Internal.number(),
            seen_by_role(user, today)
        )),
    }
    match filter.within {
        GroupsWithin::Everywhere => {}
        GroupsWithin::TopLevel => all.push("namespaces.parent_id IS NULL".to_owned()),
        GroupsWithin::ChildrenOf(parent) => all.push(format!("namespaces.parent_id = {parent}")),
        GroupsWithin::Below(group) => all.push(format!(
            "namespaces.id <> {group} AND namespaces.id IN ({})",
            below(group.get())
        )),
    }
    if let Some(visibility) = filter.visibility {
        all.push(format!("namespaces.visibility = {}", visibility.number()));
    }
    if let Some(least) = filter.min_access_level {
        let held = held_by(user, least.number(), today);
        all.push(format!("namespaces.id IN ({held})"));
    }
    if filter.is_member {
        all.push(format!("namespaces.id IN ({})", seen_by_role(user, today)));
    }
    if !filter.skip.is_empty() {
        let skipped: Vec<String> = filter.skip.iter().map(ToString::to_string).collect();
        all.push(format!("namespaces.id NOT IN ({})", skipped.join(", ")));
    }
    all
}

/// Selects a namespace and all below it.
pub(super) fn below(namespace: i64) -> String {
    format!("SELECT namespace_id FROM namespace_lineage WHERE ancestor_id = {namespace}")
}

/// Selects the maximum number of path segments of a group in a group, and the maximum path lengths of groups and of
/// projects in it.
/// Paths are ASCII, so characters are bytes.
pub(super) fn extent(group: i64) -> [String; 3] {
    let below = below(group);
    let segments = "length(full_path) - length(replace(full_path, '/', '')) + 1";
    let most = |what: &str, table: &str, column: &str| {
        format!(
            "SELECT CAST(COALESCE(MAX({what}), 0) AS BIGINT) AS number FROM {table} WHERE {column} IN ({below})"
        )
    };
    [
        most(segments, "namespaces", "id"),
        most("length(full_path)", "namespaces", "id"),
        most("length(full_path)", "projects", "namespace_id"),
    ]
}

/// Returns sets of groups that contain the whole list and can be read from an index.
/// Sets that are likely to be small come first.
pub(super) fn scopes(filter: &GroupFilter, today: CalendarDate) -> Vec<String> {
    let user = filter.viewer.user_id().unwrap_or(UserId::new(-1));
    let mut scopes = Vec::new();
    if filter.min_access_level.is_some() {
        scopes.push(held_by(user, 0, today));
    }
    if filter.is_member {
        scopes.push(seen_by_role(user, today));
    }
    match filter.within {
        GroupsWithin::ChildrenOf(parent) => {
            scopes.push(format!(
                "SELECT id FROM namespaces WHERE parent_id = {parent}"
            ));
        }
        GroupsWithin::Below(group) => scopes.push(below(group.get())),
        GroupsWithin::Everywhere | GroupsWithin::TopLevel => {}
    }
    let of_visibility = |least: Visibility| {
        format!(
            "SELECT id FROM namespaces WHERE kind = 1 AND visibility >= {}",
            least.number()
        )
    };
    match filter.viewer {
        Viewer::Anonymous => scopes.push(of_visibility(Visibility::Public)),
        Viewer::User(user) => scopes.push(format!(
            "{} UNION ALL {}",
            of_visibility(Visibility::Internal),
            // The subquery keeps this union from being nested in another one.
            format_args!("SELECT * FROM ({}) AS seen", seen_by_role(user, today))
        )),
        Viewer::Administrator(_) => {}
    }
    scopes
}

/// Counts a set, up to one more than may be examined.
pub(super) fn count(scope: &str) -> String {
    format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM ({scope}) AS scope LIMIT {}) AS counted",
        EXAMINED + 1
    )
}

/// Upper bound of the number of namespaces, read from the end of an index, because ids are never reused.
pub(super) const UPPER_BOUND: &str = "SELECT COALESCE(MAX(id), 0) AS number FROM namespaces";

/// Returns the column of an order.
pub(super) fn key(order: GroupOrder) -> &'static str {
    match order {
        GroupOrder::Name => "name_key",
        GroupOrder::Path => "path_key",
        GroupOrder::Id => "id",
    }
}

/// Selects the first row of an order that may not be examined.
/// It selects no row if the order ends before that.
pub(super) fn limit(order: GroupOrder, sort: SortOrder) -> String {
    let key = key(order);
    let [text, number] = if order == GroupOrder::Id {
        ["CAST(NULL AS TEXT)", key]
    } else {
        [key, "CAST(NULL AS BIGINT)"]
    };
    let word = match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    format!(
        "SELECT {text} AS text, {number} AS number, id FROM namespaces ORDER BY {key} {word}, id {word} \
         LIMIT 1 OFFSET {EXAMINED}"
    )
}
