//! Projects that a list certainly contains, so that a long list need not be counted: totals are reported only up to a
//! limit (`PAGE-03`), and an index of visibilities or of namespaces shows whether there are more than that, without
//! reading a single project.

use ::projects::{ProjectFilter, ProjectsWithin, Viewer};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::page::Total;
use api_conventions::time::CalendarDate;

/// Rows in the indexes of the sets that the list may not contain: projects pending deletion, and archived ones.
const PENDING_DELETION: &str = "SELECT 1 FROM projects WHERE deletion_id IS NOT NULL";
const ARCHIVED: &str = "SELECT 1 FROM projects WHERE archived";

/// Sets of projects, each of which is part of a list except for the rows left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LowerBound {
    /// Statements that return one row for each project of a set.
    pub(super) sets: Vec<String>,
    /// Statements that return a row for each project that the sets may contain and the list does not.
    pub(super) left_out: Vec<&'static str>,
}

/// Returns the sets that a list certainly contains on the day `today`.
/// There is no set if the list depends on anything that these indexes do not contain.
pub(super) fn lower_bound(filter: &ProjectFilter, today: CalendarDate) -> LowerBound {
    // Names all fields, so that a new condition cannot be overlooked here.
    let ProjectFilter {
        viewer,
        search,
        visibility,
        owner,
        min_access_level,
        archived,
        topics,
        with_merge_requests,
        search_namespaces: _,
        within,
        updated_after,
        updated_before,
        id_after,
        id_before,
        active_after,
        active_before,
        order_by: _,
        sort: _,
    } = filter;
    let changes = [updated_after, updated_before, active_after, active_before];
    let is_plain = search.is_none()
        && owner.is_none()
        && topics.is_empty()
        && !with_merge_requests
        && id_after.is_none()
        && id_before.is_none()
        && changes.iter().all(|limit| limit.is_none())
        && *archived != Some(true);
    let is_everywhere = *within == ProjectsWithin::Everywhere;
    let mut sets = Vec::new();
    if is_plain && is_everywhere && min_access_level.is_none() {
        sets.push(of_visibilities(*viewer, *visibility));
    }
    if is_plain && visibility.is_none() {
        let is_by_role = min_access_level.is_some() || !matches!(viewer, Viewer::Administrator(_));
        if is_by_role {
            sets.extend(of_roles(filter, today));
        } else if !is_everywhere {
            let within = within_of(*within, "id").unwrap_or_default();
            sets.push(in_namespaces(&format!(
                "SELECT id FROM namespaces WHERE {within}"
            )));
        }
    }
    let mut left_out = vec![PENDING_DELETION];
    if archived.is_some() {
        left_out.push(ARCHIVED);
    }
    LowerBound { sets, left_out }
}

/// Selects the projects that the viewer sees because of their visibility.
fn of_visibilities(viewer: Viewer, wanted: Option<Visibility>) -> String {
    let least = match viewer {
        Viewer::Anonymous => Visibility::Public,
        Viewer::User(_) => Visibility::Internal,
        Viewer::Administrator(_) => Visibility::Private,
    };
    let seen = [
        Visibility::Private,
        Visibility::Internal,
        Visibility::Public,
    ];
    let seen = seen
        .into_iter()
        .filter(|visibility| *visibility >= least && wanted.is_none_or(|w| w == *visibility));
    let numbers: Vec<String> = seen.map(|seen| seen.number().to_string()).collect();
    let numbers = if numbers.is_empty() {
        "NULL".to_owned()
    } else {
        numbers.join(", ")
    };
    format!("SELECT 1 FROM projects WHERE visibility IN ({numbers})")
}

/// Selects the projects in namespaces in which the viewer has the minimum role, given there or in an ancestor.
fn of_roles(filter: &ProjectFilter, today: CalendarDate) -> Option<String> {
    let user = filter.viewer.user_id()?;
    let least = filter.min_access_level.map_or(0, AccessLevel::number);
    let day = today.as_days();
    let within = within_of(filter.within, "l.namespace_id");
    let within = within.map_or_else(String::new, |within| format!(" AND {within}"));
    Some(in_namespaces(&format!(
        "SELECT l.namespace_id FROM namespace_members AS m \
         JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id \
         WHERE m.user_id = {user} AND m.access_level >= {least} \
         AND (m.expires_on IS NULL OR m.expires_on > {day}){within}"
    )))
}

fn in_namespaces(namespaces: &str) -> String {
    format!("SELECT 1 FROM projects WHERE namespace_id IN ({namespaces})")
}

/// Returns the condition that a namespace is in the scope of the list, if it has one.
fn within_of(within: ProjectsWithin, namespace: &str) -> Option<String> {
    match within {
        ProjectsWithin::Everywhere => None,
        ProjectsWithin::Group {
            id,
            with_subgroups: false,
            ..
        } => Some(format!("{namespace} = {id}")),
        ProjectsWithin::Group { id, .. } => Some(format!(
            "{namespace} IN (SELECT namespace_id FROM namespace_lineage WHERE ancestor_id = {id})"
        )),
    }
}

/// Counts rows, up to one more than the limit of totals plus `more`.
pub(super) fn count(rows: &str, more: i64) -> String {
    let limit = Total::COUNT_LIMIT + more;
    format!("SELECT COUNT(*) AS number FROM ({rows} LIMIT {limit}) AS counted")
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::UserId;

    use super::*;

    fn sets(filter: &ProjectFilter) -> Vec<String> {
        lower_bound(filter, CalendarDate::from_days(0).unwrap()).sets
    }

    #[test]
    fn a_viewer_sees_by_visibility_and_by_roles() {
        let user = ProjectFilter::new(Viewer::User(UserId::new(7)));
        let found = sets(&user);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].ends_with("visibility IN (10, 20)"), "{found:?}");
        assert!(found[1].contains("m.user_id = 7"), "{found:?}");
        let anonymous = sets(&ProjectFilter::new(Viewer::Anonymous));
        assert_eq!(anonymous.len(), 1, "{anonymous:?}");
        assert!(
            anonymous[0].ends_with("visibility IN (20)"),
            "{anonymous:?}"
        );
    }

    #[test]
    fn sets_contain_no_projects_hidden_from_the_viewer() {
        let private = ProjectFilter {
            visibility: Some(Visibility::Private),
            ..ProjectFilter::new(Viewer::Anonymous)
        };
        assert_eq!(
            sets(&private),
            ["SELECT 1 FROM projects WHERE visibility IN (NULL)"]
        );
    }

    #[test]
    fn a_condition_that_no_set_knows_leaves_none() {
        let all = ProjectFilter::new(Viewer::User(UserId::new(7)));
        let searched = ProjectFilter {
            search: Some("x".to_owned()),
            ..all.clone()
        };
        let archived = ProjectFilter {
            archived: Some(true),
            ..all
        };
        assert!(sets(&searched).is_empty());
        assert!(sets(&archived).is_empty());
    }
}
