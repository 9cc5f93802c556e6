//! Dangling references and inconsistent copies, found by statements for both databases: references without a foreign
//! key, and data that is stored twice.

use diesel::QueryableByName;
use diesel::sql_types::Text;

/// Statements that return a few words for every inconsistent row.
pub(crate) const STATEMENTS: [&str; 16] = [
    // The subject of a note is no foreign key, because it may be in either of two tables.
    "SELECT 'note ' || n.id AS words FROM notes AS n WHERE n.noteable_type = 0 AND NOT EXISTS \
     (SELECT 1 FROM issues AS i WHERE i.id = n.noteable_id AND i.project_id = n.project_id)",
    "SELECT 'note ' || n.id AS words FROM notes AS n WHERE n.noteable_type = 1 AND NOT EXISTS \
     (SELECT 1 FROM alerts AS a WHERE a.id = n.noteable_id AND a.project_id = n.project_id)",
    // An issue has labels and milestones of its own project only.
    "SELECT 'label of issue ' || i.id AS words FROM issue_labels AS l JOIN issues AS i ON i.id = l.issue_id \
     WHERE NOT EXISTS (SELECT 1 FROM labels AS o WHERE o.id = l.label_id AND o.project_id = i.project_id)",
    "SELECT 'milestone of issue ' || i.id AS words FROM issues AS i WHERE i.milestone_id IS NOT NULL AND NOT EXISTS \
     (SELECT 1 FROM milestones AS m WHERE m.id = i.milestone_id AND m.project_id = i.project_id)",
    "SELECT 'assignee of issue ' || issue_id AS words FROM issue_assignees WHERE user_id NOT IN (SELECT id FROM users)",
    // Each project and namespace has one path, which is the same in all tables.
    "SELECT 'path of project ' || p.id AS words FROM projects AS p WHERE p.deletion_id IS NULL AND 1 <> \
     (SELECT COUNT(*) FROM full_paths AS f WHERE f.project_id = p.id AND f.path_key = lower(p.full_path))",
    "SELECT 'path of namespace ' || n.id AS words FROM namespaces AS n WHERE n.deletion_id IS NULL AND 1 <> \
     (SELECT COUNT(*) FROM full_paths AS f WHERE f.namespace_id = n.id AND f.path_key = lower(n.full_path))",
    "SELECT 'path ' || f.path_key AS words FROM full_paths AS f WHERE NOT EXISTS \
     (SELECT 1 FROM projects AS p WHERE p.id = f.project_id AND p.deletion_id IS NULL) AND NOT EXISTS \
     (SELECT 1 FROM namespaces AS n WHERE n.id = f.namespace_id AND n.deletion_id IS NULL)",
    "SELECT 'full path of project ' || p.id AS words FROM projects AS p JOIN namespaces AS n ON n.id = p.namespace_id \
     WHERE p.full_path <> n.full_path || '/' || p.path",
    "SELECT 'full path of namespace ' || n.id AS words FROM namespaces AS n LEFT JOIN namespaces AS o ON o.id = n.parent_id \
     WHERE n.full_path <> COALESCE(o.full_path || '/', '') || n.path",
    // Rows that are pending deletion refer to an existing deletion, and everything in them is pending deletion, too.
    "SELECT 'deletion of project ' || id AS words FROM projects WHERE deletion_id IS NOT NULL \
     AND deletion_id NOT IN (SELECT id FROM deletions)",
    "SELECT 'deletion of namespace ' || id AS words FROM namespaces WHERE deletion_id IS NOT NULL \
     AND deletion_id NOT IN (SELECT id FROM deletions)",
    "SELECT 'project ' || p.id AS words FROM projects AS p JOIN namespaces AS n ON n.id = p.namespace_id \
     WHERE p.deletion_id IS NULL AND n.deletion_id IS NOT NULL",
    "SELECT 'namespace ' || n.id AS words FROM namespaces AS n JOIN namespaces AS o ON o.id = n.parent_id \
     WHERE n.deletion_id IS NULL AND o.deletion_id IS NOT NULL",
    // The lineage of a namespace is that of its parent and itself.
    "SELECT 'lineage of namespace ' || l.namespace_id AS words FROM namespace_lineage AS l \
     JOIN namespaces AS n ON n.id = l.namespace_id WHERE l.ancestor_id <> n.id AND NOT EXISTS \
     (SELECT 1 FROM namespace_lineage AS o WHERE o.namespace_id = n.parent_id AND o.ancestor_id = l.ancestor_id)",
    "SELECT 'lineage of namespace ' || n.id AS words FROM namespaces AS n WHERE \
     (SELECT COUNT(*) FROM namespace_lineage AS l WHERE l.namespace_id = n.id) <> \
     1 + (SELECT COUNT(*) FROM namespace_lineage AS o WHERE o.namespace_id = n.parent_id)",
];

/// Description of an inconsistent row.
#[derive(QueryableByName)]
pub(crate) struct InconsistentRow {
    #[diesel(sql_type = Text)]
    pub(crate) words: String,
}

/// Returns the results of the statements.
macro_rules! found {
    ($connection:expr, $statements:expr) => {{
        use diesel::prelude::*;
        let mut found: Vec<String> = Vec::new();
        for statement in $statements {
            let rows = diesel::sql_query(statement).load($connection);
            let rows: Vec<crate::dangling::InconsistentRow> = rows.unwrap();
            found.extend(rows.into_iter().map(|row| row.words));
        }
        found
    }};
}

pub(crate) use found;
