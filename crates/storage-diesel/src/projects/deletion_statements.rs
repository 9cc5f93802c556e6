//! Statements of deletions of projects, groups and users.

use api_conventions::ids::{DeletionId, ProjectId, UserId};

use crate::delete_some::{UserReference, delete_some};

/// Selects the groups that a deletion removes: the group itself and all below it.
pub(super) fn groups_of(deletion: DeletionId) -> String {
    format!(
        "SELECT l.namespace_id FROM deletions AS d JOIN namespace_lineage AS l ON l.ancestor_id = d.namespace_id \
         WHERE d.id = {deletion}"
    )
}

/// Selects the paths of all rows that are pending deletion, with their targets.
pub(super) fn paths_of(deletion: DeletionId) -> String {
    format!(
        "SELECT lower(full_path) AS path_key, id AS namespace_id, CAST(NULL AS BIGINT) AS project_id FROM namespaces \
         WHERE deletion_id = {deletion} UNION ALL \
         SELECT lower(full_path), CAST(NULL AS BIGINT), id FROM projects WHERE deletion_id = {deletion}"
    )
}

/// Counts the names and paths of a pending deletion that are in use again.
pub(super) fn name_conflicts(deletion: DeletionId) -> String {
    format!(
        "SELECT (SELECT COUNT(*) FROM full_paths WHERE path_key IN (SELECT path_key FROM ({}) AS own)) \
         + (SELECT COUNT(*) FROM projects AS p JOIN projects AS o ON o.namespace_id = p.namespace_id \
         AND o.name = p.name AND o.deletion_id IS NULL WHERE p.deletion_id = {deletion}) AS number",
        paths_of(deletion)
    )
}

/// Counts the parents of a pending deletion that are pending deletion themselves.
pub(super) fn deleted_parents(deletion: DeletionId) -> String {
    format!(
        "SELECT COUNT(*) AS number FROM deletions AS d \
         LEFT JOIN projects AS p ON p.id = d.project_id LEFT JOIN namespaces AS g ON g.id = d.namespace_id \
         JOIN namespaces AS above ON above.id = COALESCE(p.namespace_id, g.parent_id) \
         WHERE d.id = {deletion} AND above.deletion_id IS NOT NULL"
    )
}

/// Returns the statements that delete the rows of a project, each with a limit.
pub(super) fn rows_of(project: ProjectId) -> [(&'static str, String); 9] {
    let by = |table: &str, key: &str| delete_some(table, key, project);
    [
        ("delete notes", by("notes", "id")),
        ("delete snippets", by("snippets", "id")),
        ("delete issues", by("issues", "id")),
        ("delete labels", by("labels", "id")),
        ("delete milestones", by("milestones", "id")),
        (
            "delete members",
            by("project_members", "project_id, user_id"),
        ),
        ("delete shares", by("project_shares", "id")),
        ("delete image repositories", by("image_repositories", "id")),
        (
            "delete topics",
            by("project_topics", "project_id, topic_key"),
        ),
    ]
}

/// Returns the statements that replace and delete references to a user, each to be completed with a limit and a
/// parenthesis.
pub(super) fn references_to(user: UserId, successor: UserId) -> [String; 14] {
    let replaced =
        |table, key, column| UserReference::new(table, key, column).replace(user, Some(successor));
    let deleted = |table, key| UserReference::new(table, key, "user_id").delete(user);
    [
        deleted("namespace_members", "namespace_id, user_id"),
        deleted("project_members", "project_id, user_id"),
        deleted("issue_assignees", "issue_id, user_id"),
        deleted("spam_logs", "id"),
        // The personal namespace stays, because its own deletion removes it.
        format!(
            "UPDATE namespaces SET owner_id = {successor} WHERE id IN \
             (SELECT id FROM namespaces WHERE owner_id = {user} AND kind = 1 LIMIT "
        ),
        replaced("projects", "id", "creator_id"),
        replaced("namespace_members", "namespace_id, user_id", "created_by"),
        replaced("project_members", "project_id, user_id", "created_by"),
        replaced("project_shares", "id", "created_by"),
        replaced("deletions", "id", "requested_by"),
        replaced("issues", "id", "author_id"),
        replaced("issues", "id", "closed_by"),
        replaced("notes", "id", "author_id"),
        // The condition is the expression of an index.
        format!(
            "UPDATE snippets SET author_id = {successor} WHERE id IN \
             (SELECT id FROM snippets WHERE author_id + 0 = {user} LIMIT "
        ),
    ]
}
