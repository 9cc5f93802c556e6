//! SQLite specifics of projects.

use diesel::prelude::*;
use storage::StoreError;

use super::tables::projects;
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

/// Visibility of projects in the conditions of lists.
/// The sign keeps the planner from the index of visibilities: it would use that one and sort, although the index of the
/// order gives a page at once.
pub(crate) const PROJECT_VISIBILITY: &str = "+projects.visibility";
/// Namespace and id of projects in the conditions of lists, kept from their indexes in the same way.
pub(crate) const PROJECT_NAMESPACE: &str = "+projects.namespace_id";
pub(crate) const PROJECT_ID: &str = "+projects.id";
/// Ancestor of a namespace, for role look-ups in a few projects: from the projects upwards, never from all groups of a
/// user downwards.
pub(crate) const LINEAGE_ANCESTOR: &str = "+namespace_lineage.ancestor_id";

/// Updates the last activity of projects, in the given order.
/// There is one writer, so a project is read first, and written only if its last activity changes.
pub(crate) fn touch_projects(
    tx: &mut SqliteWriteTx<'_>,
    timestamps: &[(i64, i64)],
    grain_micros: i64,
) -> Result<(), StoreError> {
    tx.run("touch projects", |connection| {
        let mut by_project: std::collections::BTreeMap<i64, Vec<i64>> =
            std::collections::BTreeMap::new();
        for (project, timestamp) in timestamps {
            by_project.entry(*project).or_default().push(*timestamp);
        }
        for (project, timestamps) in by_project {
            let row = projects::table.find(project);
            let noted: Option<i64> = row
                .select(projects::last_activity_at)
                .get_result(connection)
                .optional()?;
            let Some(noted) = noted else { continue };
            let note = timestamps.into_iter().fold(noted, |noted, timestamp| {
                if noted <= timestamp - grain_micros {
                    timestamp
                } else {
                    noted
                }
            });
            if note != noted {
                diesel::update(row)
                    .set(projects::last_activity_at.eq(note))
                    .execute(connection)?;
            }
        }
        Ok(())
    })
}

/// Does nothing: there is one writer, so nothing has to be locked.
#[expect(clippy::unnecessary_wraps, reason = "the other database may fail here")]
pub(crate) fn lock_trees(_: &mut SqliteWriteTx<'_>, _: &[i64]) -> Result<(), StoreError> {
    Ok(())
}

/// Expression by which lists compare titles of issues.
pub(crate) const ISSUE_TITLE: &str = "lower(i.title)";

/// Converts a text with numbered placeholders to the syntax of the database.
pub(crate) fn placeholders(text: &str) -> String {
    text.replace('$', "?")
}

/// True if a project exists.
/// A write transaction has the whole database, so nothing in it has to be locked.
pub(crate) fn lock_project(tx: &mut SqliteWriteTx<'_>, project: i64) -> Result<bool, StoreError> {
    let found = projects::table.find(project).select(projects::id);
    let found: Option<i64> = tx.value_if("lock project", found)?;
    Ok(found.is_some())
}

/// Does nothing: a write transaction has the whole database.
#[expect(clippy::unnecessary_wraps, reason = "the other database may fail here")]
pub(crate) fn lock_snippet(_: &mut SqliteWriteTx<'_>, _: i64) -> Result<(), StoreError> {
    Ok(())
}

/// Finds the rows of a query.
/// A write transaction has the whole database, so no other transaction has locked them.
macro_rules! free {
    ($rows:expr) => {
        $rows
    };
}

pub(crate) use free;
