//! PostgreSQL specifics of projects.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;

use super::snippets::snippets;
use super::tables::{namespace_lineage, namespaces, projects};
use crate::postgres::{PgWriteTx, over_arrays};
use crate::transaction::Transaction as _;

/// Visibility of projects in the conditions of lists.
/// The planner knows how many projects have each visibility.
pub(crate) const PROJECT_VISIBILITY: &str = "projects.visibility";
/// Namespace and id of projects in the conditions of lists.
pub(crate) const PROJECT_NAMESPACE: &str = "projects.namespace_id";
pub(crate) const PROJECT_ID: &str = "projects.id";
/// Ancestor of a namespace, for role look-ups in a few projects.
pub(crate) const LINEAGE_ANCESTOR: &str = "namespace_lineage.ancestor_id";

over_arrays! {
    /// Sets the last activity of each project to the first of its timestamps that is an hour later.
    /// The condition occurs twice: the second one checks the row again after it is locked.
    TouchProjects {
        projects: BigInt => i64,
        timestamps: BigInt => i64,
    }
    "UPDATE projects SET last_activity_at = note.active_at FROM (SELECT DISTINCT ON (p.id) p.id, input.active_at \
     FROM ROWS FROM (unnest(",
    ")) WITH ORDINALITY AS input (project, active_at, place) JOIN projects AS p ON p.id = input.project \
     WHERE p.last_activity_at <= input.active_at - 3600000000 ORDER BY p.id, input.place) AS note \
     WHERE projects.id = note.id AND projects.last_activity_at <= note.active_at - 3600000000"
}

/// Updates the last activity of projects, in the given order.
/// It takes one statement, unless the timestamps of a project span more than the interval between updates: then it is
/// repeated until no row changes.
pub(crate) fn touch_projects(
    tx: &mut PgWriteTx<'_>,
    timestamps: &[(i64, i64)],
    grain_micros: i64,
) -> Result<(), StoreError> {
    const OPERATION: &str = "touch projects";
    let statement = || {
        let mut input = TouchProjects::default();
        for (project, timestamp) in timestamps {
            input.projects.push(*project);
            input.timestamps.push(*timestamp);
        }
        input
    };
    let first = timestamps.iter().map(|(_, timestamp)| *timestamp).min();
    let last = timestamps.iter().map(|(_, timestamp)| *timestamp).max();
    let is_long = first
        .zip(last)
        .is_some_and(|(first, last)| last - first >= grain_micros);
    if !is_long {
        let bytes = size_of_val(timestamps);
        return tx.write_rows(OPERATION, "projects", statement(), bytes);
    }
    tx.run(OPERATION, |connection| {
        while statement().execute(connection)? > 0 {}
        Ok(())
    })
}

/// Locks the trees that contain these namespaces, by their outermost namespaces and in the order of these.
/// A transaction that adds to a tree, or moves or renames something in it, calls this first, and works with the state
/// that it finds then.
pub(crate) fn lock_trees(tx: &mut PgWriteTx<'_>, within: &[i64]) -> Result<(), StoreError> {
    const OPERATION: &str = "lock trees of groups";
    let mut locked: Vec<i64> = Vec::new();
    loop {
        let outermost = namespaces::table
            .inner_join(
                namespace_lineage::table.on(namespace_lineage::ancestor_id.eq(namespaces::id)),
            )
            .filter(namespace_lineage::namespace_id.eq_any(within))
            .filter(namespaces::parent_id.is_null())
            .select(namespaces::id)
            .distinct()
            .order(namespaces::id);
        let outermost: Vec<i64> = tx.values(OPERATION, outermost)?;
        // A namespace may have been moved into another tree while this waited for the lock.
        if outermost.iter().all(|id| locked.contains(id)) {
            return Ok(());
        }
        let lock = namespaces::table
            .filter(namespaces::id.eq_any(&outermost))
            .select(namespaces::id)
            .order(namespaces::id)
            .for_no_key_update();
        locked = tx.values(OPERATION, lock)?;
    }
}

/// Expression by which lists compare titles of issues: character by character, whatever the language of the database.
pub(crate) const ISSUE_TITLE: &str = "lower(i.title) COLLATE \"C\"";

/// Converts a text with numbered placeholders to the syntax of the database.
pub(crate) fn placeholders(text: &str) -> String {
    text.to_owned()
}

/// Locks a project against changes, but not against rows that refer to it.
/// Returns false if it does not exist.
pub(crate) fn lock_project(tx: &mut PgWriteTx<'_>, project: i64) -> Result<bool, StoreError> {
    let found = projects::table.find(project).select(projects::id);
    let found: Option<i64> = tx.value_if("lock project", found.for_no_key_update())?;
    Ok(found.is_some())
}

/// Locks a personal snippet, if it exists.
pub(crate) fn lock_snippet(tx: &mut PgWriteTx<'_>, snippet: i64) -> Result<(), StoreError> {
    let found = snippets::table.find(snippet).select(snippets::id);
    let _: Option<i64> = tx.value_if("lock snippet", found.for_update())?;
    Ok(())
}

/// Locks the rows that a query finds, and skips those that others have locked.
macro_rules! free {
    ($rows:expr) => {
        $rows.for_update().skip_locked()
    };
}

pub(crate) use free;
